"""HTTP clients for libraries that ask on their own, such as those of model providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bounds import Bounds
from .client import Egress
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

    async def close(self) -> None:
        """Let go of all connections."""
        for client in self._clients.values():
            await client.aclose()
        for way in self._ways.values():
            await way.close()
