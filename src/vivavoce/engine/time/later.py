"""What goes on after a call was answered: held here until it is done or the process ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from vivavoce.engine.faults import log_fault

MOST = 1_000
"""How much may go on at a time."""
_MOMENT = 5.0
"""Seconds that a call has to store what became of it."""
_log = logging.getLogger(__name__)


class Later:
    """Work of this process that nobody waits for, and calls that must be put in order before it ends."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._calls: set[asyncio.Task[Any]] = set()

    @property
    def has_room(self) -> bool:
        """Whether more can be held."""
        return len(self._tasks) < MOST

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it from now on."""
        _ = self.begun(work)

    def begun(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do it from now on; whoever likes waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Know of a call as long as the block lasts."""
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            yield
        finally:
            self._calls.discard(task)

    async def close(self, *, at_once: bool) -> None:
        """Wait until all is done; `at_once` stops it first. Calls that were cancelled get a moment too."""
        while self._tasks:
            tasks = list(self._tasks)
            for task in tasks if at_once else ():
                task.cancel()
            await asyncio.wait(tasks)
        if self._calls:
            await asyncio.wait(list(self._calls), timeout=_MOMENT)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log_fault(_log, "Work for later", error)
