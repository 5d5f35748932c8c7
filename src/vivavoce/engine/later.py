"""What goes on after a call was answered: held here until it is done or the process ends."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from vivavoce.errors import LimitReached

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

    def check_room(self) -> None:
        """Refuse more than can be held."""
        if len(self._tasks) >= MOST:
            raise LimitReached(f"{MOST} answers are under way already.", hint="Try again in a moment.")

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it from now on."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

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
        if error is not None:  # not its words, which may repeat a caller's value
            place = "".join(traceback.format_tb(error.__traceback__)).rstrip()
            _log.error("Work for later failed: %s\n%s", type(error).__qualname__, place)
