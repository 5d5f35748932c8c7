"""Whose key a call is made with: the operator's, or the one that the caller sent along."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Protocol

from pydantic import PrivateAttr

from vivavoce.operations import Caller, Scope

KeyOf = Callable[[Caller], str]
"""The key for a caller; empty where there is none."""


class Holder(Caller):
    """A caller who sent a key of the hosted service: calls are made with it, and it is shown nowhere."""

    _key: str = PrivateAttr(default="")

    @classmethod
    def of(cls, token: str) -> Holder:
        """The caller that a token stands for. Which account it opens, the hosted service decides."""
        digest = hashlib.sha256(token.encode()).hexdigest()[:32]
        scopes = frozenset((Scope.READ, Scope.WRITE, Scope.SEND))
        holder = cls(id=f"hosted:{digest}", name="a key of the hosted service", scopes=scopes)
        holder._key = token
        return holder


def key_of(own: str) -> KeyOf:
    """The key that a caller brought along, else the operator's own."""
    return lambda caller: caller._key if isinstance(caller, Holder) else own


class Keys(Protocol):
    """Where the keys of this server are looked up."""

    async def caller(self, token: str) -> Caller | None:
        """The caller that a token stands for."""
        ...

    async def is_empty(self) -> bool:
        """Whether no key was ever handed out."""
        ...


class ForwardedKeys:
    """The keys of this server first; any other token is taken for a key of the hosted service."""

    def __init__(self, own: Keys) -> None:
        self._own = own

    async def caller(self, token: str) -> Caller | None:
        """The caller that a token stands for; one that looks like a key of ours is never sent on."""
        known = await self._own.caller(token)
        return known if known is not None or token.startswith(_OURS) else Holder.of(token)

    async def is_empty(self) -> bool:
        """Whether no key of this server was ever handed out."""
        return await self._own.is_empty()


_OURS = "vv_"
