"""Ways out to model providers: calls of our own, and HTTP clients for libraries that ask by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from .bounds import Bounds
from .client import Egress
from .exchanges import Exchange
from .places import place_of

if TYPE_CHECKING:
    from httpx2 import AsyncClient


class EgressClients:
    """Two clients: one for addresses that the operator names, and one for all others.

    Each has a way out of its own, so that nobody else reaches what the operator names. Nothing is loaded or
    opened before one of them is wanted.
    """

    def __init__(self, own: Egress, others: Egress, within: Bounds) -> None:
        self._ways = {True: own, False: others}
        self._within = within
        self._clients: dict[bool, AsyncClient] = {}

    def client(self, url: str, *, is_own: bool) -> AsyncClient:
        """The client for an address; InvalidInput where programs could disagree about where it leads.

        Without an address, the library knows where its provider is.
        """
        if url:
            place_of(url)
        if is_own not in self._clients:
            from .transport import client_through

            self._clients[is_own] = client_through(self._ways[is_own], self._within)
        return self._clients[is_own]

    def exchange(self, url: str, *, is_own: bool, headers: Mapping[str, str], content: bytes) -> Exchange:
        """A call that sends `content`; InvalidInput where programs could disagree about where it leads."""
        place_of(url)
        stream = partial(self._ways[is_own].stream, headers=headers, content=content, within=self._within)
        return Exchange(partial(stream, "POST", url))

    async def close(self) -> None:
        """Let go of all connections."""
        for client in self._clients.values():
            await client.aclose()
        for way in self._ways.values():
            await way.close()
