"""The backlog: how many messages wait for a job to answer them, so that no more are taken than can be done.

It is on the path of every message that a job answers, so it is counted about once a second, and only there.
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
"""Seconds after which a caller may try again."""


class Backlog:
    """Refuses what would wait too long."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._waiting, self._counted_at = 0, float("-inf")

    def take(self, tables: Tables) -> None:
        """Count one more that is stored in this transaction; NotNow where there is no room for it."""
        moment = time.monotonic()
        if moment - self._counted_at > _FRESH:
            self._counted_at = moment
            self._waiting = tables.turns.number_promised(self._most + 1)
        else:
            self._waiting += 1  # at once, so that a crowd does not come in together
        if self._waiting > self._most:
            raise NotNow(
                f"{self._most} messages wait for an answer already.",
                hint="Nothing was stored. Send it again in a moment.",
                retry_after=_SOON,
            )
