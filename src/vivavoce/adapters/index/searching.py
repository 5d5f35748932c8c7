"""Searching: the passages of the tail and of each segment that answer, by meaning and by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from vivavoce.domain.words import idf
from vivavoce.ports import Hit

from .postings import Posting
from .segments import Segment

_COMMON = 50_000
"""A word that stands in more rows than this finds no passage by itself when rarer words did."""


def rarity(
    words: Mapping[str, int],
    total: int,
    places: Sequence[Mapping[str, tuple[int, int]]],
    tail: Mapping[str, Posting],
) -> dict[str, float]:
    """How rare each word is among `total` passages, by its places in the segments and in the tail."""
    return {
        word: idf(total, len(tail[word].rows) + sum(found[word][1] - found[word][0] for found in places))
        for word in words
    }


def in_tail(
    near: Any,
    allowed: Any,
    ids: Any,
    postings: Mapping[str, Posting],
    weighed: Mapping[str, float],
    limit: int,
) -> list[Hit]:
    """The best rows of the tail on either side."""
    scores = numpy.zeros(len(allowed), "f4")
    for word, posting in postings.items():
        scores[posting.rows] += posting.weights * numpy.float32(weighed[word])
    living = numpy.flatnonzero(allowed)
    best = living[numpy.argsort(-scores[living], kind="stable")[:limit]]
    rows = numpy.union1d(living[numpy.argsort(-near[living])[:limit]], best[scores[best] > 0])
    return _hits(ids[rows], near[rows], scores[rows])


def in_segment(
    segment: Segment,
    places: Mapping[str, tuple[int, int]],
    weighed: Mapping[str, float],
    vector: Any,
    datasource_ids: frozenset[str] | None,
    gone: set[int],
    limit: int,
    share: float,
) -> list[Hit]:
    """The best rows of a segment on either side."""
    removed = None
    if gone and len(rows := segment.rows_of(list(gone))):
        removed = numpy.zeros(segment.number, bool)
        removed[rows] = True
    allowed = segment.allowed(datasource_ids, removed)
    if allowed is not None and not allowed.any():
        return []
    scores, candidates = _by_words(segment, places, weighed, allowed, limit)
    near = segment.nearest(vector, allowed, limit, share)
    cosines = segment.cosines(vector, near)
    kept = numpy.argsort(-cosines)[:limit]
    rows = numpy.concatenate([near[kept], candidates[~numpy.isin(candidates, near[kept])]])
    others = rows[len(kept) :]
    meanings = numpy.concatenate([cosines[kept], segment.cosines(vector, others)])
    ids = segment.sections.gathered("ids", rows.tolist())
    return _hits(ids, meanings, scores[rows])


def union(hits: list[Hit], limit: int) -> list[Hit]:
    """The best of all parts on either side."""
    near = sorted(hits, key=lambda hit: -hit.meaning)[:limit]
    worded = sorted((hit for hit in hits if hit.words > 0), key=lambda hit: -hit.words)[:limit]
    return list({hit.id: hit for hit in (*near, *worded)}.values())


def _hits(ids: Any, meanings: Any, scores: Any) -> list[Hit]:
    found = zip(ids.tolist(), meanings.tolist(), numpy.minimum(scores, 1.0).tolist(), strict=True)
    return [Hit(*each) for each in found]


def _by_words(
    segment: Segment,
    places: Mapping[str, tuple[int, int]],
    weighed: Mapping[str, float],
    allowed: Any,
    limit: int,
) -> tuple[Any, Any]:
    """The score of every row, and the best rows."""
    scores = numpy.zeros(segment.number, "f4")
    found: list[Any] = []
    number = 0
    for word in sorted(places, key=lambda word: places[word][1] - places[word][0]):
        begins, ends = places[word]
        if begins == ends:
            continue
        posting = segment.postings.read(begins, ends)
        scores[posting.rows] += posting.weights * numpy.float32(weighed[word])
        if ends - begins <= _COMMON or number < limit:
            found.append(posting.rows)
            number += ends - begins
    candidates = numpy.concatenate(found) if found else numpy.empty(0, "u4")
    if allowed is not None:
        candidates = candidates[allowed[candidates]]
    most = limit * len(found)  # a row stands there once for each of its words
    if len(candidates) > most:
        candidates = candidates[numpy.argpartition(-scores[candidates], most)[:most]]
    candidates = numpy.unique(candidates)
    return scores, candidates[numpy.argsort(-scores[candidates], kind="stable")[:limit]]
