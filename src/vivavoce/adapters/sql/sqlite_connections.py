"""Connections to a SQLite file."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from .dialects import SQLITE

_PATIENCE = 10.0
"""Seconds to wait for another process that writes."""
_BRIEF = 0.002
"""Seconds of the processor that brief work may take."""
_AT_MOST = 0.010
"""Seconds of the clock, which count the waiting for other threads too."""
_STEPS = 1_000
"""After so many steps of SQLite's machine the time is looked at."""
_NOT_NOW = (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY)


class TookLong(Exception):
    """Work that was to be brief was broken off."""


class SqliteConnection(sqlite3.Connection):
    """A connection that says how it wants to be asked, and waits for others who write."""

    dialect = SQLITE
    patience = _PATIENCE


class BriefConnection(SqliteConnection):
    """A connection for what is soon done: it waits for nobody, and can be hurried."""

    patience = 0.0
    _until = _until_at_most = inf

    def execute(self, *asked: Any) -> sqlite3.Cursor:
        """Run one statement, or TookLong where the time is over."""
        if self._is_late():
            raise TookLong
        return super().execute(*asked)

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """A block that ends by TookLong when it takes long, or has to wait for another process."""
        self._until, self._until_at_most = time.thread_time() + _BRIEF, time.monotonic() + _AT_MOST
        self.set_progress_handler(self._is_late, _STEPS)
        try:
            yield
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_NOW:  # Python's own faults have none
                raise TookLong from error
            raise
        finally:
            self._until = self._until_at_most = inf
            self.set_progress_handler(None, 0)

    def _is_late(self) -> bool:
        return time.thread_time() > self._until or time.monotonic() > self._until_at_most


C = TypeVar("C", bound=SqliteConnection)


def connected(path: Path, kind: type[C]) -> C:
    """A new connection, open for a file that is there or not."""
    connection = sqlite3.connect(
        path, timeout=kind.patience, isolation_level=None, check_same_thread=False, factory=kind
    )
    if kind.patience:  # who has none finds the file as another connection of its store has left it
        _switch_to_wal(connection)
    for pragma in ("synchronous = full", "foreign_keys = on"):
        connection.execute(f"pragma {pragma}")
    connection.create_function("lower", 1, str.lower, deterministic=True)  # SQLite's own knows ASCII alone
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Let readers read beside a writer. On a new file SQLite does not wait for others here, so we do."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.001, 0.02))
        else:
            return


def reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, and makes no file."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def private(path: Path) -> None:
    """Create the file readable by its owner alone."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
