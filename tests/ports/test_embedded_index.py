"""What is special to the embedded index: files that are cut, deleted, shared and grown."""

from __future__ import annotations

import asyncio
import fcntl
import multiprocessing
import os
import resource
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.adapters.index import collections
from vivavoce.adapters.index.embedded import EmbeddedIndex
from vivavoce.adapters.index.sections import Sections, Writing
from vivavoce.errors import Damaged, InvalidInput, StorageFailed
from vivavoce.ports import Entry

from .index_suite import Passages, an_entry, asking, clustered, ids_found, new_collection

NAME = "c0000000000000000000000001.a_small-model"


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "index" / NAME


@pytest.fixture
def index(tmp_path) -> EmbeddedIndex:
    return EmbeddedIndex(tmp_path / "index")


@pytest.fixture
def small(monkeypatch) -> None:
    """Tails and segments that are small, so that they grow and are joined often."""
    monkeypatch.setattr(collections, "_TAIL", 32)


def worded(id: int) -> Entry:
    """A passage that is found by a word of its own."""
    return an_entry(id, vector=(1, id % 7, id % 3, 1), words={f"word{id}": 1, "all": 2})


async def check(index: EmbeddedIndex, entries: list[Entry]) -> None:
    """Every entry is there, once, and nothing else."""
    assert await index.count(NAME) == len(entries)
    for entry in entries[:: max(1, len(entries) // 20)]:
        hits = await index.search(NAME, asking(f"word{entry.id}"), 1)
        assert max(hits, key=lambda hit: hit.words).id == entry.id
    assert await ids_found(index, NAME, asking("all"), 10_000) == {entry.id for entry in entries}


# Any history


batches = st.lists(st.integers(0, 60), min_size=1, max_size=25)
few = st.lists(st.integers(0, 60), min_size=1, max_size=3)
histories = st.lists(
    st.tuples(st.just("add"), batches)
    | st.tuples(st.just("add"), few)
    | st.tuples(st.just("remove"), batches)
    | st.tuples(st.just("remove"), few),
    max_size=20,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories)
def test_any_history_of_adding_and_removing_ends_as_if_each_passage_were_looked_at(tmp_path, history):
    known, questions = clustered(61, 8, seed=3)
    entries = {entry.id: entry for entry in known}

    async def checked() -> None:
        name = new_collection()
        index, other = EmbeddedIndex(tmp_path / "index"), EmbeddedIndex(tmp_path / "index")
        there: dict[int, Entry] = {}
        for change, ids in history:
            if change == "add":
                await index.add(name, [entries[id] for id in ids])
                there |= {id: entries[id] for id in ids}
            else:
                await index.remove(name, ids)
                there = {id: entry for id, entry in there.items() if id not in ids}
            assert await index.count(name) == await other.count(name) == len(there)
        is_tidy = all(change == "add" for change, _ in history)
        for reader in (index, other, EmbeddedIndex(tmp_path / "index")):
            for question in questions[:4]:
                hits = await reader.search(name, question, 7)
                Passages(there.values()).check(hits, question, 7, is_tidy=is_tidy)
        await index.drop(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collections, "_TAIL", 8)
        asyncio.run(checked())


async def test_a_passage_that_is_removed_from_a_segment_and_added_again_stays(index, small):
    entries = [worded(id) for id in range(40)]
    await index.add(NAME, entries)  # a segment by now
    await index.remove(NAME, [3])
    await index.add(NAME, [entries[3]])
    await index.add(NAME, [worded(id) for id in range(40, 80)])  # and so is the second one

    await check(index, [worded(id) for id in range(80)])


async def test_segments_are_joined_so_that_there_are_never_many(index, folder, small):
    entries = [worded(id) for id in range(2_000)]
    most = 0
    for start in range(0, 2_000, 20):
        await index.add(NAME, entries[start : start + 20])
        most = max(most, len(list(folder.glob("*.segment"))))

    assert 1 < most <= 16
    assert len(list(folder.glob("*.journal"))) == 1
    assert {file.suffix for file in folder.iterdir()} <= {".segment", ".journal", ".json", ""}
    await check(index, entries)


async def test_what_is_removed_is_soon_gone_from_the_files(index, folder, small):
    entries = [worded(id) for id in range(1_000)]
    await index.add(NAME, entries)
    before = size_of(folder)

    await index.remove(NAME, list(range(100, 1_000)))

    assert size_of(folder) < before / 3
    await check(index, entries[:100])
    await index.remove(NAME, list(range(100)))
    assert list(folder.glob("*.segment")) == []
    await check(index, [])


async def test_a_removed_passage_is_gone_from_the_journal_too(index, folder):
    await index.add(NAME, [an_entry(1, words={"secret": 1}), an_entry(2, words={"open": 1})])

    await index.remove(NAME, [1])

    assert all(b"secret" not in file.read_bytes() for file in folder.iterdir())
    assert await ids_found(index, NAME, asking("open")) == {2}


def size_of(folder: Path) -> int:
    """The bytes of a collection beside the tables of contents, which are always there."""
    segments = list(folder.glob("*.segment"))
    return sum(file.stat().st_size for file in folder.iterdir()) - 65_536 * len(segments)


# Cut short


async def test_a_journal_that_was_cut_anywhere_in_its_last_record_keeps_all_before(index, folder, tmp_path):
    await index.add(NAME, [worded(1), worded(2)])
    (journal,) = folder.glob("*.journal")
    whole = journal.stat().st_size
    await index.add(NAME, [worded(3)])
    content = journal.read_bytes()

    for size in range(whole, len(content)):
        copy = EmbeddedIndex(tmp_path / "copy")
        shutil.copytree(folder, tmp_path / "copy" / NAME)
        (tmp_path / "copy" / NAME / journal.name).write_bytes(content[:size])

        assert await copy.count(NAME) == 2
        assert await ids_found(copy, NAME, asking("all")) == {1, 2}
        await copy.add(NAME, [worded(4)])
        await check(EmbeddedIndex(tmp_path / "copy"), [worded(1), worded(2), worded(4)])
        shutil.rmtree(tmp_path / "copy")


@pytest.mark.parametrize("rest", [b"\0" * 4_096, b"\xff" * 100, struct.pack("<II", 3, 0) + b"abc"])
async def test_what_a_power_cut_left_behind_the_last_record_is_passed_over(index, folder, rest):
    await index.add(NAME, [worded(1)])
    (journal,) = folder.glob("*.journal")
    with journal.open("ab") as file:
        file.write(rest)

    again = EmbeddedIndex(folder.parent)
    await check(again, [worded(1)])
    await again.add(NAME, [worded(2)])
    await check(EmbeddedIndex(folder.parent), [worded(1), worded(2)])


async def test_a_segment_that_is_cut_under_a_reader_is_damaged_and_never_a_crash(index, folder, small):
    entries, questions = clustered(400, 16)
    await index.add(NAME, entries)
    question = questions[0]
    right = await ids_found(index, NAME, question, 10)
    (segment,) = folder.glob("*.segment")
    content = segment.read_bytes()
    seen = set()

    for size in [*range(0, 65_536, 8_000), *range(65_536, len(content), 1_500), len(content)]:
        segment.write_bytes(content)
        opened = EmbeddedIndex(folder.parent)
        assert await ids_found(opened, NAME, question, 10) == right
        os.truncate(segment, size)
        for reader in (opened, EmbeddedIndex(folder.parent)):
            try:
                assert await ids_found(reader, NAME, question, 10) == right
                seen.add("right")
            except Damaged as error:
                assert segment.name in str(error)  # noqa: PT017  # either is fine, nothing else is
                seen.add("damaged")

    assert seen == {"right", "damaged"}
    os.truncate(segment, 100)
    with pytest.raises(Damaged):
        await EmbeddedIndex(folder.parent).add(NAME, entries[:1])
    await index.drop(NAME)
    await index.add(NAME, entries)
    assert await ids_found(index, NAME, question, 10) == right


@pytest.mark.parametrize("missing", ["manifest.json", "*.segment", "*.journal"])
async def test_a_file_that_is_deleted_under_a_reader_is_damaged(index, folder, small, missing):
    await index.add(NAME, [worded(id) for id in range(40)])
    await index.add(NAME, [worded(100)])
    await check(index, [*(worded(id) for id in range(40)), worded(100)])
    next(folder.glob(missing)).unlink()

    with pytest.raises(Damaged, match="missing or damaged"):
        await index.search(NAME, asking("all"), 10)
    await index.drop(NAME)
    assert not folder.exists()
    await index.add(NAME, [worded(1)])
    await check(index, [worded(1)])


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b'{"format": 2}', b'{"format": 1}', b"\xff\xfe", b'"x"']
)
async def test_a_manifest_that_is_not_ours_is_damaged(index, folder, content):
    await index.add(NAME, [worded(1)])
    (folder / "manifest.json").write_bytes(content)

    for reader in (index, EmbeddedIndex(folder.parent)):
        with pytest.raises(Damaged):
            await reader.count(NAME)


