"""What the tests of every index share: collections of passages, and the exact answers to compare with."""

from __future__ import annotations

import itertools
import math
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
import numpy
import pytest

from vivavoce.adapters.pgvector import PgvectorIndex
from vivavoce.adapters.qdrant import QdrantIndex
from vivavoce.domain.language.words import K1, idf, weight
from vivavoce.ports import Entry, Hit, Index, Question

Open = Callable[[], AbstractAsyncContextManager[Index]]

API_KEY = "the key of this test"
MEANING = 1e-2
"""How far an index that stores its vectors in few bits may be from the exact cosine."""
WORDS = 2e-2
"""How far an index that stores its weights in few bits may be from the exact share."""


class Passages:
    """Some passages, and which of them a question must find."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = {entry.id: entry for entry in entries}

    def scored(self, question: Question) -> dict[int, Hit]:
        """Every passage of the wanted datasources with its exact scores."""
        length = len(self.entries)
        having = {
            word: sum(word in entry.words for entry in self.entries.values()) for word in question.words
        }
        factors = {word: count * idf(length, having[word]) for word, count in question.words.items()}
        most = sum(factors.values()) * (K1 + 1)
        return {
            entry.id: Hit(
                entry.id,
                float(entry.vector.astype(float) @ question.vector.astype(float)),
                _score(entry, factors) / most if most else 0.0,
            )
            for entry in self.entries.values()
            if question.datasource_ids is None or entry.datasource_id in question.datasource_ids
        }

    def check(self, hits: Sequence[Hit], question: Question, limit: int, *, is_tidy: bool = True) -> None:
        """Fail unless the hits are the best from both sides, with the right scores, each once.

        An index that is not tidy may still count removed passages when it says how common a word is.
        """
        right = self.scored(question)
        assert len({hit.id for hit in hits}) == len(hits) <= 2 * limit
        assert {hit.id for hit in hits} <= right.keys()
        for hit in hits:
            assert math.isclose(hit.meaning, right[hit.id].meaning, abs_tol=MEANING)
            if is_tidy:
                assert math.isclose(hit.words, right[hit.id].words, rel_tol=WORDS, abs_tol=1e-6)
            assert (hit.words > 0) == (right[hit.id].words > 0)
            assert 0 <= hit.words <= 1
        nearest = sorted((hit.meaning for hit in right.values()), reverse=True)[:limit]
        best = sorted((hit.words for hit in right.values() if hit.words > 0), reverse=True)[:limit]
        found = {hit.id for hit in hits}
        for hit in right.values():
            is_near = bool(nearest) and hit.meaning > nearest[-1] + MEANING
            is_best = is_tidy and bool(best) and hit.words > best[-1] * (1 + WORDS)
            assert hit.id in found or not (is_near or is_best)
            may_be_near = bool(nearest) and hit.meaning >= nearest[-1] - MEANING
            may_be_best = hit.words > 0 and (not is_tidy or hit.words >= best[-1] * (1 - WORDS))
            assert hit.id not in found or may_be_near or may_be_best
        assert len(found) >= max(len(nearest), len(best))


@asynccontextmanager
async def embedded(folder: Path) -> AsyncIterator[Index]:
    module = pytest.importorskip(
        "vivavoce.adapters.index.embedded", reason="There is no embedded index here."
    )
    index = module.EmbeddedIndex(folder)
    try:
        yield index
    finally:
        await index.close()


@asynccontextmanager
async def at_qdrant(url: str, api_key: str = API_KEY) -> AsyncIterator[Index]:
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as wire:

        async def send(
            method: str, url: str, *, headers: Mapping[str, str], content: bytes
        ) -> tuple[int, bytes]:
            try:
                answer = await wire.request(method, url, headers=dict(headers), content=content)
            except httpx2.TransportError as error:
                raise ConnectionError(str(error)) from error
            return answer.status_code, answer.content

        yield QdrantIndex(url, api_key, send)


@asynccontextmanager
async def at_postgres(url: str) -> AsyncIterator[Index]:
    index = PgvectorIndex(url)
    try:
        yield index
    finally:
        await index.close()


OPENED = {"qdrant": at_qdrant, "pgvector": at_postgres}
"""What opens the index on a server, by the name of its adapter."""
_numbers = itertools.count(1)


def new_collection() -> str:
    """The name of a collection that no other test uses."""
    return f"c{next(_numbers):025}.a_small-model"


async def ids_found(index: Index, collection: str, question: Question, limit: int = 100) -> set[int]:
    """The numbers of the passages that a question finds."""
    return {hit.id for hit in await index.search(collection, question, limit)}


def unit(*places: float) -> numpy.ndarray:
    """The vector of length 1 in this direction."""
    vector = numpy.array(places, dtype=numpy.float32)
    return vector / numpy.linalg.norm(vector)


def an_entry(
    id: int, *, datasource_id: str = "d1", vector=(1, 0, 0, 0), words: Mapping[str, int] | None = None
):
    """A passage with little to say."""
    return Entry(id, datasource_id, unit(*vector), {} if words is None else words)


def asking(*words: str, vector=(1, 0, 0, 0), among: Iterable[str] | None = None) -> Question:
    """A question by its words and a direction."""
    return Question(unit(*vector), dict.fromkeys(words, 1), None if among is None else frozenset(among))


def clustered(count: int, dimension: int, seed: int = 1) -> tuple[list[Entry], list[Question]]:
    """Passages on some subjects, as texts have them, and questions about the same subjects."""
    chance = numpy.random.default_rng(seed)
    subjects = chance.normal(size=(max(count // 50, 1), dimension))
    places = subjects[chance.integers(len(subjects), size=count)]
    vectors = _units(places + 0.6 * chance.normal(size=(count, dimension)))
    asked = subjects[chance.integers(len(subjects), size=20)]
    questions = _units(asked + 0.6 * chance.normal(size=(20, dimension)))
    entries = [
        Entry(id, f"d{id % 7}", vectors[id], _words(chance, int(chance.integers(5, 40))))
        for id in range(count)
    ]
    return entries, [Question(vector, _words(chance, 5)) for vector in questions]


def _words(chance: numpy.random.Generator, length: int) -> dict[str, int]:
    """Words as texts have them: a few often, most seldom."""
    words: dict[str, int] = {}
    for number in chance.zipf(1.3, size=length):
        word = f"w{min(int(number), 3_000)}"
        words[word] = words.get(word, 0) + 1
    return words


def _units(rows: numpy.ndarray) -> numpy.ndarray:
    return (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype(numpy.float32)


def _score(entry: Entry, factors: Mapping[str, float]) -> float:
    length = sum(entry.words.values())
    return sum(factors[word] * weight(entry.words[word], length) for word in factors if word in entry.words)
