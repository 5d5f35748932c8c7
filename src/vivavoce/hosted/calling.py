"""Calling a service: one pool of connections, bounded times and sizes, repeats only where safe."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vivavoce.errors import NotAuthenticated, NotAvailable, UpstreamFailed

from .exchanges import Again, Asked, Refused, Reply, Service, checked_base, hidden
from .failing import HOSTED, LATER, LOOK_FIRST, UNSURE

if TYPE_CHECKING:
    from .connections import Answer, Connections

LARGEST = 32 * 2**20
"""The most bytes of an answer that are read."""
_ERROR = 64 * 2**10
_TRIES = 3
_PATIENCE = 20.0
"""Seconds that are waited at most when the service names a time; else its caller is told to wait."""
_AGAIN = frozenset((502, 503, 504))
_LATER = frozenset((419, 429))

Pause = Callable[[float], Awaitable[None]]


class Opened:
    """A successful answer that is still coming."""

    def __init__(self, status: int, kind: str, pieces: AsyncGenerator[bytes], key: str) -> None:
        self.status, self.kind, self._pieces, self._key = status, kind, pieces, key

    async def pieces(self) -> AsyncGenerator[bytes]:
        """What comes, as it comes: the key stands in it wherever the service wrote it."""
        async for piece in self._pieces:
            yield piece

    async def whole(self) -> Reply:
        """All that comes."""
        return Reply(self.status, self.kind, hidden(await _body(self._pieces, LARGEST), self._key))


class Calls:
    """Sends requests to one address, each with a key. Its connections are made when they are first needed."""

    def __init__(
        self,
        url: str,
        service: Service = HOSTED,
        *,
        is_ours: bool = False,
        pause: Pause = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._base = checked_base(url, service.url, is_ours=is_ours)
        self.place, self.service = urlsplit(self._base).netloc, service
        self._pause, self._chance = pause, chance
        self._pools: dict[bool, Connections] = {}
        self._is_closed = False

    async def send(self, asked: Asked, key: str, *, is_raw: bool = False) -> Reply:
        """The answer to a request. A refusal is one of our errors; so is every failure on the way.

        One that is raw has the key in it wherever the service wrote it.
        """
        try:
            async with asyncio.timeout(asked.seconds):
                for left in range(_TRIES - 1, -1, -1):
                    try:
                        return await self._sent(asked, key, is_raw)
                    except Again as again:
                        wait = again.wait(_TRIES - 1 - left, self._chance())
                        if left == 0 or wait > _PATIENCE:
                            raise again.failure from None
                    await self._pause(wait)
        except TimeoutError:
            raise self._too_slow(asked) from None
        raise AssertionError("a call ends with an answer or a failure")

    @asynccontextmanager
    async def opened(self, asked: Asked, key: str) -> AsyncGenerator[Opened]:
        """The answer as soon as it begins, for one that comes in pieces. It is never asked for twice."""
        try:
            async with asyncio.timeout(asked.seconds), self._answering(asked, key, is_left=True) as answer:
                if not _is_success(answer):
                    await self._refused(asked, key, answer)
                async with aclosing(answer.pieces()) as pieces:
                    yield Opened(answer.status, answer.kind, pieces, key)
        except TimeoutError:
            raise self._too_slow(asked) from None
        except Again as again:
            raise again.failure from None

    async def close(self) -> None:
        """Let go of the connections."""
        self._is_closed = True
        for pool in self._pools.values():
            await pool.close()

    async def _sent(self, asked: Asked, key: str, is_raw: bool) -> Reply:
        async with self._answering(asked, key) as answer:
            if not _is_success(answer):
                await self._refused(asked, key, answer)
            body = await _body(answer.pieces(), LARGEST)
            return Reply(answer.status, answer.kind, body if is_raw else hidden(body, key))

    def _answering(
        self, asked: Asked, key: str, *, is_left: bool = False
    ) -> AbstractAsyncContextManager[Answer]:
        """The answer as it begins. Who leaves one early is noticed by the service over HTTP/1.1 alone."""
        pool = self._pool(is_http2=not is_left)
        self._check(key)
        return pool.answering(asked, key)

    def _check(self, key: str) -> None:
        if not key and self.service.needs_key:
            raise NotAuthenticated(
                f"There is no key for {self.service.name}.",
                hint=f"Set {self.service.key}, or send a key of yours.",
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise NotAuthenticated(
                f"The key for {self.service.name} is no key: it holds letters that a key cannot hold.",
                hint=f"Check {self.service.key}.",
            )

    async def _refused(self, asked: Asked, key: str, answer: Answer) -> None:
        """Raise what an answer that is no success stands for."""
        status = answer.status
        if 300 <= status < 400:
            raise UpstreamFailed(
                f"{self.place} sends on to another address, and a key is not sent after it.",
                hint=f"Set {self.service.url} to the address of the service itself.",
            )
        body = hidden(await _body(answer.pieces(), _ERROR, is_cut=True), key)
        wait = _seconds(answer.headers.get("retry-after", ""))
        failure = self.service.error_of(Refused(status, answer.headers, body, asked.repeats, wait))
        if asked.repeats and (status in _AGAIN or status in _LATER):
            raise Again(failure, wait, is_asked_to_wait=status in _LATER)
        raise failure

    def _too_slow(self, asked: Asked) -> UpstreamFailed:
        text = f"{self.place} took longer than {asked.seconds:g} seconds."
        if asked.repeats:
            return UpstreamFailed(text, hint=LATER)
        return UpstreamFailed(f"{text} {UNSURE}", hint=LOOK_FIRST)

    def _pool(self, *, is_http2: bool) -> Connections:
        """The connections, with HTTP/2 where the service offers it over TLS, or without."""
        if self._is_closed:
            raise NotAvailable(
                f"The connection to {self.place} is closed.", hint="Call it within the context of connect."
            )
        is_http2 = is_http2 or self._base.startswith("http:")  # where there is no HTTP/2 anyway
        if is_http2 not in self._pools:
            from .connections import Connections  # loaded when the service is first called

            self._pools[is_http2] = Connections(self._base, self.place, is_http2=is_http2)
        return self._pools[is_http2]


def _is_success(answer: Answer) -> bool:
    return 200 <= answer.status < 300


async def _body(coming: AsyncGenerator[bytes], most: int, *, is_cut: bool = False) -> bytes:
    pieces, size = list[bytes](), 0
    async with aclosing(coming) as reading:
        async for piece in reading:
            pieces.append(piece)
            size += len(piece)
            if size > most:
                if is_cut:
                    break
                raise UpstreamFailed(
                    f"The service answers with more than {most // 2**20} MB.",
                    hint="Ask for less at once.",
                )
    return b"".join(pieces)[:most]


def _seconds(told: str) -> float | None:
    """In how many seconds to try again, as a header says it."""
    if told.strip().isascii() and told.strip().isdecimal():
        return min(float(told), 86_400.0)
    try:
        moment = parsedate_to_datetime(told)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, float(moment.timestamp()) - time.time())
