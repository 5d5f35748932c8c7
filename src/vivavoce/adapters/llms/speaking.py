"""Speaking with providers: what it takes is loaded when it is first needed, beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Protocol

from vivavoce.errors import InvalidInput
from vivavoce.ports import Piece, Prompt

from .failing import not_installed, unreachable
from .targets import Target

if TYPE_CHECKING:
    from .speech import Speaker

_KEPT = 64
"""How many models are kept ready. A key that is no longer used is forgotten with its model."""


class Clients(Protocol):
    """HTTP clients for the libraries of providers. All they send goes through the one way out."""

    def client(self, url: str, *, is_own: bool) -> Any:
        """The client for addresses that the operator names, which may be private, or the one for all others.

        It is an `httpx2.AsyncClient`. InvalidInput where `url` is no address that could be called.
        """
        ...


class Speakers:
    """The models that were asked so far, ready to be asked again."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._ready: dict[Target, Speaker] = {}

    async def pieces(self, target: Target, prompt: Prompt) -> AsyncGenerator[Piece | None, None]:
        """What the model says when it is asked once, None for other signs of life; Failed where it fails."""
        if target not in self._ready:
            try:
                client = self._clients.client(target.base_url, is_own=target.is_own)
                speaker = await asyncio.to_thread(_made, target, client)
            except ImportError:
                raise not_installed(target) from None
            except InvalidInput as error:
                raise unreachable(target, error) from None
            while len(self._ready) >= _KEPT:
                del self._ready[next(iter(self._ready))]
            self._ready[target] = speaker
        return self._ready[target].pieces(prompt)


def _made(target: Target, client: Any) -> Speaker:
    from .speech import Speaker

    return Speaker(target, client)
