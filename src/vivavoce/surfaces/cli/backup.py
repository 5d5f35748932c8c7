"""`vivavoce backup`: a whole copy of the workspace while it is in use."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from vivavoce.settings import Settings
from vivavoce.workspace import back_up_workspace


@click.command("backup")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
def command(file: Path | None) -> None:
    """Copy the workspace to FILE, also while it is in use.

    Secrets in it stay encrypted: keep the key file too, apart from the copy.
    """
    settings = Settings.read()
    copy = file or Path(f"vivavoce-{datetime.now():%Y%m%d-%H%M%S}.db")
    back_up_workspace(settings, copy)
    click.echo(f"Copied {settings.database} to {copy} ({copy.stat().st_size} bytes).")
    if not settings.master_key:
        click.echo(f"Its secrets open only with the key file {settings.key_file}: keep a copy of that apart.")
