"""Entities into rows and back: columns, a document, and secrets that only the vault can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar

from pydantic_core import from_json, to_json

from vivavoce.domain.entities import Entity
from vivavoce.errors import StorageFailed
from vivavoce.ports import Vault

from .tables import Table

E = TypeVar("E", bound=Entity)

_REMEMBERED = 2_000
_SHORT = 4_000
"""Rows with a longer document are not remembered."""


class Scribe:
    """Writes entities as rows and reads them again.

    Most rows are read many times before they change, so the last ones are remembered, row and entity. The
    row is what counts: it is fetched each time, and nobody changes an entity in place. What has secrets is
    not remembered: they are in the clear no longer than somebody needs them.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self._remembered = lru_cache(_REMEMBERED)(partial(_read, vault))

    def entity(self, table: Table[E], row: Sequence[Any]) -> E:
        """The entity that a row of all columns holds."""
        entity: E = (
            self._remembered(table, tuple(row)) if _is_kept(table, row) else _read(self.vault, table, row)
        )
        return entity

    def row(self, table: Table[E], entity: E) -> dict[str, Any]:
        """The values of all columns."""
        written = entity.model_dump(mode="json", by_alias=False)
        row = {name: written.pop(name, getattr(entity, name)) for name in table.columns}
        row["document"] = to_json(written, inf_nan_mode="constants").decode()
        if table.has_secrets:
            row["secrets"] = self._sealed(table, entity)
        return row

    def _sealed(self, table: Table[E], entity: E) -> bytes | None:
        secrets: dict[str, Any] = getattr(entity, "secrets", {})
        return self.vault.seal(json.dumps(secrets).encode(), _place(table, entity.id)) if secrets else None


def _is_kept(table: Table[Any], row: Sequence[Any]) -> bool:
    document, *secrets = row[len(table.columns) :]
    return secrets in ([], [None]) and len(document) <= _SHORT


def _read(vault: Vault, table: Table[Any], row: Sequence[Any]) -> Any:
    columns = dict(zip(table.all_columns, row, strict=True))
    sealed = columns.pop("secrets", None)
    try:
        fields = {**from_json(columns.pop("document")), **columns}
        if sealed is not None:
            fields["secrets"] = json.loads(vault.unseal(sealed, _place(table, columns["id"])))
        # A newer program may have stored fields that this one does not know.
        return table.kind.model_validate(fields, extra="ignore")
    except (ValueError, TypeError) as error:  # no JSON, no object, or not an entity of this kind
        raise StorageFailed(
            f"The stored {table.name} row {columns['id']!r} cannot be read.",
            hint="Restore a backup, or run vivavoce doctor.",
        ) from error


def _place(table: Table[Any], id: str) -> str:
    """What a sealed value is bound to, so that it opens nowhere else."""
    return f"{table.name}:{id}:secrets"
