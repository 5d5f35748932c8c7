"""Segments: many passages in one file that never changes, found by their vectors and by their words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from .lean import Lean
from .postings import Postings
from .sections import Sections, damaged

_SCANNED = 2_048
"""How many lean vectors a search reads in a segment with clusters, at least."""
_FEW = 2_000
"""A filter that leaves so few rows is answered from each of them."""
_CHECKED_EACH = 5
"""How many exact vectors are read for each row that is wanted, at least."""
_AT_ONCE = 2_048


class Reach(NamedTuple):
    """How far a search goes, as shares of all the rows of a segment."""

    scanned: float
    """Of which lean vectors are read."""
    checked: float
    """Of which exact vectors are read, beside some for each row that is wanted."""


class Segment:
    """A segment that is open for searching."""

    def __init__(self, path: Path) -> None:
        self.sections = Sections(path)
        try:
            self.number = self.sections.length("ids")
            self.dimension = int(self.sections.contents["exact"]["shape"][1])
            self.postings = Postings(self.sections)
        except (KeyError, ValueError) as error:
            raise damaged(path) from error

    @cached_property
    def ids(self) -> Any:
        """The id of the passage in each row."""
        return self.sections.whole("ids")

    @cached_property
    def names(self) -> list[str]:
        """The datasources that passages come from."""
        named: list[str] = json.loads(bytes(self.sections.whole("names")))
        return named

    @cached_property
    def _order(self) -> Any:
        return numpy.argsort(self.ids)

    @cached_property
    def _lean(self) -> Lean:
        return Lean(self.sections.whole("basis"), self.sections.whole("scale"))

    @cached_property
    def _starts(self) -> Any:
        return self.sections.whole("starts")

    @cached_property
    def _centres(self) -> Any:
        return self.sections.whole("centres")

    def rows_of(self, ids: Sequence[int]) -> Any:
        """The rows of those passages that are here."""
        wanted = numpy.asarray(sorted(set(ids)), "i8")
        if not len(wanted) or wanted[-1] < self.sections.contents["size"]["lowest"]:
            return numpy.empty(0, "i8")
        if wanted[0] > self.sections.contents["size"]["highest"]:
            return numpy.empty(0, "i8")
        places = numpy.searchsorted(self.ids, wanted, sorter=self._order)
        rows = self._order[numpy.minimum(places, self.number - 1)]
        return rows[self.ids[rows] == wanted]

    def allowed(self, datasource_ids: frozenset[str] | None, gone: Any) -> Any:
        """Which rows count, as a mask; None where all do."""
        if datasource_ids is None:
            return None if gone is None else ~gone
        wanted = [place for place, name in enumerate(self.names) if name in datasource_ids]
        mask = numpy.isin(self.sections.whole("sources"), wanted)
        return mask if gone is None else mask & ~gone

    def nearest(self, vector: Any, allowed: Any, limit: int, reach: Reach) -> Any:
        """The rows whose vectors are nearest, some more than `limit`, by lean vectors of a part of all."""
        if allowed is not None and int(allowed.sum()) <= _FEW:
            return numpy.flatnonzero(allowed)
        turned = self._lean.turned(vector)
        stretches = self._near(turned, allowed, max(_SCANNED, int(self.number * reach.scanned)))
        codes = self.sections.stretches("codes", stretches)
        rows = _within(stretches)
        if allowed is not None:
            codes, rows = codes[allowed[rows]], rows[allowed[rows]]
        wanted = _CHECKED_EACH * limit + int(self.number * reach.checked)
        if len(rows) <= wanted:
            return rows
        scores = _products(codes, (turned * self._lean.scale).astype("f4"))
        return rows[numpy.argpartition(scores, len(scores) - wanted)[-wanted:]]

    def cosines(self, vector: Any, rows: Any) -> Any:
        """The cosine of the vector in each of these rows, exactly."""
        return self.sections.gathered("exact", rows).astype("f4") @ vector

    def _near(self, turned: Any, allowed: Any, most: int) -> list[tuple[int, int]]:
        """Stretches of rows: the nearest clusters that hold so many rows that count, where there are any."""
        starts = self._starts
        filled = starts if allowed is None else numpy.concatenate(([0], numpy.cumsum(allowed)))[starts]
        clusters = numpy.argsort(-(self._centres @ turned))
        number = int(numpy.searchsorted(numpy.cumsum(numpy.diff(filled)[clusters]), most)) + 1
        chosen = numpy.sort(clusters[:number])
        return list(zip(starts[chosen].tolist(), starts[chosen + 1].tolist(), strict=True))


def _within(stretches: Sequence[tuple[int, int]]) -> Any:
    """The rows of stretches, one after the other."""
    starts, ends = numpy.array(stretches, "i8").reshape(-1, 2).T
    lengths = ends - starts
    before = numpy.cumsum(lengths) - lengths
    return numpy.repeat(starts - before, lengths) + numpy.arange(int(lengths.sum()))


def _products(codes: Any, vector: Any) -> Any:
    """The product of each row with a vector, some rows at a time, so that what is unpacked stays near."""
    scores = numpy.empty(len(codes), "f4")
    for start in range(0, len(codes), _AT_ONCE):
        part = codes[start : start + _AT_ONCE]
        numpy.dot(part.astype("f4"), vector, out=scores[start : start + len(part)])
    return scores
