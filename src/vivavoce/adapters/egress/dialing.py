"""Dialing: a name is looked up once, every answer is checked, and the checked address is called.

The check stands here because every way of meaning another address, such as a redirect or a name that changes
its mind, comes past the moment when a connection is opened. The name itself is not rewritten: the Host
header, TLS and the connections that are kept still see it.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache, partial

import anyio
import anyio.to_thread
from httpcore2 import (
    AsyncNetworkBackend,
    AsyncNetworkStream,
    ConnectError,
    ConnectTimeout,
    default_ssl_context,
)

from vivavoce.errors import InvalidInput

from .places import entry_for
from .ranges import address_of, is_cloud, is_public
from .wires import dialed

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The network addresses of a name."""
Dial = Callable[[str, int, float | None], Awaitable[AsyncNetworkStream]]
"""A connection to a network address and a port, opened within a number of seconds."""

_LOOKUPS = 16


class CheckedDialing(AsyncNetworkBackend):
    """Opens connections to public addresses, and to those that the operator allows."""

    def __init__(
        self,
        allowed: frozenset[tuple[str, int]],
        resolve: Resolve | None = None,
        dial: Dial | None = None,
        setting: str = "",
    ) -> None:
        self._allowed, self._setting = allowed, setting
        self._resolve = partial(looked_up, anyio.CapacityLimiter(_LOOKUPS)) if resolve is None else resolve
        self._dial = dialed if dial is None else dial

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[object] | None = None,
    ) -> AsyncNetworkStream:
        """A connection to one of the addresses of the host, all of which were checked."""
        until = anyio.current_time() + (float("inf") if timeout is None else timeout)
        with anyio.move_on_at(until):
            return await self._first_open(await self._checked(host, port), port, until)
        raise ConnectTimeout

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[object] | None = None
    ) -> AsyncNetworkStream:
        """Nothing: the network is the only way out."""
        raise ConnectError

    async def sleep(self, seconds: float) -> None:
        """Wait, as a connection asks."""
        await anyio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[str]:
        literal = address_of(host)
        answers = [host] if literal is not None else await self._resolve(host, port)
        addresses = [address_of(answer) for answer in dict.fromkeys(answers)]
        if not addresses:
            raise ConnectError(socket.gaierror())
        may_be_private = (host, port) in self._allowed
        for address in addresses:
            if address is None or is_cloud(address) or not (may_be_private or is_public(address)):
                raise self._refused(host, port, is_for_good=address is None or is_cloud(address))
        return [str(address) for address in addresses]

    def _refused(self, host: str, port: int, *, is_for_good: bool) -> InvalidInput:
        shown = f"[{host}]" if ":" in host else host
        allowing = f"; an operator can allow {entry_for(host, port)} in {self._setting}"
        return InvalidInput(
            f"The address {shown} leads to a private network.",
            hint=f"Use a public address{'' if is_for_good else allowing}.",
        )

    async def _first_open(self, addresses: list[str], port: int, until: float) -> AsyncNetworkStream:
        """One after the other; an address that stays silent leaves time for the others."""
        for left in range(len(addresses), 0, -1):
            patience = (until - anyio.current_time()) / left
            try:
                return await self._dial(
                    addresses[-left], port, None if patience == float("inf") else patience
                )
            except (ConnectError, ConnectTimeout):
                if left == 1:
                    raise
        raise ConnectError


async def looked_up(limiter: anyio.CapacityLimiter, host: str, port: int) -> list[str]:
    """The addresses of a name, as the system knows them.

    A thread that waits for a slow name server is left behind when the time is over.
    """
    look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        answers = await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True, limiter=limiter)
    except (OSError, UnicodeError) as error:
        raise ConnectError(error) from error
    return [str(answer[4][0]) for answer in answers]


@cache
def system_trust() -> ssl.SSLContext:
    """The certificates that the system trusts, read once."""
    return default_ssl_context()
