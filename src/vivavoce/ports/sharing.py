"""Sharing: how work that takes a while gives way on the one event loop that everybody is on."""

from __future__ import annotations

import asyncio
import time

_ROUNDS = 3
"""Of the event loop, in which a call that has come is seen, begun and answered."""
_LONGEST = 0.002
"""Seconds that others are let go first for: a throng of them has its share, and leaves the rest."""


async def others_first() -> None:
    """Let short calls that have come meanwhile go first; before a stretch of work of a millisecond or so."""
    ends = time.monotonic() + _LONGEST
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)
        if time.monotonic() > ends:
            return
