"""The index on Postgres with pgvector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

from vivavoce.errors import InvalidInput
from vivavoce.ports import Entry, Hit, Question

from .changes import added, counted, forgotten, prepared, removed, swept
from .connections import Connections, NoSuchTable
from .graphs import LARGE, built
from .searches import found

__all__ = ["PgvectorIndex"]

Item = TypeVar("Item")

SLICE = 500
"""How many passages one transaction adds or removes."""
WITHIN = 60.0
"""How many seconds one unit of work may take."""
BUILD_WITHIN = 3_600.0
"""How many seconds the building of a graph may take."""


class PgvectorIndex:
    """An index in the schema `vivavoce_index` of a Postgres database that has pgvector.

    The vectors of one dimension share a table, in half precision, as pgvector's graphs need a fixed
    length. A graph over a whole table would be slow to fill and would find other collections' passages
    first, so each collection has its own, and only when it is large; a small one is searched exactly.
    Words lie in one table, by collection, word and passage, so that a question reads nothing but the
    passages of its own words. Collections, words and datasources are numbers in all of these tables:
    keys stay short, and nobody's text is ever part of a statement.
    """

    def __init__(self, url: str, *, large: int = LARGE, within: float = WITHIN) -> None:
        self._connections = Connections(url, within)
        self._large = large
        self._prepared: set[int] = set()

    async def add(self, collection: str, entries: Sequence[Entry]) -> None:
        """Keep the entries; the call that makes a collection large takes longer: it builds its graph."""
        for some in _slices(entries, SLICE):
            dimensions = {len(entry.vector) for entry in some}
            if len(dimensions) != 1:
                raise InvalidInput("The vectors of one collection must all be of one length.")
            await self._add(collection, some, dimensions.pop())

    async def remove(self, collection: str, ids: Sequence[int]) -> None:
        """Forget these passages."""
        try:
            for some in _slices(ids, SLICE):
                await self._connections.run(partial(removed, collection=collection, ids=some))
        except NoSuchTable:
            return

    async def drop(self, collection: str) -> None:
        """Forget the whole collection: it is gone at once, then its rows are swept out in slices."""
        try:
            await self._connections.run(partial(forgotten, collection=collection))
            while await self._connections.run(swept):
                pass
        except NoSuchTable:
            return

    async def count(self, collection: str) -> int:
        """How many passages the collection holds."""
        try:
            return await self._connections.run(partial(counted, collection=collection))
        except NoSuchTable:
            return 0

    async def search(self, collection: str, question: Question, limit: int) -> list[Hit]:
        """The nearest by meaning and the best by words, each with both scores."""
        if limit < 1 or (question.datasource_ids is not None and not question.datasource_ids):
            return []
        search = partial(found, collection=collection, question=question, limit=limit)
        try:
            return await self._connections.run(search)
        except NoSuchTable:
            return []

    async def settle(self, collection: str) -> None:
        """Nothing: the server does it by itself."""

    async def close(self) -> None:
        """Let go of the connections."""
        await self._connections.close()

    async def _add(self, collection: str, entries: Sequence[Entry], dimension: int) -> None:
        work = partial(added, collection=collection, entries=entries, dimension=dimension)
        await self._prepare(dimension)
        try:
            kept = await self._connections.run(work)
        except NoSuchTable:  # it was there, and the server has lost it
            self._prepared.clear()
            await self._prepare(dimension)
            kept = await self._connections.run(work)
        if kept.passages >= self._large and not kept.has_graph:
            await self._connections.run(
                partial(built, key=kept.key, dimension=dimension), within=BUILD_WITHIN
            )

    async def _prepare(self, dimension: int) -> None:
        if dimension not in self._prepared:
            await self._connections.run(partial(prepared, dimension=dimension))
            self._prepared.add(dimension)


def _slices(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
