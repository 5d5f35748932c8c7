"""`vivavoce keys`: API keys for the HTTP surfaces."""

from __future__ import annotations

import asyncio
import json
import sys

import click

from vivavoce.app import open_app
from vivavoce.domain.keys import usual_scopes
from vivavoce.operations.keys import CreateKey, KeyCreated, ListKeys, RevokeKey
from vivavoce.settings import Settings

from .operations import run
from .output import check_field, show

_SCOPES, _OF_AVATAR = (",".join(usual_scopes(for_avatar=is_so)) for is_so in (False, True))


@click.group("keys")
def command() -> None:
    """API keys for the HTTP surfaces: make, list and revoke them."""


@command.command("create")
@click.argument("name", required=False)
@click.option(
    "--scopes",
    help=f"What it allows, by commas; also admin.  [default: {_SCOPES}; {_OF_AVATAR} with --avatar]",
)
@click.option("--avatar", metavar="ID", help="Make it good for this avatar alone.")
@click.option("--json", "as_json", is_flag=True, help="Print id and key as JSON.")
@click.option("--field", metavar="NAME", help="Print only this field, e.g. key.")
def create(
    name: str | None, scopes: str | None, avatar: str | None, as_json: bool, field: str | None
) -> None:
    """Make a key. It is shown this once and cannot be read again.

    NAME says whose key it is; a key for an avatar may go without, and has the avatar's id as its name then.
    """
    if name is None and avatar is None:
        raise click.UsageError("Missing argument 'NAME': whose key is it?")
    check_field(field, KeyCreated)
    wanted: dict[str, object] = {"name": avatar if name is None else name, "avatarId": avatar}
    if scopes is not None:
        wanted["scopes"] = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    made = run(CreateKey.parse(wanted))
    assert isinstance(made, KeyCreated)
    if field is not None:
        show(made, as_json=False, field=field)
        return
    if as_json or not sys.stdout.isatty():
        click.echo(json.dumps({"id": made.id, "key": made.key}))
        return
    audience = "" if made.avatar_id is None else f" for the avatar {made.avatar_id}"
    click.echo(f"Key {made.name!r}{audience} ({', '.join(made.scopes)}), id {made.id}:\n\n  {made.key}\n")
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
    """Print the secret that signs calls to webhooks and to a callbackURL.

    Whoever receives them checks the signature with it. It follows from the workspace's master key.
    """
    click.echo(asyncio.run(_signing_secret()))


async def _signing_secret() -> str:
    async with open_app(Settings.read()) as app:
        return await app.signing_secret()
