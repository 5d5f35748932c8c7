"""The worker: faults that nobody foresaw, files that are kept or dropped, and turns that are shared."""

import asyncio
from dataclasses import replace

import pytest

from vivavoce.engine.library import splitting
from vivavoce.engine.library.ingestion import Ingester
from vivavoce.errors import NotFound, StorageFailed
from vivavoce.operations import OPERATOR
from vivavoce.operations.uploads import AddFile
from vivavoce.testing import TestEmbedders, ingested, open_test_engine

from .libraries import Counting, Library, book


class Stumbling(Counting):
    """Breaks down over one word."""

    word = "kraken"

    async def passages(self, texts):
        if any(self.word in text for text in texts):
            raise RuntimeError("nobody foresaw this")
        return await super().passages(texts)


class Jammed:
    """A reader that fails for now."""

    async def read(self, file, kind):
        raise StorageFailed("There is no room to read it.")
        yield


class FullAt:
    """A store on a disk that is full at one of its next writes, and has room again after it."""

    def __init__(self, store, write: int) -> None:
        self.store, self.left = store, write

    async def read(self, work, **how):
        return await self.store.read(work, **how)

    async def write(self, work, **how):
        self.left -= 1
        if self.left == 0:
            raise StorageFailed("The database failed: database or disk is full.")
        return await self.store.write(work, **how)


@pytest.fixture
def embedder() -> Stumbling:
    return Stumbling()


@pytest.fixture
def engine(tmp_path, clock, embedder):
    with open_test_engine(tmp_path, clock, embedders=TestEmbedders(embedder)) as engine:
        yield engine


@pytest.fixture
async def library(engine) -> Library:
    return await Library(engine).opened()


async def given_up(engine, clock) -> None:
    """Work for as long as anything is tried again."""
    for _ in range(10):
        await Ingester(engine.ports).finish()
        clock.advance(hours=1)


# Faults that nobody foresaw


async def test_a_datasource_with_an_unexpected_fault_waits_and_the_others_go_on(
    library, engine, clock, caplog
):
    bad = await library.add(text="The kraken sleeps.")
    good = await library.add(text="Whales sing.")

    await ingested(engine)

    waiting = await library.source(bad)
    assert (waiting["status"], waiting["error"]) == ("pending", "An unexpected fault; see the log.")
    assert (await library.source(good))["status"] == "synched"
    assert bad in caplog.text
    assert "nobody foresaw this" in caplog.text
    await given_up(engine, clock)
    failed = await library.source(bad)
    assert failed["status"] == "error"
    assert failed["error"].startswith("Given up after 8 tries. An unexpected fault; see the log.")


async def test_a_worker_goes_on_after_a_fault_of_its_own(library, engine, embedder, caplog):
    class Faulty(FullAt):
        async def write(self, work, **how):
            try:
                return await super().write(work, **how)
            except StorageFailed as error:
                raise RuntimeError("nobody foresaw this") from error

    done = asyncio.Event()

    async def seen(batch: int) -> None:
        done.set()

    embedder.before = seen
    await library.add(text="Whales sing.")
    worker = Ingester(replace(engine.ports, store=Faulty(engine.ports.store, 1)))
    working = asyncio.create_task(worker.run())
    try:
        async with asyncio.timeout(30):
            while "Ingestion stands still" not in caplog.text:
                await asyncio.sleep(0)
            worker.wake()
            await done.wait()
    finally:
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working


# Files


async def test_a_file_that_was_given_up_is_kept_and_read_when_it_is_asked_for_again(
    library, engine, clock, tmp_path
):
    id = await library.upload(tmp_path / "whales.txt", b"Whales sing.")
    await given_up(type(engine)(replace(engine.ports, reader=Jammed())), clock)
    assert "8 tries" in (await library.source(id))["error"]

    await library.run("synch_datasource", id=id)
    await ingested(engine)

    assert await library.texts("whales") == ["Whales sing."]
    assert await library.number("uploads") == 0


async def test_a_text_that_follows_a_file_that_was_given_up_counts(
    library, engine, clock, embedder, tmp_path
):
    id = await library.upload(tmp_path / "whales.txt", b"Whales sing.")
    await given_up(type(engine)(replace(engine.ports, reader=Jammed())), clock)
    await library.add(id=id, text="The kraken sleeps.")
    await given_up(engine, clock)

    embedder.word = "nothing"
    await library.run("synch_datasource", id=id)
    await ingested(engine)

    assert await library.texts("kraken whales") == ["The kraken sleeps."]


