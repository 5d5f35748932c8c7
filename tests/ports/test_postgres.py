"""What the store on Postgres promises beyond the port: about other processes, a failing server and words."""

import asyncio
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from vivavoce.adapters.sql.dialects import Postgres
from vivavoce.adapters.sql.migrating import migrations
from vivavoce.adapters.vault import AesVault
from vivavoce.domain.corpus.passages import Passage
from vivavoce.errors import StorageFailed
from vivavoce.ports import Spending, Tables
from vivavoce.testing import CountedIds

from .entities import KEY, a_conversation, a_datasource, a_datastore, a_message, a_scenario, an_agent
from .processes import seen_by
from .servers import Server
from .workspaces import Workspace, said

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed.")

from vivavoce.adapters.sql import postgres_upkeep  # noqa: E402  # it imports psycopg
from vivavoce.adapters.sql.postgres import PostgresStore  # noqa: E402
from vivavoce.adapters.sql.postgres_connections import in_psycopg  # noqa: E402

PATIENCE = 20


@pytest.fixture
def workspace(postgres_schema) -> Workspace:
    return Workspace(postgres_schema)


@pytest.fixture
def store(workspace) -> Iterator[PostgresStore]:
    with workspace.opened() as store:
        yield store


def opened(url: str, **more: float) -> PostgresStore:
    return PostgresStore(url, AesVault(KEY), new_id=CountedIds(), **more)


def asked(tables: Tables, sql: str) -> object:
    ((value,),) = tables.agents.connection.execute(sql, {})
    return value


# Transactions


async def test_a_commit_is_on_disk_before_it_is_acknowledged_and_a_view_does_not_change(store):
    def modes(tables: Tables) -> list[object]:
        names = ("synchronous_commit", "transaction_isolation", "transaction_read_only")
        return [asked(tables, f"select current_setting('{name}')") for name in names]

    assert await store.write(modes) == ["on", "repeatable read", "off"]
    assert await store.read(modes) == ["on", "repeatable read", "on"]


async def test_two_processes_that_append_to_one_conversation_lose_and_double_no_position(workspace):
    number = 60
    with workspace.opened() as one, workspace.opened() as other:
        await one.write(lambda tables: tables.conversations.add(a_conversation("c1")))

        def append(place: int) -> object:
            store = (one, other)[place % 2]
            return store.write(lambda tables: tables.messages.append(a_message(f"m{place}", "c1")))

        placed = await asyncio.gather(*map(append, range(number)))
        kept = await one.read(lambda tables: tables.messages.where(conversation_id="c1"))

    assert sorted(message.position for message in placed) == list(range(1, number + 1))
    assert {message.id: message.position for message in kept} == {
        message.id: message.position for message in placed
    }


async def test_units_of_work_that_are_to_be_alone_see_what_the_one_before_did(workspace):
    def added_where_there_is_none(tables: Tables, id: str) -> bool:
        is_first = tables.scenarios.count() == 0
        if is_first:
            tables.scenarios.add(a_scenario(id))
        return is_first

    with workspace.opened() as one, workspace.opened() as other:
        added = await asyncio.gather(
            *(
                (one, other)[place % 2].write(
                    lambda tables, id=f"s{place}": added_where_there_is_none(tables, id), alone=True
                )
                for place in range(30)
            )
        )
        kept = await one.read(lambda tables: tables.scenarios.count())

    assert (sum(added), kept) == (1, 1)


async def test_a_unit_of_work_that_collides_is_run_again_from_its_beginning(workspace):
    with workspace.opened() as store:
        await store.write(lambda tables: tables.scenarios.add(a_scenario("s1", description="0")))
        seen: list[str] = []

        def counts_up(tables: Tables) -> None:
            scenario = tables.scenarios.find("s1")
            seen.append(scenario.description)
            if len(seen) < 3:  # another comes first
                more = f"update scenarios set document = replace(document, '\"{scenario.description}\"',"
                workspace.asked(f"{more} '\"{int(scenario.description) + 1}\"')")
            tables.scenarios.replace(a_scenario("s1", description=str(int(scenario.description) + 1)))

        await store.write(counts_up)

        assert seen == ["0", "1", "2"]
        assert (await store.read(lambda tables: tables.scenarios.find("s1"))).description == "3"


