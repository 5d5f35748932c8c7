"""The files of a collection: which of them count, who may write, and what is no longer needed."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .sections import damaged

_FORMAT = 2


class Manifest(NamedTuple):
    """What a collection consists of."""

    made: str
    """Tells this collection from one of the same name that was dropped."""
    segments: tuple[str, ...]
    journal: str


class Files:
    """A folder with a manifest, the files that it names, and a lock for who writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._manifest = folder / "manifest.json"

    def written(self) -> bytes | None:
        """The manifest as it stands; None where there is none."""
        try:
            return self._manifest.read_bytes()
        except FileNotFoundError:
            return None

    def read(self, written: bytes) -> Manifest:
        """What a manifest says."""
        try:
            said = json.loads(written)
            if said["format"] != _FORMAT:
                raise damaged(self._manifest)
            return Manifest(said["made"], tuple(said["segments"]), said["journal"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise damaged(self._manifest) from error

    def publish(self, manifest: Manifest) -> None:
        """Let this be what the collection consists of."""
        draft = self.folder / "manifest.draft"
        with draft.open("w", encoding="utf-8") as file:
            json.dump({"format": _FORMAT} | manifest._asdict(), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self._manifest)
        folder = os.open(self.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def journal(self, number: int, content: bytes) -> str:
        """The name of a new journal that begins with this content."""
        name = f"{number:08d}.journal"
        with (self.folder / name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return name

    def sweep(self, manifest: Manifest) -> None:
        """Remove files that the manifest does not name; who still reads them keeps them open."""
        named = {self._manifest.name, "lock", *manifest.segments, manifest.journal}
        for file in self.folder.iterdir():
            if file.name not in named:
                file.unlink(missing_ok=True)

    def drop(self) -> None:
        """Remove all files, once nobody writes."""
        if not self.folder.exists():
            return
        with self.locked() as lock:
            for file in self.folder.iterdir():
                if file != lock:
                    file.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)  # last: who waits for it sees that it is gone, and begins anew
            with suppress(OSError):  # someone has begun anew already
                self.folder.rmdir()

    @contextmanager
    def locked(self) -> Iterator[Path]:
        """While the block runs, no other thread or process writes; it gets the file that is locked."""
        path = self.folder / "lock"
        with self._lock_taken(path):
            yield path

    def _lock_taken(self, path: Path) -> BinaryIO:
        while True:
            with suppress(FileExistsError):  # there, or dropped this moment
                self.folder.mkdir(parents=True)
            if self.folder.is_file():
                raise damaged(self.folder)
            with suppress(FileNotFoundError):  # dropped while we waited: begin anew
                lock = path.open("ab")
                fcntl.flock(lock, fcntl.LOCK_EX)
                if _is_at(lock, path):
                    return lock
                lock.close()


def _is_at(file: BinaryIO, path: Path) -> bool:
    """Whether a file that is open still has this name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False
