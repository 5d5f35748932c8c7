"""What stands behind the front: the workspace, opened, and the server that offers it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import astuple
from typing import Any

from mcp.server import Server

from vivavoce.app import open_app
from vivavoce.operations import OPERATOR
from vivavoce.settings import Settings

from .selection import Selection
from .server import facts, server
from .stdio import record


@asynccontextmanager
async def opened(selection: Selection | None) -> AsyncIterator[Server[Any]]:
    """The server of the person at this machine."""
    async with open_app(Settings.read()) as app:
        yield server(app.backend, lambda _: OPERATOR, state_key=app.request_state_key, selection=selection)


async def manifest(settings: Settings) -> dict[str, Any]:
    """What the front may answer by itself, and what decides which tools it lists."""
    async with open_app(settings) as app:
        everything = server(
            app.backend,
            lambda _: OPERATOR,
            state_key=app.request_state_key,
            selection=Selection(toolsets=("all",)),
        )
        return {**await record(everything), "facts": [list(astuple(fact)) for fact in facts()]}
