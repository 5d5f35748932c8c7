"""The guide: an avatar over the documentation that comes with the program, made on first use."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import vivavoce
from vivavoce.app import App
from vivavoce.domain.avatars import Avatar, Source, read_sources
from vivavoce.domain.knowledge import Datasource
from vivavoce.engine import Engine
from vivavoce.engine.library.calibration import ensure_calibrated
from vivavoce.engine.library.indexing import collection_for
from vivavoce.errors import Conflict, NotAvailable, StorageFailed
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatars import CreateAvatar, UpdateAvatar
from vivavoce.operations.knowledge import CreateDatasource, DeleteDatasource
from vivavoce.ports import Tables

from .files import HASH
from .working import UNFINISHED, Told, worked_through

GUIDE = "guide"
FOLDER = Path(vivavoce.__file__).parent / "avatars" / GUIDE
"""The folder of an avatar like any other. In a checkout its documents are links to the pages of docs/."""
VECTORS = FOLDER / "vectors.npz"
_LANGUAGE = "en"
"""Of the first of its pages, by which its embedder is chosen."""
_OURS = "comesWith"
"""The key of a configuration that came with the program: an avatar of yours with the same id stays yours."""


@dataclass(frozen=True)
class GuidePage:
    """A page of the documentation, as this version has it."""

    source: Source
    text: str
    """As a reader sees it: links are their words, and comments are gone."""

    @property
    def datasource_id(self) -> str:
        """The same in every workspace, so that two processes that make the guide make one."""
        return f"{GUIDE}_{hashlib.sha256(self.source.id.encode()).hexdigest()[:24]}"

    @property
    def digest(self) -> str:
        """The SHA-256 of what it says."""
        return hashlib.sha256(f"{self.source.title}\n{self.text}".encode()).hexdigest()


class Unheard:
    """Someone who need not be told how far the work has come."""

    def stored(self, done: int, total: int) -> None:
        """Say nothing."""

    def indexed(self, done: float, total: int, passages: int) -> None:
        """Say nothing."""


async def ensure_guide(app: App, told: Told | None = None) -> None:
    """Let the workspace have the guide as this version writes it; quick where it has it already."""
    config, entries, pages = await asyncio.to_thread(guide_files)
    avatar = await app.ports.store.read(lambda tables: tables.avatars.find(GUIDE))
    if avatar is not None and _OURS not in avatar.config:
        return
    if not isinstance(app.backend, Engine):  # its pages would be written into the account
        if avatar is None:
            raise NotAvailable(
                "There is no guide here yet, and the tools work on a hosted account.",
                hint="Run vivavoce ask guide once without CHATVOLT_API_KEY.",
            )
        return
    avatar = await _registered(app, avatar, config, entries)
    known = await app.ports.store.read(partial(_known, avatar.datastore_id))
    stale = [page for page in pages if not _is_current(page, known.get(page.datasource_id))]
    if stale:
        embedder = app.ports.embedders.chosen(_LANGUAGE)
        await embedder.question("a")  # where there is none, nothing is begun
        await ensure_calibrated(embedder, app.ports)
        await _keep_vectors(app)
        datastore_id = avatar.datastore_id  # whichever page is read first, it is not asked for its language
        await app.ports.store.write(partial(collection_for, datastore_id, embedder))
    for page in stale:
        await app.backend.run(_written(page, avatar.datastore_id), OPERATOR)
    for id in known.keys() - {page.datasource_id for page in pages}:
        await app.backend.run(DeleteDatasource(id=id), OPERATOR)
    is_open = any(source.status != "synched" for source in known.values())
    if stale or is_open:
        ids = [page.datasource_id for page in pages]
        done = await worked_through(app, avatar.datastore_id, ids, Unheard() if told is None else told)
        if not any(source.status == "synched" for source in done):
            said = next((source.error for source in done if source.error is not None), "Ask again.")
            raise NotAvailable(f"The guide could not read the documentation. {said}")


async def is_guide_made(app: App) -> bool:
    """Whether the workspace has a guide already, of this version or of another."""
    return await app.ports.store.read(lambda tables: tables.avatars.find(GUIDE)) is not None


def guide_files() -> tuple[dict[str, Any], list[dict[str, Any]], list[GuidePage]]:
    """The configuration of the guide, its sources, and the pages that it reads."""
    try:
        config: dict[str, Any] = json.loads(_content(FOLDER / "config.json"))
        entries: list[dict[str, Any]] = json.loads(_content(FOLDER / "corpus" / "sources.json"))["sources"]
        folder = FOLDER / "corpus" / "open-access"
        pages = [
            GuidePage(source, as_read(_content(folder / f"{source.id}.md")))
            for source in read_sources(entries)
            if source.is_primary
        ]
    except OSError as error:
        raise StorageFailed(
            f"The documentation that comes with vivavoce cannot be read: {error.strerror}: {error.filename}.",
            hint="Install vivavoce again; a checkout needs a file system with symbolic links.",
        ) from error
    return config, entries, pages


def as_read(markdown: str) -> str:
    """A page as it reads: without what only the source shows, and without tables that another page has."""
    text = _COMMENT.sub("", _ASKED.sub("", _COPIED.sub("", markdown)))
    return _STRONG.sub(r"\1", _LINK.sub(r"\1", text))


_COPIED = re.compile(r"^<!-- (\w+): written by .*?^<!-- end of \1 -->$\n?", re.DOTALL | re.MULTILINE)
_ASKED = re.compile(r"^(?:For example: )?(?:bin/)?vivavoce ask .*\n", re.MULTILINE)
"""A line that shows a question would be found for it, and has no answer; prose with the command is read."""
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_LINK = re.compile(r"\[([^][\n]*(?:\n[^][\n]*)?)\]\([^()\s]+\)")
_STRONG = re.compile(r"\*\*([^*\n]+)\*\*")


def _content(file: Path) -> str:
    return file.read_text(encoding="utf-8")


async def _registered(
    app: App, avatar: Avatar | None, config: dict[str, Any], entries: list[dict[str, Any]]
) -> Avatar:
    """The guide with the configuration of this version."""
    if avatar is None:
        with suppress(Conflict):  # another process was quicker
            await app.backend.run(CreateAvatar(config=config, sources=entries), OPERATOR)
    elif avatar.config != config or avatar.sources != entries:
        await app.backend.run(UpdateAvatar(id=GUIDE, config=config, sources=entries), OPERATOR)
    found = await app.ports.store.read(lambda tables: tables.avatars.find(GUIDE))
    if found is None:
        raise Conflict("The guide was deleted while it was made.", hint="Ask again.")
    return found


def _known(datastore_id: str, tables: Tables) -> dict[str, Datasource]:
    """The datasources of the guide by their ids; what someone added to its datastore is not ours."""
    sources: Sequence[Datasource] = tables.datasources.where(datastore_id=datastore_id)
    return {source.id: source for source in sources if source.id.startswith(f"{GUIDE}_")}


def _is_current(page: GuidePage, known: Datasource | None) -> bool:
    return known is not None and known.config.get(HASH) == page.digest and known.status not in UNFINISHED


def _written(page: GuidePage, datastore_id: str) -> CreateDatasource:
    """The page as a datasource: its text is at hand, so that no process is started to read it."""
    return CreateDatasource(
        id=page.datasource_id,
        datastore_id=datastore_id,
        name=page.source.title,
        text=page.text,
        config={HASH: page.digest},
        custom_id=page.source.id,
    )


async def _keep_vectors(app: App) -> None:
    """Give the store the vectors that come with the pages, so that only what differs is embedded here."""
    embedder = app.ports.embedders.chosen(_LANGUAGE).identity
    vectors = await asyncio.to_thread(recorded_vectors, embedder)
    if vectors:
        await app.ports.store.write(lambda tables: tables.passages.keep_vectors(embedder, vectors))


def recorded_vectors(embedder: str, file: Path = VECTORS) -> dict[str, bytes]:
    """The vectors that were recorded with an embedder, as half floats by the hash of what was embedded."""
    import numpy

    if not file.exists():
        return {}
    with numpy.load(file, allow_pickle=False) as kept:
        if str(kept["embedder"]) != embedder:
            return {}
        rows = (kept["rows"].astype("f4") * kept["scales"][:, None]).astype("<f2")
        return {bytes(hash).hex(): row.tobytes() for hash, row in zip(kept["hashes"], rows, strict=True)}