async def test_those_who_count_apart_for_the_same_agent_do_not_collide(workspace):
    with workspace.opened() as store:
        await store.write(lambda tables: tables.agents.add(an_agent("a1")))
        runs: list[Spending] = []
        all_have_begun = threading.Barrier(3)

        def spend(tables: Tables) -> None:
            runs.append(tables.usage.of("a1", "2026-02"))  # from here on it sees nothing of the others
            if len(runs) <= 3:
                all_have_begun.wait(30)
            tables.usage.add("a1", "2026-02", Spending(1, 10, 5, 0.25), apart=True)

        await asyncio.gather(*(store.write(spend) for _ in range(3)))

        assert runs == [Spending(0, 0, 0, 0.0)] * 3
        assert await store.read(lambda tables: tables.usage.of("a1", "2026-02")) == Spending(3, 30, 15, 0.75)
        assert await store.read(lambda tables: list(tables.usage.months("a1"))) == ["2026-02"]


async def test_who_collides_again_and_again_is_told_and_nothing_is_stored(workspace):
    with workspace.opened() as store:
        await store.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
        runs = []

        def always_late(tables: Tables) -> None:
            runs.append(tables.scenarios.find("s1"))
            workspace.asked("update scenarios set created_at = created_at")
            tables.agents.add(an_agent("a1"))
            tables.scenarios.replace(a_scenario("s1", name="Late"))

        with pytest.raises(StorageFailed, match="at the same time") as failed:
            await store.write(always_late)

        assert failed.value.retryable
        assert 2 < len(runs) <= 20
        assert await store.read(lambda tables: tables.agents.count()) == 0
        assert (await store.read(lambda tables: tables.scenarios.find("s1"))).name == "Sale"


async def test_what_is_really_taken_is_tried_once_more_and_then_refused(store):
    await store.write(lambda tables: tables.agents.add(an_agent("a1", handle="ana")))
    runs = []

    def takes_it_again(tables: Tables) -> None:
        runs.append(tables.agents.count())
        tables.agents.add(an_agent("a2", handle="ana"))

    with pytest.raises(StorageFailed, match="unique"):
        await store.write(takes_it_again)

    assert runs == [1, 1]


async def test_a_failed_statement_that_is_passed_over_is_no_success(store):
    def passes_over(tables: Tables) -> None:
        tables.scenarios.add(a_scenario("s1"))
        try:
            tables.scenarios.add(a_scenario("s1"))
        except psycopg.errors.UniqueViolation:
            return

    with pytest.raises(StorageFailed):
        await store.write(passes_over)

    assert await store.read(lambda tables: tables.scenarios.count()) == 0


async def test_passages_get_their_numbers_in_the_order_in_which_they_are_committed(workspace):
    with workspace.opened() as one, workspace.opened() as other:
        has_added, may_end = threading.Event(), threading.Event()

        def fill(tables: Tables) -> None:
            tables.datastores.add(a_datastore("d1"))
            for id in ("x1", "x2"):
                tables.datasources.add(a_datasource(id, "d1"))
                said(tables, id, "One.")

        def added(tables: Tables, id: str) -> None:
            document = tables.documents.find(f"{id}-1")
            tables.passages.add(document, 0, [(Passage(0, 4, None, None, None, (), 1), id)])

        def adds_slowly(tables: Tables) -> None:
            added(tables, "x1")
            has_added.set()
            assert may_end.wait(PATIENCE)

        await one.write(fill)
        first = asyncio.create_task(one.write(adds_slowly))
        assert await asyncio.to_thread(has_added.wait, PATIENCE)
        second = asyncio.create_task(other.write(lambda tables: added(tables, "x2")))
        waits = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while await asyncio.to_thread(workspace.asked, waits) == [(0,)]:
            assert not second.done()
        seen = workspace.asked("select id from passages")
        may_end.set()
        await asyncio.gather(first, second)

        assert seen == []
        order = workspace.asked("select datasource_id from passages order by id")
        assert order == [("x1",), ("x2",)]


# The server


async def test_a_server_that_was_restarted_is_found_again(postgres, store):
    await store.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
    await asyncio.gather(*(store.read(lambda tables: tables.scenarios.count()) for _ in range(8)))
    postgres.stop()
    postgres.start()

    await store.write(lambda tables: tables.scenarios.add(a_scenario("s2")))

    counts = await asyncio.gather(*(store.read(lambda tables: tables.scenarios.count()) for _ in range(8)))
    assert counts == [2] * 8


async def test_a_server_that_is_killed_in_the_midst_keeps_nothing_half_and_the_work_is_repeated(
    postgres, store
):
    has_begun, is_back = threading.Event(), threading.Event()
    runs = []

    def adds_two(tables: Tables) -> None:
        runs.append(tables.scenarios.count())
        tables.scenarios.add(a_scenario("s1"))
        has_begun.set()
        assert is_back.wait(PATIENCE)
        tables.scenarios.add(a_scenario("s2"))

    writing = asyncio.create_task(store.write(adds_two))
    assert await asyncio.to_thread(has_begun.wait, PATIENCE)
    kill(postgres)
    postgres.start()
    is_back.set()
    await writing

    assert runs == [0, 0]
    assert await store.read(lambda tables: tables.scenarios.count()) == 2


