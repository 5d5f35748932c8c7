"""The databases that the crash test knows: a SQLite file, or a Postgres server of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Ask = Callable[[str], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Database:
    """Where the workspace is, and a way to look into it past the program."""

    name: str
    place: str
    """What VIVAVOCE_DATABASE says."""
    ask: Ask


@contextmanager
def database(name: str, folder: Path) -> Iterator[Database]:
    """An empty one; pytest's Skipped where it is not installed."""
    if name == "sqlite":
        path = folder / "workspace.db"
        yield Database(name, str(path), lambda query: _of_sqlite(path, query))
        return
    from tests.ports.servers import postgres_server

    with postgres_server() as server:
        yield Database(name, server.url, lambda query: _of_postgres(server.url, query))


def _of_sqlite(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()


def _of_postgres(url: str, query: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query).fetchall()
