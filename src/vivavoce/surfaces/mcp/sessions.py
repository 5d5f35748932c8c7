"""MCP over HTTP: without sessions, so that any process can serve any call, and with them where they help."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pydantic_core
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

BODY = 8 * 1024 * 1024
"""The most bytes that a request may carry."""

_MOST = 1_000
_IDLE = 1_800


class Sessions:
    """Serves each request on its own; a client of the older protocol may open a session.

    Only in a session can the server ask such a client something, for instance to confirm a deletion. A
    session lives in one process, so where there are several there are none.
    """

    def __init__(self, server: Server[Any], *, keeps: bool) -> None:
        self._single = StreamableHTTPSessionManager(app=server, stateless=True, max_request_body_size=BODY)
        self._kept = (
            StreamableHTTPSessionManager(
                app=server, max_request_body_size=BODY, max_sessions=_MOST, session_idle_timeout=_IDLE
            )
            if keeps
            else None
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve until the context ends."""
        async with AsyncExitStack() as running:
            for manager in (self._single, self._kept):
                if manager is not None:
                    await running.enter_async_context(manager.run())
            yield

    async def asgi_app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._kept is None:
            await self._single.asgi_app(scope, receive, send)
            return
        if "mcp-session-id" in Headers(scope=scope):
            await self._kept.asgi_app(scope, receive, send)
            return
        start, receive = await _peeked(receive)
        manager = self._kept if _opens_session(start) else self._single
        await manager.asgi_app(scope, receive, send)


async def _peeked(receive: Receive) -> tuple[bytes, Receive]:
    """The first part of the body, and what receives the whole of it again."""
    first: Message | None = await receive()
    assert first is not None
    start: bytes = first.get("body", b"")

    async def again() -> Message:
        nonlocal first
        message, first = first, None
        return await receive() if message is None else message

    return start, again


def _opens_session(start: bytes) -> bool:
    """Whether a body begins a handshake. One that does not fit into the first part is none."""
    if b'"initialize"' not in start:
        return False
    try:
        message = pydantic_core.from_json(start)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("method") == "initialize"
