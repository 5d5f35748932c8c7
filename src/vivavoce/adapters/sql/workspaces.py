"""What a database knows of the workspace in it: its organization, and the key that it belongs to."""

from __future__ import annotations

from collections.abc import Callable

from vivavoce.errors import StorageFailed
from vivavoce.ports import Vault

from . import tables
from .rows import Connection

SEALED = {each.name for each in vars(tables).values() if isinstance(each, tables.Table) and each.has_secrets}
"""The tables that hold secrets."""


def organization_of(connection: Connection, vault: Vault, new_id: Callable[[], str], place: str) -> str:
    """The organization of the workspace, refused with another's key; a new workspace gets its own."""
    known = {str(name): str(value) for name, value in connection.execute(_KNOWN, {})}
    fingerprint = fingerprint_of(vault)
    if known.setdefault("key", fingerprint) != fingerprint:
        raise StorageFailed(
            f"The master key does not belong to {place}.",
            hint="Put the right key file back; if it is lost for good, run vivavoce forget-secrets.",
        )
    known.setdefault("organization_id", new_id())
    for name, value in known.items():
        connection.execute(_KEPT, {"name": name, "value": value})
    return known["organization_id"]


def fingerprint_of(vault: Vault) -> str:
    """What a database remembers of the key that it belongs to."""
    return vault.digest("vivavoce workspace")


_KNOWN = "select name, value from workspace"
_KEPT = "insert into workspace values (:name, :value) on conflict do nothing"
