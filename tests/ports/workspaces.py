"""Empty workspaces for tests of the store: a SQLite file, or a schema of a Postgres server."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from vivavoce.adapters.sql.sqlite import SqliteStore, forget_secrets
from vivavoce.adapters.vault import AesVault
from vivavoce.domain.corpus.library import Document
from vivavoce.ports import Tables
from vivavoce.testing import CountedIds

from .entities import KEY, NOON


class OpenStore(Protocol):
    """A store that can be closed."""

    def close(self) -> None: ...


@dataclass
class Workspace:
    """A workspace of one database, which can be opened again and again."""

    place: Path | str
    """The file, or the URL."""

    @property
    def is_file(self) -> bool:
        return isinstance(self.place, Path)

    def store(self, key: bytes = KEY) -> OpenStore:
        """The store; it is closed by who asks for it."""
        if isinstance(self.place, Path):
            return SqliteStore(self.place, AesVault(key), new_id=CountedIds())
        from vivavoce.adapters.sql.postgres import PostgresStore

        return PostgresStore(self.place, AesVault(key), new_id=CountedIds())

    def opened(self, key: bytes = KEY) -> AbstractContextManager[OpenStore]:
        """The store for a while."""
        return closing(self.store(key))

    def forget_secrets(self, key: bytes) -> None:
        """Go on with another key."""
        if isinstance(self.place, Path):
            forget_secrets(self.place, AesVault(key))
        else:
            from vivavoce.adapters.sql import postgres_upkeep

            postgres_upkeep.forget_secrets(self.place, AesVault(key), NOON)

    def asked(self, statement: str) -> list[tuple[object, ...]]:
        """Ask or change the database behind the store's back."""
        if isinstance(self.place, Path):
            with closing(sqlite3.connect(self.place)) as connection:
                rows = connection.execute(statement).fetchall()
                connection.commit()
                return rows
        import psycopg

        with psycopg.connect(self.place, autocommit=True) as asked:
            cursor = asked.execute(statement)
            return cursor.fetchall() if cursor.description is not None else []


@contextmanager
def new_schema(url: str) -> Iterator[str]:
    """The URL of a schema of its own on a Postgres server."""
    import psycopg

    name = f"test_{uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create schema {name}")
    yield f"{url}?options=-csearch_path%3D{name}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop schema {name} cascade")


def said(tables: Tables, datasource_id: str, text: str) -> Document:
    """A version of a datasource that counts."""
    document = Document(
        f"{datasource_id}-1", datasource_id, "d1", NOON, 1, "current", "hash", len(text), "en"
    )
    tables.documents.add(document)
    tables.documents.append(document.id, 0, text)
    return document
