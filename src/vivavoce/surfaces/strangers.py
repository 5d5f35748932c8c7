"""Strangers: how often those who show no key may ask and write."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.errors import LimitReached
from vivavoce.settings import Settings

from .auth import CALLER, is_loopback

_PATHS = ("/avatars/", "/api/avatars/")
_TALKS = ("/agents/", "/conversation/", "/conversations/")
"""Where they write to agents and into conversations. Reading is free there: a chat window looks often."""
_WRITES = ("POST", "PATCH")
_UNSERVED = (401, 403)
"""Who was turned away has cost nothing, so it does not count."""


class Buckets:
    """How often each may call: a bucket of tokens that fills up again by itself. Few are remembered."""

    def __init__(
        self,
        most: int,
        per_minute: float,
        *,
        remembered: int = 10_000,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._rate, self._remembered, self._now = most, per_minute / 60, remembered, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> float:
        """Take a token: 0, or how many seconds there is none."""
        moment, left = self._now(), self._filled(who)
        taken = left >= 1
        self._left[who] = (moment, left - 1 if taken else left)
        self._left.move_to_end(who)
        if len(self._left) > self._remembered:
            self._left.popitem(last=False)
        return 0.0 if taken else (1 - left) / self._rate

    def give_back(self, who: str) -> None:
        """Undo a call that did not count."""
        self._left[who] = (self._now(), min(self._most, self._filled(who) + 1))

    def _filled(self, who: str) -> float:
        moment, left = self._left.get(who, (self._now(), float(self._most)))
        return min(self._most, left + (self._now() - moment) * self._rate)


class StrangersLimited:
    """Answers 429 to strangers who ask or write too often, each by their address and all together.

    Each process counts for itself. Behind a proxy, the address is the last that it names in
    X-Forwarded-For; without that header, all that come through the proxy count as one.
    """

    def __init__(
        self, app: ASGIApp, *, settings: Settings, each: Buckets | None = None, all: Buckets | None = None
    ) -> None:
        self.app = app
        self.each = each or Buckets(60, per_minute=60)
        self.all = all or Buckets(600, per_minute=600)
        self.has_proxy = is_loopback(settings.host) and bool(settings.public_url or settings.allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _counts(scope) or not CALLER.get().is_anonymous:
            await self.app(scope, receive, send)
            return
        who = self._address(scope)
        wait = self.each.take(who)
        if not wait and (wait := self.all.take("")):
            self.each.give_back(who)
        if wait:
            await _refused(wait)(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in _UNSERVED:
                self.each.give_back(who)
                self.all.give_back("")
            await send(message)

        await self.app(scope, receive, sent)

    def _address(self, scope: Scope) -> str:
        """The network that a request comes from: one IPv4 address, or the /64 that an IPv6 one is in."""
        client = scope.get("client")
        address = client[0] if client else ""
        if self.has_proxy and is_loopback(address):
            address = Headers(scope=scope).get("x-forwarded-for", address).rpartition(",")[2].strip()
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return address[:100]
        return address if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))


def _counts(scope: Scope) -> bool:
    path: str = scope["path"]
    is_written = scope["method"] in _WRITES and path.removeprefix("/api").startswith(_TALKS)
    return is_written or path.startswith(_PATHS)


def _refused(wait: float) -> JSONResponse:
    seconds = math.ceil(wait)
    pause = "1 second" if seconds == 1 else f"{seconds} seconds"
    body = {
        "error": LimitReached.wire,
        "message": "Too many requests without a key.",
        "hint": f"Ask again in {pause}, or send an API key as a bearer token.",
    }
    return JSONResponse(body, LimitReached.status, headers={"Retry-After": str(seconds)})
