"""The manifests of avatars: kept beside the workspace, so that the next start need not wait for the SDK.

A manifest is what the avatar's own server answered. It counts as long as this version runs and the avatar is
stored as it was then.
"""

from __future__ import annotations

import json
import os

from vivavoce import __version__
from vivavoce.errors import VivavoceError
from vivavoce.glance import digest_of_avatar, manifest_folder
from vivavoce.surfaces.mcp.front import read_manifest

TYPE_CHECKING = False  # the real one is in `typing`, which is dear to import
if TYPE_CHECKING:
    from pathlib import Path

    from vivavoce.surfaces.mcp.front import Manifest


def kept_manifest(avatar_id: str) -> Manifest:
    """The manifest of an avatar's server; empty where none is kept, or not any more."""
    try:
        digest = digest_of_avatar(avatar_id)
        manifest = {} if digest is None else read_manifest(_file(avatar_id), __version__)
    except VivavoceError:
        return {}  # what opens the workspace says what is wrong with the settings
    return manifest if manifest.get("avatar") == digest else {}


def keep_manifest(avatar_id: str, digest: str, recorded: Manifest) -> None:
    """Keep what the server of an avatar answers, if the disk allows."""
    kept = {**recorded, "version": __version__, "avatar": digest}
    file = _file(avatar_id)
    beside = f"{file}.{os.getpid()}"
    try:
        os.makedirs(file.parent, mode=0o700, exist_ok=True)
        with open(beside, "w", encoding="utf-8") as written:
            json.dump(kept, written, ensure_ascii=False)
        os.replace(beside, file)
    except OSError:
        return  # the next start takes a second longer


def _file(avatar_id: str) -> Path:
    return manifest_folder() / f"{avatar_id}.json"
