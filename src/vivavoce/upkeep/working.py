"""Work on datasources: they are read and indexed, and someone is told how far that has come."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from vivavoce.app import App
from vivavoce.domain.knowledge import Datasource
from vivavoce.ports import Tables

OPEN = ("pending", "running")
"""The states of a datasource that is still worked on."""
UNFINISHED = ("unsynched", "error")
"""A file whose datasource is in one of these states is stored again, whatever its hash."""
_PAUSE = 0.5
"""Seconds between two looks at what is left."""


class Told(Protocol):
    """Someone who is told how far the work has come."""

    def stored(self, done: int, total: int) -> None:
        """So many files were looked at."""
        ...

    def indexed(self, done: float, total: int, passages: int) -> None:
        """So many datasources are indexed, with the shares of those under way; so many passages were made."""
        ...


async def worked_through(app: App, datastore_id: str, ids: Sequence[str], told: Told) -> list[Datasource]:
    """The datasources once each is indexed or will not be for a while; others may work on them too."""
    progress = _Progress(app, datastore_id, told)
    await progress.look()
    looking = asyncio.create_task(progress.go_on())
    try:
        while True:
            if not await app.ingester.work(datastore_id) and await _is_at_rest(app, datastore_id, ids):
                break
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking
    await progress.look()
    return await app.ports.store.read(lambda tables: _sources(ids, tables))


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
        left, passages, begun = await self.app.ports.store.read(
            lambda tables: (
                tables.ingestions.number(self.datastore_id),
                tables.passages.count(self.datastore_id),
                _begun(self.datastore_id, tables),
            )
        )
        # Passages of versions that were replaced go away meanwhile: only what comes is counted.
        self.made += max(0, passages - (passages if self.last is None else self.last))
        self.last = passages
        self.total = max(self.total, left)
        self.told.indexed(self.total - left + min(begun, left), self.total, self.made)


def _begun(datastore_id: str, tables: Tables) -> float:
    """How much of the datasources under way is indexed, in shares of a whole one."""
    running = tables.datasources.where(datastore_id=datastore_id, status="running")
    return sum(source.progress for source in running if source.progress < 1)


async def _is_at_rest(app: App, datastore_id: str, ids: Sequence[str]) -> bool:
    """Whether nobody works on the files and nothing is due; looks again after a while where not."""
    left, sources = await app.ports.store.read(
        lambda tables: (tables.ingestions.number(datastore_id), _sources(ids, tables))
    )
    if left == 0 or not any(source.status in OPEN and not _is_postponed(source) for source in sources):
        return True
    await asyncio.sleep(_PAUSE)
    return False


def _sources(ids: Sequence[str], tables: Tables) -> list[Datasource]:
    return tables.datasources.within("id", list(ids))


def _is_postponed(source: Datasource) -> bool:
    """Whether it failed for now, and is tried again after a while."""
    return source.status == "pending" and source.error is not None
