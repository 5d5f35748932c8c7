"""A platform elsewhere: an address and a key, and every operation that can be carried out there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal, cast, get_args
from urllib.parse import urlsplit

from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.exchanges import Asked
from vivavoce.hosted.failing import HOSTED, LATER, object_in
from vivavoce.operations import OPERATOR, Backend, Operation, Told
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.operations.base import R

from .failing import SERVED
from .served import ServedBackend

Which = Literal["vivavoce", "hosted"]
"""What stands at an address: a vivavoce server, or the hosted service."""

_HOSTED = replace(HOSTED, key="the key", url="the url")
_KNOWN = "api.chatvolt.ai"
_GLANCE = 20.0
"""Seconds for the question who is there."""


class Platform:
    """Carries out operations at one address with one key, over one pool of connections."""

    def __init__(self, backend: Backend, service: Which) -> None:
        self._backend, self.service = backend, service

    def supports(self, kind: type[Operation[Any]]) -> bool:
        """Whether operations of this kind can be carried out there."""
        return self._backend.supports(kind)

    async def run(self, op: Operation[R]) -> R:
        """Carry out an operation; what goes wrong is one of the errors in `vivavoce.errors`."""
        return await self._backend.run(op, OPERATOR)

    async def stream(self, op: AgentQuery) -> AsyncGenerator[Told | AgentAnswer]:
        """What is told of an answer while it comes, piece by piece, and then the whole answer."""
        told: asyncio.Queue[Told | None] = asyncio.Queue()
        asking = asyncio.create_task(_asked(self._backend, op, told))
        try:
            while (piece := await told.get()) is not None:
                yield piece
            yield await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)  # who leaves early wants to hear no more


@asynccontextmanager
async def connect(url: str, key: str = "", *, service: Which | None = None) -> AsyncGenerator[Platform]:
    """The platform at an address, for as long as the context lasts.

    Unless `service` says what stands there, the address is asked once, without the key. Without a key, a
    vivavoce server shows what is public.
    """
    _check(url, key, service)
    calls = Calls(url if service == "hosted" else _front(url), SERVED, is_ours=service == "vivavoce")
    try:
        which = service or await _found(calls)
        if which == "hosted":
            calls.service = _HOSTED
        yield Platform(_backend(which, calls, key), which)
    finally:
        await calls.close()


def _check(url: Any, key: Any, service: Any) -> None:
    for name, given in (("url", url), ("key", key)):
        if not isinstance(given, str):
            hint = "Without a key, leave it out." if name == "key" else ""
            raise InvalidInput(f"The {name} must be a text, not {type(given).__name__}.", hint=hint)
    if service is not None and service not in get_args(Which):
        raise InvalidInput(f"There is no service {service!r}.", hint="Say 'vivavoce' or 'hosted'.")


def _front(url: str) -> str:
    """The address of a server, of which /api and /mcp are parts."""
    bare = url.strip().rstrip("/")
    host, _, last = bare.rpartition("/")
    return bare if host.endswith("/") or last not in ("api", "mcp") else host


def _backend(which: Which, calls: Calls, key: str) -> Backend:
    return HostedBackend(calls, lambda _: key) if which == "hosted" else ServedBackend(calls, key)


async def _found(calls: Calls) -> Which:
    """What stands at an address: a vivavoce server says its name to everybody."""
    if urlsplit(f"//{calls.place}").hostname == _KNOWN:
        return "hosted"
    try:
        reply = await calls.send(Asked("GET", "/", repeats=True, seconds=_GLANCE), "")
    except VivavoceError as failure:
        if not failure.retryable:  # it answers, and is none of ours
            raise _unknown(calls.place) from None
        if failure.hint not in ("", LATER):
            raise
        hint = "Check the url, or say what stands there: service='vivavoce' or service='hosted'."
        raise type(failure)(failure.message, hint=hint, retry_after=failure.retry_after) from None
    if object_in(reply.body).get("name") != "vivavoce":
        raise _unknown(calls.place)
    return "vivavoce"


def _unknown(place: str) -> InvalidInput:
    """Whoever answers there is not sent the key unless the caller says so."""
    return InvalidInput(
        f"Nothing known answers at {place}, and the key was not sent.",
        hint="Check the url, or say service='hosted' if it is the hosted service.",
    )


async def _asked(backend: Backend, op: AgentQuery, told: asyncio.Queue[Told | None]) -> AgentAnswer:
    try:
        return cast(AgentAnswer, await backend.run(op, OPERATOR, told.put_nowait))
    finally:
        told.put_nowait(None)
