"""What the store on SQLite promises beyond the port: about its file, other processes and a failing disk."""

import asyncio
import json
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from vivavoce.adapters.sql import sqlite_connections
from vivavoce.adapters.sql.migrating import migrations
from vivavoce.adapters.sql.sqlite import SqliteStore, back_up, faults_in
from vivavoce.adapters.sql.sqlite_connections import SqliteConnection
from vivavoce.adapters.vault import AesVault
from vivavoce.domain.crm import ZapiNotice
from vivavoce.domain.entities import written
from vivavoce.errors import Conflict, StorageFailed
from vivavoce.ports import Tables
from vivavoce.testing import CountedIds

from .entities import KEY, NOON, a_contact, a_datasource, a_datastore, a_scenario, a_step, a_turn, an_agent
from .processes import seen_by


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path) -> Iterator[SqliteStore]:
    store = opened(path)
    yield store
    store.close()


@pytest.fixture
def broken_off() -> None:
    """No read is broken off but those that a test breaks off itself."""


def opened(path: Path, key: bytes = KEY) -> SqliteStore:
    return SqliteStore(path, AesVault(key), new_id=CountedIds())


async def scenarios_in(path: Path) -> list[str]:
    store = opened(path)
    try:
        return await store.read(lambda tables: sorted(row.id for row in tables.scenarios.where()))
    finally:
        store.close()


