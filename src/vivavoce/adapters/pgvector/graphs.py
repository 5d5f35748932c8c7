"""Graphs: the HNSW index of one large collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tables import BUILD_LOCK, entries_table, graph_name

if TYPE_CHECKING:
    from .connections import Connection

LARGE = 20_000
"""From this many passages on a collection has a graph; below, a search looks at each of its vectors."""
LONGEST = 4_000
"""The longest vectors in half precision that pgvector builds a graph for."""


async def built(connection: Connection, *, key: int, dimension: int) -> None:
    """Build the graph of a collection while it can be read and written, unless another replica builds one."""
    if dimension > LONGEST:
        return
    cursor = await connection.execute("select pg_try_advisory_lock(%s)", (BUILD_LOCK,))
    if await cursor.fetchone() == (True,):
        cursor = await connection.execute(
            "select from vivavoce_index.collections where key = %s and not has_graph", (key,)
        )
        if cursor.rowcount == 1:  # nobody was faster
            await _build(connection, key, dimension)
        # After an error the lock goes with the connection, which does not outlive it.
        await connection.execute("select pg_advisory_unlock(%s)", (BUILD_LOCK,))


async def graph_dropped(connection: Connection, key: int, dimension: int) -> None:
    """Drop the graph of a collection, without holding up who reads the others."""
    await connection.execute(
        f"drop index concurrently if exists vivavoce_index.{graph_name(dimension, key)}".encode()
    )
    await connection.execute("update vivavoce_index.collections set has_graph = false where key = %s", (key,))


async def _build(connection: Connection, key: int, dimension: int) -> None:
    await connection.execute("set maintenance_work_mem = '256MB'")
    # One that was left half built is of no use and would be in the way.
    await connection.execute(
        f"drop index concurrently if exists vivavoce_index.{graph_name(dimension, key)}".encode()
    )
    await connection.execute(
        f"create index concurrently {graph_name(dimension, key)} on {entries_table(dimension)} "
        f"using hnsw (vector halfvec_cosine_ops) where collection = {key:d}".encode()
    )
    noted = await connection.execute(
        "update vivavoce_index.collections set has_graph = true where key = %s", (key,)
    )
    if noted.rowcount == 0:  # it was dropped and swept out meanwhile
        await graph_dropped(connection, key, dimension)
