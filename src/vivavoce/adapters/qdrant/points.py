"""Points: how passages, their words and what they are filtered by are written for Qdrant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any
from uuid import UUID

from vivavoce.domain.language.words import weight
from vivavoce.ports import Entry

WORDS = "vivavoce_words"
"""Qdrant's collection of the words of all passages."""
MEANING = "vivavoce_meaning_"
"""What the names of Qdrant's collections of vectors begin with."""


def of_meaning(dimension: int) -> str:
    """The name of Qdrant's collection of vectors of a dimension."""
    return f"{MEANING}{dimension}"


def point_id(collection: str, id: int) -> str:
    """What Qdrant knows a passage by: half of it is the collection, half the passage's number."""
    return str(UUID(bytes=_hash(collection, 8) + id.to_bytes(8, "big")))


def number_in(point: str) -> int:
    """The passage's number, as point_id wrote it."""
    return UUID(point).int & (1 << 64) - 1


def word_number(collection: str, word: str) -> int:
    """What a word of a collection is counted by, in 64 bits."""
    return int.from_bytes(_hash(f"{collection}\0{word}", 8), "big", signed=True)


def place_of(number: int) -> int:
    """The place of a word in the sparse vectors, in 32 bits."""
    return number & (1 << 32) - 1


def filtered(collection: str, datasource_ids: Iterable[str] | None = None) -> Mapping[str, Any]:
    """The filter for the passages of a collection, and of some datasources."""
    must: list[dict[str, Any]] = [{"key": "collection", "match": {"value": collection}}]
    if datasource_ids is not None:
        must.append({"key": "datasource_id", "match": {"any": sorted(datasource_ids)}})
    return {"must": must}


def with_word(collection: str, word: str) -> Mapping[str, Any]:
    """The filter for the passages with a word; its number belongs to the collection alone."""
    return {"must": [{"key": "words", "match": {"value": word_number(collection, word)}}]}


def meaning_body(collection: str, entries: Sequence[Entry]) -> bytes:
    """The request that keeps the vectors of these passages."""
    return _body(
        {
            "id": point_id(collection, entry.id),
            "vector": entry.vector.tolist(),
            "payload": {"collection": collection, "datasource_id": entry.datasource_id},
        }
        for entry in entries
    )


def words_body(collection: str, entries: Sequence[Entry]) -> bytes:
    """The request that keeps the words of these passages."""
    return _body(_words_point(collection, entry) for entry in entries)


def _words_point(collection: str, entry: Entry) -> Mapping[str, Any]:
    length = sum(entry.words.values())
    numbers = {word: word_number(collection, word) for word in entry.words}
    weights: dict[int, float] = {}
    for word, count in entry.words.items():
        place = place_of(numbers[word])
        weights[place] = weights.get(place, 0.0) + weight(count, length)
    sparse = {"indices": list(weights), "values": list(weights.values())}
    return {
        "id": point_id(collection, entry.id),
        "vector": {"words": sparse} if weights else {},
        "payload": {
            "collection": collection,
            "datasource_id": entry.datasource_id,
            "words": list(numbers.values()),  # again, as Qdrant does not count by its sparse vectors
        },
    }


def _body(points: Iterable[Mapping[str, Any]]) -> bytes:
    return json.dumps({"points": list(points)}, separators=(",", ":")).encode()


def _hash(text: str, size: int) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()
