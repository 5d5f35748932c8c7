"""Searches: the passages of a collection by meaning and by words, each with both scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vivavoce.domain.language.words import bound, idf
from vivavoce.errors import InvalidInput
from vivavoce.ports import Hit, Question

from .graphs import LARGE
from .tables import entries_table, number_of, vector_text

if TYPE_CHECKING:
    from .connections import Connection

WIDTH = 200
"""How many neighbours a walk through a graph keeps in view; fewer find less."""
WIDEST = 1_000
"""The most that pgvector allows."""

# A walk that finds too few of the wanted datasources goes on.
_WIDE = """
select set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)
"""


async def found(connection: Connection, *, collection: str, question: Question, limit: int) -> list[Hit]:
    """The nearest by meaning and the best by words."""
    async with connection.transaction(), connection.cursor() as cursor:
        await cursor.execute(
            "select key, dimension, passages, has_graph from vivavoce_index.collections where name = %s",
            (collection,),
        )
        row = await cursor.fetchone()
        if row is None:
            return []
        key, dimension, passages, has_graph = row
        if dimension != len(question.vector):
            raise InvalidInput(
                f"The vectors of this collection have {dimension} places, not {len(question.vector)}."
            )
        factors, most = await _factors(connection, key, question.words, passages)
        given = _given(key, question, factors, limit)
        is_filtered = question.datasource_ids is not None
        by_graph = has_graph and not (is_filtered and await _are_few(connection, dimension, given))
        if by_graph:
            await cursor.execute(_WIDE, (str(min(max(WIDTH, 2 * limit), WIDEST)),))
        await cursor.execute(_near(dimension, is_filtered, by_graph), given)
        rows = await cursor.fetchall()
        if factors:
            await cursor.execute(_best(dimension, is_filtered), given)
            rows += await cursor.fetchall()
    hits = (Hit(id, meaning, _share(score, most)) for id, meaning, score in rows)
    return list({hit.id: hit for hit in hits}.values())


async def _factors(
    connection: Connection, key: int, words: Mapping[str, int], passages: int
) -> tuple[dict[int, float], float]:
    """What each word of a question counts for, by its number, and the most that a passage could score."""
    numbers = {word: number_of(word) for word in words}
    cursor = await connection.execute(
        "select word, count(*) from vivavoce_index.words "
        "where collection = %s and word = any(%s) group by word",
        (key, list(numbers.values())),
    )
    counts: dict[int, int] = dict(await cursor.fetchall())
    rarity: dict[str, float] = {}
    for word, number in numbers.items():
        with_word = counts.get(number, 0)
        # Passages may be added between two statements.
        rarity[word] = idf(max(passages, with_word), with_word)
    factors = {number: words[word] * rarity[word] for word, number in numbers.items() if number in counts}
    return factors, bound(words, rarity.__getitem__)


def _given(key: int, question: Question, factors: Mapping[int, float], limit: int) -> dict[str, Any]:
    some = question.datasource_ids
    return {
        "key": key,
        "vector": vector_text(question.vector),
        "words": list(factors),
        "factors": list(factors.values()),
        "datasources": None if some is None else [number_of(id) for id in some],
        "limit": limit,
    }


async def _are_few(connection: Connection, dimension: int, given: Mapping[str, Any]) -> bool:
    """Whether the wanted datasources have so few passages that each can be looked at."""
    among = "collection = %(key)s and datasource = any(%(datasources)s)"
    wanted = f"select from {entries_table(dimension)} where {among} limit {LARGE:d}"
    cursor = await connection.execute(f"select count(*) from ({wanted}) as wanted".encode(), given)
    [(count,)] = await cursor.fetchall()
    return bool(count < LARGE)


def _near(dimension: int, is_filtered: bool, by_graph: bool) -> bytes:
    among = "and datasource = any(%(datasources)s)" if is_filtered else ""
    exactly = "" if by_graph else "+ 0"  # a sum is not what the graph is for, so it is left alone
    return f"""
    with near as materialized (
        select id, 1 - (vector <=> %(vector)s::halfvec({dimension:d})) as meaning
        from {entries_table(dimension)} where collection = %(key)s {among}
        order by (vector <=> %(vector)s::halfvec({dimension:d})) {exactly} limit %(limit)s
    )
    select id, meaning, coalesce((
        select sum(weight * factor)
        from unnest(%(words)s::bigint[], %(factors)s::float8[]) as asked (word, factor)
        join vivavoce_index.words using (word)
        where words.collection = %(key)s and words.id = near.id
    ), 0) from near
    """.encode()


def _best(dimension: int, is_filtered: bool) -> bytes:
    among = (
        f"and id in (select id from {entries_table(dimension)} "
        "where collection = %(key)s and datasource = any(%(datasources)s))"
        if is_filtered
        else ""
    )
    return f"""
    with best as materialized (
        select id, sum(weight * factor) as score
        from unnest(%(words)s::bigint[], %(factors)s::float8[]) as asked (word, factor)
        join vivavoce_index.words using (word)
        where collection = %(key)s {among}
        group by id order by score desc, id limit %(limit)s
    )
    select id, 1 - (vector <=> %(vector)s::halfvec({dimension:d})), score
    from best join {entries_table(dimension)} using (id) where collection = %(key)s
    """.encode()


def _share(score: float, most: float) -> float:
    return min(score / most, 1.0) if most > 0 else 0.0
