"""Postings: for each word, the rows it stands in and how much it weighs in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy

from vivavoce.domain.language.words import K1, weight

from .sections import Sections, Writing, damaged

_STEP = 256
"""Every so many hashes one is kept in memory; a search reads the stretch between two of them."""
_AT_ONCE = 4_000_000
"""Postings that are sorted at a time when segments are merged."""
_PAIRS = ~((1 << 42) - 1) & (2**64 - 1)
"""Keeps the upper 22 bits of a number."""
_WEIGHTS = ((K1 + 1) * 1000.0 ** ((numpy.arange(256) - 255) / 255)).astype("f4")
"""What the bytes of weights stand for: each is 2.7 % more than the last, up to the most there is."""
_BETWEEN = numpy.sqrt(_WEIGHTS[1:] * _WEIGHTS[:-1])


class Posting(NamedTuple):
    """The rows of one word, and its weight in each."""

    rows: Any
    weights: Any
    """As bytes."""

    def worth(self, factor: float) -> Any:
        """What the word adds in each row, where it counts this much."""
        return (_WEIGHTS * numpy.float32(factor))[self.weights]


class Run(NamedTuple):
    """Postings of many words, sorted by the number of the word and then by row."""

    hashes: Any
    rows: Any
    weights: Any
    """What each weighs, as a byte."""

    def joined(self, later: Run) -> Run:
        """Both runs as one; the rows of the later one are higher."""
        columns = (numpy.concatenate(column) for column in zip(self, later, strict=True))
        return _sorted(*columns)


@lru_cache(maxsize=200_000)
def hash_of(word: str) -> int:
    """The number that stands for a word, or for a pair of words.

    Hardly two words share one. Pairs are so many that they share a few million numbers, or their list would
    outgrow the vectors; a pair that meets another by chance adds a little to a passage in 50,000.
    """
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return number & _PAIRS if " " in word else number


def packed(words: Mapping[str, int]) -> tuple[Any, Any]:
    """The hashes of a passage's words, in order, and the weight of each as a byte."""
    counts: Any = numpy.fromiter(words.values(), "f4", len(words))
    hashes = numpy.fromiter(map(hash_of, words), "<u8", len(words))
    distinct, places = numpy.unique(hashes, return_index=True)
    weights = weight(counts[places], counts.sum())
    return distinct, numpy.searchsorted(_BETWEEN, weights).astype("u1")


def run_of(passages: Sequence[tuple[Any, Any]], rows: Iterable[int]) -> Run:
    """The run of passages that are given by their hashes and weights; their rows ascend."""
    lengths = [len(hashes) for hashes, _ in passages]
    return _sorted(
        numpy.concatenate([hashes for hashes, _ in passages]),
        numpy.repeat(numpy.fromiter(rows, "u4", len(passages)), lengths),
        numpy.concatenate([weights for _, weights in passages]),
    )


def _sorted(hashes: Any, rows: Any, weights: Any) -> Run:
    order = numpy.argsort(hashes, kind="stable")
    return Run(hashes[order], rows[order], weights[order])


class Postings:
    """The postings of a segment."""

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self._fence = sections.whole("fence")
        self._number = sections.length("hashes")

    def of(self, word: str) -> tuple[int, int]:
        """Where the postings of a word begin and end; the same twice when it does not occur."""
        wanted = numpy.uint64(hash_of(word))
        stretch = int(numpy.searchsorted(self._fence, wanted, "right")) - 1
        if stretch < 0:
            return 0, 0
        start = stretch * _STEP
        end = min(start + _STEP, self._number)
        hashes = self._sections.rows("hashes", start, end)
        place = int(numpy.searchsorted(hashes, wanted))
        if place == len(hashes) or hashes[place] != wanted:
            return 0, 0
        begins, ends = self._sections.rows("begins", start + place, start + place + 2)
        if not begins < ends:  # a word that is listed stands somewhere
            raise damaged(self._sections.path)
        return int(begins), int(ends)

    def read(self, begins: int, ends: int) -> Posting:
        """The postings between two places."""
        return Posting(
            self._sections.rows("rows", begins, ends), self._sections.rows("weights", begins, ends)
        )


def write_postings(writing: Writing, parts: Iterable[tuple[Any, Any, Any]]) -> None:
    """Write postings that come as (hashes, rows, weights), sorted by hash from part to part."""
    hashes: list[Any] = []
    counts: list[Any] = []
    weights: list[Any] = []
    writing.begin("rows", "<u4")
    for some_hashes, some_rows, some_weights in parts:
        order = numpy.lexsort((some_rows, some_hashes))
        distinct, number = numpy.unique(some_hashes[order], return_counts=True)
        hashes.append(distinct)
        counts.append(number)
        weights.append(some_weights[order].astype("u1"))
        writing.append(some_rows[order])
    writing.begin("weights", "|u1")
    for part in weights:
        writing.append(part)
    all_hashes = numpy.concatenate(hashes) if hashes else numpy.empty(0, "u8")
    all_counts = numpy.concatenate(counts) if counts else numpy.empty(0, "i8")
    writing.put("hashes", all_hashes.astype("<u8"))
    writing.put("begins", numpy.concatenate(([0], numpy.cumsum(all_counts))).astype("<i8"))
    writing.put("fence", all_hashes[::_STEP].astype("<u8"))


def merged(segments: Iterable[tuple[Sections, Any]]) -> Iterator[tuple[Any, Any, Any]]:
    """The postings of several segments as parts, rows renumbered; a row numbered -1 is left out."""
    sources = [
        (sections, row_of, sections.whole("hashes"), sections.whole("begins"))
        for sections, row_of in segments
    ]
    for lowest, highest in _stretches([(hashes, begins) for _, _, hashes, begins in sources]):
        found = [
            part
            for sections, row_of, hashes, begins in sources
            if (part := _between(sections, row_of, hashes, begins, lowest, highest)) is not None
        ]
        if found:
            together = tuple(numpy.concatenate(column) for column in zip(*found, strict=True))
            yield together[0], together[1], together[2]


def _between(
    sections: Sections, row_of: Any, hashes: Any, begins: Any, lowest: int, highest: int
) -> tuple[Any, Any, Any] | None:
    first, last = numpy.searchsorted(hashes, numpy.array([lowest, highest], "u8"))
    if first == last:
        return None
    rows = row_of[sections.rows("rows", int(begins[first]), int(begins[last]))]
    kept = rows >= 0
    expanded = numpy.repeat(hashes[first:last], numpy.diff(begins[first : last + 1]))
    weights = sections.rows("weights", int(begins[first]), int(begins[last]))
    return expanded[kept], rows[kept].astype("u4"), weights[kept]


def _stretches(sources: list[tuple[Any, Any]]) -> Iterator[tuple[int, int]]:
    """Ranges of hashes that hold a bounded number of postings each, by the largest of the sources."""
    hashes, begins = max(sources, key=lambda source: int(source[1][-1]))
    total = sum(int(each[-1]) for _, each in sources)
    steps = max(1, -(-total // _AT_ONCE))
    cuts = numpy.searchsorted(begins, numpy.arange(1, steps) * (int(begins[-1]) / steps))
    limits = [0, *sorted({int(hashes[cut]) for cut in cuts if cut < len(hashes)}), 2**64 - 1]
    yield from pairwise(limits)
