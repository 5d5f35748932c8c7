"""The tail: what was added last, in a journal on disk and in memory, until it becomes a segment."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy

from .journal import Gone, Kept, records_in
from .postings import Posting, Run, hash_of, run_of
from .sections import damaged


class Tail:
    """The entries of a journal, read as far as it goes and searched one by one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_to = 0
        self.kept: list[Kept] = []
        self.gone: set[int] = set()
        """Every passage that the journal removes, here or in a segment."""
        self._rows: dict[int, int] = {}
        self._runs: list[Run] = []
        self._by_source: dict[str, list[int]] = {}
        self._dead: set[int] = set()
        self._vectors: Any = None
        self._ids: Any = numpy.empty(0, "i8")
        self._alive: Any = numpy.empty(0, bool)

    def refresh(self) -> None:
        """Read what was appended since."""
        try:
            size = os.stat(self.path).st_size
            if size == self.read_to:
                return
            if size < self.read_to:
                raise damaged(self.path)
            with self.path.open("rb") as file:
                file.seek(self.read_to)
                raw = file.read(size - self.read_to)
        except OSError as error:
            raise damaged(self.path) from error
        known = len(self.kept)
        for record, length in records_in(raw):
            self.read_to += length
            self._take(record)
        self._sort_in(known)

    def has(self, id: int) -> bool:
        """Whether a passage is in the journal and was not removed."""
        return id in self._rows

    @property
    def number(self) -> int:
        """How many passages it holds."""
        return len(self._rows)

    @property
    def dead(self) -> int:
        """How many of its entries were removed."""
        return len(self._dead)

    def living(self) -> list[Kept]:
        """The entries that were not removed."""
        return [self.kept[row] for row in self._rows.values()]

    def postings(self, words: Iterable[str]) -> dict[str, Posting]:
        """For each word its rows, and its weight in each."""
        named = list(words)
        wanted = numpy.fromiter(map(hash_of, named), "u8", len(named))
        found: dict[str, list[tuple[Any, Any]]] = {word: [] for word in named}
        for run in self._runs:
            begins, ends = (numpy.searchsorted(run.hashes, wanted, side) for side in ("left", "right"))
            for word, start, end in zip(named, begins.tolist(), ends.tolist(), strict=True):
                if start < end:
                    found[word].append((run.rows[start:end], run.weights[start:end]))
        return {word: _posting(parts) for word, parts in found.items()}

    def ids(self) -> Any:
        """The id of the passage in each row."""
        return self._ids[: len(self.kept)]

    def allowed(self, datasource_ids: frozenset[str] | None) -> Any:
        """Which rows count, as a mask."""
        alive = self._alive[: len(self.kept)]
        if datasource_ids is None:
            return alive.copy()
        mask = numpy.zeros(len(self.kept), bool)
        mask[[row for name in datasource_ids for row in self._by_source.get(name, ())]] = True
        return mask & alive

    def cosines(self, vector: Any) -> Any:
        """The cosine of every row."""
        if not self.kept:
            return numpy.empty(0, "f4")
        return self._vectors[: len(self.kept)] @ vector

    def _take(self, record: Kept | Gone) -> None:
        if isinstance(record, Gone):
            self.gone.update(record.ids)
            dead = [row for id in record.ids if (row := self._rows.pop(id, None)) is not None]
            self._dead.update(dead)
            self._alive[dead] = False
            return
        if record.id in self._rows:
            return
        row = self._rows[record.id] = len(self.kept)
        self.kept.append(record)
        self._by_source.setdefault(record.datasource_id, []).append(row)
        if self._vectors is None:
            self._vectors = numpy.empty((0, len(record.vector)), "f4")
        if row == len(self._vectors):
            more = max(256, row)
            self._vectors = numpy.concatenate([self._vectors, numpy.empty((more, len(record.vector)), "f4")])
            self._ids = numpy.concatenate([self._ids, numpy.empty(more, "i8")])
            self._alive = numpy.concatenate([self._alive, numpy.zeros(more, bool)])
        self._vectors[row], self._ids[row], self._alive[row] = record.vector, record.id, True

    def _sort_in(self, known: int) -> None:
        """Make a run of the words of new entries; runs of like size become one, so that there are few."""
        if known == len(self.kept):
            return
        rows = range(known, len(self.kept))
        self._runs.append(run_of([(self.kept[row].hashes, self.kept[row].weights) for row in rows], rows))
        while len(self._runs) > 1 and 2 * len(self._runs[-1].hashes) >= len(self._runs[-2].hashes):
            newer, older = self._runs.pop(), self._runs.pop()
            self._runs.append(older.joined(newer))


def _posting(parts: list[tuple[Any, Any]]) -> Posting:
    if not parts:
        return Posting(numpy.empty(0, "u4"), numpy.empty(0, "u1"))
    rows, weights = (numpy.concatenate(column) for column in zip(*parts, strict=True))
    return Posting(rows, weights)
