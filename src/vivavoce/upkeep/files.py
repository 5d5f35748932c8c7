"""Files into a datastore: what is new or has changed is stored, then read and indexed."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from vivavoce.app import App
from vivavoce.domain.kinds import kind_of
from vivavoce.domain.knowledge import Datasource
from vivavoce.errors import InvalidInput, TooLarge, Unreadable
from vivavoce.operations import OPERATOR
from vivavoce.operations.uploads import LARGEST, AddFile
from vivavoce.ports import Tables

HASH = "file_hash"
"""The setting of a datasource that keeps the SHA-256 of the file it was made from."""
_PAUSE = 0.5
"""Seconds between two looks at what is left."""
_HEAD = 4096
_OPEN = ("pending", "running")
_UNFINISHED = ("unsynched", "error")
"""A file whose datasource is in one of these states is stored again, whatever its hash."""


class GivenFile(NamedTuple):
    """A file to take in, and what its datasource is called."""

    path: Path
    name: str
    is_named: bool
    """Whether someone asked for this very file; one that a folder happens to hold may be passed over."""


class Told(Protocol):
    """Someone who is told how far the work has come."""

    def stored(self, done: int, total: int) -> None:
        """So many files were looked at."""
        ...

    def indexed(self, done: int, total: int, passages: int) -> None:
        """So many datasources are indexed, and so many passages were made."""
        ...


@dataclass
class Ingested:
    """What became of files."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """How many were passed over, by reason."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """The name of each file that could not be taken in, and why."""
    waiting: list[tuple[str, str]] = field(default_factory=list)
    """The name of each file that is stored but not indexed yet, and why."""
    passages: int = 0
    seconds: float = 0.0
    indexing: float = 0.0
    """The seconds of them that went into indexing."""


async def ingest_files(
    app: App,
    datastore_id: str,
    files: Sequence[GivenFile],
    told: Told,
    *,
    tags: Sequence[str] = (),
    waits: bool = True,
) -> Ingested:
    """Store the files that are new or have changed and, where it `waits`, work until they are indexed."""
    began = time.perf_counter()
    work = _Work(app, datastore_id, list(tags), told)
    await work.store(files)
    stored = time.perf_counter()
    if waits:
        await work.index()
    done = time.perf_counter()
    work.result.seconds, work.result.indexing = done - began, done - stored
    return work.result


class _Work:
    """One run over files."""

    def __init__(self, app: App, datastore_id: str, tags: list[str], told: Told) -> None:
        self.app, self.datastore_id, self.tags, self.told = app, datastore_id, tags, told
        self.result = Ingested()
        self.watched: dict[str, str] = {}
        """The datasources that must be indexed in the end, with their names."""
        self.new: set[str] = set()
        self.changed: set[str] = set()

    async def store(self, files: Sequence[GivenFile]) -> None:
        known = await self.app.ports.store.read(partial(_known, self.datastore_id))
        taken: dict[str, Path] = {}
        for done, file in enumerate(files):
            self.told.stored(done, len(files))
            try:
                if file.name in taken:
                    raise InvalidInput(
                        f"{taken[file.name]} has the same name here.", hint="Give the folder above both."
                    )
                taken[file.name] = file.path
                await self._take_in(file, known.get(file.name))
            except Unreadable as error:
                if file.is_named:
                    self.result.failed.append((file.name, str(error)))
                else:
                    self.result.skipped[error.message] += 1
            except (InvalidInput, TooLarge) as error:
                self.result.failed.append((file.name, str(error)))
            except OSError as error:
                self.result.failed.append((file.name, f"It cannot be read: {error.strerror}."))
        self.told.stored(len(files), len(files))

    async def _take_in(self, file: GivenFile, known: Datasource | None) -> None:
        digest = await asyncio.to_thread(_digest, file)
        if known is not None and known.config.get(HASH) == digest and known.status not in _UNFINISHED:
            self.result.unchanged += 1
            if known.status in _OPEN:
                self.watched[known.id] = file.name
            return
        kept = {} if known is None else known.config
        config = {**kept, HASH: digest, **({"tags": self.tags} if self.tags else {})}
        given = {
            "datastoreId": self.datastore_id,
            "name": file.name,
            "file": file.path,
            "config": config,
            "id": None if known is None else known.id,
        }
        source = await self.app.backend.run(AddFile.parse(given, strict=False), OPERATOR)
        self.watched[source.id] = file.name
        if known is None:
            self.new.add(source.id)
            self.result.added += 1
            return
        self.changed.add(source.id)
        self.result.replaced += 1

    async def index(self) -> None:
        """Work, beside others who may do so too, until each file is indexed or will not be for a while."""
        progress = _Progress(self.app, self.datastore_id, self.told)
        await progress.look()
        looking = asyncio.create_task(progress.go_on())
        try:
            while True:
                if not await self.app.ingester.work(self.datastore_id) and await self._is_at_rest():
                    break
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
        await progress.look()
        await self._count()

    async def _is_at_rest(self) -> bool:
        """Whether nobody works on the files and nothing is due; looks again after a while where not."""
        left, sources = await self.app.ports.store.read(
            lambda tables: (tables.ingestions.number(self.datastore_id), self._sources(tables))
        )
        if left == 0 or not any(source.status in _OPEN and not _is_postponed(source) for source in sources):
            return True
        await asyncio.sleep(_PAUSE)
        return False

    async def _count(self) -> None:
        for source in await self.app.ports.store.read(self._sources):
            if source.status == "error":
                self.result.added -= source.id in self.new
                self.result.replaced -= source.id in self.changed
                self.result.failed.append((source.name, source.error or "It could not be read."))
            elif source.status in _OPEN:
                self.result.waiting.append((source.name, source.error or "Another process works on it."))
            else:
                self.result.passages += source.nb_chunks

    def _sources(self, tables: Tables) -> list[Datasource]:
        return tables.datasources.within("id", list(self.watched))


class _Progress:
    """Looks at the store and tells what it sees."""

    def __init__(self, app: App, datastore_id: str, told: Told) -> None:
        self.app, self.datastore_id, self.told = app, datastore_id, told
        self.total = self.made = 0
        self.last: int | None = None

    async def go_on(self) -> None:
        while True:
            await asyncio.sleep(_PAUSE)
            await self.look()

    async def look(self) -> None:
        left, passages = await self.app.ports.store.read(
            lambda tables: (
                tables.ingestions.number(self.datastore_id),
                tables.passages.count(self.datastore_id),
            )
        )
        # Passages of versions that were replaced go away meanwhile: only what comes is counted.
        self.made += max(0, passages - (passages if self.last is None else self.last))
        self.last = passages
        self.total = max(self.total, left)
        self.told.indexed(self.total - left, self.total, self.made)


def _is_postponed(source: Datasource) -> bool:
    """Whether it failed for now, and is tried again after a while."""
    return source.status == "pending" and source.error is not None


def _known(datastore_id: str, tables: Tables) -> Mapping[str, Datasource]:
    """The datasources that were made here, by name; what was added by hand is nobody's to replace."""
    sources = tables.datasources.where(datastore_id=datastore_id, type="file")
    return {source.name: source for source in sources if HASH in source.config}


def _digest(file: GivenFile) -> str:
    """The SHA-256 of a file that can be read; refused where it is of no use here."""
    size = file.path.stat().st_size
    with file.path.open("rb") as opened:
        kind_of(file.name, opened.read(_HEAD))
        if size > LARGEST:
            raise TooLarge(
                f"It has {size // 2**20} MB; a file may have at most {LARGEST // 2**20}.",
                hint="Split it into smaller ones.",
            )
        opened.seek(0)
        return hashlib.file_digest(opened, "sha256").hexdigest()
