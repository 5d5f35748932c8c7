"""What an index on a server does when the server is shared, away, slow or not what it should be."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest

from vivavoce.adapters.pgvector import PgvectorIndex
from vivavoce.adapters.qdrant import QdrantIndex
from vivavoce.errors import NotAvailable, UpstreamFailed
from vivavoce.ports import Entry

from .index_suite import (
    OPENED,
    Open,
    Passages,
    an_entry,
    asking,
    at_postgres,
    at_qdrant,
    clustered,
    ids_found,
    new_collection,
    unit,
)
from .servers import Server


@pytest.fixture(params=["qdrant", "pgvector"])
def served(request) -> tuple[Server, Open]:
    """A server, and what opens the index on it."""
    server = request.getfixturevalue("qdrant" if request.param == "qdrant" else "postgres")
    return server, lambda: OPENED[request.param](server.url)


async def test_two_openings_of_a_server_make_its_tables_at_once(served):
    _, opening = served
    names = [new_collection() for _ in range(4)]
    entry = Entry(1, "d1", unit(*range(1, 12)), {"a": 1})

    async def adds(name: str) -> int:
        async with opening() as index:
            await index.add(name, [entry])
            return await index.count(name)

    assert await asyncio.gather(*map(adds, names)) == [1, 1, 1, 1]


# Servers that fail


async def test_a_server_that_is_gone_is_said_plainly_and_found_again_when_it_is_back(served, collection):
    server, opening = served
    async with opening() as index:
        await index.add(collection, [an_entry(1, words={"tax": 1})])
        await asyncio.gather(*(index.search(collection, asking("tax"), 5) for _ in range(5)))
        server.stop()
        try:
            for call in (
                index.add(collection, [an_entry(2)]),
                index.search(collection, asking("tax"), 5),
                index.count(collection),
                index.remove(collection, [1]),
                index.drop(collection),
            ):
                with pytest.raises(UpstreamFailed, match="cannot be reached") as failed:
                    await call
                assert "127.0.0.1" not in str(failed.value)
        finally:
            server.start()

        assert await ids_found(index, collection, asking("tax")) == {1}
        await asyncio.gather(*(index.search(collection, asking("tax"), 5) for _ in range(10)))
        await index.add(collection, [an_entry(2)])
        assert await index.count(collection) == 2


async def test_a_wrong_key_for_qdrant_is_said_without_the_key(qdrant, collection):
    async with at_qdrant(qdrant.url, "a secret key") as index:
        with pytest.raises(UpstreamFailed, match="does not accept the key") as failed:
            await index.count(collection)

    assert "secret" not in str(failed.value)


async def test_an_address_of_postgres_that_is_wrong_is_said_without_its_password(postgres, collection):
    wrong = postgres.url.replace("postgres@", "nobody:secret@")
    async with at_postgres(wrong) as index:
        with pytest.raises(UpstreamFailed, match="Postgres") as failed:
            await index.count(collection)

    assert "secret" not in str(failed.value)
    assert "nobody" not in str(failed.value)


async def test_a_postgres_that_hangs_is_given_up_and_used_again_when_it_goes_on(postgres, collection):
    index = PgvectorIndex(postgres.url, within=1)
    postgres.process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(UpstreamFailed, match="too long"):
            await index.count(collection)
    finally:
        postgres.process.send_signal(signal.SIGCONT)

    assert await index.count(collection) == 0
    await index.close()


async def test_without_psycopg_the_way_to_install_it_is_named(monkeypatch, collection):
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(NotAvailable, match=r"vivavoce\[postgres\]"):
        await PgvectorIndex("postgresql://127.0.0.1/none").count(collection)


async def test_an_answer_that_is_not_from_qdrant_is_said_plainly(collection):
    async def send(method: str, url: str, **_: object) -> tuple[int, bytes]:
        return (200, b"<html>Welcome</html>") if method == "POST" else (503, b"")

    index = QdrantIndex("http://127.0.0.1", "", send)

    with pytest.raises(UpstreamFailed, match="not a Qdrant server"):
        await index.count(collection)
    with pytest.raises(UpstreamFailed, match="status 503"):
        await index.add(collection, [an_entry(1)])


# Graphs


async def test_a_large_collection_in_postgres_is_searched_by_a_graph_of_its_own(postgres, collection):
    entries, questions = clustered(3_000, 48, seed=3)
    passages = Passages(entries)
    index = PgvectorIndex(postgres.url, large=2_000)
    try:
        await index.add(collection, entries[:1_500])
        await asyncio.gather(*(index.add(collection, entries[at : at + 500]) for at in (1_500, 2_000, 2_500)))
        found = 0
        for question in questions:
            right = sorted(passages.scored(question).values(), key=lambda hit: -hit.meaning)[:10]
            found += len({hit.id for hit in right} & await ids_found(index, collection, question, 10))
        filtered = questions[0]._replace(datasource_ids=frozenset(["d3"]))
        among_some = await index.search(collection, filtered, 10)
        graphs = await graphs_in(postgres)
        await index.drop(collection)

        assert found >= 0.97 * 10 * len(questions)
        passages.check(among_some, filtered, 10)
        assert len(graphs) == 1
        assert await graphs_in(postgres) == []
        assert await index.count(collection) == 0
    finally:
        await index.close()


async def graphs_in(postgres: Server) -> list[str]:
    """The names of the graphs that Postgres has and can use."""
    import psycopg

    async with await psycopg.AsyncConnection.connect(postgres.url) as connection:
        rows = await connection.execute(
            "select relname from pg_class join pg_index on indexrelid = oid "
            "where relname like '%graph%' and indisvalid"
        )
        return [name for (name,) in await rows.fetchall()]
