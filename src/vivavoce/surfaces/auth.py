"""Who is behind an HTTP request: Host and Origin first, then the key."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vivavoce.operations import OPERATOR, STRANGER, Caller
from vivavoce.operations import Scope as KeyScope
from vivavoce.settings import Settings

from .pages import Pages

CALLER: ContextVar[Caller] = ContextVar("caller", default=STRANGER)
"""Whoever the request that is being served was found to come from."""

METADATA = "/.well-known/oauth-protected-resource"


class Keys(Protocol):
    """Where keys are looked up."""

    async def caller(self, token: str) -> Caller | None:
        """The caller that a token stands for."""
        ...

    async def is_empty(self) -> bool:
        """Whether no key was ever handed out."""
        ...


class Guard:
    """Lets a request through to the application with its caller known, or refuses it.

    Until the first key is made, a server on loopback trusts whoever can reach it: the person at the
    machine. From then on, and always elsewhere, a caller without a key is a stranger.
    """

    def __init__(
        self, app: ASGIApp, *, keys: Callable[[Scope], Keys], settings: Settings, pages: Pages
    ) -> None:
        self.app, self.keys, self.settings, self.pages = app, keys, settings, pages
        self.is_local = is_loopback(settings.host)
        self.trusts_all = is_trusting(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # The blanks around a value are no part of it, and httptools leaves those behind it.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        headers = Headers(scope=scope)
        if not self._knows(headers.get("host", "")):
            answer: ASGIApp = _refused(421, "MISDIRECTED", "This server does not answer to that Host.")
        else:
            keys, token, origin = self.keys(scope), _bearer(headers), headers.get("origin")
            is_event = _is_event(scope)
            # Asked once: between two looks the first key may be made, and a page must not have it both ways.
            is_asked = self.trusts_all and not is_event and (token is None or origin is not None)
            is_open = is_asked and await keys.is_empty()
            CALLER.set(STRANGER if is_event else await _caller(keys, token, is_open=is_open))
            answer = self._answer(scope, origin, is_open=is_open)
        await answer(scope, receive, send)

    def _answer(self, scope: Scope, origin: str | None, *, is_open: bool) -> ASGIApp:
        """The application, or a refusal for a request that a page in some browser was tricked into sending.

        While everyone who reaches the server is trusted, no foreign page is.
        """
        if origin is None or origin in self.settings.allowed_origins:
            return self.app
        if not is_open:
            shared = self.pages.answer(self.app, scope, has_key=not CALLER.get().is_anonymous)
            if shared is not None:
                return shared
        if self.is_local and _is_near(origin):
            return self.app
        return _refused(403, "UNAUTHORIZED", "Calls from that Origin are not allowed.")

    def _knows(self, host: str) -> bool:
        public = urlsplit(self.settings.public_url).netloc
        allowed = (*self.settings.allowed_hosts, *((public,) if public else ()))
        if host in allowed or _name(host) in allowed:
            return True
        if self.is_local:
            return is_loopback(_name(host))
        return not allowed


class KeyRequired:
    """Turns strangers away from an application in which nothing is public."""

    def __init__(self, app: ASGIApp, *, public_url: str) -> None:
        self.app, self.public_url = app, public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = CALLER.get()
        answer: ASGIApp = self.app
        if caller.is_anonymous:
            answer = challenged(scope, "A valid API key is needed.", self.public_url)
        elif caller.avatar_id is not None:
            where = f"It is served at /avatars/{caller.avatar_id}/mcp."
            text = f"The key {caller.name!r} is for the avatar {caller.avatar_id!r} alone. {where}"
            answer = _refused(403, "UNAUTHORIZED", text)
        await answer(scope, receive, send)


def challenged(scope: Scope, message: str, public_url: str) -> JSONResponse:
    """401, with where to learn how to authenticate."""
    path = scope["path"] if scope["path"].endswith("/mcp") else ""
    address = f"{_base(scope, public_url)}{METADATA}{quote(path)}"
    scopes = " ".join(_scopes_at(scope["path"]))
    return _refused(
        401,
        "UNAUTHORIZED",
        message,
        {"WWW-Authenticate": f'Bearer resource_metadata="{address}", scope="{scopes}"'},
    )


def metadata(scope: Scope, public_url: str) -> dict[str, Any]:
    """What RFC 9728 wants a client to know about a protected resource."""
    path = scope["path"].removeprefix(METADATA) or "/mcp"
    return {
        "resource": f"{_base(scope, public_url)}{quote(path)}",
        "resource_name": "vivavoce",
        "bearer_methods_supported": ["header"],
        "scopes_supported": [str(each) for each in _scopes_at(path)],
    }


def is_trusting(settings: Settings) -> bool:
    """Whether only people at this machine can reach the server, as far as the settings tell.

    A server that answers to other Hosts has something in front of it, which others can reach.
    """
    return is_loopback(settings.host) and not settings.allowed_hosts and not settings.public_url


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine."""
    if host.lower() == "localhost":
        return True
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False


def _is_event(scope: Scope) -> bool:
    """Whether a provider posts events: it shows the token of its channel, which is no key."""
    path: str = scope["path"]
    return path.endswith("/events") and path.removeprefix("/api").startswith("/channels/")


def _scopes_at(path: str) -> tuple[KeyScope, ...]:
    """What is asked for at an MCP server; an avatar can only be read and questioned."""
    return (KeyScope.READ, KeyScope.SEND) if path.startswith("/avatars/") else tuple(KeyScope)


def _base(scope: Scope, public_url: str) -> str:
    """The address under which the caller knows this server."""
    return public_url.rstrip("/") or f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"


async def _caller(keys: Keys, token: str | None, *, is_open: bool) -> Caller:
    """A key that is not known, or not any more, counts as no key."""
    if token is not None:
        return await keys.caller(token) or STRANGER
    return OPERATOR if is_open else STRANGER


def _is_near(origin: str) -> bool:
    """Whether a page comes from this machine; one whose address nobody can read does not."""
    try:
        host = urlsplit(origin).netloc
    except ValueError:
        return False
    return bool(host) and is_loopback(_name(host))


def _name(host: str) -> str:
    """A Host header without its port."""
    name, _, port = host.rpartition(":")
    return name if port.isdecimal() else host


def _bearer(headers: Headers) -> str | None:
    """The key of an Authorization header; the hosted service does not check the scheme word either."""
    words = headers.get("authorization", "").split()
    return words[1] if len(words) == 2 else None


def _refused(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": code, "message": message}, status, headers=headers)
