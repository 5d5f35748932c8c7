"""`vivavoce keys`: API keys for the HTTP surfaces."""

from __future__ import annotations

import asyncio
import json
import sys

import click

from vivavoce.app import open_app
from vivavoce.operations.keys import CreateKey, KeyCreated, ListKeys, RevokeKey
from vivavoce.settings import Settings

from .operations import run
from .output import show


@click.group("keys")
def command() -> None:
    """API keys for the HTTP surfaces: make, list and revoke them."""


@command.command("create")
@click.argument("name")
@click.option(
    "--scopes", default="read,write,send", show_default=True, help="What it allows, by commas; also admin."
)
@click.option("--json", "as_json", is_flag=True, help="Print id and key as JSON.")
@click.option("--field", metavar="NAME", help="Print only this field, e.g. key.")
def create(name: str, scopes: str, as_json: bool, field: str | None) -> None:
    """Make a key. It is shown this once and cannot be read again."""
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    made = run(CreateKey.parse({"name": name, "scopes": wanted}))
    assert isinstance(made, KeyCreated)
    if field is not None:
        show(made, as_json=False, field=field)
        return
    if as_json or not sys.stdout.isatty():
        click.echo(json.dumps({"id": made.id, "key": made.key}))
        return
    click.echo(f"Key {made.name!r} ({', '.join(made.scopes)}), id {made.id}:\n\n  {made.key}\n")
    click.echo("Keep it now: it is not shown again.")


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, also on a terminal.")
def list_(as_json: bool) -> None:
    """List the keys without their secrets."""
    show(run(ListKeys()), as_json=as_json)


@command.command("revoke")
@click.argument("id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, also on a terminal.")
def revoke(id: str, as_json: bool) -> None:
    """Revoke a key at once. It stays in the list."""
    show(run(RevokeKey.parse({"id": id})), as_json=as_json)


@command.command("signing-secret")
def signing_secret() -> None:
    """Print the secret that signs calls to a callbackURL.

    Whoever receives them checks the signature with it. It follows from the workspace's master key.
    """
    click.echo(asyncio.run(_signing_secret()))


async def _signing_secret() -> str:
    async with open_app(Settings.read()) as app:
        return await app.signing_secret()
