"""The store on SQLite: one file, one writer, many readers, nothing acknowledged before it is on disk."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from vivavoce.errors import StorageFailed
from vivavoce.ports import Tables, Vault

from .dialects import SQLITE
from .grouping import Group, Unit
from .migrating import migrate
from .rows import Connection
from .scribe import Scribe
from .transactions import SqlTables
from .workspaces import SEALED, fingerprint_of, organization_of

T = TypeVar("T")

_READERS = 4
_PATIENCE = 10.0
"""Seconds to wait for another process that writes."""


class SqliteStore:
    """One SQLite file. Writes take their turn in one thread; reads run beside them in others."""

    def __init__(self, path: Path, vault: Vault, *, new_id: Callable[[], str]) -> None:
        self.path, self.vault = path, vault
        self._scribe = Scribe(vault)
        self._own = threading.local()
        self._opened: list[_Connection] = []
        self._organization_id = self._prepared(new_id)
        self._group = Group(partial(self._transaction, "begin immediate"), self._tables)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="vivavoce-read")

    async def read(self, work: Callable[[Tables], T]) -> T:
        """Run `work` on one unchanging view of the store."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._run, "begin", work)

    async def write(self, work: Callable[[Tables], T], *, alone: bool = False) -> T:
        """Run `work` in one transaction; it is durable when this returns, or nothing happened.

        Units of work that wait at the same moment go to the disk together, each whole or not at all. Each is
        alone: they come after each other.
        """
        unit = Unit(work)
        self._group.add(unit)
        self._writer.submit(self._group.write)
        with _translated():
            return await asyncio.wrap_future(unit.outcome)

    def close(self) -> None:
        """Finish what is under way and let go of the file."""
        self._writer.shutdown()
        self._readers.shutdown()
        for connection in self._opened:
            connection.close()

    def _run(self, begin: str, work: Callable[[Tables], T]) -> T:
        with self._transaction(begin) as connection:
            return work(self._tables(connection))

    def _tables(self, connection: Connection) -> SqlTables:
        return SqlTables(connection, self._scribe, self._organization_id)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[_Connection]:
        with _translated():
            connection = self._connection()
            connection.execute(begin)
            try:
                yield connection
                connection.execute("commit")
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")

    def _connection(self) -> _Connection:
        """The connection of this thread."""
        connection: _Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = _connected(self.path)
            self._opened.append(connection)
        return connection

    def _prepared(self, new_id: Callable[[], str]) -> str:
        """Migrate, check that the key is the right one, and give a new workspace its identity."""
        with _translated():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _private(self.path)
        with self._transaction("begin immediate") as connection:
            migrate(connection)
            return organization_of(connection, self.vault, new_id, f"the database {self.path}")


def back_up(path: Path, copy: Path) -> None:
    """Write a whole and consistent copy of the database while it is in use."""
    with _translated():
        if not path.exists():
            raise StorageFailed(f"There is no database at {path}.")
        if copy.exists():
            raise StorageFailed(f"{copy} exists already.", hint="Name a file that does not exist.")
        _private(copy)
        try:
            with closing(_reading(path)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
                _part_from_the_index(target)
                target.execute("pragma journal_mode = delete")
        except BaseException:
            copy.unlink()  # half a backup is worse than none
            raise


def forget_secrets(path: Path, vault: Vault) -> None:
    """Give up what another key has sealed: secrets become empty, API keys end. The vault's key counts now."""
    with _translated(), closing(_connected(path)) as connection:
        connection.execute("begin immediate")
        for name in sorted(SEALED & _tables_in(connection)):
            connection.execute(f"update {name} set secrets = null")
        ended = "json_set(document, '$.revoked_at', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
        connection.execute(f"update keys set document = {ended}")
        connection.execute("update workspace set value = ? where name = 'key'", (fingerprint_of(vault),))
        connection.execute("commit")


def faults_in(path: Path) -> list[str]:
    """What SQLite finds wrong with a database file; nothing when it is sound."""
    with _translated(), closing(_reading(path)) as connection:
        found = [str(row[0]) for row in connection.execute("pragma quick_check")]
        return [] if found == ["ok"] else found


def _part_from_the_index(copy: sqlite3.Connection) -> None:
    """Give the copy's collections names of their own.

    Where the copy is used one day, an index that has gone on since must not be taken for its own.
    """
    if "collections" in _tables_in(copy):
        copy.execute("delete from gone")
        copy.execute("update collections set filled_to = 0, name = name || '.' || ?", (token_hex(4),))
        copy.commit()


def _tables_in(connection: sqlite3.Connection) -> set[str]:
    """The tables that a database has; an older one lacks some."""
    return {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}


class _Connection(sqlite3.Connection):
    """A connection that says how it wants to be asked."""

    dialect = SQLITE


def _connected(path: Path) -> _Connection:
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, factory=_Connection
    )
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


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _private(path: Path) -> None:
    """Create the file readable by its owner alone."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


@contextmanager
def _translated() -> Iterator[None]:
    """Faults of the disk and the database in our own words. Callers from afar read them: no paths."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        raise StorageFailed(
            f"The database failed: {cause}.",
            hint="Nothing was stored. Check free space and access rights, or run vivavoce doctor.",
        ) from error
