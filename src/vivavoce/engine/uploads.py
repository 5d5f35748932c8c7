"""How the engine takes in files: piece by piece, so that a large one holds nobody up."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from pathlib import Path

from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.domain.knowledge import Datasource, covered_settings
from vivavoce.errors import Conflict, InvalidInput, StorageFailed, TooLarge, VivavoceError
from vivavoce.operations.knowledge_results import DatasourceShown
from vivavoce.operations.uploads import LARGEST, AddFile

from .handlers import Errand, Work, runs
from .references import datasource_named, datastore_named

_PIECE = 4 * 1024 * 1024


@runs(AddFile)
async def add_file(op: AddFile, errand: Errand) -> DatasourceShown:
    size, head = await asyncio.to_thread(_looked_at, op.file)
    if size > LARGEST:
        raise TooLarge(f"A file may have at most {LARGEST // 2**20} MB.", hint="Split it into smaller ones.")
    if size == 0:
        raise InvalidInput("file: is empty.", details={"file": "is empty"})
    kind_of(op.name, head, str(op.config.get("mime_type", "")))  # refused at once where we cannot read it
    if op.replaces is not None:
        return await errand.write(partial(_replaced, op))
    source = await errand.write(partial(_begun, op))
    try:
        with op.file.open("rb") as file:
            position = 0
            while piece := await asyncio.to_thread(file.read, _PIECE):
                await errand.write(partial(_kept, source.id, position, piece))
                position += 1
        return await errand.write(partial(_queued, source.id))
    except (VivavoceError, OSError, asyncio.CancelledError):
        with suppress(StorageFailed):  # it stays unsynched, as where a process is killed
            await errand.write(partial(_dropped, source.id))
        raise


def _replaced(op: AddFile, work: Work) -> DatasourceShown:
    """The datasource with another file, at once: two that replace the same one never mix."""
    source = _begun(op, work)
    work.tables.uploads.drop(source.id)
    with op.file.open("rb") as file:
        for position, piece in enumerate(iter(partial(file.read, _PIECE), b"")):
            work.tables.uploads.add(source.id, position, piece)
    return _queued(source.id, work)


def _begun(op: AddFile, work: Work) -> Datasource:
    """The datasource, not synched until its file is there as a whole."""
    datastore = datastore_named(op.datastore_id, work)
    known = None if op.replaces is None else work.tables.datasources.find(op.replaces)
    if known is not None and known.datastore_id != datastore.id:
        raise Conflict(f"Datasource {op.replaces!r} belongs to another datastore.")
    config, secrets = covered_settings(op.config, known)
    fields = {"name": op.name, "type": "file", "status": "unsynched", "config": config, "secrets": secrets}
    if known is None:
        identity = work.identity() | ({} if op.replaces is None else {"id": op.replaces})
        source = Datasource.model_validate(identity | {"datastore_id": datastore.id} | fields)
        work.tables.datasources.add(source)
    else:
        source = known.changed(work.now, error=None, progress=0.0, **fields)
        work.tables.datasources.replace(source)
    return source


def _kept(datasource_id: str, position: int, piece: bytes, work: Work) -> None:
    datasource_named(datasource_id, work)  # someone may have deleted it meanwhile
    work.tables.uploads.add(datasource_id, position, piece)


def _queued(datasource_id: str, work: Work) -> DatasourceShown:
    source = datasource_named(datasource_id, work).changed(work.now, status="pending")
    work.tables.datasources.replace(source)
    work.tables.ingestions.put(source.id, "read", work.now)
    return DatasourceShown.of(source)


def _dropped(datasource_id: str, work: Work) -> None:
    work.tables.datasources.drop(datasource_id)


def _looked_at(file: Path) -> tuple[int, bytes]:
    try:
        with file.open("rb") as opened:
            return file.stat().st_size, opened.read(4096)
    except OSError as error:
        raise InvalidInput(f"{file.name} cannot be read: {error.strerror}.") from error
