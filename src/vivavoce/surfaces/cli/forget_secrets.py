"""`vivavoce forget-secrets`: the way on when the master key is lost."""

from __future__ import annotations

import click

from vivavoce.errors import Declined
from vivavoce.settings import Settings
from vivavoce.workspace import forget_workspace_secrets


@click.command("forget-secrets")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def command(yes: bool) -> None:
    """Go on with a new master key when the old one is lost.

    Stored secrets become empty and every API key ends; all else stays. If you still have the old key
    file, put it back instead.
    """
    settings = Settings.read()
    question = f"Empty the secrets and end the API keys of {settings.workspace}?"
    if not yes and not click.confirm(question, err=True):
        raise Declined("Nothing was forgotten.")
    forget_workspace_secrets(settings)
    click.echo("Done. Write the secrets of tools anew, and make new keys with vivavoce keys create NAME.")
