"""What an answer says so far, as progress of the call that asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from vivavoce.operations import Hear
from vivavoce.surfaces.hearing import Heard, begun, stop

T = TypeVar("T")

APART = 0.1
"""Seconds between two notifications; what is said meanwhile goes into the next one."""
_LOOK = 60.0
_QUEUED = "The message is stored and waits for its turn."


class Report(Protocol):
    """Tells a client how far its call has come; nothing where it did not ask."""

    async def __call__(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell it."""
        ...


async def progressing(run: Callable[[Hear], Awaitable[T]], report: Report) -> T:
    """What `run` gives; the pieces of its answer are reported before. When we are cancelled, it stops."""
    heard = Heard()
    running = begun(run, heard)
    written = 0
    try:
        while not running.done():
            await heard.came(_LOOK)
            written = await _reported(heard, written, report)
            await asyncio.wait({running}, timeout=APART)
        await _reported(heard, written, report)
        return await running
    finally:
        await stop(running)


async def _reported(heard: Heard, written: int, report: Report) -> int:
    """Report what was said since the last time; how many characters that makes."""
    news = heard.taken()
    text = "".join(told.text for told in news if told.kind == "answer")
    if text:
        written += len(text)
        await report(float(written), message=text)
    elif not written and any(told.kind == "queued" for told in news):
        await report(0.0, message=_QUEUED)
    return written
