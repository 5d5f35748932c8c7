"""Entities as rows, in SQL that SQLite and Postgres both understand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from vivavoce.domain.entities import Entity, written
from vivavoce.domain.knowledge import Datasource

from .dialects import Dialect
from .scribe import Scribe
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

    def __init__(self, connection: Connection, table: Table[E], scribe: Scribe) -> None:
        self.connection, self.table, self.scribe = connection, table, scribe

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
        self.connection.execute(self.table.inserting, self.scribe.row(self.table, entity))

    def take(self, entity: E) -> bool:
        """Insert it; False, and nothing is changed, where its id or another name that it needs is taken."""
        sql = f"{self.table.inserting} on conflict do nothing returning id"
        return bool(list(self.connection.execute(sql, self.scribe.row(self.table, entity))))

    def replace(self, entity: E) -> None:
        """Write it over the one with the same id."""
        self.connection.execute(self.table.replacing, self.scribe.row(self.table, entity))

    def drop(self, id: str) -> None:
        """Remove it; foreign keys take along what belongs to it."""
        self.connection.execute(f"delete from {self.table.name} where id = :id", {"id": id})

    def clear(self, before: datetime, limit: int, /, **equal: str | bool | None) -> int:
        """Remove the oldest of those that match and were not changed since then; how many those were."""
        changed_at = self.connection.dialect.text_in("document", "updated_at")
        clause = matching(equal)
        old = (
            f"select id from {self.table.name} {clause} {'and' if clause else 'where'} created_at < :before_"
            f" and {changed_at} < :before_ order by created_at limit :limit_"
        )
        gone = self.connection.execute(
            f"delete from {self.table.name} where id in ({old}) returning id",
            {"before_": written(before), "limit_": limit, **equal},
        )
        return len(list(gone))

    def _order(self, newest_first: bool) -> str:
        return "order by created_at desc, id desc" if newest_first else f'order by "{self.table.order}", id'

    def _read(self, clause: str, values: Values, document: str = "") -> Iterator[E]:
        """The entities; `document` says how much of each document is read, where that is not all of it."""
        reading = self.table.reading.replace('"document"', document) if document else self.table.reading
        for row in self.connection.execute(f"{reading} {clause}", values):
            yield self.scribe.entity(self.table, row)


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
