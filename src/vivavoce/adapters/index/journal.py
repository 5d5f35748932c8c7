"""The journal: entries and removals as they are appended, each with its length and checksum."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy

from vivavoce.ports import Entry

from .postings import packed

_FRAME = struct.Struct("<II")
_LENGTH = struct.Struct("<I")


class Kept(NamedTuple):
    """An entry as the journal keeps it."""

    id: int
    datasource_id: str
    vector: Any
    hashes: Any
    """The numbers of its words, in order."""
    weights: Any
    """What each of them weighs, as a byte."""


class Gone(NamedTuple):
    """Passages that were removed."""

    ids: list[int]


def kept(entry: Entry) -> Kept:
    """An entry as it is kept."""
    hashes, weights = packed(entry.words)
    return Kept(entry.id, entry.datasource_id, numpy.asarray(entry.vector, "<f4"), hashes, weights)


def records(entries: Sequence[Kept | Gone]) -> bytes:
    """Entries as bytes, each with its length and checksum."""
    return b"".join(_framed(entry) for entry in entries)


def _framed(record: Kept | Gone) -> bytes:
    if isinstance(record, Gone):
        head, arrays = json.dumps({"gone": record.ids}).encode(), b""
    else:
        head = json.dumps([record.id, record.datasource_id, len(record.hashes)]).encode()
        arrays = record.hashes.tobytes() + record.weights.tobytes() + record.vector.tobytes()
    payload = _LENGTH.pack(len(head)) + head + arrays
    return _FRAME.pack(len(payload), zlib.crc32(payload)) + payload


def records_in(raw: bytes) -> Iterator[tuple[Kept | Gone, int]]:
    """The records that are whole. What was cut short at the end is not there yet, or never came.

    After a power cut there may be zeros in its place.
    """
    place = 0
    while place + _FRAME.size <= len(raw):
        length, checksum = _FRAME.unpack_from(raw, place)
        payload = raw[place + _FRAME.size : place + _FRAME.size + length]
        if length < _LENGTH.size or len(payload) < length or zlib.crc32(payload) != checksum:
            return
        yield _record(payload), _FRAME.size + length
        place += _FRAME.size + length


def _record(payload: bytes) -> Kept | Gone:
    (head_length,) = _LENGTH.unpack_from(payload)
    start = _LENGTH.size + head_length
    head = json.loads(payload[_LENGTH.size : start])
    if isinstance(head, dict):
        return Gone(head["gone"])
    id, datasource_id, number = head
    hashes = numpy.frombuffer(payload, "<u8", number, start)
    weights = numpy.frombuffer(payload, "u1", number, start + 8 * number)
    vector = numpy.frombuffer(payload, "<f4", offset=start + 9 * number)
    return Kept(id, datasource_id, vector, hashes, weights)
