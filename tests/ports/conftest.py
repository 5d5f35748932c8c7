"""The servers that adapters are tested on: one of each for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .index_suite import API_KEY, new_collection
from .servers import Server, postgres_server, qdrant_server


@pytest.fixture(scope="session")
def qdrant() -> Iterator[Server]:
    with qdrant_server(API_KEY) as server:
        yield server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def collection() -> str:
    """The name of a collection that no other test uses."""
    return new_collection()