@pytest.mark.parametrize("write", [2, 3, 4])
async def test_an_upload_that_breaks_off_leaves_nothing(library, engine, tmp_path, write):
    (tmp_path / "book.txt").write_bytes(b"Whales sing. " * 400_000)
    full = type(engine)(replace(engine.ports, store=FullAt(engine.ports.store, write)))

    with pytest.raises(StorageFailed):
        await full.run(
            AddFile(datastore_id=library.id, name="book.txt", file=tmp_path / "book.txt"), OPERATOR
        )

    for table in ("datasources", "uploads", "ingestions"):
        assert await library.number(table) == 0, table


async def test_an_upload_that_replaces_one_and_breaks_off_leaves_the_old_one(library, engine, tmp_path):
    id = await library.upload(tmp_path / "whales.txt", b"Whales sing.")
    await ingested(engine)
    before = await library.source(id)
    full = type(engine)(replace(engine.ports, store=FullAt(engine.ports.store, 1)))

    with pytest.raises(StorageFailed):
        await full.run(
            AddFile(datastore_id=library.id, name="whales.txt", file=tmp_path / "whales.txt", replaces=id),
            OPERATOR,
        )

    assert await library.source(id) == before
    assert await library.number("uploads") == 0


@pytest.mark.parametrize("is_known", [True, False])
async def test_of_uploads_that_replace_the_same_at_once_one_wins(library, engine, tmp_path, is_known):
    contents = [f"Whales sing song {number}. ".encode() * 200_000 for number in range(3)]
    if is_known:
        await library.upload(tmp_path / "old.txt", b"Whales dive.", replaces="mine")

    ids = await asyncio.gather(
        *(
            library.upload(tmp_path / f"{number}.txt", content, replaces="mine")
            for number, content in enumerate(contents)
        )
    )

    kept = await engine.ports.store.read(lambda tables: b"".join(tables.uploads.chunks("mine")))
    assert set(ids) == {"mine"}
    assert kept in contents


async def test_a_datasource_that_is_deleted_while_it_is_uploaded_is_not_found(library, engine, tmp_path):
    class Deleting(FullAt):
        async def write(self, work, **how):
            self.left -= 1
            if self.left == 0:
                (source,) = (await library.run("get_datastore", id=library.id))["datasources"]
                await library.run("delete_datasource", id=source["id"])
            return await self.store.write(work, **how)

    (tmp_path / "book.txt").write_bytes(b"Whales sing.")
    deleting = type(engine)(replace(engine.ports, store=Deleting(engine.ports.store, 2)))

    with pytest.raises(NotFound):
        await deleting.run(
            AddFile(datastore_id=library.id, name="book.txt", file=tmp_path / "book.txt"), OPERATOR
        )


# Turns


async def test_a_long_text_lets_others_have_their_turn_and_is_done_once(
    library, engine, embedder, clock, monkeypatch
):
    monkeypatch.setattr(splitting, "_TURN", 3)
    text = book(200)
    long = await library.add(text=text)
    clock.advance(seconds=1)
    short = ""
    done_at = []

    async def look(batch: int) -> None:
        nonlocal short
        clock.advance(seconds=1)
        if batch == 2:
            short = await library.add(text="Sharks bite.")
        if short and not done_at and (await library.source(short))["status"] == "synched":
            done_at.append((await library.source(long))["nbChunks"])

    embedder.before = look
    await ingested(engine)

    assert done_at == [96]
    for id in (long, short):
        assert (await library.source(id))["status"] == "synched"
    number = await library.check_passages(long, text)
    assert number > 192
    assert len(embedder.texts) == len(set(embedder.texts)) == number + 1 == await library.indexed()
    assert (await library.source(long))["nbSynch"] == 1


async def test_giving_way_costs_no_tries(library, engine, embedder, monkeypatch):
    monkeypatch.setattr(splitting, "_TURN", 1)
    long = await library.add(text=book(290))
    await library.add(text="The kraken sleeps.")  # always waits to be tried again
    attempts = []

    async def look(batch: int) -> None:
        attempts.append(
            (await library.rows(f"select attempts from ingestions where datasource_id='{long}'"))[0][0]
        )

    embedder.before = look
    await ingested(engine)

    assert len(attempts) > 8
    assert set(attempts) == {1}
    assert (await library.source(long))["status"] == "synched"
