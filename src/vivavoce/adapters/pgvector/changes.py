"""Changes: what adds to and takes from the index's tables, one transaction each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from vivavoce.errors import InvalidInput, NotAvailable
from vivavoce.ports import Entry

from .graphs import graph_dropped
from .tables import LOCK, SHARED, entries_sql, entries_table, entry_lines, word_lines

if TYPE_CHECKING:
    from .connections import Connection

SWEPT_AT_ONCE = 2_000

_HELD = """
insert into vivavoce_index.collections (name, dimension) values (%s, %s)
on conflict (name) do update set name = excluded.name
returning key, dimension, has_graph
"""
_COUNTED_ON = (
    "update vivavoce_index.collections set passages = passages + %s where key = %s returning passages"
)
_WORDS_REMOVED = "delete from vivavoce_index.words where collection = %s and id = any(%s)"


class Kept(NamedTuple):
    """A collection after something was added to it."""

    key: int
    passages: int
    has_graph: bool


async def prepared(connection: Connection, *, dimension: int) -> None:
    """Make the tables that are not there yet, one replica at a time."""
    from psycopg import errors

    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
        # Looked for first, as even `if not exists` waits for whoever writes, and they for it.
        if not await _exists(connection, "vivavoce_index.words"):
            try:
                await connection.execute(SHARED)
            except (errors.FeatureNotSupported, errors.UndefinedFile, errors.InsufficientPrivilege) as error:
                raise NotAvailable(
                    "This Postgres has no pgvector, or its user may not use it.",
                    hint="Install pgvector, or run `create extension vector` as an administrator.",
                ) from error
        if not await _exists(connection, entries_table(dimension)):
            await connection.execute(entries_sql(dimension))


async def added(connection: Connection, *, collection: str, entries: Sequence[Entry], dimension: int) -> Kept:
    """Put the passages in the place of those with the same ids."""
    latest = list({entry.id: entry for entry in entries}.values())
    ids = [entry.id for entry in latest]
    async with connection.transaction(), connection.cursor() as cursor:
        # This holds the collection's row: whoever changes the collection takes turns.
        await cursor.execute(_HELD, (collection, dimension))
        [(key, its_dimension, has_graph)] = await cursor.fetchall()
        if its_dimension != dimension:
            raise InvalidInput(
                f"The vectors of this collection have {its_dimension} places, not {dimension}."
            )
        gone = await _entries_removed(connection, key, dimension, ids)
        if gone:
            await cursor.execute(_WORDS_REMOVED, (key, ids))
        rows = await asyncio.to_thread(entry_lines, key, latest)
        async with cursor.copy(f"copy {entries_table(dimension)} from stdin".encode()) as copy:
            await copy.write(rows)
        rows = await asyncio.to_thread(word_lines, key, latest)
        async with cursor.copy("copy vivavoce_index.words from stdin") as copy:
            await copy.write(rows)
        await cursor.execute(_COUNTED_ON, (len(latest) - gone, key))
        [(passages,)] = await cursor.fetchall()
    return Kept(key, passages, has_graph)


async def removed(connection: Connection, *, collection: str, ids: Sequence[int]) -> None:
    """Take the passages out."""
    async with connection.transaction(), connection.cursor() as cursor:
        await cursor.execute(
            "select key, dimension from vivavoce_index.collections where name = %s for update", (collection,)
        )
        row = await cursor.fetchone()
        if row is not None:
            key, dimension = row
            await cursor.execute(_WORDS_REMOVED, (key, list(ids)))
            gone = await _entries_removed(connection, key, dimension, ids)
            await cursor.execute(_COUNTED_ON, (-gone, key))


async def counted(connection: Connection, *, collection: str) -> int:
    """How many passages a collection holds."""
    cursor = await connection.execute(
        "select passages from vivavoce_index.collections where name = %s", (collection,)
    )
    row = await cursor.fetchone()
    return 0 if row is None else row[0]


async def forgotten(connection: Connection, *, collection: str) -> None:
    """Take the name from a collection: from now on nobody finds it."""
    await connection.execute(
        "update vivavoce_index.collections set name = null where name = %s", (collection,)
    )


async def swept(connection: Connection) -> bool:
    """Sweep out some rows of a forgotten collection, whoever forgot it; whether there may be more."""
    async with connection.transaction(), connection.cursor() as cursor:
        await cursor.execute(
            "select key, dimension, has_graph from vivavoce_index.collections "
            "where name is null for update skip locked limit 1"
        )
        row = await cursor.fetchone()
        if row is None:
            return False
        key, dimension, has_graph = row
        if not has_graph:
            table = entries_table(dimension)
            await cursor.execute(
                f"select id from {table} where collection = %s limit %s".encode(), (key, SWEPT_AT_ONCE)
            )
            ids = [id for (id,) in await cursor.fetchall()]
            await cursor.execute(_WORDS_REMOVED, (key, ids))
            await _entries_removed(connection, key, dimension, ids)
            if not ids:
                await cursor.execute("delete from vivavoce_index.collections where key = %s", (key,))
    if has_graph:
        await graph_dropped(connection, key, dimension)
    return True


async def _exists(connection: Connection, table: str) -> bool:
    cursor = await connection.execute("select to_regclass(%s) is not null", (table,))
    return await cursor.fetchone() == (True,)


async def _entries_removed(connection: Connection, key: int, dimension: int, ids: Sequence[int]) -> int:
    cursor = await connection.execute(
        f"delete from {entries_table(dimension)} where collection = %s and id = any(%s)".encode(),
        (key, list(ids)),
    )
    return cursor.rowcount
