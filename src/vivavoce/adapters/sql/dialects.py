"""Dialects: the few things that SQLite and Postgres say differently."""

from __future__ import annotations

import re
from typing import Protocol

BYTEWISE = '"C"'
"""How texts are ordered on Postgres: by their bytes, as SQLite does. Ids, times and cursors rely on it."""

_COLUMN = re.compile(r"(^\s+\"?\w+\"?|\badd column \"?\w+\"?) (integer|blob|real|text)\b", re.MULTILINE)
_COUNTED = "integer primary key autoincrement"
_TYPES = {
    "integer": "bigint",
    "blob": "bytea",
    "real": "double precision",
    "text": f"text collate {BYTEWISE}",
}


class Dialect(Protocol):
    """How a database wants to be asked."""

    name: str
    skips_locked: str
    """At the end of a select: lock the rows, and pass over those that another transaction holds."""

    locks: str
    """At the end of a select: let nobody else change the rows until the transaction ends."""

    part: str
    """A small number that transactions at the same time hardly share; 0 where there is one at a time."""

    def lower(self, text: str) -> str:
        """A text in small letters, as Python's `lower` makes them."""
        ...

    def text_in(self, document: str, *path: str) -> str:
        """What a document has at a path, as text; null where it has nothing."""
        ...

    def number_in(self, document: str, *path: str) -> str:
        """The number that a document has at a path; null where it has none."""
        ...

    def has_text(self, document: str, *path: str, value: str) -> str:
        """A condition: the list at a path of a document has the text."""
        ...

    def has_object(self, document: str, *path: str, key: str, value: str) -> str:
        """A condition: the list at a path of a document has an object with the text under a key."""
        ...

    def without(self, document: str, *keys: str) -> str:
        """A document as text, without what it has under these keys."""
        ...

    def in_line(self, name: str) -> str | None:
        """What makes transactions that say the same name take turns; None where all do anyway."""
        ...

    def declared(self, statement: str) -> str | None:
        """A statement of a migration in this dialect; None where it has nothing to do here."""
        ...


class Sqlite:
    """SQLite, in whose words the migrations are written."""

    name = "sqlite"
    skips_locked = ""
    locks = ""
    part = "0"

    def lower(self, text: str) -> str:
        """A text in small letters; the connection has Python's own."""
        return f"lower({text})"

    def text_in(self, document: str, *path: str) -> str:
        """What a document has at a path, as text."""
        return f"cast(json_extract({document}, '$.{'.'.join(path)}') as text)"

    def number_in(self, document: str, *path: str) -> str:
        """The number that a document has at a path."""
        return f"json_extract({document}, '$.{'.'.join(path)}')"

    def has_text(self, document: str, *path: str, value: str) -> str:
        """A condition: the list at a path of a document has the text."""
        listed = f"json_each({document}, '$.{'.'.join(path)}')"
        return f"exists (select 1 from {listed} where value = {value})"

    def has_object(self, document: str, *path: str, key: str, value: str) -> str:
        """A condition: the list at a path of a document has an object with the text under a key."""
        listed = f"json_each({document}, '$.{'.'.join(path)}')"
        return f"exists (select 1 from {listed} where json_extract(value, '$.{key}') = {value})"

    def without(self, document: str, *keys: str) -> str:
        """A document as text, without what it has under these keys."""
        paths = ", ".join(f"'$.{key}'" for key in keys)
        return f"json_remove({document}, {paths})"

    def in_line(self, name: str) -> str | None:
        """Nothing: there is one writer at a time."""
        return None

    def declared(self, statement: str) -> str | None:
        """The statement as it stands."""
        return statement


class Postgres:
    """Postgres. Small letters come from a collation that knows all of them, where the server has one."""

    name = "postgres"
    skips_locked = " for update skip locked"
    locks = " for update"
    part = "1 + pg_backend_pid() % 64"

    def __init__(self, letters: str = "default") -> None:
        self.letters = letters

    def lower(self, text: str) -> str:
        """A text in small letters."""
        return f'lower(({text}) collate "{self.letters}")'

    def text_in(self, document: str, *path: str) -> str:
        """What a document has at a path, as text."""
        return f"(cast({document} as json) #>> '{{{','.join(path)}}}')"

    def number_in(self, document: str, *path: str) -> str:
        """The number that a document has at a path."""
        return f"cast({self.text_in(document, *path)} as double precision)"

    def has_text(self, document: str, *path: str, value: str) -> str:
        """A condition: the list at a path of a document has the text."""
        listed = f"cast({document} as jsonb) #> '{{{','.join(path)}}}'"
        return f"coalesce({listed} @> jsonb_build_array(cast({value} as text)), false)"

    def has_object(self, document: str, *path: str, key: str, value: str) -> str:
        """A condition: the list at a path of a document has an object with the text under a key."""
        listed = f"cast({document} as jsonb) #> '{{{','.join(path)}}}'"
        wanted = f"jsonb_build_array(jsonb_build_object('{key}', cast({value} as text)))"
        return f"coalesce({listed} @> {wanted}, false)"

    def without(self, document: str, *keys: str) -> str:
        """A document as text, without what it has under these keys."""
        listed = ", ".join(f"'{key}'" for key in keys)
        return f"cast(cast({document} as jsonb) - array[{listed}] as text)"

    def in_line(self, name: str) -> str | None:
        """A lock until the transaction ends."""
        return f"select pg_advisory_xact_lock(hashtextextended(current_schema() || {name}, 0))"

    def declared(self, statement: str) -> str | None:
        """The statement with the types of Postgres; old data, which is in files alone, is not converted."""
        if statement.startswith("-- only sqlite"):
            return None
        counted = statement.replace(_COUNTED, "bigint generated by default as identity primary key")
        return _COLUMN.sub(lambda found: f"{found[1]} {_TYPES[found[2]]}", counted)


SQLITE = Sqlite()