@pytest.mark.parametrize("place", [0, 30, 200, 1_000])
async def test_a_segment_with_another_head_is_damaged(index, folder, small, place):
    await index.add(NAME, [worded(id) for id in range(40)])
    (segment,) = folder.glob("*.segment")
    content = bytearray(segment.read_bytes())
    content[place : place + 60] = b'"}]' * 20
    segment.write_bytes(content)

    with pytest.raises(Damaged):
        await EmbeddedIndex(folder.parent).search(NAME, asking("all"), 10)


# Shared


async def test_a_collection_that_was_dropped_and_filled_again_elsewhere_is_seen_as_it_is(folder, small):
    one, other = EmbeddedIndex(folder.parent), EmbeddedIndex(folder.parent)
    for round in range(5):
        entries = [worded(1_000 * round + id) for id in range(50 + round)]
        await one.add(NAME, entries)
        await check(one, entries)
        await check(other, entries)
        await one.drop(NAME)
        if round % 2:
            with pytest.raises(Damaged):
                await other.count(NAME)
            assert await other.count(NAME) == 0


async def test_a_reader_does_not_wait_for_a_writer(index, folder):
    await index.add(NAME, [worded(1)])
    with (folder / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        adding = asyncio.create_task(index.add(NAME, [worded(2)]))
        async with asyncio.timeout(30):
            assert await ids_found(index, NAME, asking("all")) == {1}
            assert await EmbeddedIndex(folder.parent).count(NAME) == 1
        assert not adding.done()
    await adding
    await check(index, [worded(1), worded(2)])


async def test_adding_and_dropping_at_once_end_in_a_sound_collection(folder, small):
    indexes = [EmbeddedIndex(folder.parent) for _ in range(3)]

    async def repeat(index: EmbeddedIndex, number: int) -> None:
        for round in range(15):
            try:
                if number == 0 and round % 3 == 0:
                    await index.drop(NAME)
                await index.add(NAME, [worded(100 * number + round)])
            except Damaged:  # another one has dropped it
                await index.drop(NAME)

    await asyncio.gather(*(repeat(index, number) for number, index in enumerate(indexes)))

    last = EmbeddedIndex(folder.parent)
    await last.add(NAME, [worded(999)])
    found = await ids_found(last, NAME, asking("all"), 1_000)
    assert 999 in found
    await check(last, [worded(id) for id in sorted(found)])


def adds(folder: Path, first: int, number: int) -> None:
    collections._TAIL = 64
    index = EmbeddedIndex(folder)
    for start in range(first, first + number, 10):
        asyncio.run(index.add(NAME, [worded(id) for id in range(start, start + 10)]))
        if start % 50 == 0:
            asyncio.run(index.remove(NAME, [start, start + 1]))


def reads(folder: Path, has_ended, sender) -> None:
    """Look for what is always there until the writers have ended; how often, and what went wrong."""
    index, looks, wrong = EmbeddedIndex(folder), 0, []
    while not has_ended.is_set() or not looks:
        id = looks % 50
        try:
            found = asyncio.run(ids_found(index, NAME, asking(f"word{id}", "all"), 5))
        except (StorageFailed, OSError, ValueError) as error:
            wrong.append(repr(error))
        else:
            if id not in found:
                wrong.append(f"{id} was not found")
        looks += 1
    sender.send((looks, wrong[:5]))


async def test_processes_that_add_at_once_lose_nothing_and_readers_see_no_fault(folder):
    await EmbeddedIndex(folder.parent).add(NAME, [worded(id) for id in range(50)])
    spawned = multiprocessing.get_context("spawn")
    has_ended = spawned.Event()
    receiver, sender = spawned.Pipe(duplex=False)
    reader = spawned.Process(target=reads, args=(folder.parent, has_ended, sender))
    writers = [
        spawned.Process(target=adds, args=(folder.parent, first, 400)) for first in (1_000, 2_000, 3_000)
    ]
    for process in (reader, *writers):
        process.start()
    for writer in writers:
        await asyncio.to_thread(writer.join, 120)
    has_ended.set()
    looks, wrong = await asyncio.to_thread(receiver.recv)
    await asyncio.to_thread(reader.join, 60)

    assert [process.exitcode for process in (reader, *writers)] == [0, 0, 0, 0]
    assert wrong == []
    assert looks > 5
    kept = [
        worded(id)
        for first in (1_000, 2_000, 3_000)
        for id in range(first, first + 400)
        if id % 50 not in (0, 1)
    ]
    await check(EmbeddedIndex(folder.parent), [*(worded(id) for id in range(50)), *kept])


async def test_more_collections_than_are_kept_open_all_answer(index):
    names = [new_collection() for _ in range(150)]
    for number, name in enumerate(names):
        await index.add(name, [worded(number)])

    for number, name in enumerate(names):
        assert await ids_found(index, name, asking("all")) == {number}


# Room


def fills(folder: Path, sender, limit: int) -> None:
    """Add until no file may grow, then look, then go on when there is room."""
    collections._TAIL = 64
    index, added, errors = EmbeddedIndex(folder), [], []
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    for start in range(0, 400, 16):
        entries = [wide(id) for id in range(start, start + 16)]
        try:
            asyncio.run(index.add(NAME, entries))
            added += [entry.id for entry in entries]
        except StorageFailed as error:
            errors.append(str(error))
    found = asyncio.run(ids_found(index, NAME, wide_question(), 1_000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    asyncio.run(index.add(NAME, [wide(id) for id in range(400)]))
    sender.send((added, errors, sorted(found), asyncio.run(index.count(NAME))))


def wide(id: int) -> Entry:
    vector = numpy.full(256, 1 / 16, "f4")
    return Entry(id, "d1", vector, {"all": 1, f"word{id}": 1})


def wide_question():
    return asking("all", vector=[1.0] * 256)


@pytest.mark.parametrize("limit", [20_000, 90_000, 150_000])
async def test_a_disk_that_is_full_is_a_clear_error_and_nothing_is_lost(folder, limit):
    spawned = multiprocessing.get_context("spawn")
    receiver, sender = spawned.Pipe(duplex=False)
    process = spawned.Process(target=fills, args=(folder.parent, sender, limit))
    process.start()
    added, errors, found, count = await asyncio.to_thread(receiver.recv)
    await asyncio.to_thread(process.join, 60)

    assert process.exitcode == 0
    assert errors
    assert all("cannot be written" in error and "filled again" in error for error in errors)
    assert set(added) <= set(found) <= set(range(400))
    assert count == 400
    assert sorted(file.suffix for file in folder.iterdir() if file.suffix in (".draft", ".vectors")) == []


@pytest.fixture
def tiny_disk(tmp_path) -> Iterator[Path]:
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("There is no mount here.")
    if done.returncode != 0:
        pytest.skip("A small disk cannot be mounted here.")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


async def test_a_really_full_disk_is_an_error_and_not_a_crash(tiny_disk, monkeypatch):
    monkeypatch.setattr(collections, "_TAIL", 750)  # the journal leaves too little room for a segment
    index = EmbeddedIndex(tiny_disk / "index")

    async def fill() -> None:
        for start in range(0, 20_000, 100):
            await index.add(NAME, [wide(id) for id in range(start, start + 100)])

    with pytest.raises(StorageFailed, match="No space left"):
        await fill()
    count = await index.count(NAME)

    assert count >= 300
    assert len(await index.search(NAME, wide_question(), 5)) >= 5
    assert await EmbeddedIndex(tiny_disk / "index").count(NAME) == count
    await index.drop(NAME)
    await index.add(NAME, [wide(id) for id in range(100)])
    assert await index.count(NAME) == 100


# Refused


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "/etc", ".hidden", "a\0b", "x" * 300])
async def test_a_collection_cannot_have_a_name_that_leads_elsewhere(index, name):
    with pytest.raises(InvalidInput):
        await index.add(name, [worded(1)])
    with pytest.raises(InvalidInput):
        await index.drop(name)


async def test_vectors_of_another_length_are_refused_and_the_others_stay(index, small):
    await index.add(NAME, [worded(1)])
    with pytest.raises(InvalidInput):
        await index.add(NAME, [an_entry(2, vector=(1, 0))])
    await index.add(NAME, [worded(id) for id in range(40)])
    with pytest.raises(InvalidInput):
        await index.add(NAME, [an_entry(100, vector=(1, 0, 0))])

    await check(index, [worded(id) for id in range(40)])


@given(rows=st.lists(st.integers(0, 99), max_size=30))
def test_rows_from_here_and_there_are_found_wherever_they_stand(shelf, rows):
    numbers, sections = shelf
    found = sections.gathered("exact", numpy.array(rows, "i8"))
    assert found.shape == (len(rows), 1_500)
    assert found[:, 0].tolist() == [numbers[row] for row in rows]


@pytest.mark.parametrize("row", [-1, 100])
def test_a_row_that_is_not_there_is_damage(shelf, row):
    with pytest.raises(Damaged):
        shelf[1].gathered("exact", numpy.array([5, row], "i8"))


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A hundred rows of 6,000 bytes: two neighbours are near each other, others are not."""
    path = tmp_path_factory.mktemp("shelf") / "rows.segment"
    numbers = [float(7 * row % 101) for row in range(100)]
    writing = Writing(path)
    writing.put("exact", numpy.repeat(numpy.array(numbers, "f4")[:, None], 1_500, axis=1))
    writing.finish()
    return numbers, Sections(path)


# Damaged, but as long as before


@pytest.mark.parametrize(
    "section", ["names", "starts", "scale", "centres", "fence", "ids", "sources", "hashes", "begins", "rows"]
)
async def test_a_segment_with_other_bytes_is_damaged_and_never_another_fault(index, folder, small, section):
    await index.add(NAME, [worded(id) for id in range(40)])
    (segment,) = folder.glob("*.segment")
    place = Sections(segment).contents[section]
    content = bytearray(segment.read_bytes())
    size = numpy.dtype(place["kind"]).itemsize * int(numpy.prod(place["shape"]))
    content[place["start"] : place["start"] + size] = b"\xf7" * size
    segment.write_bytes(content)
    reader = EmbeddedIndex(folder.parent)

    async def used() -> None:
        await reader.search(NAME, asking("all", "word7"), 10)
        await reader.search(NAME, asking("all", among=["d1"]), 10)
        await reader.remove(NAME, range(30))

    with pytest.raises(Damaged):
        await used()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=40))
def test_any_other_bytes_in_a_segment_are_damaged_or_do_no_harm(tmp_path, place, other):
    folder = tmp_path / "index" / NAME

    async def searched() -> None:
        index = EmbeddedIndex(folder.parent)
        if not folder.exists():
            await index.add(NAME, [worded(id) for id in range(4_100)])
        (segment,) = folder.glob("*.segment")
        sound = segment.read_bytes()
        begins = int(place * len(sound))
        segment.write_bytes((sound[:begins] + other + sound[begins + len(other) :])[: len(sound)])
        try:
            for question in (asking("all"), asking("word7")):
                await EmbeddedIndex(folder.parent).search(NAME, question, 10)
        except Damaged:
            pass
        finally:
            segment.write_bytes(sound)
        assert await EmbeddedIndex(folder.parent).count(NAME) == 4_100

    asyncio.run(searched())


async def test_a_segment_without_checksums_is_damaged(index, folder, small):
    await index.add(NAME, [worded(id) for id in range(40)])
    (segment,) = folder.glob("*.segment")
    content = segment.read_bytes()
    line = content.index(b"\n") + 1
    segment.write_bytes(content[:line] + content[line + 9 : 65_536] + bytes(9) + content[65_536:])

    with pytest.raises(Damaged):
        await EmbeddedIndex(folder.parent).search(NAME, asking("all"), 10)


async def test_a_question_with_a_vector_of_another_length_is_refused_and_no_damage(index, small):
    await index.add(NAME, [worded(id) for id in range(40)])

    with pytest.raises(InvalidInput):
        await index.search(NAME, asking("all", vector=(1, 0)), 10)
    await check(index, [worded(id) for id in range(40)])
