"""The way out for libraries that ask on their own: an HTTP client whose every call goes through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

import httpx2

from .answers import Opened
from .bounds import Bounds
from .client import Egress

_SENT = frozenset(
    {
        *("accept", "authorization", "content-type", "user-agent"),
        *("anthropic-beta", "anthropic-version", "x-api-key", "x-goog-api-key"),
    }
)
"""The headers that go out. Others tell about this machine, or come from its environment for other servers."""

_UNPACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def client_through(egress: Egress, within: Bounds) -> httpx2.AsyncClient:
    """An HTTP client that has no other way out, and reads no proxy or key from the environment."""
    return httpx2.AsyncClient(
        transport=EgressTransport(egress, within),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(within.timeout, connect=within.connect),
    )


class EgressTransport(httpx2.AsyncBaseTransport):
    """Sends what an HTTP client is asked to send through an Egress. Its errors are those of the Egress."""

    def __init__(self, egress: Egress, within: Bounds) -> None:
        self._egress, self._within = egress, within

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer as soon as it begins."""
        headers = {name: value for name, value in request.headers.items() if name.lower() in _SENT}
        exchange = _Exchange(
            self._egress, self._within, request.method, str(request.url), headers, await request.aread()
        )
        try:
            opened = await exchange.opened()
        except BaseException:
            await exchange.aclose()
            raise
        told = [(name, value) for name, value in opened.headers.items() if name not in _UNPACKED]
        return httpx2.Response(opened.status, headers=told, stream=exchange, request=request)


class _Exchange(httpx2.AsyncByteStream):
    """A call at work in a task of its own, so that who reads it may stop, or be stopped, at any moment."""

    def __init__(
        self,
        egress: Egress,
        within: Bounds,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes,
    ) -> None:
        self._coming: asyncio.Queue[Opened | bytes | None] = asyncio.Queue()  # its bounds bound it
        self._task = asyncio.create_task(self._run(egress, within, method, url, headers, content))
        self._task.add_done_callback(lambda _: self._coming.put_nowait(None))

    async def opened(self) -> Opened:
        """The head of the answer."""
        first = await self._coming.get()
        if not isinstance(first, Opened):
            await self._task
            raise AssertionError("an answer begins with its head")
        return first

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self._coming.get()) is not None:
            assert isinstance(piece, bytes)
            yield piece
        await self._task  # says what went wrong, if something did

    async def aclose(self) -> None:
        """Stop, and let go of the connection."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.exception()  # it was told already, or nobody is left to be told

    async def _run(
        self,
        egress: Egress,
        within: Bounds,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes,
    ) -> None:
        async with egress.stream(
            method, url, headers=headers, content=content or None, within=within
        ) as opened:
            self._coming.put_nowait(opened)
            async for piece in opened.pieces:
                self._coming.put_nowait(piece)
