"""Paths on a command line: files, folders and patterns, and the files that they stand for."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from vivavoce.domain.values import NAME
from vivavoce.errors import InvalidInput
from vivavoce.upkeep.files import GivenFile

_MAGIC = frozenset("*?[")
_ALL = ("**",)


class Finds:
    """The files that paths stand for, each once, and what was passed over."""

    def __init__(self, apart: Sequence[Path] = ()) -> None:
        self.files: list[GivenFile] = []
        self.skipped: Counter[str] = Counter()
        self.failed: list[tuple[str, str]] = []
        self._met: set[Path] = set()
        self._apart = [path.resolve() for path in apart]

    def add(self, path: Path, parts: Sequence[str], *, is_named: bool) -> None:
        """Meet a file; its name is where it stands in the folder that was given."""
        real = path.resolve()
        if real in self._met:
            self.skipped["Given twice."] += 1
            return
        self._met.add(real)
        name = unicodedata.normalize("NFC", "/".join(parts))[-NAME:].strip()
        if not self._is_ours(real):
            self.files.append(GivenFile(path, name, is_named))
        elif is_named:
            self.failed.append((name, "It belongs to the workspace itself."))
        else:
            self.skipped["It belongs to the workspace itself."] += 1

    def _is_ours(self, real: Path) -> bool:
        """Whether it is a file of the workspace, such as its key, which must not be found by a search."""
        plain = real.with_name(real.name.removesuffix("-wal").removesuffix("-shm"))
        return any(plain == ours or ours in plain.parents for ours in self._apart)


def files_at(paths: Sequence[str], apart: Sequence[Path] = ()) -> Finds:
    """The files that the paths stand for, but none of those `apart`; sorted within each folder."""
    finds = Finds(apart)
    for text in paths:
        path = Path(text)
        if path.is_dir():
            _walk(path, _ALL, finds)
        elif path.is_file():
            finds.add(path, (path.name,), is_named=True)
        elif path.exists():
            raise InvalidInput(f"{text} is neither a file nor a folder.")
        elif _MAGIC & set(text):
            _match(text, finds)
        else:
            raise InvalidInput(f"There is no {text}.", hint="Name files, folders or patterns that exist.")
    return finds


def _match(text: str, finds: Finds) -> None:
    """The files that a pattern matches; names count from its last folder without a wildcard."""
    parts = Path(text).parts
    fixed = next(place for place, part in enumerate(parts) if _MAGIC & set(part))
    before = len(finds.files) + finds.skipped.total()
    _walk(Path(*parts[:fixed]), parts[fixed:], finds)
    if len(finds.files) + finds.skipped.total() == before:
        raise InvalidInput(f"No file matches {text!r}.", hint="** stands for folders of any depth.")


def _walk(root: Path, wanted: tuple[str, ...], finds: Finds) -> None:
    """Meet the files below a folder that are wanted. Links to files are followed only inside of it."""
    found: list[tuple[str, ...]] = []
    folders: list[tuple[str, ...]] = [()]
    while folders:
        above = folders.pop()
        for entry in _entries(root.joinpath(*above), finds):
            parts = (*above, entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if not (_leads(parts, wanted) if is_folder else _matches(parts, wanted)):
                continue
            reason = _reason(entry, root)
            if reason and is_folder and wanted != _ALL:
                continue  # a pattern asks for files alone
            if reason:
                finds.skipped[reason] += 1
            elif is_folder:
                folders.append(parts)
            else:
                found.append(parts)
    links = {parts for parts in found if root.joinpath(*parts).is_symlink()}
    for parts in sorted(found, key=lambda parts: (parts in links, parts)):  # a file before a link to it
        finds.add(root.joinpath(*parts), parts, is_named=False)


def _entries(folder: Path, finds: Finds) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        finds.failed.append((str(folder), f"The folder cannot be read: {error.strerror}."))
        return []


def _reason(entry: os.DirEntry[str], root: Path) -> str:
    """Why something in a folder is passed over; nothing where it is not."""
    if entry.name.startswith("."):
        return "Hidden."
    if entry.is_symlink() and entry.is_dir():
        return "A link to a folder."
    if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(root.resolve()):
        return "A link that leads out of the folder."
    if not entry.is_dir() and not entry.is_file():
        return "Not a file."
    return ""


def _matches(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a path matches a pattern as a whole."""
    if not wanted:
        return not parts
    if wanted[0] == "**":
        rest = wanted[1:]
        if not rest:
            return bool(parts)
        return any(_matches(parts[place:], rest) for place in range(len(parts)))
    return bool(parts) and fnmatchcase(parts[0], wanted[0]) and _matches(parts[1:], wanted[1:])


def _leads(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether there may be a match below a folder."""
    if not wanted:
        return False
    if not parts or wanted[0] == "**":
        return True
    return fnmatchcase(parts[0], wanted[0]) and _leads(parts[1:], wanted[1:])
