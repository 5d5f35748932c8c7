"""What a start may look at before the workspace is opened. Cheap to import; it may see nothing."""

from __future__ import annotations

from vivavoce.adapters.sql.glance import avatar_digest
from vivavoce.settings import Settings

TYPE_CHECKING = False  # the real one is in `typing`, which is dear to import
if TYPE_CHECKING:
    from pathlib import Path


def digest_of_avatar(avatar_id: str) -> str | None:
    """A name for how an avatar is stored now; None where it cannot be seen."""
    settings = Settings.read()
    return None if settings.database_url else avatar_digest(settings.database.absolute(), avatar_id)


def manifest_folder() -> Path:
    """Where the manifests of avatars are kept, beside the database. All of it can be made again."""
    return Settings.read().database.absolute().with_suffix(".manifests")
