"""The store on Postgres: one schema that many processes on many machines share."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

import psycopg

from vivavoce.errors import StorageFailed
from vivavoce.ports import Tables, Vault

from .dialects import Postgres
from .migrating import migrate
from .postgres_connections import PostgresConnection, connected, failure, is_broken, is_passing, refusal
from .scribe import Scribe
from .transactions import SqlTables
from .workspaces import organization_of

T = TypeVar("T")

_READERS = 4
_WRITERS = 4
_READ = "begin isolation level repeatable read read only"
_WRITE = "begin isolation level repeatable read"
_ALONE = f"{_WRITE}; lock table workspace in exclusive mode"
"""The view is that of the first statement after the lock, so it has what the one before has committed."""
_MIGRATE = "begin isolation level read committed"
_TRIES = 20
_PATIENCE = 10.0
"""Seconds in which a unit of work is repeated that collides with others."""
_COMES_BACK = 5.0
"""Seconds that a server which has gone is waited for, once: after that, who asks is told at once."""
_COLLIDED = ("40001", "40P01")
_TAKEN = "23505"


class PostgresStore:
    """One schema of a Postgres database. Units of work run side by side; those that collide are repeated."""

    def __init__(
        self, url: str, vault: Vault, *, new_id: Callable[[], str], comes_back: float = _COMES_BACK
    ) -> None:
        self.vault = vault
        self._scribe = Scribe(vault)
        self._connections = _Connections(url, comes_back)
        self._organization_id = self._prepared(new_id)
        self._collided = threading.Lock()
        self._writers = ThreadPoolExecutor(_WRITERS, thread_name_prefix="vivavoce-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="vivavoce-read")

    async def read(self, work: Callable[[Tables], T], *, is_long: bool = False) -> T:
        """Run `work` on one unchanging view of the store."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._run, _READ, work)

    async def write(self, work: Callable[[Tables], T], *, alone: bool = False) -> T:
        """Run `work` in one transaction; it is durable when this returns, or nothing happened.

        Where another transaction came first, it is run again from its beginning. Those that are to be
        `alone` take turns, on all machines.
        """
        begin = _ALONE if alone else _WRITE
        return await asyncio.get_running_loop().run_in_executor(self._writers, self._run, begin, work)

    def close(self) -> None:
        """Finish what is under way and let go of the connections."""
        self._writers.shutdown()
        self._readers.shutdown()
        self._connections.close()

    def _run(self, begin: str, work: Callable[[Tables], T]) -> T:
        repeats = _Repeats()
        with ExitStack() as line:
            while True:
                try:
                    return self._once(begin, work)
                except psycopg.Error as error:
                    if not repeats.allowed(error):
                        raise failure(error) from error
                if repeats.number == 1:  # they come one by one now, or they would meet each other again
                    line.enter_context(self._collided)
                repeats.wait()

    def _once(self, begin: str, work: Callable[[Tables], T]) -> T:
        connection = self._connections.own()
        try:
            connection.begin(begin)
            result = work(SqlTables(connection, self._scribe, self._organization_id))
        except BaseException:
            connection.abandon()
            raise
        if begin == _READ:
            connection.abandon()  # there is nothing to keep, and what was read is here
        else:
            _commit(connection)
        return result

    def _prepared(self, new_id: Callable[[], str]) -> str:
        """Migrate, check that the key is the right one, and give a new workspace its identity."""
        try:
            connection = self._connections.own()
            connection.begin(_MIGRATE)
            connection.execute("select pg_advisory_xact_lock(hashtextextended('vivavoce', 0))", {})
            migrate(connection)
            organization_id = organization_of(connection, self.vault, new_id, "the Postgres database")
            connection.commit()
            return organization_id
        except psycopg.Error as error:
            raise failure(error) from error
        finally:
            self._connections.close()


class _Connections:
    """A connection for each thread, made anew when the server has gone and come back."""

    def __init__(self, url: str, comes_back: float) -> None:
        self._url, self._comes_back = url, comes_back
        self._own = threading.local()
        self._all: set[PostgresConnection] = set()
        self._dialect: Postgres | None = None
        self._away_since: float | None = None

    def own(self) -> PostgresConnection:
        """The connection of this thread."""
        connection: PostgresConnection | None = getattr(self._own, "connection", None)
        if connection is None or connection.is_closed:
            self._all.discard(connection)
            connection = self._own.connection = self._new()
            self._all.add(connection)
        return connection

    def close(self) -> None:
        """Let go of all."""
        while self._all:
            self._all.pop().close()

    def _new(self) -> PostgresConnection:
        """A new connection. One who had some before waits a little for a server that is away."""
        while True:
            try:
                connection = connected(self._url, self._dialect)
            except psycopg.ProgrammingError as error:  # its words quote the address, with the password
                raise refusal(error) from None
            except psycopg.OperationalError as error:
                now = time.monotonic()
                self._away_since = self._away_since or now
                is_given_up = now > self._away_since + self._comes_back
                if self._dialect is None or is_given_up or not is_passing(error):
                    raise refusal(error) from error
                time.sleep(random.uniform(0.05, 0.2))
            else:
                self._away_since, self._dialect = None, connection.dialect
                return connection


class _Repeats:
    """How often a unit of work was run, and whether it may be run again."""

    def __init__(self) -> None:
        self.number, self._ends = 0, time.monotonic() + _PATIENCE
        self._taken: tuple[str | None, ...] = ()
        self._is_broken = False

    def allowed(self, error: psycopg.Error) -> bool:
        """Whether to run it again after this error."""
        self.number += 1
        if self.number >= _TRIES or time.monotonic() > self._ends:
            return False
        if error.sqlstate == _TAKEN:
            # Another may have taken the next number meanwhile. What is taken twice is really taken.
            before, self._taken = self._taken, (error.diag.constraint_name, error.diag.message_detail)
            return before != self._taken
        if is_broken(error):
            before_broken, self._is_broken = self._is_broken, True
            return not before_broken
        return error.sqlstate in _COLLIDED

    def wait(self) -> None:
        """Wait a little, and longer each time."""
        time.sleep(random.uniform(0, min(0.001 * 2**self.number, 0.1)))


def _commit(connection: PostgresConnection) -> None:
    try:
        connection.commit()
    except psycopg.Error as error:
        connection.abandon()
        if is_broken(error):
            raise StorageFailed(
                "The connection to Postgres broke while a change was being stored.",
                hint="It is not known whether it was stored: look before you try it again.",
            ) from error
        raise
