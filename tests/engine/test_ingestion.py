"""Ingestion: every datasource comes into the index whole and once, whatever happens on the way."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from vivavoce.adapters.index.postings import hash_of
from vivavoce.domain.corpus.documents import MOST_TITLES, Part
from vivavoce.engine.library.ingestion import Ingester
from vivavoce.errors import Conflict, InvalidInput, NotFound, StorageFailed, TooLarge
from vivavoce.operations import OPERATOR
from vivavoce.operations.uploads import AddFile
from vivavoce.testing import FakeWeb, TestEmbedders, ingested, open_test_engine

from .libraries import Counting, Killed, Library, book


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture
def web() -> FakeWeb:
    return FakeWeb()


@pytest.fixture
def engine(tmp_path, clock, embedder, web):
    with open_test_engine(tmp_path, clock, embedders=TestEmbedders(embedder), web=web) as engine:
        yield engine


@pytest.fixture
async def library(engine) -> Library:
    return await Library(engine).opened()


async def killed(engine) -> None:
    """Let a worker end in the middle, without a chance to clean up."""
    with pytest.raises(Killed):
        await Ingester(engine.ports).finish()


# From pending to synched


async def test_a_text_goes_from_pending_over_running_to_synched(library, engine, embedder):
    seen = []

    async def look(batch: int) -> None:
        source = await library.source(id)
        seen.append((source["status"], source["progress"], source["nbChunks"]))

    embedder.before = look
    text = book(150)
    id = await library.add(text=text)
    assert (await library.source(id))["status"] == "pending"

    await ingested(engine)

    statuses, progress, chunks = zip(*seen, strict=True)
    assert set(statuses) == {"running"}
    assert progress[0] == 0
    assert list(progress) == sorted(set(progress))
    assert progress[-1] < 1
    assert list(chunks) == [32 * number for number in range(len(seen))]
    source = await library.source(id)
    assert (source["status"], source["progress"], source["error"]) == ("synched", 1.0, None)
    assert source["nbChunks"] == await library.check_passages(id, text) == await library.indexed()
    assert source["nbTokens"] >= len(text.split())
    assert (source["nbSynch"], source["lastSynch"]) == (1, source["updatedAt"])


async def test_a_datastore_keeps_which_embedder_made_its_vectors(library, engine):
    before = await library.run("get_datastore", id=library.id)
    await library.add(text="Whales are mammals.")
    await ingested(engine)
    after = await library.run("get_datastore", id=library.id)

    assert (before["embedder"], before["dimension"]) == (None, None)
    assert (after["embedder"], after["dimension"]) == ("words-64", 64)


async def test_a_file_is_read_and_forgotten_once_its_text_is_there(library, engine, tmp_path):
    id = await library.upload(tmp_path / "whales.md", b"# Whales\n\nThey sing.\n\n# Sharks\n\nThey bite.")
    assert (await library.source(id))["status"] == "pending"
    assert await library.number("uploads") == 1

    await ingested(engine)

    source = await library.source(id)
    assert (source["status"], source["textSize"], source["nbChunks"]) == ("synched", 42, 1)
    assert await library.number("uploads") == 0
    assert (await library.found("sing"))[0]["datasource_id"] == id


async def test_every_passage_is_the_text_at_its_offsets(library, engine):
    text = "# Título\n\n" + book(5) + "\n\n# Ação\n\n" + book(5, "baleia")
    await library.add(text=text)
    await ingested(engine)

    for chunk in await library.found("whale baleia", topK=20):
        quoted = await library.run(
            "read_document", documentId=chunk["document_id"], start=chunk["start"], end=chunk["end"]
        )
        assert chunk["text"] == quoted["text"] == text[chunk["start"] : chunk["end"]]
        assert quoted["isCurrent"]


# Broken off


async def test_when_the_embedder_fails_the_rest_is_done_later_and_nothing_twice(
    library, engine, embedder, clock
):
    text = book(150)
    id = await library.add(text=text)
    embedder.fails = {3}

    await ingested(engine)
    waiting = await library.source(id)
    await ingested(engine)
    assert embedder.batches == 3, "It is not tried again before its time."
    clock.advance(seconds=6)
    await ingested(engine)

    assert (waiting["status"], waiting["nbChunks"]) == ("pending", 64)
    assert "does not answer" in waiting["error"]
    source = await library.source(id)
    assert (source["status"], source["error"]) == ("synched", None)
    number = await library.check_passages(id, text)
    assert len(embedder.texts) == len(set(embedder.texts)) == number == source["nbChunks"]
    assert await library.indexed() == number


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize("killed_at", [{1}, {2}, {5}, {2, 4, 5}, set(range(2, 40, 2))])
async def test_a_killed_worker_leaves_off_at_the_last_finished_batch(
    library, engine, embedder, clock, tmp_path, as_file, killed_at
):
    text = book(130)
    embedder.kills = killed_at
    if as_file:
        id = await library.upload(tmp_path / "book.txt", text.encode())
    else:
        id = await library.add(text=text)

    while True:
        try:
            await Ingester(engine.ports).finish()
            break
        except Killed:
            assert (await library.source(id))["status"] == "running"
            assert not await Ingester(engine.ports).work(), "Another one waits until the lease ends."
            clock.advance(seconds=13)

    source = await library.source(id)
    assert source["status"] == "synched"
    number = await library.check_passages(id, text)
    assert len(embedder.texts) == len(set(embedder.texts)) == number == source["nbChunks"]
    assert await library.indexed() == number
    assert await library.number("uploads") == 0


@pytest.mark.parametrize("as_file", [False, True])
async def test_a_worker_killed_on_a_second_version_goes_on_with_it(
    library, engine, embedder, clock, tmp_path, as_file
):
    old, new = book(40, "shark"), book(100)

    async def put(text: str, **more: str) -> str:
        if as_file:
            return await library.upload(tmp_path / "book.txt", text.encode(), replaces=more.get("id"))
        return await library.add(text=text, **more)

    id = await put(old)
    await ingested(engine)
    await put(new, id=id)
    embedder.kills = {embedder.batches + 3}
    await killed(engine)

    assert "shark" in (await library.texts("shark"))[0], "The old version serves until the new one is whole."
    clock.advance(seconds=13)
    await ingested(engine)

    assert await library.check_passages(id, new) == await library.indexed()
    assert len(embedder.texts) == len(set(embedder.texts))
    assert (await library.source(id))["text"] == new
    assert not any("shark" in text for text in await library.texts("shark whale", topK=50))


async def test_a_worker_that_is_asked_to_end_lets_go_of_its_work(library, engine, embedder):
    reached = asyncio.Event()

    async def stop(batch: int) -> None:
        if batch == 2:
            reached.set()
            await asyncio.Event().wait()

    embedder.before = stop
    text = book(60)
    id = await library.add(text=text)
    working = asyncio.create_task(Ingester(engine.ports).run())
    await reached.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    embedder.before = None

    assert (await library.source(id))["status"] == "pending"
    await ingested(engine)  # at once: there is no lease to wait for
    assert (await library.source(id))["status"] == "synched"
    await library.check_passages(id, text)
    assert len(embedder.texts) == len(set(embedder.texts))


async def test_after_eight_tries_without_progress_it_is_given_up_and_can_be_asked_for_again(
    library, engine, embedder, clock
):
    text = book(100)
    id = await library.add(text=text)
    embedder.fails = set(range(2, 100))
    for _ in range(12):
        await ingested(engine)
        clock.advance(hours=1)

    source = await library.source(id)
    assert source["status"] == "error"
    assert "8 tries" in source["error"]
    assert "does not answer" in source["error"]
    assert embedder.batches == 2 + 8, "The tries are counted from the last progress on."
    embedder.fails = set()
    await library.run("synch_datasource", id=id)
    await ingested(engine)

    assert (await library.source(id))["status"] == "synched"
    assert await library.check_passages(id, text) == len(embedder.texts)


async def test_a_new_version_that_was_given_up_is_not_lost(library, engine, embedder, clock):
    id = await library.add(text="Sharks bite.")
    await ingested(engine)
    embedder.fails = set(range(2, 100))
    await library.add(id=id, text="Whales sing.")
    for _ in range(12):
        await ingested(engine)
        clock.advance(hours=1)

    assert await library.texts("sharks") == ["Sharks bite."]
    embedder.fails = set()
    await library.run("synch_datasource", id=id)
    await ingested(engine)
    assert await library.texts("whales sharks") == ["Whales sing."]


# Many at once


async def test_two_workers_share_the_work_and_do_nothing_twice(library, engine, embedder):
    texts = {await library.add(f"Text {n}", book(20, f"whale{n}")): book(20, f"whale{n}") for n in range(8)}

    await asyncio.gather(*(Ingester(engine.ports).finish() for _ in range(3)))

    total = 0
    for id, text in texts.items():
        assert (await library.source(id))["status"] == "synched"
        total += await library.check_passages(id, text)
    assert len(embedder.texts) == total == await library.indexed()


async def test_who_lost_the_work_changes_nothing_more(library, engine, embedder, clock):
    text = book(100)
    id = await library.add(text=text)
    waits, goes_on = asyncio.Event(), asyncio.Event()

    async def slow(batch: int) -> None:
        if batch == 2:
            waits.set()
            await goes_on.wait()

    embedder.before = slow
    first = asyncio.create_task(Ingester(engine.ports).finish())
    await waits.wait()
    clock.advance(seconds=13)
    await Ingester(engine.ports).finish()
    finished = await library.source(id)
    goes_on.set()
    await first

    assert finished["status"] == "synched"
    assert await library.source(id) == finished
    assert await library.check_passages(id, text) == await library.indexed()


async def test_a_newer_text_fences_off_the_work_on_the_older_one(library, engine, embedder):
    id = await library.add(text=book(100, "shark"))

    async def replaced(batch: int) -> None:
        if batch == 2:
            await library.add(id=id, text="Whales sing.")

    embedder.before = replaced
    await ingested(engine)

    assert (await library.source(id))["status"] == "synched"
    assert await library.texts("whales sharks", topK=50) == ["Whales sing."]
    assert await library.check_passages(id, "Whales sing.") == await library.indexed() == 1


async def test_the_same_datasource_written_twice_at_once_has_one_of_the_texts(library, engine):
    texts = [f"Whales sing song {number}." for number in range(6)]
    await library.add(id="mine", text="First.")

    await asyncio.gather(*(library.add(id="mine", text=text) for text in texts), ingested(engine))
    await ingested(engine)

    found = await library.texts("whales first", topK=20)
    assert len(found) == 1
    assert found[0] in texts
    assert (await library.source("mine"))["text"] == found[0]
    assert await library.indexed() == 1


async def test_the_same_file_twice_at_once_becomes_two_datasources_and_is_embedded_once(
    library, engine, embedder, tmp_path
):
    content = book(40).encode()
    folders = [tmp_path / "one", tmp_path / "other"]  # a file that is being written may be read half
    for folder in folders:
        folder.mkdir()
    ids = await asyncio.gather(*(library.upload(folder / "book.txt", content) for folder in folders))

    await ingested(engine)

    assert len(set(ids)) == 2
    numbers = {await library.check_passages(id, content.decode()) for id in ids}
    assert numbers == {len(embedder.texts)}
    assert len(await library.found("whale", topK=100)) <= len(embedder.texts)


# What is known already


async def test_an_unchanged_text_is_not_embedded_again(library, engine, embedder, tmp_path):
    text = book(40)
    first = await library.add(text=text)
    second = await library.upload(tmp_path / "book.txt", text.encode())
    await ingested(engine)
    embedded = len(embedder.texts)
    before = await library.rows("select id, version, state from documents order by id")

    await library.add(id=first, text=text)
    await library.upload(tmp_path / "book.txt", text.encode(), replaces=second)
    await ingested(engine)
    await library.run("synch_datasource", id=first)
    await ingested(engine)

    assert len(embedder.texts) == embedded
    assert await library.rows("select id, version, state from documents order by id") == before
    assert (await library.source(first))["nbSynch"] == 3
    assert (await library.source(second))["status"] == "synched"
    for id in (first, second):
        await library.check_passages(id, text)


async def test_the_same_text_in_another_datastore_is_not_embedded_again(library, engine, embedder):
    other = await Library(engine).opened()
    text = book(40)
    await library.add(text=text)
    await ingested(engine)
    embedded = len(embedder.texts)

    id = await other.add(text=text)
    await ingested(engine)

    assert len(embedder.texts) == embedded
    assert await other.check_passages(id, text) == await other.indexed() == embedded


async def test_only_the_changed_part_of_a_text_is_embedded_again(library, engine, embedder):
    beginning = book(60)
    id = await library.add(text=beginning)
    await ingested(engine)
    before = len(embedder.texts)

    longer = beginning + " " + book(3, "shark")
    await library.add(id=id, text=longer)
    await ingested(engine)

    assert len(embedder.texts) - before <= 6
    assert await library.check_passages(id, longer) == await library.indexed()


# Versions and deletion


async def test_a_changed_text_is_a_new_version_and_old_citations_still_resolve(library, engine):
    id = await library.add(name="Return policy.md", text="Shoes may come back within 30 days.")
    await ingested(engine)
    (old,) = await library.found("how many days for shoes")
    await library.add(id=id, name="Return policy.md", text="Shoes may come back within 60 days.")
    await ingested(engine)

    (new,) = await library.found("how many days for shoes")
    cited = await library.run(
        "read_document", documentId=old["document_id"], start=old["start"], end=old["end"]
    )

    assert new["text"] == "Shoes may come back within 60 days."
    assert (cited["text"], cited["version"], cited["isCurrent"]) == (old["text"], 1, False)
    assert new["document_id"] != old["document_id"]
    assert await library.indexed() == await library.number("passages") == await library.number("vectors") == 1


async def test_a_text_that_goes_back_to_what_it_was_is_a_third_version(library, engine):
    id = await library.add(text="One whale.")
    await ingested(engine)
    for text in ("Two whales.", "One whale."):
        await library.add(id=id, text=text)
        await ingested(engine)

    versions = await library.rows("select version, state from documents order by version")
    assert versions == [(1, "old"), (2, "old"), (3, "current")]
    assert await library.texts("whale") == ["One whale."]


async def test_deleting_a_datasource_removes_its_text_its_passages_and_its_vectors(library, engine, tmp_path):
    kept = await library.add(text="Sharks bite.")
    id = await library.upload(tmp_path / "book.txt", book(60, "leviathan").encode())
    await ingested(engine)
    (found, *_) = await library.found("leviathan")
    word = hash_of("leviathan").to_bytes(8, "little")
    assert word in files_of(tmp_path / "vivavoce.index")
    await library.add(id=id, text=book(60, "leviathan two"))
    await ingested(engine)
    assert await library.indexed() > 60

    await library.run("delete_datasource", id=id)
    await ingested(engine)

    assert await library.found("leviathan", filters={"datasource_ids": [id]}) == []
    for table in ("passages", "vectors", "documents", "parts"):
        assert await library.number(table) == 1, table
    assert await library.indexed() == 1
    with pytest.raises(NotFound):
        await library.run("read_document", documentId=found["document_id"])
    assert word not in files_of(tmp_path / "vivavoce.index")
    assert await library.texts("sharks", filters={"datasource_ids": [kept]}) == ["Sharks bite."]


async def test_deleting_one_of_two_that_say_the_same_keeps_the_other(library, engine, embedder):
    text = book(10)
    one, other = await library.add(text=text), await library.add(text=text)
    await ingested(engine)

    await library.run("delete_datasource", id=one)
    await ingested(engine)
    await library.run("synch_datasource", id=other)
    await ingested(engine)

    assert await library.check_passages(other, text) == await library.number("vectors") == len(embedder.texts)
    assert {chunk["datasource_id"] for chunk in await library.found("whale", topK=50)} == {other}


def files_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("what", ["datasource", "datastore"])
async def test_what_is_deleted_while_it_is_ingested_leaves_nothing_behind(
    library, engine, embedder, tmp_path, what
):
    id = await library.add(text=book(100))

    async def delete(batch: int) -> None:
        if batch == 3:
            await library.run(f"delete_{what}", id=id if what == "datasource" else library.id)

    embedder.before = delete
    await ingested(engine)

    for table in ("passages", "vectors", "documents", "parts", "ingestions", "gone"):
        assert await library.number(table) == 0, table
    if what == "datasource":
        assert await library.indexed() == 0
    else:
        assert list((tmp_path / "vivavoce.index").iterdir()) == []
        assert await library.number("collections") == 0


# Files that cannot be read


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("nul.txt", b"\0" * 2_000 + b"text", "not text"),
        ("blank.txt", b" \n\t\n ", "empty"),
        ("broken.pdf", b"%PDF-1.7 nothing more", ""),
        ("broken.docx", b"PK\x03\x04 nothing more", ""),
        ("cut.json", b'{"a": [1, 2', ""),
    ],
)
async def test_an_unreadable_file_is_an_error_with_the_reason(
    library, engine, tmp_path, name, content, reason
):
    id = await library.upload(tmp_path / name, content)
    await ingested(engine)

    source = await library.source(id)
    assert source["status"] == "error"
    assert reason in source["error"]
    assert len(source["error"]) > 10
    for table in ("uploads", "passages", "documents", "parts", "ingestions"):
        assert await library.number(table) == 0, table


async def test_an_unreadable_file_leaves_the_version_before_it_in_place(library, engine, tmp_path):
    id = await library.upload(tmp_path / "whales.txt", b"Whales sing.")
    await ingested(engine)
    await library.upload(tmp_path / "whales.txt", b"Whales \0\0\0\0 bite.", replaces=id)
    await ingested(engine)

    source = await library.source(id)
    assert (source["status"], source["text"]) == ("error", "Whales sing.")
    assert await library.texts("whales") == ["Whales sing."]
    await library.upload(tmp_path / "whales.txt", b"Whales dive.", replaces=id)
    await ingested(engine)
    assert await library.texts("whales") == ["Whales dive."]


async def test_a_text_after_many_blanks_is_read(library, engine, tmp_path):
    id = await library.upload(tmp_path / "blanks.txt", b" \n" * 40_000 + b"Whales sing.")
    await ingested(engine)

    assert (await library.source(id))["status"] == "synched"
    assert await library.texts("whales") == ["Whales sing."]


async def test_a_file_in_the_old_western_encoding_is_read(library, engine, tmp_path):
    await library.upload(
        tmp_path / "old.txt", "A devolução é grátis durante trinta dias, não mais.".encode("cp1252")
    )
    await ingested(engine)

    assert "devolução" in (await library.texts("devolucao"))[0]


async def test_an_empty_text_and_an_empty_file_are_refused(library, tmp_path):
    with pytest.raises(InvalidInput):
        await library.add(text=" \n ")
    with pytest.raises(InvalidInput):
        await library.upload(tmp_path / "empty.txt", b"")
    assert await library.number("datasources") == 0


async def test_a_file_that_is_too_large_is_refused_before_it_is_stored(library, tmp_path):
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(100 * 2**20 + 1)

    with pytest.raises(TooLarge):
        await library.engine.run(
            AddFile(datastore_id=library.id, name="huge.txt", file=tmp_path / "huge.txt"), OPERATOR
        )
    assert await library.number("uploads") == await library.number("datasources") == 0


async def test_a_text_of_a_hundred_megabytes_is_an_error_in_words_and_leaves_nothing(
    library, engine, tmp_path
):
    id = await library.upload(tmp_path / "huge.txt", b"Whales sing in the deep sea. " * 3_600_000)
    await ingested(engine)

    source = await library.source(id)
    assert source["status"] == "error"
    assert "50,000,000 characters" in source["error"]
    for table in ("uploads", "passages", "documents", "parts", "ingestions"):
        assert await library.number(table) == 0, table


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.txt", "/etc/passwd.txt", "C:\\boot.txt", "a/b.txt", ".txt"]
)
async def test_a_name_that_is_a_path_is_only_a_name(library, engine, tmp_path, name):
    files = {file for file in tmp_path.rglob("*") if "vivavoce" not in str(file)}
    id = await library.upload(tmp_path / "given", b"Whales sing.", name=name)
    await ingested(engine)

    assert (await library.source(id))["status"] == "synched"
    assert (await library.found("whales"))[0]["datasource_name"] == name
    after = {file for file in tmp_path.rglob("*") if "vivavoce" not in str(file.relative_to(tmp_path))}
    assert after - files <= {tmp_path / "given"}


class FullAfter:
    """A store on a disk that is full after some more writes."""

    def __init__(self, store, writes: int) -> None:
        self.store, self.left = store, writes

    async def read(self, work, **how):
        return await self.store.read(work, **how)

    async def write(self, work, **how):
        if self.left == 0:
            raise StorageFailed("The database failed: database or disk is full.")
        self.left -= 1
        return await self.store.write(work, **how)


async def test_an_upload_that_breaks_off_stays_unsynched_and_is_never_read(library, engine, tmp_path):
    (tmp_path / "book.txt").write_bytes(b"Whales sing. " * 800_000)
    full = type(engine)(replace(engine.ports, store=FullAfter(engine.ports.store, 2)))

    with pytest.raises(StorageFailed):
        await full.run(
            AddFile(datastore_id=library.id, name="book.txt", file=tmp_path / "book.txt"), OPERATOR
        )
    await ingested(engine)

    (source,) = (await library.run("get_datastore", id=library.id))["datasources"]
    assert (source["status"], source["nbChunks"]) == ("unsynched", 0)
    await library.run("delete_datasource", id=source["id"])
    assert await library.number("uploads") == 0


async def test_a_full_disk_at_any_moment_leaves_nothing_half_done(library, engine, clock, embedder):
    text = book(70)
    id = await library.add(text=text)
    for writes in range(12):
        worker = Ingester(replace(engine.ports, store=FullAfter(engine.ports.store, writes)))
        with suppress(StorageFailed):
            await worker.finish()
        clock.advance(hours=1)
        number = await library.number("passages")
        assert number % 32 == 0 or number == (await library.source(id))["nbChunks"]
    await ingested(engine)

    assert (await library.source(id))["status"] == "synched"
    assert await library.check_passages(id, text) == await library.indexed()


# The web


SITE = {
    "https://shop.example/": b"<html><title>Shop</title><p>Welcome to the whale shop.</p></html>",
    "https://shop.example/returns": b"<html><p>Harpoons may be returned within 30 days.</p></html>",
    "https://shop.example/private/staff": b"<html><p>The staff meets on Monday.</p></html>",
    "https://other.example/": b"<html><p>Something else.</p></html>",
}


async def test_a_page_is_fetched_and_indexed_and_read_again_when_it_is_asked_for(
    library, engine, web, embedder
):
    web.pages = dict(SITE)
    url = "https://shop.example/returns"
    id = await library.add("Returns", type="web_page", config={"source_url": url})
    await ingested(engine)
    (before,) = await library.found("return harpoons")
    embedded = len(embedder.texts)

    await library.run("synch_datasource", id=id)
    await ingested(engine)
    assert len(embedder.texts) == embedded
    web.pages[url] = b"<html><p>Harpoons may be returned within 90 days.</p></html>"
    await library.run("synch_datasource", id=id)
    await ingested(engine)

    (after,) = await library.found("return harpoons")
    assert (before["source"], after["source"]) == (url, url)
    assert "30 days" in before["text"]
    assert "90 days" in after["text"]
    assert len(embedder.texts) == embedded + 1


async def test_a_page_that_cannot_be_fetched_is_an_error_and_the_old_text_stays(library, engine, web):
    web.pages = dict(SITE)
    url = "https://shop.example/returns"
    id = await library.add("Returns", type="web_page", config={"source_url": url})
    await ingested(engine)
    del web.pages[url]
    await library.run("synch_datasource", id=id)
    await ingested(engine)

    source = await library.source(id)
    assert source["status"] == "error"
    assert "404" in source["error"]
    assert "30 days" in (await library.texts("harpoons"))[0]


async def test_a_site_becomes_its_pages_and_they_go_with_it(library, engine, web):
    web.pages = dict(SITE)
    config = {
        "source_url": "https://shop.example/",
        "black_listed_urls": ["https://shop.example/private"],
        "tags": ["shop"],
    }
    site = await library.add("Shop", type="web_site", config=config)
    await ingested(engine)
    pages = (await library.run("get_datastore", id=library.id, groupId=site))["datasources"]

    assert {page["name"] for page in pages} == {"https://shop.example/", "https://shop.example/returns"}
    assert {(page["status"], page["type"], page["groupId"]) for page in pages} == {
        ("synched", "web_page", site)
    }
    assert (await library.source(site))["status"] == "synched"
    (found, *_) = await library.found("harpoons", tags=["shop"])
    assert (found["source"], found["tags"]) == ("https://shop.example/returns", ["shop"])

    await library.run("synch_datasource", id=site)
    await ingested(engine)
    again = (await library.run("get_datastore", id=library.id, groupId=site))["datasources"]
    assert {page["id"] for page in again} == {page["id"] for page in pages}
    assert {page["nbSynch"] for page in again} == {2}

    await library.run("delete_datasource", id=site)
    await ingested(engine)
    assert await library.number("datasources") == await library.number("passages") == 0
    assert await library.indexed() == 0


# Many, and large


async def test_ten_thousand_datasources_are_kept_paged_and_filtered_while_one_more_is_ingested(
    library, engine
):
    first = await library.add("first", "Whales sing.", custom_id="mine", config={"tags": ["sea"]})
    await ingested(engine)

    def many(tables) -> None:
        source = tables.datasources.find(first)
        for number in range(10_000):
            copy = {"id": f"copy{number:05}", "name": f"Copy {number}", "config": {}, "status": "unsynched"}
            tables.datasources.add(source.model_copy(update=copy))

    await engine.ports.store.write(many)
    last = await library.add("last", "Whales dive.")
    await ingested(engine)

    shown = await library.run("get_datastore", id=library.id, limit=1_000, offset=10)
    page = await library.run("list_datasources", datastoreId=library.id, offset=9_990, limit=100)
    assert (shown["_count"]["datasources"], len(shown["datasources"])) == (10_002, 2)
    assert (page["pagination"]["total"], page["pagination"]["count"]) == (10_002, 12)
    assert {chunk["datasource_id"] for chunk in await library.found("whales")} == {first, last}
    assert [chunk["datasource_id"] for chunk in await library.found("whales", tags=["sea"])] == [first]
    among = [f"copy{number:05}" for number in range(9_999)] + [last]
    assert [
        chunk["datasource_id"] for chunk in await library.found("whales", filters={"datasource_ids": among})
    ] == [last]


# What readers and sites give


class Opened:
    """A reader of which a test sees whether the file is still there when it ends."""

    def __init__(self) -> None:
        self.ended: list[bool] = []

    async def read(self, file, kind):
        try:
            for _ in range(1_000):
                yield Part("Whales sing. ")
        finally:
            self.ended.append(file.exists())


async def test_a_reader_that_is_broken_off_ends_before_its_file_goes(library, engine, tmp_path):
    await library.upload(tmp_path / "whales.txt", b"Whales sing.")
    reader = Opened()
    store = FullAfter(engine.ports.store, 8)

    with suppress(StorageFailed):
        await Ingester(replace(engine.ports, store=store, reader=reader)).finish()

    assert store.left == 0
    assert reader.ended == [True]


async def test_a_token_in_the_address_of_a_page_of_a_site_is_covered_and_used(library, engine, web):
    url = "https://shop.example/returns?token=s3cret"
    web.pages = {url: b"<p>Harpoons may be returned.</p>", "https://shop.example/?x=********": b"<p>No.</p>"}
    site = await library.add("Shop", type="web_site", config={"source_url": "https://shop.example/"})
    for number in (1, 2):
        await ingested(engine)
        (page,) = (await library.run("get_datastore", id=library.id, groupId=site))["datasources"]
        assert (page["status"], page["nbSynch"]) == ("synched", number)
        assert page["name"] == page["config"]["source_url"] == "https://shop.example/returns?token=********"
        await library.run("synch_datasource", id=site)
    (found,) = await library.found("harpoons")
    assert "s3cret" not in str(found)


async def test_a_page_that_turns_out_to_be_a_sitemap_becomes_the_site_that_it_lists(library, engine, web):
    url = "https://shop.example/sitemap.xml?token=s3cret"
    web.pages = {**SITE, url: b"<p>Whales to come.</p>"}
    site = await library.add("Shop", type="web_page", config={"source_url": url, "tags": ["shop"]})
    await ingested(engine)
    listed = ["https://shop.example/returns", url]
    web.pages[url] = (
        b"<urlset>" + b"".join(b"<loc>%s</loc>" % each.encode() for each in listed) + b"</urlset>"
    )

    for number in (2, 3):
        await library.run("synch_datasource", id=site)
        await ingested(engine)
        source = await library.source(site)
        assert (source["type"], source["status"], source["nbSynch"]) == ("web_site", "synched", number)
        assert source["config"] == {
            "sitemap": "https://shop.example/sitemap.xml?token=********",
            "tags": ["shop"],
        }
        pages = (await library.run("get_datastore", id=library.id, groupId=site))["datasources"]
        assert {(page["type"], page["groupId"]) for page in pages} == {("web_page", site)}
        assert len(pages) == 2, "A sitemap that lists itself is read once."
    (found, *_) = await library.found("harpoons", tags=["shop"])
    assert found["source"] == "https://shop.example/returns"
    assert all("to come" not in text for text in await library.texts("whales come"))


async def test_a_file_of_nothing_but_titles_is_indexed_with_a_bounded_outline(library, engine, tmp_path):
    id = await library.upload(tmp_path / "titles.md", b"# a\n" * (MOST_TITLES + 500))
    await ingested(engine)

    document = await engine.ports.store.read(lambda tables: tables.documents.of(id, "current"))
    assert (await library.source(id))["status"] == "synched"
    assert len(document.outline.titles) == MOST_TITLES


async def test_an_upload_that_broke_off_cannot_be_asked_for_again(library, engine, tmp_path):
    (tmp_path / "book.txt").write_bytes(b"Whales sing. " * 800_000)
    full = type(engine)(replace(engine.ports, store=FullAfter(engine.ports.store, 2)))
    op = AddFile(datastore_id=library.id, name="book.txt", file=tmp_path / "book.txt")
    with pytest.raises(StorageFailed):
        await full.run(op, OPERATOR)
    (source,) = (await library.run("get_datastore", id=library.id))["datasources"]

    with pytest.raises(Conflict, match="as a whole") as refusal:
        await library.run("synch_datasource", id=source["id"])

    assert "again" in refusal.value.hint
