"""`vivavoce export`: the whole workspace as one archive, without its secrets."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from datetime import datetime
from pathlib import Path

import click

from vivavoce.app import open_app
from vivavoce.errors import InvalidInput
from vivavoce.settings import Settings
from vivavoce.upkeep.archives import Saved, save
from vivavoce.workspace import has_workspace

from .progress import progress
from .terminal import harmless

_STOPPED = "Stopped. No archive was written."
_SAID = """\
It holds no keys, tokens or other secrets. What people said and wrote is in it: keep it as you keep that.
Read it into another workspace with: vivavoce import {file}"""


@click.command("export")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print what is in it as JSON.")
def command(file: Path | None, as_json: bool) -> None:
    """Write the whole workspace into the archive FILE, also while it is in use.

    Agents, their tools and channels, datastores with the texts of their documents, scenarios, avatars,
    contacts, conversations and their messages are in it, as they are at one moment. Secrets, keys of the
    API and of providers, vectors and unfinished work are not.

    Read it into another workspace, on SQLite or Postgres, with vivavoce import FILE. To be able to go back
    to where you were, secrets and all, use vivavoce backup instead.
    """
    settings = Settings.read()
    if not has_workspace(settings):
        raise InvalidInput(f"There is no workspace at {settings.database}.")
    archive = file or Path(f"vivavoce-{datetime.now():%Y%m%d-%H%M%S}.zip")
    try:
        saved = asyncio.run(_saved(settings, archive))
    except KeyboardInterrupt:
        click.echo(_STOPPED, err=True)
        sys.exit(130)
    if as_json:
        click.echo(json.dumps({"file": str(archive), "bytes": saved.size, "things": saved.things}))
        return
    click.echo(harmless(f"Wrote {archive} ({saved.size} bytes)."))
    click.echo(f"In it: {_counted(saved)}.")
    click.echo(harmless(_SAID.format(file=shlex.quote(str(archive)))))


async def _saved(settings: Settings, archive: Path) -> Saved:
    async with open_app(settings) as app:
        with progress() as begin:
            step = begin("Writing", "things")
            return await save(app.ports, archive, told=lambda part, done, total: step(done, total, part))


def _counted(saved: Saved) -> str:
    there = [f"{number} {part.replace('_', ' ')}" for part, number in saved.things.items() if number]
    return ", ".join(there) or "nothing yet"