async def test_while_the_server_is_away_everyone_is_told_and_after_that_all_goes_on(postgres, workspace):
    with closing(opened(workspace.place, comes_back=0.1)) as store:
        await store.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
        postgres.stop()
        try:
            for work in (store.read, store.write):
                with pytest.raises(StorageFailed, match="cannot be reached") as failed:
                    await work(lambda tables: tables.scenarios.count())
                assert failed.value.retryable
                assert "127.0.0.1" not in str(failed.value)
        finally:
            postgres.start()

        assert await store.read(lambda tables: tables.scenarios.count()) == 1


@pytest.mark.parametrize("arrives", [True, False], ids=["stored", "not-stored"])
async def test_a_commit_whose_answer_is_lost_is_not_repeated_and_said_to_be_unknown(
    postgres, workspace, arrives
):
    with cut_at_commit(workspace.place, arrives=arrives) as url:
        workspace.store().close()
        store = opened(url)
        runs = []

        def adds(tables: Tables) -> None:
            runs.append(1)
            tables.scenarios.add(a_scenario(f"s{len(runs)}"))

        with closing(store):
            with pytest.raises(StorageFailed, match="broke while a change was being stored") as failed:
                await store.write(adds)
            kept = await store.read(lambda tables: tables.scenarios.count())

    assert "not known whether" in failed.value.hint
    assert runs == [1]
    assert kept == (1 if arrives else 0)


async def test_who_is_sent_away_while_idle_comes_back(store, workspace):
    await store.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
    await store.read(lambda tables: tables.scenarios.count())
    workspace.asked(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vivavoce'"
    )

    assert await store.read(lambda tables: tables.scenarios.count()) == 1
    await store.write(lambda tables: tables.scenarios.add(a_scenario("s2")))


# Words


async def test_a_wrong_password_name_database_or_host_is_said_without_the_password(postgres):
    locked(postgres, "locked", "right")
    place = urlsplit(postgres.url)
    wrong = {
        f"postgresql://locked:hush-hush@{place.hostname}:{place.port}/postgres": "name or the password",
        f"postgresql://nobody:hush-hush@{place.hostname}:{place.port}/postgres": "name of the user",
        f"postgresql://postgres:hush-hush@{place.hostname}:{place.port}/nowhere": "no database of that name",
        f"postgresql://postgres:hush-hush@{place.hostname}:1/postgres": "cannot be reached",
        "postgresql://postgres:hush-hush@[/x": "not an address",
        f"postgresql://postgres:hush hush@{place.hostname}/x": "not an address",
    }
    for url, says in wrong.items():
        for work in (opened, postgres_upkeep.is_new, postgres_upkeep.faults_in):
            with pytest.raises(StorageFailed, match=says) as failed:
                work(url)
            chain: BaseException | None = failed.value
            while chain is not None:
                assert "hush" not in f"{chain} {chain!r}"
                chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)
    assert postgres_upkeep.is_new(f"postgresql://locked:right@{place.hostname}:{place.port}/postgres")


async def test_a_text_that_postgres_cannot_keep_is_a_storage_failure_without_the_text(store):
    def keeps(tables: Tables) -> None:
        tables.scenarios.connection.execute("insert into tags values (:a, '', '', '')", {"a": "hush\0"})

    with pytest.raises(StorageFailed, match="The database failed") as failed:
        await store.write(keeps)

    assert "hush" not in str(failed.value)


async def test_what_is_wrong_with_a_server_is_found(workspace, postgres):
    assert postgres_upkeep.is_new(workspace.place)
    workspace.store().close()

    assert not postgres_upkeep.is_new(workspace.place)
    assert postgres_upkeep.faults_in(workspace.place) == []
    assert re.fullmatch(
        r"Postgres [\d.]+, schema test_\w+, \d+ KB", postgres_upkeep.described(workspace.place)
    )
    (fault,) = postgres_upkeep.faults_in(f"{postgres.url}?options=-csearch_path%3Dnowhere")
    assert "does not exist" in fault


# Migrations and SQL


def test_processes_that_open_a_new_schema_at_once_find_one_workspace(workspace):
    seen = seen_by("schemas_opened_at_once", workspace.place)

    assert len(set(seen)) == 1
    assert seen[0].startswith("organization")
    assert workspace.asked("select version from schema_version") == [(len(migrations()),)]


