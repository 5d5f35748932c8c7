"""Archives are the way from SQLite to Postgres, and back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ports.servers import Server, postgres_server
from tests.ports.workspaces import new_schema
from tests.upkeep.houses import furnish, things
from tests.upkeep.test_archives import contents
from vivavoce.engine import Engine
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.testing import CountedIds, ingested, open_test_engine
from vivavoce.upkeep.archives import load, save


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def on_postgres(tmp_path, clock, postgres) -> Iterator[Engine]:
    """An engine on an empty schema."""
    from vivavoce.adapters.sql.postgres import PostgresStore
    from vivavoce.adapters.vault import AesVault

    ids, folder = CountedIds(), tmp_path / "postgres"
    folder.mkdir()
    with new_schema(postgres.url) as url:
        store = PostgresStore(url, AesVault(bytes(range(32))), new_id=ids)
        try:
            with open_test_engine(folder, clock, ids, store=store) as engine:
                yield engine
        finally:
            store.close()


@pytest.fixture
def again(tmp_path) -> Iterator[Engine]:
    folder = tmp_path / "again"
    folder.mkdir()
    with open_test_engine(folder) as engine:
        yield engine


async def test_a_workspace_moves_to_postgres_and_back(engine, on_postgres, again, tmp_path):
    await engine.ports.store.write(furnish)
    await save(engine.ports, tmp_path / "there.zip")

    first = await load(on_postgres.ports, tmp_path / "there.zip")
    second = await load(on_postgres.ports, tmp_path / "there.zip")
    there = await contents(on_postgres)
    await save(on_postgres.ports, tmp_path / "back.zip")
    await load(again.ports, tmp_path / "back.zip")

    assert first.number("failed") == first.number("kept") == 0
    assert second.number("added") == second.number("failed") == second.number("kept") == 0
    assert {name: len(there[name]) for name in things()} == {
        name: len(some) for name, some in things().items()
    }
    assert await contents(again) == there


async def test_texts_that_moved_to_postgres_are_found(engine, on_postgres, tmp_path):
    await engine.ports.store.write(furnish)
    await save(engine.ports, tmp_path / "there.zip")

    await load(on_postgres.ports, tmp_path / "there.zip")
    await ingested(on_postgres)

    question = CATALOGUE["query_datastore"].parse({"id": "books", "query": "river mill"})
    found = await on_postgres.run(question, OPERATOR)
    assert found.chunks[0].text.startswith("The mill stood by the river.")


async def test_names_that_are_taken_are_left_empty_on_postgres_too(engine, on_postgres, tmp_path):
    await engine.ports.store.write(furnish)
    await save(engine.ports, tmp_path / "there.zip")
    taken = things()["contacts"][0].model_copy(update={"id": "other"})
    await on_postgres.ports.store.write(lambda tables: tables.contacts.add(taken))

    dry = await load(on_postgres.ports, tmp_path / "there.zip", is_dry=True)
    report = await load(on_postgres.ports, tmp_path / "there.zip")

    assert dry.counts == report.counts
    assert sorted(dry.remarks) == sorted(report.remarks)
    contact = await on_postgres.ports.store.read(lambda tables: tables.contacts.find("zoe"))
    assert contact.email is None
    assert report.number("failed") == 0


async def test_a_place_that_is_taken_is_told_by_a_dry_run_on_postgres_too(engine, on_postgres, tmp_path):
    await engine.ports.store.write(furnish)
    await save(engine.ports, tmp_path / "there.zip")
    await load(on_postgres.ports, tmp_path / "there.zip")

    def exchange(tables):
        other = tables.messages.find("m2").model_copy(update={"id": "mine"})
        tables.messages.drop("m2")
        tables.messages.add(other)

    await on_postgres.ports.store.write(exchange)
    dry = await load(on_postgres.ports, tmp_path / "there.zip", is_dry=True)

    assert dry.counts["messages"] == {"kept": 1, "unchanged": 1}
    assert dry.counts == (await load(on_postgres.ports, tmp_path / "there.zip")).counts
