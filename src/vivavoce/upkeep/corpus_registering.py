"""Avatars of folders in the workspace: begun, made and kept as their files say."""

from __future__ import annotations

from pathlib import Path

from vivavoce.app import App
from vivavoce.errors import Conflict, InvalidInput, NotFound
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatar_results import AvatarContents
from vivavoce.operations.avatars import CreateAvatar, GetAvatar, UpdateAvatar

from .corpus_files import AvatarFolder, Listed


async def begun(
    app: App, folder: AvatarFolder, *, name: str | None = None, description: str | None = None
) -> tuple[AvatarContents, list[Path]]:
    """A new avatar with files to begin with, and which were written; none where the folder has its own.

    Conflict where the workspace has an avatar of this id: nothing is written over.
    """
    if await known_avatar(app, folder.id) is not None:
        raise Conflict(
            f"There is an avatar {folder.id!r} already.",
            hint=f"Change its files and run vivavoce avatar process --avatar {folder.id}, "
            f"or delete it with vivavoce delete-avatar {folder.id}.",
        )
    if folder.exists and not (name is None and description is None):
        raise InvalidInput(
            f"{folder.config_file} is there already, with a name and a description of its own.",
            hint="Change them there, and leave the options out.",
        )
    files = [] if folder.exists else folder.written(name, description)
    return await registered(app, folder.listed()), files


async def registered(app: App, listed: Listed) -> AvatarContents:
    """The avatar as its files say: made where there is none, changed where they have changed."""
    id, given = listed.about.id, {"config": listed.config, "sources": listed.entries}
    known = await known_avatar(app, id)
    if known is None:
        try:
            return await app.backend.run(CreateAvatar.parse(given), OPERATOR)
        except Conflict:  # another process was quicker
            return await app.backend.run(UpdateAvatar.parse({"id": id, **given}), OPERATOR)
    if known.config == listed.config and known.sources == listed.entries:
        return known
    return await app.backend.run(UpdateAvatar.parse({"id": id, **given}), OPERATOR)


async def known_avatar(app: App, id: str) -> AvatarContents | None:
    """The avatar as the workspace has it, if it does."""
    try:
        return await app.backend.run(GetAvatar.parse({"id": id}), OPERATOR)
    except NotFound:
        return None
