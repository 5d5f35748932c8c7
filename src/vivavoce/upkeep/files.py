"""Files into a datastore: what is new or has changed is stored, then read and indexed."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from vivavoce.app import App
from vivavoce.domain.corpus.kinds import EMPTY, holds_text, kind_of
from vivavoce.domain.knowledge import ORIGIN, Datasource
from vivavoce.errors import InvalidInput, StorageFailed, TooLarge, Unreadable
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import ListDatasources
from vivavoce.operations.uploads import LARGEST, AddFile
from vivavoce.ports import Tables

from .origins import move_origin, origin_of, other_of
from .working import OPEN, UNFINISHED, Told, worked_through

HASH = "file_hash"
"""The setting of a datasource that keeps the SHA-256 of the file it was made from."""
_HEAD = 4096
_PAGE = 100
_THERE = "The account has a datasource of this name; delete it first to send the file again."

_STORED = "All files are stored, and not all are indexed."


class GivenFile(NamedTuple):
    """A file to take in, and what its datasource is called."""

    path: Path
    name: str
    is_named: bool
    """Whether someone asked for this very file; one that a folder happens to hold may be passed over."""


@dataclass
class Ingested:
    """What became of files."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """How many were passed over, by reason."""
    empty: list[str] = field(default_factory=list)
    """The name of each that was passed over because nothing is in it."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """The name of each file that could not be taken in, and why."""
    waiting: list[tuple[str, str]] = field(default_factory=list)
    """The name of each file that is stored but not indexed yet, and why."""
    passages: int = 0
    is_on_account: bool = False
    """Whether they went to a hosted account, which indexes them itself."""
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
    """Store the files that are new or have changed and, where it `waits`, work until they are indexed.

    A hosted account indexes them itself. It keeps no hash of a file: one whose name is there is passed over.
    """
    began = time.perf_counter()
    kind = _AccountWork if app.is_hosted else _Work
    work = kind(app, datastore_id, list(tags), told)
    await work.store(files)
    stored = time.perf_counter()
    if waits:
        await work.index()
    done = time.perf_counter()
    work.result.is_on_account = app.is_hosted
    work.result.seconds, work.result.indexing = done - began, done - stored
    return work.result


def digest_of(path: Path, name: str) -> str:
    """The SHA-256 of a file; refused where it cannot be read, or is of no use here."""
    size = path.stat().st_size
    with path.open("rb") as opened:
        kind_of(name, opened.read(_HEAD))
        if size > LARGEST:
            raise TooLarge(
                f"It has {size // 2**20} MB; a file may have at most {LARGEST // 2**20}.",
                hint="Split it into smaller ones.",
            )
        opened.seek(0)
        return hashlib.file_digest(opened, "sha256").hexdigest()


class _Work:
    """One run over files."""

    def __init__(self, app: App, datastore_id: str, tags: list[str], told: Told) -> None:
        self.app, self.datastore_id, self.tags, self.told = app, datastore_id, tags, told
        self.result = Ingested()
        self.watched: dict[str, str] = {}
        """The datasources that must be indexed in the end, with their names."""
        self.new: set[str] = set()
        self.changed: set[str] = set()

    async def known(self) -> Mapping[str, Datasource]:
        """The datasources that were made here, by name."""
        return await self.app.ports.store.read(partial(_known, self.datastore_id))

    async def store(self, files: Sequence[GivenFile]) -> None:
        known = await self.known()
        taken: dict[str, Path] = {}
        for done, file in enumerate(files):
            self.told.stored(done, len(files))
            try:
                _check_name(file.name)
                if file.name in taken:
                    raise _same_name(taken[file.name])
                taken[file.name] = file.path
                await self._take_in(file, known.get(file.name))
            except Unreadable as error:
                self._pass_over(file, error)
            except (InvalidInput, TooLarge) as error:
                self.result.failed.append((file.name, str(error)))
            except OSError as error:
                self.result.failed.append((file.name, f"It cannot be read: {error.strerror}."))
            except StorageFailed as error:
                stored = (
                    f"Stored before it: {self.result.added + self.result.replaced} of {len(files)} files."
                )
                raise _broken_off(error, f"{file.name} could not be stored. ", stored) from error
        self.told.stored(len(files), len(files))

    def _pass_over(self, file: GivenFile, error: Unreadable) -> None:
        """A file that cannot be read has failed, unless it only lies in a folder and no text is lost."""
        is_empty = error.message == EMPTY
        if file.is_named or (holds_text(file.name) and not is_empty):
            self.result.failed.append((file.name, str(error)))
            return
        self.result.skipped[error.message] += 1
        if is_empty:
            self.result.empty.append(file.name)

    async def _take_in(self, file: GivenFile, known: Datasource | None) -> None:
        digest = await asyncio.to_thread(digest_of, file.path, file.name)
        other = None if known is None else other_of(known, file.path)
        if known is not None and known.config.get(HASH) == digest and known.status not in UNFINISHED:
            self.result.unchanged += 1
            if known.status in OPEN:
                self.watched[known.id] = file.name
            if other is None:
                await move_origin(self.app, known, file.path)
            return
        if other is not None:
            raise _same_name(other)
        kept = {} if known is None else known.config
        config = {**kept, HASH: digest, ORIGIN: origin_of(file.path)}
        config |= {"tags": self.tags} if self.tags else {}
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
        try:
            sources = await worked_through(self.app, self.datastore_id, list(self.watched), self.told)
        except StorageFailed as error:
            raise _broken_off(error, "", _STORED) from error
        for source in sources:
            if source.status == "error":
                self.result.added -= source.id in self.new
                self.result.replaced -= source.id in self.changed
                self.result.failed.append((source.name, source.error or "It could not be read."))
            elif source.status in OPEN:
                self.result.waiting.append((source.name, source.error or "Another process works on it."))
            else:
                self.result.passages += source.nb_chunks


class _AccountWork(_Work):
    """One run over files that go to a hosted account."""

    async def known(self) -> Mapping[str, Datasource]:
        """The files that the account has, by name."""
        found: dict[str, Datasource] = {}
        seen = set[str]()
        while True:
            asked = ListDatasources(datastore_id=self.datastore_id, offset=len(seen), limit=_PAGE)
            page = (await self.app.backend.run(asked, OPERATOR)).data
            found |= {source.name: source for source in page if source.type == "file"}
            if not {source.id for source in page} - seen:
                return found
            seen |= {source.id for source in page}

    async def _take_in(self, file: GivenFile, known: Datasource | None) -> None:
        await asyncio.to_thread(digest_of, file.path, file.name)  # refused here as it would be elsewhere
        if known is not None:
            self.result.skipped[_THERE] += 1
            return
        given = {
            "datastoreId": self.datastore_id,
            "name": file.name,
            "file": file.path,
            "config": {"tags": self.tags} if self.tags else {},
        }
        await self.app.backend.run(AddFile.parse(given, strict=False), OPERATOR)
        self.result.added += 1

    async def index(self) -> None:
        """Leave it to the account."""


def _broken_off(error: StorageFailed, begins: str, stored: str) -> StorageFailed:
    """What ended a run, with what is stored all the same: the database speaks of its last change alone."""
    rest = error.hint.removeprefix("Nothing was stored.").strip()
    return StorageFailed(
        f"{begins}{error.message}", hint=f"{stored} {rest} Then run this again: it goes on where it was."
    )


def _check_name(name: str) -> None:
    """Refuse a name whose bytes on the disk are no text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidInput("Its name is not valid UTF-8.", hint="Rename the file.") from None


def _same_name(other: Path) -> InvalidInput:
    return InvalidInput(f"{other} has the same name here.", hint="Give the folder above both.")


def _known(datastore_id: str, tables: Tables) -> Mapping[str, Datasource]:
    """The datasources that were made here, by name; what was added by hand is nobody's to replace."""
    sources = tables.datasources.where(datastore_id=datastore_id, type="file")
    return {source.name: source for source in sources if HASH in source.config}
