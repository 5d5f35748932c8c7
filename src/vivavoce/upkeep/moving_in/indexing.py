"""Indexing what moved in: the texts that wait for it, wherever they came from."""

from __future__ import annotations

from collections.abc import Callable

from vivavoce.app import App
from vivavoce.ports import Tables
from vivavoce.upkeep.working import OPEN, worked_through


async def index_waiting(app: App, told: Callable[[float, int], None]) -> list[tuple[str, str]]:
    """Index all datasources that wait for it; the ids of those that are not indexed then, and why.

    `told` hears how many of a datastore are done, shares of those under way counted, and of how many.
    """
    failed: list[tuple[str, str]] = []
    for datastore_id, ids in (await app.ports.store.read(_waiting)).items():
        sources = await worked_through(app, datastore_id, ids, _Passing(told))
        failed += [
            (source.id, source.error or "Another process works on it.")
            for source in sources
            if source.status == "error" or source.status in OPEN
        ]
    return failed


def _waiting(tables: Tables) -> dict[str, list[str]]:
    """By datastore, the datasources that are not indexed yet."""
    waiting: dict[str, list[str]] = {}
    for status in OPEN:
        for source in tables.datasources.where(status=status):
            waiting.setdefault(source.datastore_id, []).append(source.id)
    return waiting


class _Passing:
    """Passes on how far the work on one datastore has come."""

    def __init__(self, told: Callable[[float, int], None]) -> None:
        self._told = told

    def stored(self, done: int, total: int) -> None:
        """All is stored already."""

    def indexed(self, done: float, total: int, passages: int) -> None:
        """Say how many datasources are indexed."""
        self._told(done, total)
