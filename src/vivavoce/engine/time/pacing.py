"""Pacing: how many turns work at the same moment in one process.

Waiting is no work: a place is left while a model, an embedder or an index that is made again is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from vivavoce.ports import others_first

_AT_ONCE = 2
_FILES_HELD, _FILES_READ = 8, 2


class Pace:
    """Lets a few turns work at once, so that a crowd of them does not hold up everybody else."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._places = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def work(self) -> AsyncIterator[None]:
        """A stretch of work, once there is a place for it."""
        async with self._places:
            await others_first()
            yield


class FilePace:
    """Lets a few files of messages be in memory at once, and fewer be read, each by a process of its own."""

    def __init__(self) -> None:
        self.held, self.read = Pace(_FILES_HELD), Pace(_FILES_READ)
