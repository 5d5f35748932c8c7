"""What stands behind the front: the workspace, opened, and the server that offers it."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp.server import Server

from vivavoce.app import open_app
from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.operations import OPERATOR, Backend, Caller, Hear, Operation
from vivavoce.operations.base import R
from vivavoce.settings import Settings
from vivavoce.surfaces.logs import write_logs

from .selection import Selection
from .server import server


class Unopened:
    """Stands for a workspace that cannot be opened: every call is told why."""

    def __init__(self, cause: VivavoceError) -> None:
        self.cause = cause

    def supports(self, kind: type[Operation[Any]]) -> bool:
        """Everything, so that the list of tools is the usual one."""
        return True

    async def run(self, op: Operation[R], caller: Caller, hear: Hear | None = None) -> R:
        """Say what is wrong."""
        raise self.cause


@asynccontextmanager
async def opened(selection: Selection | None) -> AsyncIterator[Server[Any]]:
    """The server of the person at this machine."""
    async with AsyncExitStack() as held:
        try:
            settings = Settings.read()
            write_logs(settings)
            app = await held.enter_async_context(open_app(settings, works=True))
            backend: Backend = app.backend
            state_key = app.request_state_key
        except (VivavoceError, ValueError) as error:
            cause = error if isinstance(error, VivavoceError) else InvalidInput(f"{error}.")
            print(f"vivavoce: {cause}", file=sys.stderr)
            backend, state_key = Unopened(cause), os.urandom(32)
        yield server(backend, lambda _: OPERATOR, state_key=state_key, selection=selection)
