"""Gates: how many calls to one provider are under way, and for how long one that fails is left alone.

Each process has its own. They keep a provider that is slow or down from taking the places of all other work.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

AT_ONCE = 16
"""How many calls to one provider are under way at most."""
_chance = random.Random()
_FAILURES = 3
"""After so many failures in a row, it is left alone."""
_FIRST, _LONGEST = 5.0, 120.0
"""Seconds for which it is left alone, at first and at most."""
_MOMENT = 0.25
"""Seconds that a call waits for another one to end before it is put off."""
_APART = timedelta(milliseconds=50)
_SOON = timedelta(milliseconds=500)
"""Calls that are put off come back after this, one after the other."""
_LATEST = timedelta(seconds=30)
"""But no later than this."""
_LEAVING = 0.5
"""Seconds for which a message that has not left keeps the next ones waiting, at most."""
_KEPT = 1_000


class Gate:
    """The way to one provider."""

    def __init__(self, now: Callable[[], datetime], at_once: int = AT_ONCE) -> None:
        self._now, self._at_once = now, at_once
        self._under_way = 0
        self._failures = self._closings = 0
        self._closed_until: datetime | None = None
        self._next: datetime | None = None
        self._freed = asyncio.Event()
        self._is_stuck = False
        self._leaving = asyncio.Lock()

    @property
    def is_idle(self) -> bool:
        """Whether nothing speaks against forgetting it."""
        return self._under_way == 0 and self._failures == 0

    async def enter(self) -> float:
        """Begin a call: 0, or after how many seconds to come again, as nothing may be sent now."""
        while True:
            left = self._left_alone_for()
            if left > 0:
                return left
            if self._under_way < (1 if self._closings else self._at_once):
                self._under_way += 1
                return 0.0
            if self._is_stuck or not await self._is_freed():
                return self._put_off()

    def leave(self, *, went_well: bool | None, seconds: float | None = None) -> None:
        """End a call; None where none was made. `seconds` the provider wants to be left alone, if it says."""
        self._under_way -= 1
        self._is_stuck = False
        self._freed.set()
        if went_well is None:
            return
        if went_well:
            self._failures = self._closings = 0
            self._closed_until = self._next = None
            return
        self._failures += 1
        if self._failures >= _FAILURES and self._left_alone_for() <= 0:
            wanted = min(_FIRST * 2 ** min(self._closings, 10), _LONGEST)
            self._closings += 1
            self._closed_until = self._now() + timedelta(seconds=max(wanted, seconds or 0.0))

    async def let_out(self) -> Callable[[], None]:
        """Wait until the message before has left; what is given is to be called when this one has.

        So there is never more than one of which it is stored that it may be sent, and which is still here.
        """
        await self._leaving.acquire()
        is_leaving = True

        def left() -> None:
            nonlocal is_leaving
            if is_leaving:
                is_leaving = False
                ending.cancel()
                self._leaving.release()

        ending = asyncio.get_running_loop().call_later(_LEAVING, left)
        return left

    async def _is_freed(self) -> bool:
        """Whether a call ends within a moment; if none does, the next ones do not wait for it."""
        self._freed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_MOMENT):
                await self._freed.wait()
                return True
        self._is_stuck = True
        return False

    def _left_alone_for(self) -> float:
        if self._closed_until is None:
            return 0.0
        left = (self._closed_until - self._now()).total_seconds()
        return left * _chance.uniform(1.0, 1.3) if left > 0 else 0.0

    def _put_off(self) -> float:
        """When a call that finds no place comes again: not all of them at the same moment."""
        now = self._now()
        self._next = max(now + _SOON, now if self._next is None else self._next + _APART)
        self._next = min(self._next, now + _LATEST)
        return (self._next - now).total_seconds()


class Gates:
    """The ways to all providers."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._gates: dict[str, Gate] = {}

    def to(self, name: str) -> Gate:
        """The way to a provider."""
        if name not in self._gates and len(self._gates) >= _KEPT:
            self._gates = {name: gate for name, gate in self._gates.items() if not gate.is_idle}
        return self._gates.setdefault(name, Gate(self._now))
