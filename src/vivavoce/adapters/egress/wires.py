"""Wires: connections of this event loop, as the HTTP library reads and writes them."""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, cast

from httpcore2 import (
    AsyncNetworkStream,
    ConnectError,
    ConnectTimeout,
    ReadError,
    ReadTimeout,
    WriteError,
    WriteTimeout,
)

_MOST_UNREAD = 256 * 1024
"""Bytes that wait to be read before the other side is made to wait."""
_HEAD = b"\r\n\r\n"
"""How the head of a request ends."""


async def dialed(address: str, port: int, seconds: float | None) -> AsyncNetworkStream:
    """A wire to a network address, opened within a number of seconds."""
    loop, ends = asyncio.get_running_loop(), _Ends()
    with _told(ConnectTimeout, ConnectError):
        async with asyncio.timeout(seconds):
            transport, _ = await loop.create_connection(lambda: ends, address, port)
    return Wire(transport, ends)


class Wire(AsyncNetworkStream):
    """A connection, plain or secure."""

    def __init__(self, transport: asyncio.Transport, ends: _Ends) -> None:
        self._transport, self._ends = transport, ends
        self._held = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come, as soon as something has; nothing at the end."""
        ends = self._ends
        if not ends.unread and not ends.is_over:
            with _told(ReadTimeout, ReadError):
                await _within(timeout, ends.something_comes())
        if not ends.unread and ends.fault is not None:
            raise ReadError(ends.fault)
        return ends.taken(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send it, as soon as the other side takes it; a head with what follows it, as one packet."""
        if self._ends.is_lost:
            raise WriteError(self._ends.fault)
        if not self._held and buffer.endswith(_HEAD):
            self._held = buffer  # the library writes once more, be it nothing, when the request is complete
            return
        held, self._held = self._held, b""
        if held or buffer:
            self._transport.write(held + buffer)
        if self._ends.is_full:
            with _told(WriteTimeout, WriteError):
                await _within(timeout, self._ends.there_is_room())

    async def aclose(self) -> None:
        """Let go of it at once. It is closed when it is of no use any more: nothing is on its way."""
        self._transport.abort()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> AsyncNetworkStream:
        """The same connection, secure."""
        loop = asyncio.get_running_loop()
        try:
            with _told(ConnectTimeout, ConnectError):
                async with asyncio.timeout(timeout):
                    secure = await loop.start_tls(
                        self._transport, self._ends, ssl_context, server_hostname=server_hostname
                    )
            if secure is None:
                raise ConnectError
        except BaseException:
            self._transport.abort()
            raise
        return Wire(secure, self._ends)

    def get_extra_info(self, info: str) -> Any:
        """What the library asks about it."""
        if info == "is_readable":  # asked while nothing is awaited: whatever comes then is the end
            ends = self._ends
            return bool(ends.unread) or ends.is_over or _has_news(self._transport.get_extra_info("socket"))
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._transport.get_extra_info(names.get(info, info))


class _Ends(asyncio.Protocol):
    """What the event loop tells of a connection."""

    def __init__(self) -> None:
        self.unread = bytearray()
        self.is_over = self.is_lost = self.is_full = False
        """Whether no more will come; whether nothing can be sent either; whether there is no room now."""
        self.fault: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._is_held = False

    async def something_comes(self) -> None:
        self._reader = asyncio.get_running_loop().create_future()
        try:
            await self._reader
        finally:
            self._reader = None

    async def there_is_room(self) -> None:
        self._writer = asyncio.get_running_loop().create_future()
        try:
            await self._writer
        finally:
            self._writer = None
        if self.is_lost:
            raise self.fault or ConnectionResetError

    def taken(self, most: int) -> bytes:
        """What was not read yet, at most so much; the other side goes on sending where it had to wait.

        It is the first transport that is held and let go, also under TLS, which begins on it later.
        """
        piece = bytes(self.unread[:most])
        del self.unread[:most]
        if self._is_held and len(self.unread) < _MOST_UNREAD and self._transport is not None:
            self._is_held = False
            self._transport.resume_reading()
        return piece

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # other event loops have transports of their own

    def data_received(self, data: bytes) -> None:
        self.unread += data
        if len(self.unread) > _MOST_UNREAD and not self._is_held and self._transport is not None:
            self._is_held = True
            self._transport.pause_reading()
        _wake(self._reader)

    def eof_received(self) -> bool:
        self.is_over = True
        _wake(self._reader)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over = self.is_lost = True
        self.fault = exc
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        self.is_full = True

    def resume_writing(self) -> None:
        self.is_full = False
        _wake(self._writer)


def _has_news(connected: socket.socket | None) -> bool:
    """Whether something has come that the event loop had no time to tell."""
    if connected is None or connected.fileno() < 0:
        return True
    looking = select.poll()
    looking.register(connected.fileno(), select.POLLIN)
    return bool(looking.poll(0))


def _wake(waiting: asyncio.Future[None] | None) -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)


async def _within(seconds: float | None, waiting: Coroutine[Any, Any, None]) -> None:
    """Wait, for so many seconds at most."""
    if seconds is None:  # as a rule: a whole exchange has its time, and a clock for each step costs some
        await waiting
        return
    async with asyncio.timeout(seconds):
        await waiting


@contextmanager
def _told(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """What breaks in the words of the library, which keeps what it was."""
    try:
        yield
    except TimeoutError as error:
        raise late(error) from error
    except OSError as error:  # a fault of TLS is one too
        raise broken(error) from error
