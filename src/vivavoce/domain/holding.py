"""Holding: how long an answer waits for messages that follow, so that they are answered together."""

from __future__ import annotations

from datetime import datetime, timedelta

_AT_MOST = 4
"""How many times the delay an answer is held at most, however many messages follow."""


def held_until(since: datetime, now: datetime, delay: int) -> datetime:
    """Until when an answer is held that has been held `since`, after one more message `now`."""
    return min(now + timedelta(seconds=delay), since + _AT_MOST * timedelta(seconds=delay))
