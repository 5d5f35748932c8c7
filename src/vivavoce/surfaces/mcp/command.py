"""`vivavoce mcp`: from the command's words to the front, with nothing heavy in between."""

from __future__ import annotations

import os
import sys

from vivavoce import __version__
from vivavoce.surfaces.mcp.front import read_manifest, run

TYPE_CHECKING = False  # the real one is in `typing`, which is dear to import
if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.surfaces.mcp.stdio import Opening

MANIFEST = os.path.join(os.path.dirname(__file__), "manifest.json")


def main(words: Sequence[str]) -> None:
    """Serve MCP over stdin and stdout. The words choose the tools, as `vivavoce mcp --help` says."""
    manifest = read_manifest(MANIFEST, __version__)
    allowed = None
    if words or not manifest:
        from vivavoce.surfaces.mcp.options import avatar_in, selected

        avatar = avatar_in(words)
        if avatar is not None:
            from vivavoce.surfaces.mcp.keeping import kept_manifest

            run(kept_manifest(avatar), None, lambda: _opened_avatar(avatar))
        selection, allowed = selected(words, manifest.get("facts", ()))
    else:
        selection = None
        allowed = {name for name, _, is_default, _ in manifest["facts"] if is_default}
    if allowed is not None and os.environ.get("CHATVOLT_API_KEY"):  # settings.py is too dear to import here
        from vivavoce.hosted.offered import OFFERED

        allowed &= OFFERED

    def build() -> Opening:
        from vivavoce.surfaces.mcp.opening import opened

        return opened(selection)

    run(manifest, allowed, build)


def _opened_avatar(avatar_id: str) -> Opening:
    from vivavoce.surfaces.mcp.opening import opened_avatar

    return opened_avatar(avatar_id)


if __name__ == "__main__":
    main(sys.argv[1:])
