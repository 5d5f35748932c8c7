"""Zip archives that may be bombs: what is unpacked is counted while it is read, and never touches a disk."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from vivavoce.errors import Unreadable

MOST_ENTRIES = 5_000
MOST_BYTES = 200 * 1024 * 1024
MOST_RATIO = 100
_RATIO_MATTERS = 1024 * 1024
_END = struct.Struct("<4s4H2LH")
_LONGEST_COMMENT = 65_535
_A_NAME = 512
"""Bytes that the directory spends on an entry, generously."""
_IS_ENCRYPTED = 0x1


class Archive:
    """An open archive whose entries are read under limits."""

    def __init__(self, source: BinaryIO, most_entries: int = MOST_ENTRIES) -> None:
        _check_directory(source, most_entries)
        try:
            self._zip = zipfile.ZipFile(source)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error, OSError):
            raise damaged() from None
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}
        if len(self._zip.infolist()) > most_entries:
            raise _too_many(most_entries)
        self._unpacked: dict[str, int] = {}
        self._total = 0

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """The whole of an entry."""
        return b"".join(self.chunks(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """An entry, piece by piece; Unreadable where there is none, or where it grows beyond all measure."""
        entry = self._entries.get(name)
        if entry is None:
            raise damaged()
        if entry.flag_bits & _IS_ENCRYPTED:
            raise Unreadable(
                "The file is protected by a password.", hint="Remove the password, then try again."
            )
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise damaged()
        seen = 0
        with _translated(), self._zip.open(entry) as stream:
            while chunk := stream.read(io.DEFAULT_BUFFER_SIZE * 16):
                seen += len(chunk)
                if seen > _RATIO_MATTERS and seen > MOST_RATIO * entry.compress_size:
                    raise _bomb()
                self._count(name, seen)
                yield chunk

    def _count(self, name: str, seen: int) -> None:
        """What is read twice counts once."""
        before = self._unpacked.get(name, 0)
        if seen > before:
            self._unpacked[name] = seen
            self._total += seen - before
        if self._total > MOST_BYTES:
            raise _bomb()


def damaged() -> Unreadable:
    """The refusal of an archive that lacks what it needs or breaks its own rules."""
    return Unreadable(
        "The file is damaged: it is not put together as its kind demands.",
        hint="Open it in the program that made it and save it again.",
    )


def _check_directory(source: BinaryIO, most_entries: int) -> None:
    """Look at the end of the archive before a library reads a directory of any length into memory."""
    size = source.seek(0, io.SEEK_END)
    source.seek(max(0, size - _END.size - _LONGEST_COMMENT))
    tail = source.read()
    source.seek(0)
    at = tail.rfind(b"PK\5\6")
    if at == -1 or len(tail) - at < _END.size:
        raise damaged()
    _, _, _, _, entries, length, _, _ = _END.unpack_from(tail, at)
    if entries > most_entries or length > most_entries * _A_NAME:
        raise _too_many(most_entries)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError):
        raise damaged() from None


def _too_many(most: int) -> Unreadable:
    return Unreadable(f"The file holds more than {most:,} packed files.", hint="Split it.")


def _bomb() -> Unreadable:
    return Unreadable("The file unpacks to far more than its size allows.", hint="Save it anew, or split it.")
