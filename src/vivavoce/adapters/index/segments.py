"""Segments: many passages in one file that never changes, found by their vectors and by their words."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy

from .clusters import clustered
from .postings import Postings, merged, packed, write_postings
from .sections import Sections, Writing, damaged
from .tail import Kept

_SCANNED = 2_048
"""How many vectors a search reads in a segment with clusters, at least."""
_FEW = 2_000
"""A filter that leaves so few rows is answered from each of them."""
_OVERSAMPLED = 3
"""Candidates by rough vectors for each one that is wanted; the exact vectors decide among them."""
_AT_ONCE = 16_384


class Segment:
    """A segment that is open for searching."""

    def __init__(self, path: Path) -> None:
        self.sections = Sections(path)
        try:
            self.number = self.sections.length("ids")
            self.dimension = int(self.sections.contents["exact"]["shape"][1])
            self._names = json.loads(bytes(self.sections.whole("names")))
            self._starts = self.sections.whole("starts")
            self._scale = self.sections.whole("scale")
            self._centres = self.sections.whole("centres")
            self.postings = Postings(self.sections)
        except (KeyError, ValueError) as error:
            raise damaged(path) from error

    @cached_property
    def ids(self) -> Any:
        """The id of the passage in each row."""
        return self.sections.whole("ids")

    @cached_property
    def _order(self) -> Any:
        return numpy.argsort(self.ids)

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
        wanted = [place for place, name in enumerate(self._names) if name in datasource_ids]
        mask = numpy.isin(self.sections.whole("sources"), wanted)
        return mask if gone is None else mask & ~gone

    def nearest(self, vector: Any, allowed: Any, limit: int, share: float) -> Any:
        """The rows whose vectors are nearest, some more than `limit`, by rough vectors of a share of all."""
        if allowed is not None and int(allowed.sum()) <= _FEW:
            return numpy.flatnonzero(allowed)
        rough = (vector * self._scale).astype("f4")
        wanted = min(limit * _OVERSAMPLED, self.number)
        left = max(_SCANNED, int(self.number * share))
        rows: list[Any] = []
        scores: list[Any] = []
        for cluster in numpy.argsort(-(self._centres @ vector)) if len(self._centres) > 1 else (0,):
            start, end = int(self._starts[cluster]), int(self._starts[cluster + 1])
            found = self.sections.rows("codes", start, end).astype("f4") @ rough
            places = numpy.arange(start, end)
            if allowed is not None:
                kept = allowed[start:end]
                found, places = found[kept], places[kept]
            rows.append(places)
            scores.append(found)
            left -= len(places)
            if left <= 0:
                break
        return _best(numpy.concatenate(rows), numpy.concatenate(scores), wanted)

    def cosines(self, vector: Any, rows: Any) -> Any:
        """The cosine of the vector in each of these rows, exactly."""
        return self.sections.gathered("exact", rows.tolist()).astype("f4") @ vector


def _best(rows: Any, scores: Any, wanted: int) -> Any:
    if len(rows) <= wanted:
        return rows
    return rows[numpy.argpartition(-scores, wanted)[:wanted]]


def write_segment(path: Path, kept: Sequence[Kept], old: Sequence[tuple[Segment, Any]] = ()) -> None:
    """Write kept entries and the rows of old segments that are not gone as one new segment."""
    draft = _Draft(kept, old)
    writing = Writing(path)
    try:
        draft.write(writing)
    except BaseException:
        writing.abandon()
        raise


class _Draft:
    """The rows of a segment to be: first the kept entries, then those of each old segment."""

    def __init__(self, kept: Sequence[Kept], old: Sequence[tuple[Segment, Any]]) -> None:
        self.kept = kept
        self.old = [
            (segment, numpy.flatnonzero(~gone) if gone is not None else numpy.arange(segment.number))
            for segment, gone in old
        ]
        self.number = len(kept) + sum(len(rows) for _, rows in self.old)
        self.dimension = len(kept[0].vector) if kept else self.old[0][0].dimension

    def write(self, writing: Writing) -> None:
        vectors = self._vectors(writing.path.with_suffix(".vectors"))
        try:
            self._write(writing, vectors)
        finally:
            del vectors
            writing.path.with_suffix(".vectors").unlink(missing_ok=True)

    def _write(self, writing: Writing, vectors: Any) -> None:
        def floats(places: Any) -> Any:
            return vectors[places].astype("f4")

        centres, assigned = clustered(self.number, floats, self.dimension)
        order = numpy.argsort(assigned, kind="stable")
        row_of = numpy.empty(self.number, "i8")
        row_of[order] = numpy.arange(self.number)
        ids, names, sources = self._ids(), *self._sources()
        writing.put("ids", ids[order])
        writing.put("sources", sources[order].astype("<u4"))
        writing.put("names", numpy.frombuffer(json.dumps(names).encode(), "u1"))
        writing.put("centres", centres)
        members = numpy.bincount(assigned, minlength=len(centres))
        writing.put("starts", numpy.concatenate(([0], numpy.cumsum(members))).astype("<i8"))
        scale = _scale(floats(numpy.linspace(0, self.number - 1, min(self.number, 20_000)).astype(int)))
        writing.put("scale", scale)
        writing.begin("codes", "|i1", (self.dimension,))
        for start in range(0, self.number, _AT_ONCE):
            rough = numpy.rint(floats(order[start : start + _AT_ONCE]) / scale)
            writing.append(numpy.clip(rough, -127, 127).astype("i1"))
        writing.begin("exact", "<f2", (self.dimension,))
        for start in range(0, self.number, _AT_ONCE):
            writing.append(vectors[order[start : start + _AT_ONCE]])
        write_postings(writing, self._postings(row_of))
        writing.finish(lowest=int(ids.min()), highest=int(ids.max()))

    def _vectors(self, scratch: Path) -> Any:
        """All vectors as half floats, in a scratch file: they may be many."""
        with scratch.open("wb") as file:  # room that is not there must be an error now, not a crash later
            file.truncate(self.number * self.dimension * 2)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, self.number * self.dimension * 2)
        vectors = numpy.memmap(scratch, "f2", "r+", shape=(self.number, self.dimension))
        for place, entry in enumerate(self.kept):
            vectors[place] = entry.vector
        done = len(self.kept)
        for segment, rows in self.old:
            for start in range(0, segment.number, _AT_ONCE):
                end = min(start + _AT_ONCE, segment.number)
                some = rows[(rows >= start) & (rows < end)] - start
                vectors[done : done + len(some)] = segment.sections.rows("exact", start, end)[some]
                done += len(some)
        return vectors

    def _ids(self) -> Any:
        parts = [numpy.array([entry.id for entry in self.kept], "i8")]
        return numpy.concatenate([*parts, *(segment.ids[rows] for segment, rows in self.old)])

    def _sources(self) -> tuple[list[str], Any]:
        places: dict[str, int] = {}
        columns = [numpy.array([places.setdefault(e.datasource_id, len(places)) for e in self.kept], "i8")]
        for segment, rows in self.old:
            new = [places.setdefault(name, len(places)) for name in segment._names]
            columns.append(numpy.array(new, "i8")[segment.sections.whole("sources")[rows]])
        return list(places), numpy.concatenate(columns)

    def _postings(self, row_of: Any) -> Iterable[tuple[Any, Any, Any]]:
        if self.kept and not self.old:
            yield _postings_of(self.kept, row_of)
            return
        numbered: list[tuple[Sections, Any]] = []
        done = len(self.kept)
        for segment, rows in self.old:
            new = numpy.full(segment.number, -1, "i8")
            new[rows] = row_of[done : done + len(rows)]
            numbered.append((segment.sections, new))
            done += len(rows)
        yield from merged(numbered)


def _postings_of(kept: Sequence[Kept], row_of: Any) -> tuple[Any, Any, Any]:
    hashes: list[int] = []
    weights: list[int] = []
    rows: list[int] = []
    for place, entry in enumerate(kept):
        some, weighed = packed(entry.words)
        hashes += some
        weights += weighed
        rows += [int(row_of[place])] * len(some)
    return numpy.array(hashes, "u8"), numpy.array(rows, "u4"), numpy.array(weights, "u1")


def _scale(sample: Any) -> Any:
    """What a step of a rough vector is worth in each dimension; the few that lie beyond are cut."""
    widest = numpy.quantile(numpy.abs(sample), 0.999, axis=0)
    return (numpy.maximum(widest, 1e-6) / 127).astype("f4")
