"""An engine whose workspace is a schema of a real Postgres server."""

from collections.abc import Iterator

import pytest

from tests.ports.servers import Server, postgres_server
from tests.ports.workspaces import new_schema
from vivavoce.adapters.vault import AesVault
from vivavoce.engine import Engine
from vivavoce.testing import CountedIds, open_test_engine


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def line_url(postgres) -> Iterator[str]:
    """The database that lines are on."""
    with new_schema(postgres.url) as url:
        yield url


@pytest.fixture
def engine(tmp_path, clock, postgres) -> Iterator[Engine]:
    """An engine on an empty schema, in place of the one on a file."""
    from vivavoce.adapters.sql.postgres import PostgresStore

    ids = CountedIds()
    with new_schema(postgres.url) as url:
        store = PostgresStore(url, AesVault(bytes(range(32))), new_id=ids)
        try:
            with open_test_engine(tmp_path, clock, ids, store=store) as engine:
                yield engine
        finally:
            store.close()
