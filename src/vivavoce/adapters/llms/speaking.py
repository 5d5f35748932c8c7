"""Speaking with providers: what it takes is loaded when it is first needed, beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol

from vivavoce.errors import InvalidInput
from vivavoce.ports import Piece, Prompt

from .chat import ChatSpeaker
from .failing import no_key, not_installed, unreachable
from .targets import NATIVE, Target
from .ways import Clients

_KEPT = 64
"""How many models are kept ready. A key that is no longer used is forgotten with its model."""


class Speaker(Protocol):
    """A model at its provider, ready to be asked."""

    def pieces(self, prompt: Prompt) -> AsyncGenerator[Piece | None, None]:
        """What it says when it is asked once, and None for each other sign of life; Failed where it fails."""
        ...


class Speakers:
    """The models that were asked so far, ready to be asked again."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._ready: dict[Target, Speaker] = {}

    async def pieces(self, target: Target, prompt: Prompt) -> AsyncGenerator[Piece | None, None]:
        """What the model says when it is asked once, None for other signs of life; Failed where it fails."""
        if target not in self._ready:
            speaker = await self._made(target)
            while len(self._ready) >= _KEPT:
                del self._ready[next(iter(self._ready))]
            self._ready[target] = speaker
        return self._ready[target].pieces(prompt)

    async def _made(self, target: Target) -> Speaker:
        if not target.api_key.isprintable():
            raise no_key(target)
        if target.provider not in NATIVE:
            return ChatSpeaker(target, self._clients)
        try:
            client = self._clients.client(target.base_url, is_own=target.is_own)
            return await asyncio.to_thread(_native, target, client)
        except ImportError:
            raise not_installed(target) from None
        except InvalidInput as error:
            raise unreachable(target, error) from None


def _native(target: Target, client: object) -> Speaker:
    from .native import NativeSpeaker

    return NativeSpeaker(target, client)
