"""Connections that are kept: small pools, since one looks through all of its connections for each call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpcore2

_EACH = 16


class Pools:
    """At most so many connections at once. A pool is opened when those before it are full."""

    def __init__(self, at_once: int, opened: Callable[[int], httpcore2.AsyncConnectionPool]) -> None:
        self._room, self._opened = asyncio.Semaphore(at_once), opened
        self._pools: list[_Pool] = []

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: httpcore2.URL,
        *,
        headers: Sequence[tuple[bytes, bytes]],
        content: bytes | None,
        extensions: dict[str, Any],
    ) -> AsyncGenerator[httpcore2.Response]:
        """The answer to a call. Where every connection is in use, calls wait in line for the next one."""
        async with self._room:
            chosen = self._with_room()
            chosen.calls += 1
            try:
                async with chosen.pool.stream(
                    method, url, headers=headers, content=content, extensions=extensions
                ) as response:
                    yield response
            finally:
                chosen.calls -= 1

    async def aclose(self) -> None:
        """Let go of all connections."""
        for each in self._pools:
            await each.pool.aclose()

    def _with_room(self) -> _Pool:
        """The first pool that has room, so that few connections are kept."""
        for each in self._pools:
            if each.calls < _EACH:
                return each
        self._pools.append(_Pool(self._opened(_EACH)))
        return self._pools[-1]


class _Pool:
    """A pool, and how many calls are under way in it."""

    def __init__(self, pool: httpcore2.AsyncConnectionPool) -> None:
        self.pool, self.calls = pool, 0
