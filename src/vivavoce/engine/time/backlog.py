"""The backlog: how much waits for a job, so that no more is taken than can be done.

It is on the path of everything that a job does later, so it is counted about once a second, and only there.
"""

from __future__ import annotations

import time

from vivavoce.errors import NotNow
from vivavoce.ports import Tables

MOST = 200_000
"""How much may wait before no more is taken."""
_FRESH = 1.0
"""Seconds for which a count holds."""
_SOON = 5.0
"""Seconds after which who was refused may try again."""


class Room:
    """How much waits, as it was counted a moment ago, and whether there is room for more."""

    def __init__(self, most: int, waiting: str) -> None:
        self.most, self._says = most, waiting
        self._waiting, self._counted_at = 0, float("-inf")

    def wants_count(self) -> bool:
        """Whether the last count is too old. Who is told so counts; others go by the old one meanwhile."""
        moment = time.monotonic()
        is_old = moment - self._counted_at > _FRESH
        if is_old:
            self._counted_at = moment
        return is_old

    def counted(self, waiting: int) -> None:
        """So much waits now."""
        self._waiting = waiting

    def add(self, number: int) -> None:
        """So much more waits, or less; at once, so that a crowd does not come in together."""
        self._waiting += number

    def check(self, more: int = 0) -> None:
        """NotNow where so much more would be too much."""
        if self._waiting + more > self.most:
            raise NotNow(
                f"{self.most} {self._says} already.",
                hint="Nothing was stored. Send it again in a moment.",
                retry_after=_SOON,
            )


class Backlog:
    """Refuses messages that would wait too long for an answer."""

    def __init__(self, most: int = MOST) -> None:
        self._room = Room(most, "messages wait for an answer")

    def take(self, tables: Tables) -> None:
        """Count one more that is stored in this transaction; NotNow where there is no room for it."""
        if self._room.wants_count():
            self._room.counted(tables.turns.number_promised(self._room.most + 1))
        else:
            self._room.add(1)
        self._room.check()
