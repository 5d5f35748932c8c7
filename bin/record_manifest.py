"""Writes src/vivavoce/surfaces/mcp/manifest.json from the live server."""

import asyncio
import json
import tempfile
from pathlib import Path

from vivavoce.settings import Settings
from vivavoce.surfaces.mcp.command import MANIFEST
from vivavoce.surfaces.mcp.opening import manifest

with tempfile.TemporaryDirectory() as folder:
    settings = Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "workspace.db")})
    recorded = asyncio.run(manifest(settings))
Path(MANIFEST).write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
