"""A hosted account is copied into a workspace in Postgres as into a file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.ports.servers import Server, postgres_server
from tests.ports.workspaces import new_schema
from vivavoce.adapters.vault import AesVault
from vivavoce.testing import CountedIds, open_test_engine
from vivavoce.upkeep.moving_in.indexing import index_waiting

from .accounts import Filled, copied, fill, numbers

from serving import key_for, served, settings_in  # isort: skip  # found by way of accounts


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def engine(tmp_path, clock, postgres):
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


@pytest.fixture(scope="module")
def account(tmp_path_factory):
    settings = settings_in(tmp_path_factory.mktemp("account"))
    ids = asyncio.run(fill(settings))
    key = key_for(settings, "read", "write", "send").key
    with served(settings) as address:
        yield Filled(address, key, ids)


async def test_an_account_is_copied_once_and_followed(app, account):
    backend = account.backend()
    try:
        first = await copied(app, backend)
        await account.change("update_agent", id=account.ids["agent"], temperature=1.0)
        second = await copied(app, backend)
    finally:
        await backend.close()

    assert sum(numbers(first, "added").values()) == 18
    assert numbers(first, "failed") == numbers(second, "failed") == {}
    assert numbers(second, "updated") == {"agents": 1}
    assert sum(numbers(second, "unchanged").values()) == 14
    assert await index_waiting(app, lambda done, total: None) == []
    agent, sources = await app.ports.store.read(
        lambda tables: (tables.agents.find(account.ids["agent"]), tables.datasources.where())
    )
    assert agent.temperature == 1.0
    assert {source.status for source in sources} == {"synched"}
