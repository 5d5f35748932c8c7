"""What an answer says so far, as progress of the call that asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from mcp.types import CallToolRequestParams

from vivavoce.operations import Hear, Told
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


async def progressing(
    run: Callable[[Hear | None], Awaitable[T]], call: CallToolRequestParams, report: Report
) -> T:
    """What `run` gives; the pieces of its answer are reported before, to a client that gave a token for it.

    When we are cancelled, it stops. It is a task of its own, since it puts things in order then, and a scope
    of anyio would disturb that over and over.
    """
    heard = Heard()
    is_heard = "progress_token" in (call.meta or {})
    running = begun(run if is_heard else lambda hear: run(None), heard)
    reporting = _Reporting(report)
    try:
        while not running.done():
            await heard.came(_LOOK)
            await reporting.tell(heard.taken())
            await asyncio.wait({running}, timeout=APART)
        await reporting.tell(heard.taken())
        return await running
    finally:
        await stop(running)


class _Reporting:
    """How far a call has come, in characters of its answer: each report says more than the one before."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._written = 0
        self._has_begun = False

    async def tell(self, news: list[Told]) -> None:
        """Report what was said since the last time; that the message waits, once."""
        text = "".join(told.text for told in news if told.kind == "answer")
        is_queued = any(told.kind == "queued" for told in news)
        if not text and (self._has_begun or not is_queued):
            return
        self._has_begun = True
        self._written += len(text)
        await self._report(float(self._written), message=text or _QUEUED)
