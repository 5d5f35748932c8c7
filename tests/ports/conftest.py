"""The servers that adapters are tested on: real ones, and ones that say what a test wants."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from . import loopback
from .index_suite import API_KEY, new_collection
from .servers import Server, postgres_server, qdrant_server
from .workspaces import new_schema


@pytest.fixture(scope="session")
def qdrant() -> Iterator[Server]:
    with qdrant_server(API_KEY) as server:
        yield server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_schema(postgres) -> Iterator[str]:
    """The URL of an empty schema of Postgres."""
    with new_schema(postgres.url) as url:
        yield url


@pytest.fixture
def collection() -> str:
    """The name of a collection that no other test uses."""
    return new_collection()


@pytest.fixture
async def canary() -> AsyncIterator[loopback.Server]:
    """A server inside, which nobody may reach."""
    async with loopback.serving() as server:
        yield server


@pytest.fixture
async def front() -> AsyncIterator[loopback.Server]:
    """A server that the tests take for one on the public internet."""
    async with loopback.serving() as server:
        yield server