def test_both_databases_have_the_same_tables_and_columns(workspace, tmp_path):
    file = Workspace(tmp_path / "store.db")
    for each in (workspace, file):
        each.store().close()

    there = workspace.asked(
        "select table_name, column_name, is_nullable from information_schema.columns"
        " where table_schema = current_schema()"
    )
    here = file.asked(
        "select m.name, c.name, case when c.\"notnull\" or c.pk then 'NO' else 'YES' end"
        " from sqlite_master m, pragma_table_info(m.name) c"
        " where m.type = 'table' and m.name not like 'sqlite_%'"
    )
    assert sorted(there) == sorted(here)
    indexes = "select indexname from pg_indexes where schemaname = current_schema()"
    named = "select name from sqlite_master where type = 'index' and sql is not null"
    assert {row[0] for row in file.asked(named)} <= {row[0] for row in workspace.asked(indexes)}
    kept = workspace.asked(
        "select distinct collation_name from information_schema.columns"
        " where table_schema = current_schema() and data_type = 'text'"
    )
    assert kept == [("C",)]


def test_parameters_are_marked_and_texts_names_and_casts_left_alone():
    sql = "select ':a', \":b\", x::text, '50%''s :c' from t where id = :id and y like :words_ and z % 2 = :id"

    assert in_psycopg(sql) == (
        "select ':a', \":b\", x::text, '50%%''s :c' from t where id = %(id)s"
        " and y like %(words_)s and z %% 2 = %(id)s"
    )


def test_types_are_translated_where_they_are_types():
    statement = 'create table t (\n    text text not null,\n    n integer,\n    "end" real,\n    b blob\n)'

    assert Postgres().declared(statement) == (
        'create table t (\n    text text collate "C" not null,\n    n bigint,\n'
        '    "end" double precision,\n    b bytea\n)'
    )
    assert Postgres().declared("alter table t add column s text") == (
        'alter table t add column s text collate "C"'
    )
    assert Postgres().declared("-- only sqlite\nupdate t set text = text") is None


# What the tests do to a server


def kill(server: Server) -> None:
    """End a server without giving it time to tidy up, as a crash does."""
    assert server.process is not None
    server.process.send_signal(signal.SIGQUIT)
    server.process.wait(timeout=PATIENCE)
    server.process = None


def locked(server: Server, name: str, password: str) -> None:
    """A user whom the server lets in with a password alone."""
    rules = Path(server.folder, "here", "pg_hba.conf")
    rule = f"host all {name} 127.0.0.1/32 scram-sha-256\n"
    if rule not in rules.read_text(encoding="utf-8"):
        rules.write_text(rule + rules.read_text(encoding="utf-8"), encoding="utf-8")
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"drop role if exists {name}")
        connection.execute(f"create role {name} login password '{password}'")
        connection.execute("select pg_reload_conf()")


class Pump(threading.Thread):
    """Passes on what one end says to the other, until it may not."""

    def __init__(self, source: socket.socket, target: socket.socket, passes: Callable[[bytes], bool]) -> None:
        super().__init__()
        self.source, self.target, self.passes = source, target, passes

    def run(self) -> None:
        while (said := received(self.source)) and self.passes(said):
            self.target.sendall(said)
        for end in (self.source, self.target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Way:
    """One connection to a server, which breaks at a commit, before or after the server has done it."""

    def __init__(self, client: socket.socket, server: socket.socket, *, breaks: bool, arrives: bool) -> None:
        self.breaks, self.arrives, self.commits = breaks, arrives, 0
        self.pumps = (Pump(client, server, self.goes), Pump(server, client, self.comes))

    def goes(self, said: bytes) -> bool:
        self.commits += self.breaks and b"commit\0" in said
        return self.arrives or not self.commits

    def comes(self, said: bytes) -> bool:
        return not self.commits


@contextmanager
def cut_at_commit(url: str, *, arrives: bool) -> Iterator[str]:
    """A way to a server whose second connection breaks at a commit; the first is for opening a store."""
    place = urlsplit(url)
    pumps: list[Pump] = []
    ends: list[socket.socket] = []

    def accepted() -> None:
        for number in count(1):
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection((place.hostname, place.port))
            ends.extend((client, server))
            for pump in Way(client, server, breaks=number == 2, arrives=arrives).pumps:
                pump.start()
                pumps.append(pump)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=accepted)
        accepting.start()
        yield url.replace(f":{place.port}/", f":{listener.getsockname()[1]}/")
        listener.shutdown(socket.SHUT_RDWR)
    for thread in (accepting, *pumps):
        thread.join(PATIENCE)
    for end in ends:
        end.close()


def received(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""
