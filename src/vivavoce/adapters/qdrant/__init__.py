"""The index on a Qdrant server, over REST."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from vivavoce.domain.language.words import bound, idf
from vivavoce.ports import Entry, Hit, Question

from .points import (
    MEANING,
    WORDS,
    filtered,
    meaning_body,
    number_in,
    of_meaning,
    place_of,
    point_id,
    with_word,
    word_number,
    words_body,
)
from .rest import Rest, Send

if TYPE_CHECKING:
    from vivavoce.ports import Vectors

__all__ = ["QdrantIndex", "Send"]

Item = TypeVar("Item")

SLICE = 128
"""How many passages one request carries: about a megabyte, far below what Qdrant takes."""
AT_ONCE = 16
"""How many words are counted at the same time."""
SEARCH_WIDTH = 128
"""How many neighbours a walk through the graph keeps in view; fewer find less."""


class QdrantIndex:
    """An index on a Qdrant server that holds any number of collections in a few of Qdrant's own.

    A Qdrant collection costs files, threads and memory even when it is nearly empty, so a thousand
    datastores must not be a thousand of them. All collections share `vivavoce_words`, and those of one
    dimension share `vivavoce_meaning_<dimension>`; the name of the collection is a payload that Qdrant
    knows as a tenant, so that each has a graph of its own once it is large and is scanned, exactly,
    while it is small. Words and vectors lie apart because Qdrant would build a graph for each
    frequent word if the words were a payload of the vectors.

    A word is known by a hash of its collection and itself. So a collection's words lie apart from those
    of all others, searching it costs the same however many there are, and how many passages have a word
    can be read off an index instead of being counted (after removals it is a little too high until Qdrant
    has tidied up). The sparse vectors take 32 bits of the hash: two words of one collection that share
    them, about one in 100,000, count as one.
    """

    def __init__(self, url: str, api_key: str, send: Send) -> None:
        self._rest = Rest(url, api_key, send)
        self._ready: set[str] = set()

    async def add(self, collection: str, entries: Sequence[Entry]) -> None:
        """Keep the entries, durably; one that is there already is replaced."""
        for some in _slices(entries, SLICE):
            # The words come first: they are what is counted, and a passage is found when both are there.
            body = await asyncio.to_thread(words_body, collection, some)
            await self._put(WORDS, body)
            for dimension in {len(entry.vector) for entry in some}:
                alike = [entry for entry in some if len(entry.vector) == dimension]
                body = await asyncio.to_thread(meaning_body, collection, alike)
                await self._put(of_meaning(dimension), body)

    async def remove(self, collection: str, ids: Sequence[int]) -> None:
        """Forget these passages."""
        for some in _slices(ids, SLICE * 8):
            await self._delete({"points": [point_id(collection, id) for id in some]})

    async def drop(self, collection: str) -> None:
        """Forget the whole collection."""
        await self._delete({"filter": filtered(collection)})

    async def count(self, collection: str) -> int:
        """How many passages the collection holds."""
        return await self._counted(filtered(collection))

    async def search(self, collection: str, question: Question, limit: int) -> list[Hit]:
        """The nearest by meaning and the best by words, each with both scores."""
        if limit < 1 or (question.datasource_ids is not None and not question.datasource_ids):
            return []
        among = filtered(collection, question.datasource_ids)
        # A graph loses its way where a filter leaves a tenth of its points, so then each is looked at.
        is_filtered = question.datasource_ids is not None
        near, (factors, most) = await asyncio.gather(
            self._near(question.vector, among, limit, exact=is_filtered),
            self._factors(collection, question.words),
        )
        best = await self._best(factors, among, limit)
        # What one leg found and the other did not is scored by the other, too.
        nearness, scores = await asyncio.gather(
            self._near(question.vector, _only(best.keys() - near.keys()), len(best), exact=True),
            self._best(factors, _only(near.keys() - best.keys()), len(near)),
        )
        nearness, scores = nearness | near, scores | best
        return [
            Hit(number_in(point), nearness[point], _share(scores.get(point, 0.0), most)) for point in nearness
        ]

    async def settle(self, collection: str) -> None:
        """Nothing: the server does it by itself."""

    async def close(self) -> None:
        """Nothing is held: the connections belong to whoever gave `send`."""

    async def _near(
        self, vector: Vectors, among: Mapping[str, Any], limit: int, *, exact: bool = False
    ) -> dict[str, float]:
        if among == _NOTHING:
            return {}
        params = {"exact": exact, "hnsw_ef": max(SEARCH_WIDTH, 2 * limit), "quantization": {"rescore": True}}
        body = {"query": vector.tolist(), "filter": among, "limit": limit, "params": params}
        return await self._queried(of_meaning(len(vector)), body)

    async def _best(
        self, factors: Mapping[int, float], among: Mapping[str, Any], limit: int
    ) -> dict[str, float]:
        if not factors or among == _NOTHING:
            return {}
        query = {"indices": list(factors), "values": list(factors.values())}
        return await self._queried(WORDS, {"query": query, "using": "words", "filter": among, "limit": limit})

    async def _queried(self, name: str, body: Mapping[str, Any]) -> dict[str, float]:
        found = await self._rest.asked("POST", f"/collections/{name}/points/query", body)
        return {} if found is None else {point["id"]: point["score"] for point in found["points"]}

    async def _factors(self, collection: str, words: Mapping[str, int]) -> tuple[dict[int, float], float]:
        """What each word of a question counts for, by its place, and the most that a passage could score."""
        passages, having = 0, dict.fromkeys(words, 0)
        for some in _slices(list(words), AT_ONCE):
            passages, *counts = await asyncio.gather(
                self._counted(filtered(collection), exact=False),
                *(self._counted(with_word(collection, word), exact=False) for word in some),
            )
            having.update(zip(some, counts, strict=True))
        # Passages may be added between two counts.
        rarity = {word: idf(max(passages, count), count) for word, count in having.items()}
        factors: dict[int, float] = {}
        for word, count in words.items():
            if having[word]:
                place = place_of(word_number(collection, word))
                factors[place] = factors.get(place, 0.0) + count * rarity[word]
        return factors, bound(words, rarity.__getitem__)

    async def _counted(self, among: Mapping[str, Any], *, exact: bool = True) -> int:
        """How many match; where it need not be exact, as many as the index of the payload says."""
        found = await self._rest.asked(
            "POST", f"/collections/{WORDS}/points/count", {"filter": among, "exact": exact}
        )
        return 0 if found is None else int(found["count"])

    async def _put(self, name: str, body: bytes) -> None:
        if name not in self._ready:
            await self._prepare(name)
        path = f"/collections/{name}/points?wait=true"
        if await self._rest.asked("PUT", path, body) is None:  # it was there, and the server has lost it
            await self._prepare(name)
            await self._rest.asked("PUT", path, body)

    async def _delete(self, which: Mapping[str, Any]) -> None:
        listed = await self._rest.asked("GET", "/collections")
        names = [one["name"] for one in listed["collections"]] if listed is not None else []
        for name in names:
            if name == WORDS or name.startswith(MEANING):
                await self._rest.asked("POST", f"/collections/{name}/points/delete?wait=true", which)

    async def _prepare(self, name: str) -> None:
        """Have a Qdrant collection and what it is filtered by; all of it may be there already."""
        await self._rest.asked("PUT", f"/collections/{name}", _shape(name), passing=409)
        for field, schema in _fields(name).items():
            body = {"field_name": field, "field_schema": schema}
            await self._rest.asked("PUT", f"/collections/{name}/index?wait=true", body)
        self._ready.add(name)


_NOTHING: Mapping[str, Any] = {"must": [{"has_id": []}]}


def _only(points: Collection[str]) -> Mapping[str, Any]:
    return {"must": [{"has_id": sorted(points)}]}


def _share(score: float, most: float) -> float:
    return min(score / most, 1.0) if most > 0 else 0.0


def _slices(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _shape(name: str) -> Mapping[str, Any]:
    if name == WORDS:
        return {"sparse_vectors": {"words": {}}}
    # No graph over all collections, one for each that is large.
    graph = {"m": 0, "payload_m": 16, "ef_construct": 128}
    return {"vectors": {"size": int(name.removeprefix(MEANING)), "distance": "Cosine"}, "hnsw_config": graph}


def _fields(name: str) -> Mapping[str, Any]:
    fields: dict[str, Any] = {
        "collection": {"type": "keyword", "is_tenant": True},
        "datasource_id": {"type": "keyword"},
    }
    if name == WORDS:
        fields["words"] = {"type": "integer", "lookup": True, "range": False, "on_disk": True}
    return fields
