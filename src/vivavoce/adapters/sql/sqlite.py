"""The store on SQLite: one file, one writer, many readers, nothing acknowledged before it is on disk."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from vivavoce.errors import Conflict, StorageFailed
from vivavoce.ports import Tables, Vault

from .grouping import Group, Unit
from .migrating import migrate
from .rows import Connection
from .scribe import Scribe
from .sqlite_connections import BriefConnection, SqliteConnection, TookLong, connected, private, reading
from .transactions import SqlTables
from .workspaces import SEALED, fingerprint_of, organization_of

T = TypeVar("T")
C = TypeVar("C", bound=SqliteConnection)

_READERS = 4
_IN_A_ROW = 16
"""Reads in one round of the event loop after which others have a turn."""


class SqliteStore:
    """One SQLite file. Writes take their turn in one thread; reads run at once, and long ones in others."""

    def __init__(self, path: Path, vault: Vault, *, new_id: Callable[[], str]) -> None:
        self.path, self.vault = path, vault
        self._scribe = Scribe(vault)
        self._own = threading.local()
        self._in_a_row = 0
        self._counting: asyncio.AbstractEventLoop | None = None
        self._opened: list[SqliteConnection] = []
        self._is_closed = False
        self._organization_id = self._prepared(new_id)
        self._group = Group(partial(self._transaction, "begin immediate", SqliteConnection), self._tables)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="vivavoce-read")

    async def read(self, work: Callable[[Tables], T], *, is_long: bool = False) -> T:
        """Run `work` on one unchanging view of the store.

        Most reads take less than the way to a thread and back, so it is tried here first. What takes longer
        is broken off, and begun anew in a thread.
        """
        if not is_long:
            if self._is_one_too_many():
                await asyncio.sleep(0)  # once: who gave way again and again would never have its turn
            with suppress(TookLong):
                return self._briefly(work)
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
        self._is_closed = True
        for connection in self._opened:
            connection.close()

    def _is_one_too_many(self) -> bool:
        """Whether others should have a turn first: a row of reads ends when the event loop goes round."""
        loop = asyncio.get_running_loop()
        if self._in_a_row == 0 or loop is not self._counting:
            self._counting, self._in_a_row = loop, 0
            loop.call_soon(setattr, self, "_in_a_row", 0)
        self._in_a_row += 1
        return self._in_a_row >= _IN_A_ROW

    def _run(self, begin: str, work: Callable[[Tables], T]) -> T:
        with self._transaction(begin, SqliteConnection) as connection:
            return work(self._tables(connection))

    def _briefly(self, work: Callable[[Tables], T]) -> T:
        """Run it in this thread; TookLong where it takes too long for that."""
        with self._transaction("begin", BriefConnection) as connection, connection.hurried():
            return work(self._tables(connection))

    def _tables(self, connection: Connection) -> SqlTables:
        return SqlTables(connection, self._scribe, self._organization_id)

    @contextmanager
    def _transaction(self, begin: str, kind: type[C]) -> Iterator[C]:
        with _translated():
            connection = self._connection(kind)
            connection.execute(begin)
            try:
                yield connection
                connection.execute("commit")
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")

    def _connection(self, kind: type[C]) -> C:
        """The connection of this kind that this thread has."""
        connection: C | None = getattr(self._own, kind.__name__, None)
        if self._is_closed:
            raise StorageFailed("The database was closed.")
        if connection is None:
            connection = connected(self.path, kind)
            setattr(self._own, kind.__name__, connection)
            self._opened.append(connection)
        return connection

    def _prepared(self, new_id: Callable[[], str]) -> str:
        """Migrate, check that the key is the right one, and give a new workspace its identity."""
        with _translated():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            private(self.path)
        with self._transaction("begin immediate", SqliteConnection) as connection:
            migrate(connection)
            return organization_of(connection, self.vault, new_id, f"the database {self.path}")


def back_up(path: Path, copy: Path) -> None:
    """Write a whole and consistent copy of the database while it is in use."""
    with _translated():
        if not path.exists():
            raise StorageFailed(f"There is no database at {path}.")
        if copy.exists():
            raise Conflict(f"{copy} exists already.", hint="Name a file that does not exist.")
        private(copy)
        try:
            with closing(reading(path)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
                _part_from_the_index(target)
                target.execute("pragma journal_mode = delete")
        except BaseException:
            copy.unlink()  # half a backup is worse than none
            raise


def forget_secrets(path: Path, vault: Vault) -> None:
    """Give up what another key has sealed: secrets become empty, API keys end. The vault's key counts now."""
    with _translated(), closing(connected(path, SqliteConnection)) as connection:
        connection.execute("begin immediate")
        for name in sorted(SEALED & _tables_in(connection)):
            connection.execute(f"update {name} set secrets = null")
        ended = "json_set(document, '$.revoked_at', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
        connection.execute(f"update keys set document = {ended}")
        connection.execute("update workspace set value = ? where name = 'key'", (fingerprint_of(vault),))
        connection.execute("commit")


def faults_in(path: Path) -> list[str]:
    """What SQLite finds wrong with a database file; nothing when it is sound."""
    with _translated(), closing(reading(path)) as connection:
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
