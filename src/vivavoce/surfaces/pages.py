"""Web pages of other origins: which of their calls are taken, and how their browsers are told so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .arguments import IGNORED

EXPOSED = ("Mcp-Session-Id", "Next-Cursor", "Retry-After", "WWW-Authenticate", IGNORED)
"""Headers of an answer that a program in a web page may read."""
_ANYONE = {"Access-Control-Allow-Origin": "*"}
_INVITED = {
    **_ANYONE,
    "Access-Control-Allow-Methods": "DELETE, GET, HEAD, PATCH, POST, PUT",
    "Access-Control-Allow-Headers": "authorization, content-type, *",
    "Access-Control-Max-Age": "600",
}
_SHARED = {**_ANYONE, "Access-Control-Expose-Headers": ", ".join(EXPOSED)}


class PageRoute(Route):
    """A route of REST, which a page may call with a key and, where it is open, without one."""

    def __init__(
        self, path: str, endpoint: Callable[..., Any], *, is_open: bool = False, **more: Any
    ) -> None:
        super().__init__(path, endpoint, **more)
        self.is_open = is_open
        self._begins = path.partition("{")[0]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether it is the one. There are hundreds: most are told by how they begin, without a pattern."""
        if not scope.get("root_path") and not scope["path"].startswith(self._begins):
            return Match.NONE, {}
        return super().matches(scope)


class Pages:
    """Decides about calls that a page of a foreign origin makes.

    A key is never lent by a browser: a page that sends one has it. A page without one may do what any
    stranger may, on the routes that are made for strangers.
    """

    def __init__(self, routes: Sequence[PageRoute]) -> None:
        self._routes = routes

    def answer(self, app: ASGIApp, scope: Scope, *, has_key: bool) -> ASGIApp | None:
        """What answers such a call, so that its browser shares the answer; None where it is not taken."""
        headers = Headers(scope=scope)
        method = headers.get("access-control-request-method")
        if scope["method"] == "OPTIONS" and method is not None:
            names = headers.get("access-control-request-headers", "").lower().split(",")
            brings_key = "authorization" in (name.strip() for name in names)
            asked = {**scope, "method": method}
            return Response(status_code=204, headers=_INVITED) if self._takes(asked, brings_key) else None
        return _shared(app) if self._takes(scope, has_key) else None

    def _takes(self, scope: Scope, has_key: bool) -> bool:
        return any(
            (has_key or route.is_open) and route.matches(scope)[0] is Match.FULL for route in self._routes
        )


def _shared(app: ASGIApp) -> ASGIApp:
    """The application, whose answers any page may read."""
    added = [(name.lower().encode(), value.encode()) for name, value in _SHARED.items()]
    names = {name for name, _ in added}

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = [header for header in message["headers"] if header[0].lower() not in names]
                message["headers"] = [*others, *added]
            await send(message)

        await app(scope, receive, sent)

    return answering
