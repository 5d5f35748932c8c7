"""Fakes for tests, and an engine on a real file with a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from vivavoce.adapters import identity
from vivavoce.adapters.documents.reading import ChildReader
from vivavoce.adapters.index.embedded import EmbeddedIndex
from vivavoce.adapters.sql.sqlite import SqliteStore
from vivavoce.adapters.vault import AesVault
from vivavoce.engine import Engine
from vivavoce.engine.library.ingestion import Ingester
from vivavoce.ports import Channel, Embedders, Index, Models, Outside, Ports, Store, Web

from .knowledge import FakeWeb, TestEmbedders, WordEmbedder
from .models import ScriptedModel, TestModels
from .outside import FakeOutside, MemoryChannel, TestChannels

__all__ = [
    "CountedIds",
    "FakeClock",
    "FakeOutside",
    "FakeWeb",
    "MemoryChannel",
    "ScriptedModel",
    "TestChannels",
    "TestEmbedders",
    "TestModels",
    "WordEmbedder",
    "ingested",
    "open_test_engine",
]


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
    folder: Path,
    clock: FakeClock | None = None,
    ids: CountedIds | None = None,
    *,
    embedders: Embedders | None = None,
    web: Web | None = None,
    index: Index | None = None,
    models: Models | None = None,
    outside: Outside | None = None,
    channel: Channel | None = None,
    store: Store | None = None,
) -> Iterator[Engine]:
    """The embedded engine on a SQLite file in `folder`, with a clock and ids that can be foretold.

    To open the same folder again, pass the same ids. Nothing is ingested until `ingested(engine)` is called.
    A `store` that is given takes the place of the file; who gave it closes it.
    """
    vault, new_id = AesVault(bytes(range(32))), ids or CountedIds()
    own = SqliteStore(folder / "vivavoce.db", vault, new_id=new_id) if store is None else None
    now = (clock or FakeClock()).now
    try:
        yield Engine(
            Ports(
                store=own if store is None else store,  # type: ignore[arg-type]  # one of them is there
                vault=vault,
                reader=ChildReader(),
                web=web or FakeWeb(),
                embedders=embedders or TestEmbedders(),
                index=index or EmbeddedIndex(folder / "vivavoce.index"),
                models=models or TestModels(),
                outside=outside or FakeOutside(),
                channels=TestChannels(channel or MemoryChannel()),
                now=now,
                new_id=new_id,
                new_secret=identity.new_secret,
            )
        )
    finally:
        if own is not None:
            own.close()


async def ingested(engine: Engine) -> None:
    """Work until every datasource is indexed or has failed."""
    await Ingester(engine.ports).finish()
