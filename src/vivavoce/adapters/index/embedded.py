"""The index port on files: one folder for each collection."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from vivavoce.errors import Damaged, InvalidInput, StorageFailed
from vivavoce.ports import Entry, Hit, Question

if TYPE_CHECKING:
    from .collections import Collection

T = TypeVar("T")

_log = logging.getLogger(__name__)

_OPEN = 64
"""How many collections are kept open."""


class EmbeddedIndex:
    """Collections as folders beside the database. Any number of processes may read and write them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: OrderedDict[str, Collection] = OrderedDict()
        self._lock = Lock()

    async def add(self, collection: str, entries: Sequence[Entry]) -> None:
        """Keep the entries."""
        await self._do(lambda: self._named(collection).add(entries))

    async def remove(self, collection: str, ids: Sequence[int]) -> None:
        """Forget these passages."""
        if ids:
            await self._do(lambda: self._named(collection).remove(ids))

    async def drop(self, collection: str) -> None:
        """Forget the whole collection."""

        def dropped() -> None:
            self._named(collection).drop()
            with self._lock:
                self._open.pop(collection, None)

        await self._do(dropped)

    async def count(self, collection: str) -> int:
        """How many passages the collection holds."""
        return await self._do(lambda: self._named(collection).count())

    async def search(self, collection: str, question: Question, limit: int) -> list[Hit]:
        """The nearest by meaning and the best by words."""
        return await self._do(lambda: self._named(collection).search(question, limit))

    async def settle(self, collection: str) -> None:
        """Put the files in order."""
        await self._do(lambda: self._named(collection).settle())

    async def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            self._open.clear()

    async def _do(self, work: Callable[[], T]) -> T:
        def translated() -> T:
            with _translated():
                return work()

        return await asyncio.to_thread(translated)

    def _named(self, name: str) -> Collection:
        from .collections import Collection

        with self._lock:
            collection = self._open.pop(name, None) or Collection(self._folder(name))
            self._open[name] = collection
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
        return collection

    def _folder(self, name: str) -> Path:
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}", name):
            raise InvalidInput(f"{name!r} cannot be the name of a collection.")
        return self.folder / name


@contextmanager
def _translated() -> Iterator[None]:
    """Faults of the disk, and of what stands on it, in our own words."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(
            f"The index cannot be written: {error.strerror}.",
            hint="The database has everything; the index is filled again when there is room.",
        ) from error
    except MemoryError as error:  # what is damaged is never read beyond its ends, so the files may be sound
        raise StorageFailed(
            "There is not enough memory for the index.", hint="Free some, then try again."
        ) from error
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        # Who asked mends the index and says nothing, so that this is the only trace of why.
        _log.warning("The index holds what makes no sense.", exc_info=True)
        raise Damaged(
            "The index is damaged.",
            hint="It is rebuilt from the database by itself; vivavoce reindex does it at once.",
        ) from error
