"""MCP over HTTP: without sessions, so that any process can serve any call, and with them where they help."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from vivavoce.surfaces.limits import BODY

from .jsonrpc import INVALID_REQUEST, PARSE_ERROR, decoded, is_message, refusal

_MOST = 1_000
_IDLE = 1_800


class Sessions:
    """Serves each request on its own; a client of the older protocol may open a session.

    Only in a session can the server ask such a client something, for instance to confirm a deletion. A
    session lives in one process, so where there are several there are none. `events` keeps what a session
    sent, for a client that lost its stream; `retry_ms` tells such a client how long to wait.
    """

    def __init__(
        self,
        server: Server[Any],
        *,
        keeps: bool,
        events: EventStore | None = None,
        retry_ms: int | None = None,
    ) -> None:
        self._single = StreamableHTTPSessionManager(app=server, stateless=True, max_request_body_size=BODY)
        self._kept = (
            StreamableHTTPSessionManager(
                app=server,
                event_store=events,
                retry_interval=retry_ms,
                max_request_body_size=BODY,
                max_sessions=_MOST,
                session_idle_timeout=_IDLE,
            )
            if keeps
            else None
        )
        self.asgi_app = RequestBodyLimitMiddleware(self._serve, BODY)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve until the context ends."""
        async with AsyncExitStack() as running:
            for manager in (self._single, self._kept):
                if manager is not None:
                    await running.enter_async_context(manager.run())
            yield

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, whose body is received in one part."""
        in_session = "mcp-session-id" in Headers(scope=scope)
        if scope["method"] != "POST":
            if self._kept is None or not in_session:
                raise HTTPException(405, "Without a session, only POST is served here.", {"Allow": "POST"})
            await self._kept.asgi_app(scope, receive, send)
            return
        body, receive = await _peeked(receive)
        try:
            message = decoded(body)
        except (ValueError, RecursionError):
            await _refused(None, PARSE_ERROR, "The body is not JSON in UTF-8.")(scope, receive, send)
            return
        if not is_message(message):
            text = "The body is not one JSON-RPC 2.0 message."
            await _refused(message, INVALID_REQUEST, text)(scope, receive, send)
            return
        is_kept = self._kept is not None and (in_session or message.get("method") == "initialize")
        manager = self._kept if self._kept is not None and is_kept else self._single
        await manager.asgi_app(scope, receive, send)


def owned(scope: Scope, owner: str) -> Scope:
    """The scope of a request from `owner`: a session that it opens is served to nobody else."""
    return {**scope, "user": AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=[]))}


async def _peeked(receive: Receive) -> tuple[bytes, Receive]:
    """The body, and what receives it again."""
    first: Message | None = await receive()
    assert first is not None
    body: bytes = first.get("body", b"")

    async def again() -> Message:
        nonlocal first
        message, first = first, None
        return await receive() if message is None else message

    return body, again


def _refused(message: object, code: int, text: str) -> Response:
    return Response(refusal(message, code, text), 400, media_type="application/json")
