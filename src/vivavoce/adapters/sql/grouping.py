"""Group commit: units of work that wait at the same moment share a transaction, and one wait for the disk.

Each is whole or not at all, whatever becomes of the others, and nobody is told before it is on the disk.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import AbstractContextManager, suppress
from typing import Any, Generic, TypeVar

from vivavoce.ports import Tables

from .rows import Connection

T = TypeVar("T")

_SECONDS = 0.02
"""After so long, who waits behind gets a transaction of their own."""
_MOST = 200

Transaction = Callable[[], AbstractContextManager[Connection]]
"""An open transaction, committed at the end of the block, or rolled back by an error."""


class _Nothing(Exception):
    """Every unit of a group failed: there is nothing to keep, and the disk is left alone."""


class Unit(Generic[T]):
    """A unit of work, and where its outcome is waited for."""

    def __init__(self, work: Callable[[Tables], T]) -> None:
        self.work = work
        self.outcome: Future[T] = Future()
        self._result: T | None = None
        self._error: BaseException | None = None

    def run(self, connection: Connection, tables: Tables) -> None:
        """Run it beside others; what it changed is undone where it fails."""
        self._error = None
        connection.execute("savepoint unit", {})
        try:
            self._result = self.work(tables)
        except BaseException as error:  # told to who waits, whatever it is
            connection.execute("rollback to unit", {})
            self._error = error
        connection.execute("release unit", {})

    @property
    def has_failed(self) -> bool:
        """Whether what it changed was undone."""
        return self._error is not None

    def tell(self, error: BaseException | None = None) -> None:
        """Let who waits go on: with what it gave, or with an error."""
        error = error or self._error
        with suppress(InvalidStateError):  # who waited went away
            if error is None:
                self.outcome.set_result(self._result)  # type: ignore[arg-type]  # what `work` gave
            else:
                self.outcome.set_exception(error)


class Group:
    """The units of work that wait to be written."""

    def __init__(self, transaction: Transaction, tables: Callable[[Connection], Tables]) -> None:
        self._transaction, self._tables = transaction, tables
        self._waiting: deque[Unit[Any]] = deque()

    def add(self, unit: Unit[Any]) -> None:
        """Let it be written by the next call of `write`."""
        self._waiting.append(unit)

    def write(self) -> None:
        """Write what waits, in one thread at a time; often an earlier call has done it already."""
        units: list[Unit[Any]] = []
        try:
            if self._waiting:
                self._write(units)
        except _Nothing:
            for unit in units:
                unit.tell()
        except BaseException as error:  # the transaction itself failed
            if len(units) > 1:  # whose fault it was shows when each is alone
                for unit in units:
                    self._write_alone(unit)
            else:
                # Where there is none, it did not even begin. Who comes once it is told is not meant.
                for unit in units or self._all_that_wait():
                    unit.tell(error)
        else:
            for unit in units:
                unit.tell()

    def _write(self, units: list[Unit[Any]]) -> None:
        """Write what waits in one transaction; `units` gets those that took part."""
        with self._transaction() as connection:
            ends = time.monotonic() + _SECONDS
            tables = self._tables(connection)
            while self._waiting and len(units) < _MOST and (not units or time.monotonic() < ends):
                unit = self._waiting.popleft()
                if unit.outcome.set_running_or_notify_cancel():
                    units.append(unit)
                    unit.run(connection, tables)
            if all(unit.has_failed for unit in units):
                raise _Nothing

    def _all_that_wait(self) -> list[Unit[Any]]:
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def _write_alone(self, unit: Unit[Any]) -> None:
        try:
            with self._transaction() as connection:
                unit.run(connection, self._tables(connection))
                if unit.has_failed:
                    raise _Nothing
        except _Nothing:
            unit.tell()
        except BaseException as error:
            unit.tell(error)
        else:
            unit.tell()
