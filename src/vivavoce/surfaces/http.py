"""One web application: REST, MCP and the documentation page, behind one guard."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from vivavoce import __version__
from vivavoce.app import App, open_app
from vivavoce.operations import Backend
from vivavoce.settings import Settings

from . import inbound, rest
from .auth import CALLER, METADATA, Guard, KeyRequired, metadata
from .avatars import AvatarEndpoint, AvatarServers
from .logs import log_failure
from .mcp.selection import Selection
from .mcp.server import server
from .mcp.sessions import Sessions, owned
from .pages import EXPOSED, Pages
from .strangers import StrangersLimited


class Serves(Protocol):
    """What answers at /mcp while it runs."""

    def run(self) -> AbstractAsyncContextManager[None]:
        """Serve until the context ends."""
        ...

    @property
    def asgi_app(self) -> ASGIApp:
        """Serves one request."""
        ...


SessionsOf = Callable[[App], Serves]

_OF_AVATAR = "/avatars/{avatarId}/mcp"

_log = logging.getLogger(__name__)


def application(settings: Settings, mcp: SessionsOf | None = None, *, works: bool = True) -> Starlette:
    """The application for these settings. It opens its workspace when it starts to serve.

    `mcp` makes the sessions that answer at /mcp; by default those of the whole default tool list. One that
    does not work leaves what is due to `vivavoce work`.
    """

    @asynccontextmanager
    async def lifespan(served: Starlette) -> AsyncIterator[None]:
        async with open_app(settings, works=works, stays=True) as app:
            served.state.app = app
            served.state.avatars = AvatarServers(app)
            served.state.mcp = sessions = (mcp or offering(Selection()))(app)
            async with sessions.run():
                yield

    async def over_mcp(scope: Scope, receive: Receive, send: Send) -> None:
        await scope["app"].state.mcp.asgi_app(owned(scope, CALLER.get().id), receive, send)

    async def about_access(request: Request) -> Response:
        return JSONResponse(metadata(request.scope, settings.public_url))

    over_rest = rest.routes(_backend, CALLER.get)
    built = Starlette(
        routes=[
            *inbound.routes(),  # first, as most requests of a busy server are events
            Route(
                "/mcp",
                KeyRequired(over_mcp, public_url=settings.public_url),
                methods=["GET", "POST", "DELETE"],
            ),
            Route(_OF_AVATAR, AvatarEndpoint(public_url=settings.public_url), methods=["POST"]),
            *over_rest,
            Route("/", _welcome),
            Route("/health", _health),
            Route("/openapi.json", _openapi),
            Route("/docs", _docs),
            Route(METADATA, about_access),
            Route(METADATA + "/mcp", about_access),
            Route(METADATA + _OF_AVATAR, about_access),
        ],
        middleware=[
            Middleware(
                Guard,
                keys=lambda scope: scope["app"].state.app.keyring,
                settings=settings,
                pages=Pages(over_rest),
            ),
            Middleware(
                CORSMiddleware,
                allow_origins=settings.allowed_origins,
                allow_methods=["*"],
                allow_headers=["*"],
                expose_headers=EXPOSED,
            ),
            Middleware(StrangersLimited, settings=settings),
        ],
        exception_handlers={HTTPException: _not_served, Exception: _broken},
        lifespan=lifespan,
    )
    built.router.redirect_slashes = False  # what is not served is a 404 that says so
    return built


def offering(selection: Selection, *, is_alone: bool = True) -> SessionsOf:
    """What serves the selected tools; `is_alone` where no other process serves the same address."""

    def sessions(app: App) -> Sessions:
        tools = server(
            app.backend, lambda context: CALLER.get(), state_key=app.request_state_key, selection=selection
        )
        return Sessions(tools, keeps=is_alone)

    return sessions


def _backend(request: Request) -> Backend:
    app: App = request.app.state.app
    return app.backend


async def _welcome(request: Request) -> Response:
    return JSONResponse(
        {
            "name": "vivavoce",
            "version": __version__,
            "docs": "/docs",
            "openapi": "/openapi.json",
            "mcp": "/mcp",
        }
    )


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__})


async def _openapi(request: Request) -> Response:
    from .openapi import document

    return JSONResponse(document())


async def _docs(request: Request) -> Response:
    from .docs import page

    return HTMLResponse(
        page(),
        headers={
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:"
        },
    )


async def _not_served(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 400: "INVALID_REQUEST"}
    body = {"error": codes.get(error.status_code, "INVALID_REQUEST"), "message": error.detail}
    return JSONResponse(body, error.status_code, headers=error.headers)


async def _broken(request: Request, error: Exception) -> Response:
    log_failure(_log, f"{request.method} {request.scope.get('path')}", error)
    return JSONResponse({"error": "INTERNAL_SERVER_ERROR", "message": "Something broke here."}, 500)
