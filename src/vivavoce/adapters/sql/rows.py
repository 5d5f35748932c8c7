"""Entities as rows, in SQL that SQLite and Postgres both understand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from vivavoce.domain.entities import Entity, written
from vivavoce.domain.knowledge import Datasource
from vivavoce.errors import StorageFailed
from vivavoce.ports import Vault

from .dialects import Dialect
from .tables import Table

E = TypeVar("E", bound=Entity)
Values = Mapping[str, Any]

_SAYS_SO_ALREADY = (
    "status in ('pending', 'running') and exists (select 1 from documents join parts on document_id = id"
    " where datasource_id = datasources.id and state <> 'old' and {text} like :words_ escape '\\')"
)
"""A datasource that is not indexed yet is found by the letters of its text."""
_AT_ONCE = 500
_EVERYTHING = 2**62


class Connection(Protocol):
    """An open transaction. Parameters are named: `where id = :id`."""

    @property
    def dialect(self) -> Dialect:
        """How the database wants to be asked."""
        ...

    def execute(self, sql: str, values: Values, /) -> Iterable[Sequence[Any]]:
        """Run one statement and give its rows."""
        ...


class Rows(Generic[E]):
    """All the entities of one kind, in one table."""

    def __init__(self, connection: Connection, table: Table[E], vault: Vault) -> None:
        self.connection, self.table, self.vault = connection, table, vault

    def find(self, id: str) -> E | None:
        """The entity with this id, if there is one."""
        return next(self._read("where id = :id", {"id": id}), None)

    def where(
        self,
        *,
        newest_first: bool = False,
        limit: int | None = None,
        offset: int = 0,
        **equal: str | bool | None,
    ) -> list[E]:
        """The entities that match, in the order of their table."""
        page: dict[str, Any] = {"limit_": _EVERYTHING if limit is None else limit, "offset_": offset}
        clause = f"{matching(equal)} {self._order(newest_first)} limit :limit_ offset :offset_"
        return list(self._read(clause, page | equal))

    def page(self, limit: int, before: tuple[datetime, str] | None, /, **equal: str | bool | None) -> list[E]:
        """The entities that match, newest first; `before` is the creation and the id of the last one seen."""
        values: dict[str, Any] = {"limit_": limit, **equal}
        clause = matching(equal)
        if before is not None:
            clause += f" {'and' if clause else 'where'} (created_at, id) < (:before_, :before_id_)"
            values |= {"before_": written(before[0]), "before_id_": before[1]}
        return list(self._read(f"{clause} {self._order(True)} limit :limit_", values))

    def after(self, id: str, limit: int) -> list[E]:
        """The next entities in the order of their ids: those after this one; all come after the empty id."""
        return list(self._read("where id > :id order by id limit :limit_", {"id": id, "limit_": limit}))

    def within(self, column: str, values: Sequence[str]) -> list[E]:
        """The entities whose column has one of the values."""
        return [
            entity
            for some in batches(values)
            for entity in self._read(f"where {one_of(column, some)} {self._order(False)}", some)
        ]

    def count(self, **equal: str | bool | None) -> int:
        """How many match."""
        sql = f"select count(*) from {self.table.name} {matching(equal)}"
        ((number,),) = self.connection.execute(sql, equal)
        return int(number)

    def counts(self, column: str, values: Sequence[str]) -> dict[str, int]:
        """How many there are for each of the values of a column."""
        counted: dict[str, int] = {}
        for some in batches(values):
            sql = (
                f'select "{column}", count(*) from {self.table.name} where {one_of(column, some)} group by 1'
            )
            counted |= {str(value): int(number) for value, number in self.connection.execute(sql, some)}
        return counted

    def add(self, entity: E) -> None:
        """Insert it."""
        self.connection.execute(self.table.inserting, self._row(entity))

    def take(self, entity: E) -> bool:
        """Insert it; False, and nothing is changed, where its id or another name that it needs is taken."""
        sql = f"{self.table.inserting} on conflict do nothing returning id"
        return bool(list(self.connection.execute(sql, self._row(entity))))

    def replace(self, entity: E) -> None:
        """Write it over the one with the same id."""
        self.connection.execute(self.table.replacing, self._row(entity))

    def drop(self, id: str) -> None:
        """Remove it; foreign keys take along what belongs to it."""
        self.connection.execute(f"delete from {self.table.name} where id = :id", {"id": id})

    def _order(self, newest_first: bool) -> str:
        return "order by created_at desc, id desc" if newest_first else f'order by "{self.table.order}", id'

    def _read(self, clause: str, values: Values, document: str = '"document"') -> Iterator[E]:
        """The entities; `document` says how much of each document is read."""
        columns = self.table.listed.replace('"document"', document)
        sql = f"select {columns} from {self.table.name} {clause}"
        for row in self.connection.execute(sql, values):
            yield self._entity(dict(zip(self.table.all_columns, row, strict=True)))

    def _entity(self, row: dict[str, Any]) -> E:
        sealed = row.pop("secrets", None)
        try:
            fields = {**json.loads(row.pop("document")), **row}
            if sealed is not None:
                fields["secrets"] = json.loads(self.vault.unseal(sealed, self._place(row["id"])))
            # A newer program may have stored fields that this one does not know.
            return self.table.kind.model_validate(fields, extra="ignore")
        except (ValueError, TypeError) as error:  # no JSON, no object, or not an entity of this kind
            raise StorageFailed(
                f"The stored {self.table.name} row {row['id']!r} cannot be read.",
                hint="Restore a backup, or run vivavoce doctor.",
            ) from error

    def _row(self, entity: E) -> dict[str, Any]:
        written = entity.model_dump(mode="json", by_alias=False)
        row = {name: written.pop(name, getattr(entity, name)) for name in self.table.columns}
        row["document"] = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
        if self.table.has_secrets:
            row["secrets"] = self._sealed(entity)
        return row

    def _sealed(self, entity: E) -> bytes | None:
        secrets: dict[str, Any] = getattr(entity, "secrets", {})
        return self.vault.seal(json.dumps(secrets).encode(), self._place(entity.id)) if secrets else None

    def _place(self, id: str) -> str:
        return f"{self.table.name}:{id}:secrets"


class DatasourceRows(Rows[Datasource]):
    """The datasources, which can be searched by name and filtered by what their settings say."""

    def search(
        self,
        datastore_id: str,
        words: str | None,
        *,
        also: Sequence[str] = (),
        limit: int,
        offset: int,
        **equal: str | bool | None,
    ) -> list[Datasource]:
        """Those that `also` names, or whose name or text not indexed yet has the words; newest first."""
        values: dict[str, Any] = {"datastore_id": datastore_id, **equal}
        clause = matching(values)
        if words:
            some = next(batches(also), {})
            named = f" or {one_of('id', some)}" if some else ""
            lower = self.connection.dialect.lower
            says_so = _SAYS_SO_ALREADY.format(text=lower("text"))
            clause += f" and ({lower('name')} like :words_ escape '\\' or {says_so}{named})"
            values |= {"words_": f"%{literally(words.lower())}%", **some}
        page = {"limit_": limit, "offset_": offset}
        return list(self._read(f"{clause} {self._order(True)} limit :limit_ offset :offset_", values | page))

    def tagged(self, datastore_id: str, tags: Sequence[str], custom_ids: Sequence[str]) -> list[str]:
        """The ids of those that have all of the tags and one of the ids of the user's own."""
        wanted = {f"tag_{place}": tag for place, tag in enumerate(tags)}
        named = {f"custom_{place}": id for place, id in enumerate(custom_ids)}
        dialect = self.connection.dialect
        clause = "".join(
            f" and {dialect.has_text('document', 'config', 'tags', value=f':{name}')}" for name in wanted
        )
        if named:
            clause += f" and {one_of(dialect.text_in('document', 'config', 'custom_id'), named)}"
        rows = self.connection.execute(
            f"select id from datasources where datastore_id = :id{clause}",
            {"id": datastore_id, **wanted, **named},
        )
        return [str(id) for (id,) in rows]


def matching(equal: Values) -> str:
    """A where clause: every column has its value; nothing where none is given."""
    conditions = [
        f'"{name}" is null' if value is None else f'"{name}" = :{name}' for name, value in equal.items()
    ]
    return f"where {' and '.join(conditions)}" if conditions else ""


def one_of(column: str, some: Values) -> str:
    """A condition: the column has one of the values under these names."""
    return f"{column} in ({', '.join(f':{name}' for name in some)})"


def batches(values: Sequence[str]) -> Iterator[dict[str, str]]:
    """The values in groups, each value under a name of its own."""
    for start in range(0, len(values), _AT_ONCE):
        yield {f"value_{place}": value for place, value in enumerate(values[start : start + _AT_ONCE])}


def literally(words: str) -> str:
    """Words for a `like` that mean themselves."""
    return words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
