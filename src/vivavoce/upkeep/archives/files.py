"""The file of an archive in the making: parts of JSON lines, and a digest of each."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from vivavoce import __version__
from vivavoce.domain.entities import written
from vivavoce.errors import Conflict, disk_faults

FORMAT = 1
"""Rises when an older program could not read an archive rightly. A new part alone does not count."""
MANIFEST = "manifest.json"
Line = dict[str, Any]
Told = Callable[[str, int, int], None]
"""Hears of a part, how much of it is done, and of how much."""

_COMPRESSION = 4
"""Fast, and texts hardly grow by it."""
_on_disk = partial(disk_faults, hint="Name a file in a folder that exists, with room, that you may write to.")


def nobody(part: str, done: int, total: int) -> None:
    """Nobody wants to know."""


class NewArchive:
    """An archive that is being written."""

    def __init__(self, file: zipfile.ZipFile, at: datetime) -> None:
        self._file, self._at = file, at
        self._parts: dict[str, dict[str, Any]] = {}

    def add(self, part: str, lines: Iterable[Line]) -> None:
        """Write a part, a line at a time."""
        digest, count, size = hashlib.sha256(), 0, 0
        with self._file.open(self._entry(file_of(part)), "w", force_zip64=True) as file:
            for line in lines:
                encoded = _encoded(line) + b"\n"
                file.write(encoded)
                digest.update(encoded)
                count, size = count + 1, size + len(encoded)
        self._parts[part] = {"lines": count, "bytes": size, "sha256": digest.hexdigest()}

    def close(self, left_out: Iterable[tuple[str, str]]) -> None:
        """Write what the archive consists of, which comes last."""
        manifest = {
            "format": FORMAT,
            "program": "vivavoce",
            "version": __version__,
            "createdAt": written(self._at),
            "parts": self._parts,
            "leftOut": dict(left_out),
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1)
        self._file.writestr(self._entry(MANIFEST), text.encode())

    def _entry(self, name: str) -> zipfile.ZipInfo:
        entry = zipfile.ZipInfo(name, date_time=self._at.timetuple()[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry._compresslevel = _COMPRESSION  # type: ignore[attr-defined]  # public from Python 3.13 on
        entry.external_attr = 0o600 << 16
        return entry


@contextmanager
def new_archive(path: Path, at: datetime) -> Iterator[NewArchive]:
    """An archive that has its name only once it is whole; Conflict where there is such a file already.

    It is written beside, in a hidden file. One that a killed process left there is written anew.
    """
    draft = path.with_name(f".{path.name}.part")
    with _on_disk(f"{path} cannot be written"):
        if path.exists():
            raise _is_there(path)
        with _taken(draft) as file:
            try:
                file.truncate()
                with zipfile.ZipFile(file, "w") as zipped:
                    yield NewArchive(zipped, at)
                file.flush()
                os.fsync(file.fileno())
                _name(draft, path)
            finally:
                draft.unlink(missing_ok=True)


def file_of(part: str) -> str:
    """The name of a part's file in an archive."""
    return f"{part}.jsonl"


def _encoded(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _name(draft: Path, path: Path) -> None:
    """Let a file that is whole be found under its name, without writing over another."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise _is_there(path) from None
    except OSError:  # not every disk knows links
        if path.exists():
            raise _is_there(path) from None
        draft.rename(path)


def _is_there(path: Path) -> Conflict:
    return Conflict(f"{path} exists already.", hint="Name a file that does not exist.")


@contextmanager
def _taken(draft: Path) -> Iterator[BinaryIO]:
    """The draft, a file of its own that nobody else reads or writes; Conflict where it is none."""
    while True:
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600), "r+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(f"Another process writes {draft} now.", hint="Let it end.") from None
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid():
                raise Conflict(f"{draft} belongs to someone else.", hint="Name a file in a folder of yours.")
            with suppress(FileNotFoundError):  # it was finished this moment
                if os.path.samestat(status, os.lstat(draft)):
                    if status.st_nlink > 1:  # what it names has another name by now: that file stays
                        draft.unlink()
                        continue
                    os.fchmod(file.fileno(), 0o600)
                    yield file
                    return
