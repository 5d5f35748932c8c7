"""Avatars over HTTP: an MCP server for each, at /avatars/{avatarId}/mcp."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from mcp.server import Server
from starlette.types import Receive, Scope, Send

from vivavoce.app import App
from vivavoce.domain.avatars import read_config
from vivavoce.errors import InvalidInput, NotAuthenticated, NotFound, VivavoceError
from vivavoce.operations import OPERATOR, Caller
from vivavoce.operations.avatar_results import AvatarContents
from vivavoce.operations.avatars import GetAvatar
from vivavoce.upkeep.guide import GUIDE, ensure_guide, is_guide_made

from .auth import CALLER, challenged
from .mcp.avatars import avatar_server
from .mcp.sessions import Sessions, owned
from .rest import refused

_KEPT = 256


class AvatarServers:
    """The MCP server of every avatar that was asked for lately, made anew when its configuration changes."""

    def __init__(self, app: App, kept: int = _KEPT) -> None:
        self._app, self._most = app, kept
        self._kept: OrderedDict[str, tuple[dict[str, Any], Server[Any]]] = OrderedDict()
        self._guide = _Guide(app)

    def of(self, avatar: AvatarContents) -> Server[Any]:
        """The server of an avatar."""
        config, server = self._kept.pop(avatar.id, (None, None))
        if server is None or config != avatar.config:
            server = avatar_server(
                self._app.backend, read_config(avatar.config, is_stored=True), lambda context: CALLER.get()
            )
        self._kept[avatar.id] = (avatar.config, server)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return server

    async def admitted(self, avatar_id: str, caller: Caller) -> AvatarContents:
        """The avatar, if there is one and the caller may question it.

        To strangers, an avatar that is not public and none at all look the same.
        """
        caller.check_avatar(avatar_id)
        if avatar_id == GUIDE and not caller.is_anonymous:
            await self._guide.made()
        avatar = await self._found(avatar_id)
        if caller.is_anonymous and (avatar is None or not avatar.is_public):
            raise NotAuthenticated("This avatar is not public: a valid API key is needed.")
        if avatar is None:
            raise NotFound(f"No avatar {avatar_id[:100]!r}.", hint="List them with list_avatars.")
        return avatar

    async def _found(self, avatar_id: str) -> AvatarContents | None:
        try:
            asked = GetAvatar.parse({"id": avatar_id})
        except InvalidInput:
            return None  # no avatar can have such an id
        try:
            return await self._app.backend.run(asked, OPERATOR)
        except NotFound:
            self._kept.pop(avatar_id, None)
            return None


class _Guide:
    """The avatar that comes with the program. A server that nobody asks for it does not make it."""

    def __init__(self, app: App) -> None:
        self._app, self._lock = app, asyncio.Lock()
        self._is_current = False

    async def made(self) -> None:
        """Let the workspace have it as this version writes it: looked at once, and again where it is gone."""
        async with self._lock:
            if not (self._is_current and await is_guide_made(self._app)):
                await ensure_guide(self._app)
                self._is_current = True


class AvatarEndpoint:
    """Serves a request for one avatar.

    An avatar never asks its client anything, so there are no sessions: each request is served by itself,
    in whichever process it comes to, and no server holds anything when it is let go.
    """

    def __init__(self, *, public_url: str) -> None:
        self.public_url = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        servers: AvatarServers = scope["app"].state.avatars
        caller = CALLER.get()
        try:
            server = servers.of(await servers.admitted(scope["path_params"]["avatarId"], caller))
        except NotAuthenticated as error:
            await challenged(scope, error.message, self.public_url)(scope, receive, send)
        except VivavoceError as error:
            await refused(error)(scope, receive, send)
        else:
            sessions = Sessions(server, keeps=False)
            async with sessions.run():
                await sessions.asgi_app(owned(scope, caller.id), receive, send)
