"""What the tests of the surfaces share: a workspace, opened, and MCP clients of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from mcp import Client
from serving import ALL, settings_in

from vivavoce.app import App, open_app
from vivavoce.operations import OPERATOR, Caller
from vivavoce.settings import Settings
from vivavoce.surfaces.mcp.selection import Selection
from vivavoce.surfaces.mcp.server import server

ERAS = ("auto", "legacy")
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def settings(tmp_path) -> Settings:
    """A workspace of its own."""
    return settings_in(tmp_path)


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    """The workspace, opened as a server opens it."""
    async with open_app(settings, works=True) as app:
        yield app


@pytest.fixture
def connect(app: App) -> Connect:
    """Connects an MCP client to the workspace in memory."""

    def client(mode: str = "auto", *, caller: Caller = OPERATOR, selection: Selection = ALL, **options: Any):
        built = server(app.backend, lambda _: caller, state_key=app.request_state_key, selection=selection)
        return Client(built, mode=mode, **options)

    return client


@pytest.fixture(params=ERAS, ids=["modern", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """Both protocol eras, as a client's mode."""
    return request.param
