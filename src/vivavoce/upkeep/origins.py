"""Origins: where the file of a datasource lay, so that one of its name elsewhere does not take its place."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from vivavoce.app import App
from vivavoce.domain.knowledge import ORIGIN, Datasource
from vivavoce.ports import Ports, Tables


def origin_of(path: Path) -> str:
    """The absolute path of a file, as it can be stored; links stay, for what they lead to may change."""
    return os.path.abspath(path).encode("utf-8", "replace").decode()


def other_of(known: Datasource, path: Path) -> Path | None:
    """The file that a datasource was made from, where it is another one and still there.

    A folder that was moved, here or to another machine, has left nothing there: it is the same folder.
    """
    origin = known.config.get(ORIGIN)
    if not isinstance(origin, str):
        return None
    before = Path(origin)
    try:
        return before if before.is_file() and not before.samefile(path) else None
    except OSError:
        return None


async def move_origin(app: App, known: Datasource, path: Path) -> None:
    """Remember where the file of a datasource lies now; nothing is stored where that is known."""
    origin = origin_of(path)
    if known.config.get(ORIGIN) != origin:
        await app.ports.store.write(partial(_move, known.id, origin, app.ports))


def _move(datasource_id: str, origin: str, ports: Ports, tables: Tables) -> None:
    source = tables.datasources.find(datasource_id)
    if source is not None:
        tables.datasources.replace(source.changed(ports.now(), config={**source.config, ORIGIN: origin}))
