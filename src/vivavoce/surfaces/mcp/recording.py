"""Records what the front answers by itself. `bin/manifest` runs it after a change to the catalogue."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import astuple
from pathlib import Path
from typing import Any

from vivavoce.app import open_app
from vivavoce.operations import OPERATOR
from vivavoce.settings import Settings

from .command import MANIFEST
from .selection import Selection
from .server import facts, server
from .stdio import record


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


def main() -> None:
    """Write the manifest that is part of the package."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "workspace.db")})
        recorded = asyncio.run(manifest(settings))
    Path(MANIFEST).write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
