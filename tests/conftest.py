"""What all tests share: an engine on a real file, a clock that stands still, and a way to call by name."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import count
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

from vivavoce.adapters.sql.sqlite_connections import BriefConnection, TookLong
from vivavoce.engine import Engine
from vivavoce.operations import CATALOGUE, OPERATOR, Caller
from vivavoce.settings import Settings, variable
from vivavoce.testing import FakeClock, ingested, open_test_engine


class Run:
    """Carries out operations by name on one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def __call__(
        self, operation: str, /, *, caller: Caller = OPERATOR, **arguments: Any
    ) -> dict[str, Any]:
        """The result as the wire has it."""
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), caller)
        return result.model_dump(mode="json")

    async def indexed(self) -> None:
        """Wait until every datasource is indexed or has failed."""
        await ingested(self.engine)


# The same examples each time and no stopwatch: what a test says does not depend on the day or the machine.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None, max_examples=100)
hypothesis_settings.load_profile("steady")


# Nobody's key is ever spent by a test, nor any setting of theirs heeded.
for field in fields(Settings):
    os.environ.pop(variable(field.name), None)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def broken_off(monkeypatch) -> None:
    """Break off three of four reads at one of their first statements: each must bear to be run again."""
    reads = count(1)
    hurried, execute = BriefConnection.hurried, BriefConnection.execute
    left: dict[BriefConnection, int] = {}

    @contextmanager
    def counting(self: BriefConnection) -> Iterator[None]:
        left[self] = next(reads) % 4
        try:
            with hurried(self):
                yield
        finally:
            del left[self]

    def executed(self: BriefConnection, *asked: Any) -> sqlite3.Cursor:
        if left.get(self):
            left[self] -= 1
            if left[self] == 0:
                raise TookLong
        return execute(self, *asked)

    monkeypatch.setattr(BriefConnection, "hurried", counting)
    monkeypatch.setattr(BriefConnection, "execute", executed)


@pytest.fixture
def settings(tmp_path) -> Settings:
    """The settings of a workspace of its own."""
    return Settings.read({"VIVAVOCE_DATABASE": str(tmp_path / "workspace.db")})


@pytest.fixture
def clock() -> FakeClock:
    """The engine's clock."""
    return FakeClock()


@pytest.fixture
def engine(tmp_path, clock) -> Iterator[Engine]:
    """An engine on an empty workspace."""
    with open_test_engine(tmp_path, clock) as engine:
        yield engine


@pytest.fixture
def run(engine) -> Run:
    """Runs an operation by its wire names: `await run("get_agent", id=…)` gives the wire result."""
    return Run(engine)
