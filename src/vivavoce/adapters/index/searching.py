"""Searching: the passages of the tail and of each segment that answer, by meaning and by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from vivavoce.domain.language.words import K1, idf
from vivavoce.ports import Hit

from .postings import Posting
from .segments import Reach, Segment

_LONG = 1_000
"""Before a word with more rows than this is read for new rows, it is asked whether it could find any."""

_SEEK = 8
"""Looking for a row in a list takes about as long as reading so many rows of it."""


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
    if not len(ids):
        return []
    scores = numpy.zeros(len(allowed), "f4")
    for word, posting in postings.items():
        scores[posting.rows] += posting.worth(weighed[word])
    living = numpy.flatnonzero(allowed)
    worded = living[scores[living] > 0]
    best = {*_best(living, near[living], limit).tolist(), *_best(worded, scores[worded], limit).tolist()}
    rows = numpy.fromiter(best, "i8", len(best))
    return _hits(ids[rows], near[rows], scores[rows])


def in_segment(
    segment: Segment,
    places: Mapping[str, tuple[int, int]],
    weighed: Mapping[str, float],
    vector: Any,
    datasource_ids: frozenset[str] | None,
    gone: set[int],
    limit: int,
    reach: Reach,
) -> list[Hit]:
    """The best rows of a segment on either side."""
    removed = None
    if gone and len(rows := segment.rows_of(list(gone))):
        removed = numpy.zeros(segment.number, bool)
        removed[rows] = True
    allowed = segment.allowed(datasource_ids, removed)
    if allowed is not None and not allowed.any():
        return []
    near = segment.nearest(vector, allowed, limit, reach)
    cosines = segment.cosines(vector, near)
    kept = _best(numpy.arange(len(near)), cosines, limit)
    near, cosines = near[kept], cosines[kept]
    scores, worded = _by_words(segment, places, weighed, allowed, limit, near)
    met = set(near.tolist())
    others = numpy.array([row for row in worded.tolist() if row not in met], "i8")
    rows = numpy.concatenate([near, others])
    meanings = numpy.concatenate([cosines, segment.cosines(vector, others)])
    return _hits(segment.sections.gathered("ids", rows), meanings, scores[rows])


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
    also: Any,
) -> tuple[Any, Any]:
    """The best rows, and an array with the score of each of them and of those that are asked for `also`.

    Rare words come first. Once the rows they found score more than all other words together can give,
    the others find no new row, and only add to those that may still be among the best.
    """
    scores = numpy.zeros(segment.number, "f4")
    words = sorted(
        (word for word in places if places[word][0] < places[word][1]), key=lambda word: _rows(places[word])
    )
    left = sum(weighed[word] for word in words) * (K1 + 1)
    found = numpy.empty(0, "u4")
    read = 0
    for word in words:
        if _rows(places[word]) > _LONG and left <= _floor(scores[found], limit):
            break
        posting = segment.postings.read(*places[word])
        before = scores[posting.rows]
        scores[posting.rows] = before + posting.worth(weighed[word])
        fresh = posting.rows[before == 0]
        found = numpy.concatenate([found, fresh if allowed is None else fresh[allowed[fresh]]])
        left -= weighed[word] * (K1 + 1)
        read += 1
    if read < len(words):
        found = found[scores[found] + left >= _floor(scores[found], limit)]
        # What stands there twice is written twice, not added twice.
        rows = numpy.sort(numpy.concatenate([found, also.astype("u4")]))
        for word in words[read:]:
            _add(scores, rows, segment.postings.read(*places[word]), weighed[word])
    return scores, _best(found, scores[found], limit)


def _rows(places: tuple[int, int]) -> int:
    return places[1] - places[0]


def _floor(scores: Any, limit: int) -> float:
    """What the last of the best has."""
    if len(scores) < limit:
        return 0.0
    return float(numpy.partition(scores, len(scores) - limit)[-limit])


def _add(scores: Any, rows: Any, posting: Posting, weighed: float) -> None:
    """Add what a word weighs to those of these rows in which it stands; others may be given it as well."""
    if len(rows) * _SEEK > len(posting.rows):
        scores[posting.rows] += posting.worth(weighed)
        return
    places = numpy.minimum(numpy.searchsorted(posting.rows, rows), len(posting.rows) - 1)
    held = posting.rows[places] == rows
    scores[rows[held]] += Posting(rows, posting.weights[places[held]]).worth(weighed)


def _best(rows: Any, scores: Any, limit: int) -> Any:
    if len(rows) <= limit:
        return rows
    return rows[numpy.argpartition(scores, len(scores) - limit)[-limit:]]
