"""The databases that the crash test knows: a SQLite file, or a Postgres server of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_AGO = "2000-01-01T00:00:00.000Z"
_WAITING = f"kind = 'follow' and due_at > '{_AGO}'"
Ask = Callable[[str], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Database:
    """Where the workspace is, and a way to look into it past the program."""

    name: str
    place: str
    """What VIVAVOCE_DATABASE says."""
    ask: Ask
    let_an_hour_pass: Callable[[], None]
    """Lets those who wait for a silence have waited long enough."""


@contextmanager
def database(name: str, folder: Path) -> Iterator[Database]:
    """An empty one; pytest's Skipped where it is not installed."""
    if name == "sqlite":
        path = folder / "workspace.db"
        yield Database(name, str(path), lambda query: _of_sqlite(path, query), lambda: _hurry_sqlite(path))
        return
    from tests.ports.servers import postgres_server

    with postgres_server() as server:
        url = server.url
        yield Database(name, url, lambda query: _of_postgres(url, query), lambda: _hurry_postgres(url))


def _of_sqlite(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()


def _of_postgres(url: str, query: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query).fetchall()


def _hurry_sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
        connection.execute("begin immediate")
        waiting = f"select lane from jobs where {_WAITING}"
        connection.execute(f"update lanes set due_at = '{_AGO}' where lane in ({waiting})")
        since = f"json_set(document, '$.since', '{_AGO}')"
        connection.execute(f"update jobs set due_at = '{_AGO}', document = {since} where {_WAITING}")
        connection.execute("commit")


def _hurry_postgres(url: str) -> None:
    import psycopg

    since = f"cast(jsonb_set(cast(document as jsonb), '{{since}}', '\"{_AGO}\"') as text)"
    moved = f"update jobs set due_at = '{_AGO}', document = {since} where {_WAITING} returning lane"
    with psycopg.connect(url) as connection:
        connection.execute(
            f"with moved as ({moved}) update lanes set due_at = '{_AGO}' from moved"
            " where lanes.lane = moved.lane"
        )
