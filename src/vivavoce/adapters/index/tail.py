"""The tail: what was added last, in a journal on disk and in memory, until it becomes a segment."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from vivavoce.domain.words import weight

from .postings import Posting
from .sections import damaged

_FRAME = struct.Struct("<II")


class Kept(NamedTuple):
    """An entry as the journal keeps it."""

    id: int
    datasource_id: str
    vector: Any
    words: Mapping[str, int]


class Gone(NamedTuple):
    """Passages that were removed."""

    ids: list[int]


def records(entries: Sequence[Kept | Gone]) -> bytes:
    """Entries as bytes, each with its length and checksum."""
    return b"".join(_framed(entry) for entry in entries)


class Tail:
    """The entries of a journal, read as far as it goes and searched one by one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_to = 0
        self.kept: list[Kept] = []
        self.gone: set[int] = set()
        """Every passage that the journal removes, here or in a segment."""
        self._rows: dict[int, int] = {}
        self._postings: dict[str, tuple[list[int], list[float]]] = {}
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
        for record, length in _parsed(raw):
            self.read_to += length
            self._take(record)

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
        found: dict[str, Posting] = {}
        for word in words:
            rows, weights = self._postings.get(word, ((), ()))
            found[word] = Posting(numpy.array(rows, "i8"), numpy.array(weights, "f4"))
        return found

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
        length = sum(record.words.values())
        for word, count in record.words.items():
            rows, weights = self._postings.setdefault(word, ([], []))
            rows.append(row)
            weights.append(weight(count, length))


def _framed(record: Kept | Gone) -> bytes:
    if isinstance(record, Gone):
        head, vector = json.dumps({"gone": record.ids}).encode(), b""
    else:
        head = json.dumps([record.id, record.datasource_id, dict(record.words)]).encode()
        vector = numpy.asarray(record.vector, "<f4").tobytes()
    payload = struct.pack("<I", len(head)) + head + vector
    return _FRAME.pack(len(payload), zlib.crc32(payload)) + payload


def _parsed(raw: bytes) -> Iterator[tuple[Kept | Gone, int]]:
    """The records that are whole. What was cut short at the end is not there yet, or never came.

    After a power cut there may be zeros in its place.
    """
    place = 0
    while place + _FRAME.size <= len(raw):
        length, checksum = _FRAME.unpack_from(raw, place)
        payload = raw[place + _FRAME.size : place + _FRAME.size + length]
        if length < 4 or len(payload) < length or zlib.crc32(payload) != checksum:
            return
        (head_length,) = struct.unpack_from("<I", payload)
        head = json.loads(payload[4 : 4 + head_length])
        if isinstance(head, dict):
            yield Gone(head["gone"]), _FRAME.size + length
        else:
            vector = numpy.frombuffer(payload, "<f4", offset=4 + head_length)
            yield Kept(head[0], head[1], vector, head[2]), _FRAME.size + length
        place += _FRAME.size + length
