"""One file that holds named arrays. It is read with pread, so a file cut short is an error, not a crash."""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy

from vivavoce.errors import Damaged

_MAGIC = b"vivavoce segment 2\n"
_HEAD = 65_536
"""Bytes at the beginning of a file that are kept for its table of contents."""
_SUM = 9
"""Bytes of the checksum of the table of contents, which stands before it."""
_ALIGN = 64
_NEAR = 8_192
"""Bytes between two rows that take less time to read than a call does."""
_AT_ONCE = 1 << 24
"""Bytes that are read by one call; more are read into a buffer, bit by bit."""


class Sections:
    """The arrays of a file that is open for reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._checked: set[str] = set()
        """The arrays that were as they were written when they were first read as a whole."""
        try:
            self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise damaged(path) from error
        try:
            self.contents = self._read_contents()
            self._layout = {
                name: (
                    section["start"],
                    kind,
                    kind.itemsize * math.prod(section["shape"][1:]),
                    section["shape"][1:],
                )
                for name, section in self.contents.items()
                if name != "size"
                for kind in (numpy.dtype(section["kind"]),)
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise damaged(path) from error

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            os.close(file)

    def length(self, name: str) -> int:
        """How many rows an array has."""
        return int(self.contents[name]["shape"][0])

    def whole(self, name: str) -> Any:
        """A whole array, checked when it is read for the first time."""
        read = self.rows(name, 0, self.length(name))
        if name not in self._checked:
            if zlib.crc32(read.data) != self.contents[name]["crc"]:
                raise damaged(self.path)
            self._checked.add(name)
        return read

    def rows(self, name: str, start: int, end: int) -> Any:
        """Some rows of an array."""
        begins, kind, width, shape = self._layout[name]
        if not 0 <= start <= end <= self.length(name):
            raise damaged(self.path)
        read = numpy.frombuffer(self._read(begins + start * width, (end - start) * width), kind)
        return read.reshape(end - start, *shape) if shape else read

    def stretches(self, name: str, stretches: Sequence[tuple[int, int]]) -> Any:
        """The rows of several stretches, one after the other."""
        begins, kind, width, shape = self._layout[name]
        most = self.length(name)
        if any(not 0 <= start <= end <= most for start, end in stretches):
            raise damaged(self.path)
        number = sum(end - start for start, end in stretches)
        buffer = bytearray(number * width)
        view, done = memoryview(buffer), 0
        for start, end in stretches:
            size = (end - start) * width
            self._fill(view[done : done + size], begins + start * width)
            done += size
        return numpy.frombuffer(buffer, kind).reshape(number, *shape)

    def gathered(self, name: str, rows: Any) -> Any:
        """Rows from here and there. Those that are near each other are read with what lies between them."""
        if not len(rows):
            return self.rows(name, 0, 0)
        begins, kind, width, shape = self._layout[name]
        wanted, places = numpy.unique(rows, return_inverse=True)
        if not 0 <= wanted[0] <= wanted[-1] < self.length(name):
            raise damaged(self.path)
        far = numpy.flatnonzero(numpy.diff(wanted) * width > _NEAR) + 1
        starts, ends = wanted[numpy.append(0, far)], wanted[numpy.append(far - 1, -1)] + 1
        found = self._joined((begins + starts * width).tolist(), ((ends - starts) * width).tolist())
        skipped = numpy.zeros(len(wanted), "i8")
        skipped[numpy.append(0, far)] = starts - numpy.append(0, ends[:-1])
        read = numpy.frombuffer(found, kind).reshape(-1, *shape)
        return read[(wanted - numpy.cumsum(skipped))[places]]

    def _joined(self, starts: Sequence[int], sizes: Sequence[int]) -> bytes:
        """Bytes of several places of the file, one after the other."""
        file, read = self._file, os.pread
        try:
            found = b"".join([read(file, size, start) for start, size in zip(starts, sizes, strict=True)])
        except OSError as error:
            raise damaged(self.path) from error
        if len(found) != sum(sizes):
            raise damaged(self.path)
        return found

    def _read(self, start: int, size: int) -> bytes | bytearray:
        """Bytes of the file."""
        if size <= _AT_ONCE:
            try:
                read = os.pread(self._file, size, start)
            except OSError as error:
                raise damaged(self.path) from error
            if len(read) != size:
                raise damaged(self.path)
            return read
        buffer = bytearray(size)
        self._fill(memoryview(buffer), start)
        return buffer

    def _fill(self, view: memoryview, start: int) -> None:
        """Read into a buffer until it is full."""
        try:
            while len(view):  # one call reads at most 2 GB
                read = os.preadv(self._file, [view], start)
                if not read:  # the end came too soon
                    raise damaged(self.path)
                view, start = view[read:], start + read
        except OSError as error:
            raise damaged(self.path) from error

    def _read_contents(self) -> dict[str, Any]:
        head = bytes(self._read(0, _HEAD))
        if not head.startswith(_MAGIC):
            raise damaged(self.path)
        written = head[len(_MAGIC) :].rstrip(b"\0")
        if written[:_SUM] != _sum(written[_SUM:]):
            raise damaged(self.path)
        contents: dict[str, Any] = json.loads(written[_SUM:])
        if os.fstat(self._file).st_size < contents["size"]["end"]:
            raise damaged(self.path)
        return contents


class Writing:
    """A file of arrays that is being written. It has a name only when it is whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._draft = path.with_suffix(".draft")
        self._file = self._draft.open("wb")
        self._file.seek(_HEAD)
        self._contents: dict[str, Any] = {}

    def begin(self, name: str, kind: str, width: tuple[int, ...] = ()) -> None:
        """Start an array; its rows follow with `append`."""
        place = -self._file.tell() % _ALIGN
        self._file.write(b"\0" * place)
        self._contents[name] = {"start": self._file.tell(), "kind": kind, "shape": [0, *width], "crc": 0}
        self._open = name

    def append(self, rows: Any) -> None:
        """Add rows to the array that was begun last."""
        section = self._contents[self._open]
        section["shape"][0] += len(rows)
        written = numpy.ascontiguousarray(rows, dtype=section["kind"]).data
        section["crc"] = zlib.crc32(written, section["crc"])
        self._file.write(written)

    def put(self, name: str, rows: Any) -> None:
        """A whole array at once."""
        rows = numpy.asarray(rows)
        self.begin(name, rows.dtype.str, rows.shape[1:])
        self.append(rows)

    def finish(self, **facts: Any) -> None:
        """Write the table of contents, make all of it durable and give the file its name."""
        self._contents["size"] = {"end": self._file.tell()} | facts
        contents = json.dumps(self._contents).encode()
        head = _MAGIC + _sum(contents) + contents
        if len(head) > _HEAD:
            raise ValueError("the table of contents is too long")
        self._file.seek(0)
        self._file.write(head.ljust(_HEAD, b"\0"))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self._draft, self.path)

    def abandon(self) -> None:
        """Remove what was written so far."""
        with suppress(OSError):  # it may fail once more to write what it holds
            self._file.close()
        self._draft.unlink(missing_ok=True)


def _sum(contents: bytes) -> bytes:
    return f"{zlib.crc32(contents):08x}\n".encode()


def damaged(path: Path) -> Damaged:
    """What is said of an index file that is missing, cut short or not ours."""
    return Damaged(
        f"The index file {path.name} is missing or damaged.",
        hint="The index is rebuilt from the database by itself; vivavoce reindex does it at once.",
    )
