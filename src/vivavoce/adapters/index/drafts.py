"""Drafts: a segment that is to be, made of new entries or of older segments."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy

from .clusters import clustered
from .journal import Kept
from .lean import Lean, lean_for
from .postings import merged, run_of, write_postings
from .sections import Sections, Writing
from .segments import Segment

_AT_ONCE = 16_384
_SAMPLE = 20_000


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

        lean = lean_for(floats(numpy.linspace(0, self.number - 1, min(self.number, _SAMPLE)).astype(int)))
        order = self._put_clusters(writing, lean, floats)
        ids, names, sources = self._ids(), *self._sources()
        writing.put("ids", ids[order])
        writing.put("sources", sources[order].astype("<u4"))
        writing.put("names", numpy.frombuffer(json.dumps(names).encode(), "u1"))
        writing.begin("codes", "|i1", (lean.basis.shape[1],))
        for start in range(0, self.number, _AT_ONCE):
            writing.append(lean.packed(lean.turned(floats(order[start : start + _AT_ONCE]))))
        writing.begin("exact", "<f2", (self.dimension,))
        for start in range(0, self.number, _AT_ONCE):
            writing.append(vectors[order[start : start + _AT_ONCE]])
        row_of = numpy.empty(self.number, "i8")
        row_of[order] = numpy.arange(self.number)
        write_postings(writing, self._postings(row_of))
        writing.finish(lowest=int(ids.min()), highest=int(ids.max()))

    def _put_clusters(self, writing: Writing, lean: Lean, floats: Callable[[Any], Any]) -> Any:
        """The order of the rows, cluster by cluster, once what tells of the clusters is written."""
        centres, assigned = clustered(
            self.number, lambda places: lean.turned(floats(places)), lean.basis.shape[1]
        )
        members = numpy.bincount(assigned, minlength=len(centres))
        writing.put("basis", lean.basis)
        writing.put("scale", lean.scale)
        writing.put("centres", centres)
        writing.put("starts", numpy.concatenate(([0], numpy.cumsum(members))).astype("<i8"))
        return numpy.argsort(assigned, kind="stable")

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
            new = [places.setdefault(name, len(places)) for name in segment.names]
            columns.append(numpy.array(new, "i8")[segment.sections.whole("sources")[rows]])
        return list(places), numpy.concatenate(columns)

    def _postings(self, row_of: Any) -> Iterable[tuple[Any, Any, Any]]:
        if self.kept and not self.old:
            yield run_of([(entry.hashes, entry.weights) for entry in self.kept], row_of.tolist())
            return
        numbered: list[tuple[Sections, Any]] = []
        done = len(self.kept)
        for segment, rows in self.old:
            new = numpy.full(segment.number, -1, "i8")
            new[rows] = row_of[done : done + len(rows)]
            numbered.append((segment.sections, new))
            done += len(rows)
        yield from merged(numbered)
