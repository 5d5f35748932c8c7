"""What stands behind the front: the workspace, opened, and the server that offers it."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp.server import Server

from vivavoce.app import App, open_app
from vivavoce.domain.avatars import read_config
from vivavoce.errors import InvalidInput, NotFound, VivavoceError
from vivavoce.glance import digest_of_avatar
from vivavoce.operations import OPERATOR, Backend, Caller, Hear, Operation
from vivavoce.operations.avatars import GetAvatar
from vivavoce.operations.base import R
from vivavoce.settings import Settings
from vivavoce.surfaces.logs import write_logs

from .avatars import avatar_server, refusing
from .keeping import keep_manifest, kept_manifest
from .selection import Selection
from .server import server
from .stdio import record


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
            app = await held.enter_async_context(_workspace())
            backend: Backend = app.backend
            state_key = app.request_state_key
        except (VivavoceError, ValueError) as error:
            backend, state_key = Unopened(_told(error)), os.urandom(32)
        yield server(backend, lambda _: OPERATOR, state_key=state_key, selection=selection)


@asynccontextmanager
async def opened_avatar(avatar_id: str) -> AsyncIterator[Server[Any]]:
    """The server of one avatar, for the person at this machine; the guide is made where there is none yet."""
    from vivavoce.upkeep.guide import GUIDE, ensure_guide

    async with AsyncExitStack() as held:
        try:
            app = await held.enter_async_context(_workspace())
            if avatar_id == GUIDE:
                await ensure_guide(app)
            seen = digest_of_avatar(avatar_id)
            avatar = await app.backend.run(GetAvatar.parse({"id": avatar_id}), OPERATOR)
            built = avatar_server(app.backend, read_config(avatar.config, is_stored=True), lambda _: OPERATOR)
            if seen is not None and not kept_manifest(avatar_id):
                keep_manifest(avatar_id, seen, await record(built))
        except NotFound as error:
            built = refusing(_told(NotFound(error.message, hint="vivavoce avatar list shows them all.")))
        except (VivavoceError, ValueError) as error:
            built = refusing(_told(error))
        yield built


@asynccontextmanager
async def _workspace() -> AsyncIterator[App]:
    settings = Settings.read()
    write_logs(settings)
    async with open_app(settings, works=True) as app:
        yield app


def _told(error: VivavoceError | ValueError) -> VivavoceError:
    """What is wrong, after telling it on stderr too."""
    cause = error if isinstance(error, VivavoceError) else InvalidInput(f"{error}.")
    print(f"vivavoce: {cause}", file=sys.stderr)
    return cause
