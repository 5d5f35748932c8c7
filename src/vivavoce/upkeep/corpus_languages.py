"""The languages of a corpus: all its documents decide which embedder it gets, not only the first one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path

from vivavoce.app import App
from vivavoce.domain.avatars import Source
from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.domain.language.languages import LANGUAGES, language_of
from vivavoce.engine.library.calibration import ensure_calibrated
from vivavoce.engine.library.indexing import collection_for
from vivavoce.engine.library.reading import SAMPLE
from vivavoce.errors import VivavoceError
from vivavoce.ports import Embedder, Ports, Tables

from .corpus_files import AvatarFolder

_HEAD = 4096


async def settle_embedder(
    app: App, datastore_id: str, folder: AvatarFolder, sources: Sequence[Source]
) -> None:
    """Give a corpus that has no embedder yet the one for the languages that its documents are in.

    Where they are in English, or nothing tells, the first document that is indexed decides.
    """
    if await embedder_of(app, datastore_id) is not None:
        return
    embedder = await embedder_for(app, folder, sources)
    if embedder is not None:
        await ensure_calibrated(embedder, app.ports)
        await app.ports.store.write(partial(_settled, datastore_id, embedder, app.ports))


async def embedder_of(app: App, datastore_id: str) -> Embedder | None:
    """The embedder that a corpus has already."""
    serving = await app.ports.store.read(lambda tables: tables.collections.of(datastore_id))
    return app.ports.embedders.named(serving[0].embedder) if serving else None


async def embedder_for(app: App, folder: AvatarFolder, sources: Sequence[Source]) -> Embedder | None:
    """The embedder that a corpus needs for a document that is not in English; None where there is none."""
    usual = app.ports.embedders.chosen("en").identity
    others = {language: app.ports.embedders.chosen(language) for language in LANGUAGES}
    others = {language: each for language, each in others.items() if each.identity != usual}
    documents = folder.documents() if others else []
    for source in sources if documents else ():
        # What is wrong with a document is told where it is processed.
        with suppress(VivavoceError, OSError):
            path = folder.document_of(source, documents)
            language = "" if path is None else language_of(await _beginning_of(path, app))
            if language in others:
                return others[language]
    return None


async def _beginning_of(path: Path, app: App) -> str:
    """As much of a document as its language is told by."""
    with path.open("rb") as file:
        kind = kind_of(path.name, file.read(_HEAD))
    sample = ""
    async with aclosing(app.ports.reader.read(path, kind)) as parts:
        async for part in parts:
            sample += part.text
            if len(sample) >= SAMPLE:
                break
    return sample[:SAMPLE]


def _settled(datastore_id: str, embedder: Embedder, ports: Ports, tables: Tables) -> None:
    datastore = tables.datastores.find(datastore_id)
    if datastore is not None:
        collection = collection_for(datastore_id, embedder, tables)
        known = {"embedder": collection.embedder, "dimension": collection.dimension}
        tables.datastores.replace(datastore.changed(ports.now(), **known))
