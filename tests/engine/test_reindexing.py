"""Reindexing: a datastore gets another embedder while the old index serves, in as many runs as it takes."""

import pytest

from vivavoce.engine.library.reindexing import reindex
from vivavoce.errors import UpstreamFailed
from vivavoce.testing import ingested, open_test_engine

from .libraries import Counting, Killed, Library, Several, book


@pytest.fixture
def old() -> Counting:
    return Counting("old")


@pytest.fixture
def new() -> Counting:
    embedder = Counting("new")
    embedder.dimension = 48
    return embedder


@pytest.fixture
def embedders(old, new) -> Several:
    return Several(old, new)


@pytest.fixture
def engine(tmp_path, clock, embedders):
    with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
        yield engine


@pytest.fixture
async def library(engine, embedders) -> Library:
    """A datastore under the old embedder, while the new one is chosen by now."""
    library = await Library(engine).opened("old", "new")
    await library.add("Whales", book(150))
    await library.add("Sharks", "Sharks bite.")
    await ingested(engine)
    embedders.choose("new")
    return library


async def check_new(library: Library, new: Counting, tmp_path) -> None:
    """All is under the new embedder, each passage embedded once, and nothing is left of the old one."""
    number = await library.number("passages")
    shown = await library.run("get_datastore", id=library.id)
    assert (shown["embedder"], shown["dimension"]) == ("new", 48)
    assert len(new.texts) == len(set(new.texts)) == number == await library.indexed()
    assert await library.rows("select embedder, count(*) from vectors group by 1") == [("new", number)]
    assert await library.rows("select embedder, serves from collections") == [("new", 1)]
    assert len(list((tmp_path / "vivavoce.index").iterdir())) == 1
    assert await library.texts("sharks", topK=1) == ["Sharks bite."]


async def test_a_datastore_moves_to_the_chosen_embedder(library, engine, new, tmp_path):
    done = []

    made = await reindex(library.id, engine.ports, done.append)

    assert (made.embedder, made.dimension) == ("new", 48)
    assert sum(done) == await library.number("passages")
    await check_new(library, new, tmp_path)


async def test_the_old_index_serves_until_the_new_one_is_whole(library, engine, old, new, tmp_path):
    seen = []

    async def look(batch: int) -> None:
        shown = await library.run("get_datastore", id=library.id)
        best = (await library.texts("sharks", topK=1))[0]
        seen.append((best, shown["embedder"], (await library.collection()).embedder))

    new.before = look
    await reindex(library.id, engine.ports)

    assert len(seen) >= 3
    assert set(seen) == {("Sharks bite.", "old", "old")}
    await check_new(library, new, tmp_path)


@pytest.mark.parametrize("breaks", ["fails", "kills"])
async def test_a_run_that_was_broken_off_is_gone_on_with(library, engine, new, tmp_path, breaks):
    setattr(new, breaks, {2, 4})

    for _ in range(2):
        with pytest.raises((UpstreamFailed, Killed)):
            await reindex(library.id, engine.ports)
        assert await library.texts("sharks", topK=1) == ["Sharks bite."]
        assert (await library.collection()).embedder == "old"
    await reindex(library.id, engine.ports)

    await check_new(library, new, tmp_path)


async def test_passages_that_arrive_meanwhile_are_included(library, engine, new, tmp_path):
    async def arrive(batch: int) -> None:
        if batch in (2, 3):
            await library.add(f"Penguins {batch}", f"Penguins waddle {batch}. " + book(40, f"penguin{batch}"))
            await ingested(engine)

    new.before = arrive
    await reindex(library.id, engine.ports)

    await check_new(library, new, tmp_path)
    assert "waddle 3" in (await library.texts("penguins waddle 3", topK=1))[0]


async def test_what_is_deleted_meanwhile_is_not_in_the_new_index(library, engine, new, tmp_path):
    id = await library.add("Penguins", book(40, "penguin"))
    await ingested(engine)

    async def delete(batch: int) -> None:
        if batch == 3:
            await library.run("delete_datasource", id=id)

    new.before = delete
    await reindex(library.id, engine.ports)
    await ingested(engine)

    assert await library.number("passages") == await library.indexed()
    assert await library.number("gone") == 0
    assert not any("penguin" in text for text in await library.texts("penguin", topK=50))


async def test_an_ingestion_under_way_goes_on_with_the_new_embedder(library, engine, old, new, tmp_path):
    text = book(150, "penguin")
    id = await library.add("Penguins", text)
    first = old.batches

    async def switch(batch: int) -> None:
        if batch == first + 3:
            await reindex(library.id, engine.ports)

    old.before = switch
    await ingested(engine)

    assert (await library.source(id))["status"] == "synched"
    assert (
        await library.check_passages(id, text) < await library.indexed() == await library.number("passages")
    )
    assert await library.rows("select distinct embedder from collections") == [("new",)]
    await library.add("More", "Albatrosses glide.")
    await ingested(engine)
    assert await library.texts("albatrosses", topK=1) == ["Albatrosses glide."]


async def test_other_datastores_keep_their_embedder_and_their_vectors(
    library, engine, embedders, old, tmp_path
):
    embedders.choose("old")
    other = await Library(engine).opened()
    await other.add("The same", book(150))
    await ingested(engine)
    before, held = len(old.texts), await other.indexed()
    embedders.choose("new")

    await reindex(library.id, engine.ports)

    assert (await other.run("get_datastore", id=other.id))["embedder"] == "old"
    assert (await library.run("get_datastore", id=library.id))["embedder"] == "new"
    assert await other.indexed() == held
    assert await other.found("whale") != []
    vectors = await engine.ports.store.read(
        lambda tables: tables.passages.unindexed(
            tables.collections.of(other.id)[0].changed(filled_to=0), 1_000
        )
    )
    assert all(each.vector is not None for each in vectors)
    assert len(old.texts) == before


async def test_the_same_embedder_makes_the_index_anew_without_embedding(library, engine, embedders, old):
    embedders.choose("old")
    embedded, held = len(old.texts), await library.indexed()

    made = await reindex(library.id, engine.ports)

    assert made.embedder == "old"
    assert (len(old.texts), await library.indexed()) == (embedded, held)
    assert await library.texts("sharks", topK=1) == ["Sharks bite."]


async def test_a_run_that_was_never_finished_leaves_nothing_when_another_embedder_is_chosen(
    library, engine, embedders, new, tmp_path
):
    new.fails = {3}
    with pytest.raises(UpstreamFailed):
        await reindex(library.id, engine.ports)
    embedders.choose("old")

    await reindex(library.id, engine.ports)

    assert await library.rows("select distinct embedder from vectors") == [("old",)]
    assert await library.rows("select embedder, serves from collections") == [("old", 1)]
    assert len(list((tmp_path / "vivavoce.index").iterdir())) == 1


async def test_an_unfinished_index_that_was_lost_is_begun_again(library, engine, new, tmp_path):
    new.fails = {3}
    with pytest.raises(UpstreamFailed):
        await reindex(library.id, engine.ports)
    (unfinished,) = await library.rows("select name from collections where embedder = 'new'")
    await engine.ports.index.drop(unfinished[0])

    await reindex(library.id, engine.ports)

    await check_new(library, new, tmp_path)


async def test_an_empty_datastore_has_nothing_to_reindex(engine):
    library = await Library(engine).opened()

    assert await reindex(library.id, engine.ports) is None