def changed(path: Path, *statements: str) -> None:
    """Change the file behind the store's back."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


# The file


async def test_a_commit_is_on_disk_before_it_is_acknowledged(store):
    def modes(tables: Tables) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys")
        return [next(iter(tables.agents.connection.execute(f"pragma {name}", {})))[0] for name in names]

    full = 2
    assert await store.write(modes) == ["wal", full, 1]
    assert await store.read(modes) == ["wal", full, 1]


async def test_only_the_owner_can_read_the_files(store, path, tmp_path):
    umask = os.umask(0)
    try:
        open_to_all = opened(tmp_path / "folder" / "other.db")
        await open_to_all.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
        back_up(tmp_path / "folder" / "other.db", tmp_path / "folder" / "copy.db")
    finally:
        os.umask(umask)

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "folder").iterdir()}
    open_to_all.close()
    assert {"other.db", "other.db-wal", "copy.db"} <= modes.keys()
    assert set(modes.values()) == {0o600}


async def test_who_waits_looks_into_the_index_of_open_turns_alone(store):
    def explained(tables: Tables) -> list[str]:
        said: list[str] = []
        tables.connection.set_trace_callback(said.append)
        tables.turns.is_held_up(a_turn("t1", "c1", 1), NOON)
        tables.turns.number_open("c1", NOON)
        tables.connection.set_trace_callback(None)
        plans = [tables.connection.execute(f"explain query plan {each}").fetchall() for each in said]
        return [step[-1] for plan in plans for step in plan]

    for step in await store.read(explained):
        assert "turns_in_line" in step


@pytest.mark.parametrize(
    ("known", "index"),
    [
        ({"phone_number": "+55 11 97777-6666"}, "contacts_phone_number"),
        ({"email": "Ana@Example.com"}, "contacts_email"),
    ],
)
async def test_a_person_is_looked_for_in_an_index_however_they_are_spelt(store, known, index):
    def explained(tables: Tables) -> list[str]:
        said: list[str] = []
        tables.connection.set_trace_callback(said.append)
        tables.contacts.known_by(**known)
        tables.connection.set_trace_callback(None)
        return [step[-1] for each in said for step in tables.connection.execute(f"explain query plan {each}")]

    assert any(index in step for step in await store.read(explained))


async def test_who_opens_the_file_without_our_functions_finds_it_sound_and_may_change_it(store, path):
    await store.write(lambda tables: tables.contacts.add(a_contact("p1", email="\u00c9mile@Example.com")))

    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("pragma integrity_check").fetchall() == [("ok",)]
        plain.execute("delete from contacts where id = 'p1'")


# Other processes


async def test_processes_that_write_at_once_wait_for_each_other(path):
    assert seen_by("writes_at_once", path) == [50, 50, 50, 50]

    assert await scenarios_in(path) == sorted(f"p{process}n{n}" for process in range(4) for n in range(50))


def test_processes_that_open_a_new_file_at_once_find_one_workspace(path):
    seen = seen_by("workspaces_opened_at_once", path)

    assert len(set(seen)) == 1
    assert seen[0].startswith("organization")


# Migrations


async def test_a_migration_that_is_killed_after_any_statement_is_done_again_from_the_start(tmp_path):
    killed = seen_by("migrations_killed", tmp_path / "killed")

    assert killed > sum(script.count(";") for script in migrations())
    for number in range(1, killed + 1):
        path = tmp_path / "killed" / f"{number}.db"
        store = opened(path)
        await store.write(lambda tables: tables.agents.add(an_agent("a1")))
        store.close()
        assert faults_in(path) == []


def test_opening_again_migrates_nothing_again(path):
    opened(path).close()
    before = schema_of(path)

    opened(path).close()

    assert schema_of(path) == before
    assert before["version"] == [(len(migrations()),)]


async def test_jobs_from_before_lanes_had_kinds_are_found_by_their_kind(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"{''.join(migrations()[:7])} create table schema_version (version integer not null);"
            "insert into schema_version values (7);"
        )
        connection.execute("insert into lanes values ('talk', '2026-01-01T00:00:00.000Z', 3)")
        columns = "key, lane, kind, created_at, due_at, attempts, document"
        for key, kind in (("first", "answer"), ("second", "send")):
            values = (key, "talk", kind, "2026-01-01", "2026-01-01T00:00:00.000Z", 0, "{}")
            connection.execute(f"insert into jobs ({columns}) values (?, ?, ?, ?, ?, ?, ?)", values)
        connection.commit()

    store = opened(path)
    try:
        until = NOON + timedelta(minutes=1)
        (claimed,) = await store.write(lambda tables: tables.jobs.claim(NOON, until, 5, kind="answer"))
    finally:
        store.close()

    assert (claimed.key, claimed.fence) == ("first", 4)


async def test_a_file_from_before_passages_comes_up_with_documents_to_index(path):
    long = "".join(f"{number:05d} ação 報價\n" for number in range(5_000))
    kept = {
        "x1": ("file", {}, "# Prices\n\nThe price of it is 5."),
        "x2": ("qa", {"question": " Why? ", "answer": "Because.\n"}, ""),
        "x3": ("web_page", {"source_url": "https://a.example"}, ""),
        "x4": ("file", {}, long),
    }
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"{migrations()[0]} create table schema_version (version integer not null);"
            "insert into schema_version values (1);"
        )
        datastore = a_datastore("d1")
        connection.execute(
            "insert into datastores values (?, ?, ?)",
            ("d1", written(datastore.created_at), datastore.model_dump_json(by_alias=False)),
        )
        for id, (type, config, text) in kept.items():
            source = a_datasource(id, "d1", type=type, config=config, hash="x")
            row = source.model_dump(mode="json", by_alias=False)
            connection.execute(
                "insert into datasources values (?, ?, 'd1', ?, ?, 'pending', null, ?, null)",
                (id, row["created_at"], source.name, type, json.dumps(row)),
            )
            connection.execute("insert into texts values (?, ?)", (id, text))
        connection.commit()

    store = opened(path)
    try:
        texts, waiting = await store.read(
            lambda tables: (
                {id: tables.documents.text(f"{id}-1") for id in kept if tables.documents.of(id, "current")},
                tables.ingestions.number("d1"),
            )
        )
        claimed = [
            await store.write(lambda tables: tables.ingestions.claim(NOON, NOON + timedelta(days=1)))
            for _ in kept
        ]
    finally:
        store.close()

    assert texts == {"x1": kept["x1"][2], "x2": "Why?\n\nBecause.", "x4": long}
    assert waiting == len(kept)
    assert {each.datasource_id: each.step for each in claimed} == {
        "x1": "split",
        "x2": "split",
        "x3": "read",
        "x4": "split",
    }
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select max(length(text)) from parts").fetchone() == (32_768,)
        assert connection.execute("select * from sqlite_master where name = 'texts'").fetchall() == []
    assert faults_in(path) == []


# Faults


def test_a_full_disk_refuses_the_write_and_nothing_is_half_there(path):
    seen = seen_by("a_full_disk", path)

    assert seen["errors"]
    assert all("failed" in error and "free space" in error for error in seen["errors"])
    assert seen["readable"] == 1
    assert set(seen["kept"]) - {"small"} == {"before", "after"}
    assert faults_in(path) == []


@pytest.mark.parametrize(
    "contents", [b"not a database", b"x" * 10_000, b"SQLite format 3\0" + b"\xff" * 5_000]
)
def test_a_file_that_is_no_database_is_refused(path, contents):
    path.write_bytes(contents)

    with pytest.raises(StorageFailed, match=r"The database failed") as refusal:
        opened(path)

    assert "vivavoce doctor" in refusal.value.hint
    assert path.read_bytes() == contents


async def test_damage_in_any_page_is_a_storage_failure_and_never_another_error(path, tmp_path):
    store = opened(path)
    for number in range(20):
        await store.write(
            lambda tables, id=f"a{number}": tables.agents.add(
                an_agent(id, handle=f"handle{id}", system_prompt="x" * 900, secrets={"a": "b"})
            )
        )
    store.close()
    whole = path.read_bytes()
    page = 4096

    failures = 0
    for start in range(0, len(whole), page):
        for part in (
            slice(start, start + page),
            slice(start, start + 100),
            slice(start + page - 600, start + page),
        ):
            damaged = tmp_path / "damaged.db"
            contents = bytearray(whole)
            contents[part] = bytes(byte ^ 0x5A for byte in whole[part])
            damaged.write_bytes(contents)
            failures += await fails_to_read(damaged)
            for rest in tmp_path.glob("damaged.db*"):
                rest.unlink()

    assert failures > 100  # the pages of empty tables are not all read


async def fails_to_read(path: Path) -> bool:
    """Whether opening or reading fails, as a StorageFailed; any other error comes through."""
    try:
        faults_in(path)
        store = opened(path)
    except StorageFailed:
        return True
    try:
        await store.read(
            lambda tables: [table.where() for table in (tables.agents, tables.tools, tables.steps)]
        )
    except StorageFailed:
        return True
    finally:
        store.close()
    return False


@pytest.mark.parametrize("document", ["{", "[]", "null", '{"name": 5}', "{}"])
async def test_a_row_that_cannot_be_read_is_named(path, document):
    store = opened(path)
    await store.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
    store.close()
    changed(path, f"update scenarios set document = '{document}'")

    with pytest.raises(StorageFailed, match="scenarios row 's1'") as refusal:
        await scenarios_in(path)

    assert "backup" in refusal.value.hint


async def test_what_a_newer_program_added_to_a_row_is_passed_over(path):
    step = a_step("s2", "s1", 0, zapi=ZapiNotice(message="Hello"))
    store = opened(path)
    await store.write(lambda tables: [tables.scenarios.add(a_scenario("s1")), tables.steps.add(step)])
    store.close()
    changed(path, "update steps set document = json_set(document, '$.colour', 'red', '$.zapi.colour', 'red')")

    store = opened(path)
    assert await store.read(lambda tables: tables.steps.find("s2")) == step
    store.close()


async def test_secrets_moved_to_another_row_do_not_open(path):
    store = opened(path)
    await store.write(
        lambda tables: [tables.agents.add(an_agent(id, secrets={"a": id})) for id in ("a1", "a2")]
    )
    store.close()
    changed(path, "update agents set secrets = (select secrets from agents where id = 'a1') where id = 'a2'")

    store = opened(path)
    with pytest.raises(StorageFailed, match="cannot be decrypted"):
        await store.read(lambda tables: tables.agents.find("a2"))
    store.close()


def test_a_place_where_no_file_can_be_is_a_storage_failure(tmp_path):
    (tmp_path / "file").write_text("x", encoding="ascii")

    for path in (tmp_path, tmp_path / "file" / "store.db"):
        with pytest.raises(StorageFailed):
            opened(path)


# Backups


async def test_a_backup_made_while_writing_is_consistent_and_opens(store, path, tmp_path):
    def pair(number: int):
        return lambda tables: [tables.scenarios.add(a_scenario(f"s{number:03}{half}")) for half in "ab"]

    await store.write(pair(0))
    writes = [asyncio.create_task(store.write(pair(number))) for number in range(1, 60)]
    copies = [tmp_path / f"copy{number}.db" for number in range(3)]
    for number, copy in enumerate(copies):
        await writes[number * 20]
        await asyncio.to_thread(back_up, path, copy)
    await asyncio.gather(*writes)

    for number, copy in enumerate(copies):
        assert faults_in(copy) == []
        copied = await scenarios_in(copy)
        assert len(copied) >= 2 * (number * 20 + 1)
        assert copied == [f"s{place:03}{half}" for place in range(len(copied) // 2) for half in "ab"]


async def test_a_backup_of_a_closed_workspace_holds_everything_in_one_file(path, tmp_path):
    store = opened(path)
    await store.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
    store.close()

    back_up(path, tmp_path / "folder.db")

    assert [file.name for file in tmp_path.glob("folder.db*")] == ["folder.db"]
    assert await scenarios_in(tmp_path / "folder.db") == ["s1"]


async def test_a_backup_never_overwrites_and_leaves_nothing_when_it_fails(store, path, tmp_path):
    taken = tmp_path / "taken.db"
    taken.write_bytes(b"mine")

    with pytest.raises(Conflict, match="exists already"):
        back_up(path, taken)
    with pytest.raises(StorageFailed, match="no database"):
        back_up(tmp_path / "nowhere.db", tmp_path / "copy.db")
    with pytest.raises(StorageFailed):
        back_up(path, tmp_path / "nowhere" / "copy.db")
    (tmp_path / "bad.db").write_bytes(b"x" * 5_000)
    with pytest.raises(StorageFailed):
        back_up(tmp_path / "bad.db", tmp_path / "copy.db")

    assert taken.read_bytes() == b"mine"
    assert not (tmp_path / "copy.db").exists()


async def test_who_waits_for_a_database_that_another_holds_is_told_and_nothing_of_it_is_stored_later(
    path, monkeypatch
):
    monkeypatch.setattr(SqliteConnection, "patience", 0.1)
    store = opened(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        writes = [store.write(partial(add_scenario, name)) for name in ("s1", "s2")]
        told = await asyncio.gather(*writes, return_exceptions=True)
        other.execute("rollback")

    await store.write(partial(add_scenario, "s3"))
    store.close()

    assert [type(each) for each in told] == [StorageFailed, StorageFailed]
    assert await scenarios_in(path) == ["s3"]


def counted_to(number: int, threads: list[str], tables: Tables) -> int:
    """A read that takes as long as it is told to, and notes where it runs."""
    threads.append(threading.current_thread().name)
    numbers = f"with recursive n(i) as (values(1) union all select i + 1 from n where i < {number})"
    ((most,),) = tables.connection.execute(f"{numbers} select max(i) from n", {})
    return most


def read_one_by_one(number: int, threads: list[str], tables: Tables) -> int:
    """A read of many short statements."""
    threads.append(threading.current_thread().name)
    return sum(tables.scenarios.find("nobody") is None for _ in range(number))


async def test_a_short_read_needs_no_thread(store):
    threads: list[str] = []

    assert await store.read(partial(counted_to, 10, threads)) == 10
    assert threads == [threading.current_thread().name]


@pytest.mark.parametrize(("work", "number"), [(counted_to, 3_000_000), (read_one_by_one, 20_000)])
async def test_a_long_read_is_begun_anew_in_a_thread_and_others_go_on_meanwhile(store, work, number):
    here, threads, turns = threading.current_thread().name, [], 0
    reading = asyncio.create_task(store.read(partial(work, number, threads)))
    while not reading.done():
        await asyncio.sleep(0.001)
        turns += 1

    assert await reading == number
    assert threads == [here, "vivavoce-read_0"]
    assert turns > 5
    assert await store.read(partial(counted_to, 10, threads)) == 10
    assert threads[2:] == [here]


async def test_a_read_that_waits_for_other_threads_is_begun_anew_too(store, monkeypatch):
    monkeypatch.setattr(sqlite_connections, "_BRIEF", 60.0)
    threads: list[str] = []

    def slept(tables: Tables) -> int:
        if not threads:
            time.sleep(0.02)  # the processor is somewhere else
        return counted_to(10, threads, tables)

    assert await store.read(slept) == 10
    assert threads[1:] == ["vivavoce-read_0"]


async def test_a_store_that_was_closed_says_so(path):
    store = opened(path)
    await store.read(partial(counted_to, 10, []))
    store.close()

    with pytest.raises(StorageFailed, match="was closed"):
        await store.read(partial(counted_to, 10, []))


async def test_a_read_that_is_said_to_be_long_goes_to_a_thread_at_once(store):
    threads: list[str] = []

    await store.read(partial(counted_to, 10, threads), is_long=True)

    assert threads == ["vivavoce-read_0"]


def finds_no_such_key(tables: Tables) -> None:
    tables.scenarios.find("s1")
    raise KeyError("on purpose")


def reads_what_is_no_text(tables: Tables) -> None:
    list(tables.connection.execute("select cast(x'ff' as text)", {}))


@pytest.mark.parametrize(
    ("fails", "fault"), [(finds_no_such_key, KeyError), (reads_what_is_no_text, StorageFailed)]
)
async def test_a_read_that_fails_leaves_nothing_open(store, fails, fault):
    with pytest.raises(fault):
        await store.read(fails)
    await store.write(partial(add_scenario, "s1"))

    assert await store.read(lambda tables: tables.scenarios.find("s1")) is not None


async def test_a_read_that_meets_a_lock_waits_for_it_in_a_thread(store):
    threads: list[str] = []

    def locked(tables: Tables) -> str:
        threads.append(threading.current_thread().name)
        if len(threads) == 1:
            busy = sqlite3.OperationalError("database is locked")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise busy
        return "read"

    assert await store.read(locked) == "read"
    assert threads[1:] == ["vivavoce-read_0"]


async def test_who_reads_on_and_on_lets_others_have_a_turn(store):
    turns = 0

    async def another() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(another())
    for _ in range(160):
        await store.read(lambda tables: tables.scenarios.count())
    beside.cancel()

    assert turns >= 10


def test_a_store_that_several_event_loops_read_one_after_another_lets_each_read(path):
    store = opened(path)
    for _ in range(3):
        with suppress(RuntimeError):
            asyncio.run(_left_in_the_middle(store))
        assert asyncio.run(store.read(lambda tables: tables.agents.count())) == 0
    store.close()


async def _left_in_the_middle(store: SqliteStore) -> None:
    for _ in range(10):
        await store.read(lambda tables: tables.agents.count())
    raise RuntimeError


async def test_who_reads_once_in_a_round_of_the_event_loop_never_waits_for_others(store):
    for _ in range(100):
        reading = store.read(lambda tables: tables.agents.count())
        with pytest.raises(StopIteration) as done:  # at once, without a pause
            reading.send(None)
        assert done.value.value == 0
        await asyncio.sleep(0)


async def test_of_units_that_are_written_together_one_that_fails_leaves_the_others(path):
    store = opened(path)

    def fails(tables):
        add_scenario("lost", tables)
        raise KeyError("on purpose")

    units = [partial(add_scenario, f"s{place}") for place in range(20)]
    told = await asyncio.gather(*(store.write(unit) for unit in (*units, fails)), return_exceptions=True)
    store.close()

    assert [type(each) for each in told] == [type(None)] * 20 + [KeyError]
    assert await scenarios_in(path) == sorted(f"s{place}" for place in range(20))


def add_scenario(name: str, tables) -> None:
    tables.scenarios.add(a_scenario(name))


def schema_of(path: Path) -> dict[str, list]:
    with closing(sqlite3.connect(path)) as connection:
        return {
            "tables": connection.execute("select name, sql from sqlite_master order by name").fetchall(),
            "version": connection.execute("select version from schema_version").fetchall(),
            "workspace": connection.execute("select * from workspace").fetchall(),
        }
