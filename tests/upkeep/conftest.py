"""What the tests of upkeep share: an app on an engine whose embedder counts words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.app import App
from vivavoce.engine import Engine
from vivavoce.engine.keys import Keyring
from vivavoce.engine.library.ingestion import Ingester
from vivavoce.engine.time.inbox import Inbox
from vivavoce.testing import open_test_engine


@pytest.fixture
def app(engine: Engine) -> App:
    """The app of an empty workspace."""
    inbox = Inbox(engine.ports, engine.worker.wake)
    return App(engine, Keyring(engine.ports), b"", engine.ports, Ingester(engine.ports), inbox)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Engine]:
    """Another workspace, with nothing in it."""
    folder = tmp_path / "other"
    folder.mkdir()
    with open_test_engine(folder) as other:
        yield other
