"""Connections that are kept: one is taken up again by the next call to the same place.

The pool of the library looks through all of its connections at each call, twice; here a call takes the one
that was put back last.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
from httpcore2 import URL, AsyncHTTPConnection, Origin, Response


class Connections:
    """At most so many connections at once, and as many that wait to be used again."""

    def __init__(self, at_once: int, opened: Callable[[Origin], AsyncHTTPConnection]) -> None:
        self._at_once, self._opened = at_once, opened
        self._room = asyncio.Semaphore(at_once)
        self._kept: list[tuple[str, AsyncHTTPConnection]] = []
        """By the origin, those that were put back first first."""
        self._is_closed = False

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: URL,
        *,
        headers: Sequence[tuple[bytes, bytes]],
        content: bytes | None,
        extensions: dict[str, Any],
    ) -> AsyncGenerator[Response]:
        """The answer to a call. Where every connection is in use, calls wait in line for the next one."""
        async with self._room:
            origin = str(url.origin)
            connection = await self._taken(origin) or self._opened(url.origin)
            try:
                async with connection.stream(
                    method, url, headers=headers, content=content, extensions=extensions
                ) as response:
                    yield response
            finally:
                if connection.is_idle() and not connection.is_closed() and not self._is_closed:
                    await self._keep(origin, connection)
                else:  # its answer was left early, whoever left it
                    await _closed([connection])

    async def aclose(self) -> None:
        """Let go of all connections, those in use once their calls end."""
        self._is_closed = True
        kept, self._kept = self._kept, []
        await _closed([connection for _, connection in kept])

    async def _taken(self, origin: str) -> AsyncHTTPConnection | None:
        """The one to a place that was used last: the others may go meanwhile."""
        for place in range(len(self._kept) - 1, -1, -1):
            if self._kept[place][0] == origin:
                connection = self._kept.pop(place)[1]
                if not connection.has_expired():
                    return connection
                await _closed([connection])  # those before it are older still
        return None

    async def _keep(self, origin: str, connection: AsyncHTTPConnection) -> None:
        self._kept.append((origin, connection))
        gone = []
        while self._kept and (len(self._kept) > self._at_once or self._kept[0][1].has_expired()):
            gone.append(self._kept.pop(0)[1])
        await _closed(gone)


async def _closed(connections: Sequence[AsyncHTTPConnection]) -> None:
    """Let go of connections, whoever goes away meanwhile."""
    with anyio.CancelScope(shield=True):
        for connection in connections:
            await connection.aclose()
