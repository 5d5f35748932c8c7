"""Fakes for tests, and an engine on a real file with a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from vivavoce.adapters import identity
from vivavoce.adapters.sql.sqlite import SqliteStore
from vivavoce.adapters.vault import AesVault
from vivavoce.engine import Engine
from vivavoce.ports import Ports

__all__ = ["CountedIds", "FakeClock", "open_test_engine"]


class FakeClock:
    """A clock that moves only when it is told to."""

    def __init__(self, moment: datetime = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The moment that the clock shows."""
        return self._moment

    def advance(self, **delta: float) -> None:
        """Move on, by the arguments of a timedelta: `clock.advance(days=5)`."""
        self._moment += timedelta(**delta)


class CountedIds:
    """Ids in the shape of a cuid that count up from 1: the n-th call gives the n-th id."""

    def __init__(self) -> None:
        self._count = count(1)

    def __call__(self) -> str:
        return f"c{next(self._count):024d}"


@contextmanager
def open_test_engine(
    folder: Path, clock: FakeClock | None = None, ids: CountedIds | None = None
) -> Iterator[Engine]:
    """The embedded engine on a SQLite file in `folder`, with a clock and ids that can be foretold.

    To open the same folder again, pass the same ids.
    """
    vault, new_id = AesVault(bytes(range(32))), ids or CountedIds()
    store = SqliteStore(folder / "vivavoce.db", vault, new_id=new_id)
    now = (clock or FakeClock()).now
    try:
        yield Engine(Ports(store=store, vault=vault, now=now, new_id=new_id, new_secret=identity.new_secret))
    finally:
        store.close()
