"""What the tests of the surfaces share: workspaces, and clients of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from serving import ALL, settings_in
from starlette.testclient import TestClient

from vivavoce.app import App, open_app
from vivavoce.operations import OPERATOR, Caller
from vivavoce.settings import Settings
from vivavoce.surfaces.http import application
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
def workspace(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The database of a workspace of its own, on which commands work, in a home of its own."""
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(settings.database))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return settings.database


@pytest.fixture(scope="module")
def shared_settings(tmp_path_factory) -> Settings:
    """One workspace for a module whose tests do not count what is in it."""
    return settings_in(tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="module")
def client(shared_settings: Settings) -> Iterator[TestClient]:
    """A REST client of the workspace that a module shares."""
    with TestClient(application(shared_settings), base_url="http://127.0.0.1:8377") as client:
        yield client


@pytest.fixture
def store(client: TestClient) -> dict[str, Any]:
    """A new datastore of it, as REST shows it."""
    return client.post("/datastores", json={"type": "qdrant", "name": "Manuals"}).json()


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
