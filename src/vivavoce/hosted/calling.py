"""Calling a service: one pool of connections, bounded times and sizes, repeats only where safe."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from vivavoce import __version__
from vivavoce.errors import InvalidInput, NotAuthenticated, NotAvailable, Unreached, UpstreamFailed

from .exchanges import CONNECT, Asked, Refused, Reply, Service, checked_base, hidden
from .failing import HOSTED, LATER, LOOK_FIRST, UNSURE

if TYPE_CHECKING:
    import httpx2

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

    def __init__(self, status: int, kind: str, pieces: AsyncIterator[bytes], key: str) -> None:
        self.status, self.kind, self._pieces, self._key = status, kind, pieces, key

    async def pieces(self) -> AsyncGenerator[bytes]:
        """What comes, as it comes: the key stands in it wherever the service wrote it."""
        async for piece in self._pieces:
            yield piece

    async def whole(self) -> Reply:
        """All that comes."""
        return Reply(self.status, self.kind, hidden(await _body(self._pieces, LARGEST), self._key))


class Calls:
    """Sends requests to one address, each with a key. The client is made when it is first needed."""

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
        self._pools: dict[bool, httpx2.AsyncClient] = {}
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
                    except _Again as again:
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
            async with asyncio.timeout(asked.seconds), self._answering(asked, key, is_left=True) as response:
                if not response.is_success:
                    await self._refused(asked, key, response)
                async with aclosing(response.aiter_bytes()) as pieces:
                    yield Opened(response.status_code, _kind(response), pieces, key)
        except TimeoutError:
            raise self._too_slow(asked) from None
        except _Again as again:
            raise again.failure from None

    async def close(self) -> None:
        """Let go of the connections."""
        self._is_closed = True
        for pool in self._pools.values():
            await pool.aclose()

    async def _sent(self, asked: Asked, key: str, is_raw: bool) -> Reply:
        async with self._answering(asked, key) as response:
            if not response.is_success:
                await self._refused(asked, key, response)
            body = await _body(response.aiter_bytes(), LARGEST)
            return Reply(response.status_code, _kind(response), body if is_raw else hidden(body, key))

    @asynccontextmanager
    async def _answering(
        self, asked: Asked, key: str, *, is_left: bool = False
    ) -> AsyncGenerator[httpx2.Response]:
        """The answer as it begins. Who leaves one early is noticed by the service over HTTP/1.1 alone."""
        import httpx2

        pool = self._pool(is_http2=not is_left)
        try:
            response = await pool.send(self._request(pool, asked, key), stream=True)
            try:
                yield response
            finally:
                await response.aclose()
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            if "certificate verify failed" in str(error):
                text = f"The certificate of {self.place} is not trusted; nothing was sent."
                raise Unreached(text, hint="Let SSL_CERT_FILE name a file with its authority.") from None
            text = f"{self.place} cannot be reached; nothing was sent."
            raise _Again(Unreached(text, hint=LATER)) from None
        except (httpx2.TransportError, httpx2.DecodingError):
            text = f"{self.place} broke off before its answer was complete."
            if asked.repeats:
                raise _Again(UpstreamFailed(text, hint=LATER)) from None
            raise UpstreamFailed(f"{text} {UNSURE}", hint=LOOK_FIRST) from None

    def _request(self, pool: httpx2.AsyncClient, asked: Asked, key: str) -> httpx2.Request:
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
        files = None if asked.file is None else {"file": asked.file}
        return pool.build_request(
            asked.method,
            self._base + asked.path,
            params=asked.query or None,
            json=asked.body,
            data=asked.form,
            files=files,
            headers={"Authorization": f"Bearer {key}"} if key else None,
        )

    async def _refused(self, asked: Asked, key: str, response: httpx2.Response) -> None:
        """Raise what an answer that is no success stands for."""
        status = response.status_code
        if 300 <= status < 400:
            raise UpstreamFailed(
                f"{self.place} sends on to another address, and a key is not sent after it.",
                hint=f"Set {self.service.url} to the address of the service itself.",
            )
        body = hidden(await _body(response.aiter_bytes(), _ERROR, is_cut=True), key)
        wait = _seconds(response.headers.get("retry-after", ""))
        failure = self.service.error_of(Refused(status, response.headers, body, asked.repeats, wait))
        if asked.repeats and (status in _AGAIN or status in _LATER):
            raise _Again(failure, wait, is_asked_to_wait=status in _LATER)
        raise failure

    def _too_slow(self, asked: Asked) -> UpstreamFailed:
        text = f"{self.place} took longer than {asked.seconds:g} seconds."
        if asked.repeats:
            return UpstreamFailed(text, hint=LATER)
        return UpstreamFailed(f"{text} {UNSURE}", hint=LOOK_FIRST)

    def _pool(self, *, is_http2: bool) -> httpx2.AsyncClient:
        """The connections, with HTTP/2 where the service offers it over TLS, or without."""
        if self._is_closed:
            raise NotAvailable(
                f"The connection to {self.place} is closed.", hint="Call it within the context of connect."
            )
        is_http2 = is_http2 or self._base.startswith("http:")  # where there is no HTTP/2 anyway
        if is_http2 not in self._pools:
            self._pools[is_http2] = self._made(is_http2)
        return self._pools[is_http2]

    def _made(self, is_http2: bool) -> httpx2.AsyncClient:
        import httpx2  # loaded when the service is first called

        try:
            trust = httpx2.create_ssl_context()  # SSL_CERT_FILE is heeded, as egress does
        except OSError as error:
            text = f"The file that SSL_CERT_FILE names cannot be read: {error.strerror or error}."
            raise InvalidInput(text, hint="Let it name a file with certificates.") from None
        for name in ("httpcore2", "hpack"):
            logging.getLogger(name).setLevel(logging.INFO)  # in their details stand headers, as they came
        return httpx2.AsyncClient(
            http2=is_http2,
            verify=trust,
            timeout=httpx2.Timeout(None, connect=CONNECT),
            follow_redirects=False,
            trust_env=False,
            headers={
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # so that a small answer cannot unfold into a huge one
                "User-Agent": f"vivavoce/{__version__}",
            },
        )


class _Again(Exception):
    """A failure after which the same request may be sent once more."""

    def __init__(
        self, failure: Any, asked_wait: float | None = None, *, is_asked_to_wait: bool = False
    ) -> None:
        super().__init__()
        self.failure, self._asked_wait, self._is_asked = failure, asked_wait, is_asked_to_wait

    def wait(self, tries: int, chance: float) -> float:
        """Seconds until the next try: what the service asks for, else a moment that grows; never in step."""
        least: float = (1.0 if self._is_asked else 0.2) * 2**tries
        return max(least, self._asked_wait or 0.0) + least * chance / 2


def _kind(response: httpx2.Response) -> str:
    told: str = response.headers.get("content-type", "")
    return told.partition(";")[0].strip().lower()


async def _body(coming: AsyncIterator[bytes], most: int, *, is_cut: bool = False) -> bytes:
    pieces, size = list[bytes](), 0
    async with aclosing(cast("AsyncGenerator[bytes]", coming)) as reading:
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
