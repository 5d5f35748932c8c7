"""A corpus on trial: its documents are read and split, and nothing is stored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path

from vivavoce.app import App
from vivavoce.domain.avatars import Source
from vivavoce.domain.corpus.documents import Part
from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.domain.corpus.passages import document_of, passages_of
from vivavoce.domain.corpus.splittings import Splitting
from vivavoce.domain.knowledge import Datasource
from vivavoce.domain.language.languages import language_of
from vivavoce.engine.library.reading import SAMPLE
from vivavoce.errors import Unreadable
from vivavoce.ports import Embedder

from .corpus import (
    Document,
    Looking,
    concerned_in,
    is_unchanged,
    known_sources,
    left_of,
    note_left,
    result_for,
    wanted_of,
)
from .corpus_files import AvatarFolder
from .corpus_languages import embedder_for, embedder_of
from .corpus_outcomes import Outcome, Processed
from .corpus_registering import known_avatar
from .working import Told

_HEAD = 4096


async def try_corpus(
    app: App, folder: AvatarFolder, told: Told, *, source_id: str | None = None, force: bool = False
) -> Processed:
    """What process_corpus would do: each document that is new or has changed is read and split."""
    began = time.perf_counter()
    listed, documents = folder.listed(), folder.documents()
    wanted = wanted_of(listed, source_id)
    result = result_for(folder, listed, documents, source_id)
    avatar = await known_avatar(app, folder.id)
    datastore_id = None if avatar is None else avatar.datastore_id
    known: Mapping[str, Datasource] = {} if datastore_id is None else await known_sources(app, datastore_id)
    embedder = None if datastore_id is None else await embedder_of(app, datastore_id)
    if embedder is None:
        embedder = await embedder_for(app, folder, concerned_in(listed, wanted))
    note_left(result, left_of(listed, known))

    async def split(source: Source, document: Document, before: Datasource | None, outcome: Outcome) -> None:
        nonlocal embedder
        parts = await _read(document.path, app)
        embedder = _chosen_for(parts, app) if embedder is None else embedder
        tokens = await asyncio.to_thread(_tokens, parts, listed.splitting, embedder)
        outcome.passages, outcome.tokens = len(tokens), sum(tokens)
        outcome.state = "processed"

    def is_done(document: Document, before: Datasource) -> bool:
        return not force and is_unchanged(document, before)

    looking = Looking(folder, documents, known, listed.splitting, is_named=source_id is not None)
    result.outcomes = await looking.through(wanted, told, is_done, split)
    result.seconds = time.perf_counter() - began
    return result


def _chosen_for(parts: list[Part], app: App) -> Embedder:
    """The one that it would get with this as its first document."""
    return app.ports.embedders.chosen(language_of("".join(part.text for part in parts)[:SAMPLE]))


async def _read(path: Path, app: App) -> list[Part]:
    """The parts of a document."""
    with path.open("rb") as file:
        kind = kind_of(path.name, file.read(_HEAD))
    async with aclosing(app.ports.reader.read(path, kind)) as reading:
        parts = [part async for part in reading]
    if not any(part.text.strip() for part in parts):
        raise Unreadable("There is no text in it.")
    return parts


def _tokens(parts: list[Part], splitting: Splitting, embedder: Embedder) -> list[int]:
    size, overlap = splitting
    passages = passages_of(*document_of(parts), embedder.lengths, size=size, overlap=overlap)
    return [passage.tokens for passage in passages]
