"""Exchanges: calls that run in tasks of their own, so that who reads them may stop at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

from vivavoce.ports import others_first

from .answers import Opened

Streaming = Callable[[], AbstractAsyncContextManager[Opened]]
"""Begins a call."""
_MOMENT = 0.05


class Exchange:
    """A call at work; closed by who began it."""

    def __init__(self, streaming: Streaming) -> None:
        self._coming: asyncio.Queue[Opened | bytes | None] = asyncio.Queue()  # its bounds bound it
        self._task = asyncio.create_task(self._run(streaming))
        self._task.add_done_callback(lambda _: self._coming.put_nowait(None))

    async def opened(self) -> Opened:
        """The head of the answer; closed by itself where there is none."""
        try:
            first = await self._coming.get()
            if isinstance(first, Opened):
                return first
            await self._task
            raise AssertionError("an answer begins with its head")
        except BaseException:
            await self.aclose()
            raise

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self._coming.get()) is not None:
            assert isinstance(piece, bytes)
            yield piece
        await self._task  # says what went wrong, if something did

    async def finish(self) -> None:
        """Wait a moment for an end that says nothing more, so that the connection can be used again."""
        await asyncio.wait([self._task], timeout=_MOMENT)

    async def aclose(self) -> None:
        """Stop, and let go of the connection."""
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.exception()  # it was told already, or nobody is left to be told

    async def _run(self, streaming: Streaming) -> None:
        await others_first()
        async with streaming() as opened:
            self._coming.put_nowait(opened)
            async for piece in opened.pieces:
                self._coming.put_nowait(piece)
