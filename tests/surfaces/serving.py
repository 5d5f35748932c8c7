"""Workspaces and the application served on a real socket, for tests that need either."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from vivavoce.app import open_app
from vivavoce.operations import OPERATOR
from vivavoce.operations.keys import CreateKey, KeyCreated
from vivavoce.settings import Settings
from vivavoce.surfaces.http import application, offering
from vivavoce.surfaces.mcp.selection import Selection

ALL = Selection(toolsets=("all",))


def settings_in(folder: Path, **more: object) -> Settings:
    """Settings of a new workspace in a folder."""
    return Settings(database=folder / "workspace.db", key_file=folder / "workspace.key", **more)


def key_for(settings: Settings, *scopes: str) -> KeyCreated:
    """A new key of the workspace, made as the operator makes it."""

    async def made() -> KeyCreated:
        async with open_app(settings) as app:
            name = "-".join(scopes) + " key"
            return await app.backend.run(CreateKey.parse({"name": name, "scopes": list(scopes)}), OPERATOR)

    return asyncio.run(made())


@contextmanager
def served(settings: Settings, selection: Selection = ALL) -> Iterator[str]:
    """The address of the application, served by uvicorn in a thread on a free port of loopback."""
    config = uvicorn.Config(application(settings, offering(selection)), log_config=None, lifespan="on")
    server = _Server(config)
    # asyncio sends small packets at once only where the socket says that it is TCP.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            assert server.is_up.wait(timeout=30), "The application did not start."
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=30)
    assert not thread.is_alive(), "The application did not stop."


@asynccontextmanager
async def mcp_over_http(address: str, *, key: str | None = None, **options: object):
    """An MCP client of a served application."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), **options) as client,
    ):
        yield client


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()
