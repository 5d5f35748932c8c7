"""What every store promises, shown on each adapter."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.json_values import objects, texts
from vivavoce.domain.corpus.library import Cited, Collection, Ingestion
from vivavoce.domain.corpus.passages import Passage
from vivavoce.domain.providers import Provider
from vivavoce.domain.values import one_line
from vivavoce.errors import StorageFailed
from vivavoce.ports import ContactFilter, ConversationFilter, Spending, Store, Tables

from .entities import (
    NOON,
    a_contact,
    a_conversation,
    a_datasource,
    a_datastore,
    a_key,
    a_message,
    a_scenario,
    a_step,
    a_tool,
    a_turn,
    an_agent,
)
from .workspaces import Workspace, new_schema, said

OTHER_KEY = bytes(reversed(range(32)))

PATIENCE = 20


@pytest.fixture(params=["sqlite", "postgres"])
def workspace(request, tmp_path) -> Workspace:
    """An empty workspace on each database."""
    if request.param == "sqlite":
        return Workspace(tmp_path / "store.db")
    return Workspace(request.getfixturevalue("postgres_schema"))


@pytest.fixture
def open_store(workspace) -> Callable[[], AbstractContextManager[Store]]:
    """Opens the same workspace each time."""
    return workspace.opened


@pytest.fixture
def store(open_store) -> Iterator[Store]:
    with open_store() as store:
        yield store


async def test_what_another_process_changed_is_read_anew(open_store):
    with open_store() as store, open_store() as other:
        await store.write(lambda tables: tables.agents.add(an_agent("a1", secrets={"key": "old"})))
        for number in range(3):
            changed = an_agent("a1", name=f"Ana {number}", secrets={"key": f"k{number}"})
            await other.write(lambda tables, agent=changed: tables.agents.replace(agent))
            assert await store.read(lambda tables: tables.agents.find("a1")) == changed
            assert await store.read(lambda tables: tables.agents.find("a1")) == changed


# Units of work


async def test_what_was_written_is_there_when_the_store_is_opened_again(open_store):
    agent = an_agent("a1", handle="ana", temperature=0.5, secrets={"config_url_external/header": "k"})
    with open_store() as store:
        await store.write(lambda tables: tables.agents.add(agent))
        organization = await store.read(lambda tables: tables.organization_id)

    with open_store() as store:
        assert await store.read(lambda tables: tables.agents.find("a1")) == agent
        assert await store.read(lambda tables: tables.organization_id) == organization


async def test_a_unit_of_work_gives_back_what_it_returns(store):
    assert await store.write(lambda tables: 42) == 42
    assert await store.read(lambda tables: [tables.agents.count()]) == [0]


async def test_a_unit_of_work_that_fails_leaves_nothing_and_its_error_comes_through(store):
    def fails_late(tables: Tables) -> None:
        tables.agents.add(an_agent("a1"))
        tables.tools.add(a_tool("t1", "a1"))
        raise LookupError("late")

    with pytest.raises(LookupError, match="late"):
        await store.write(fails_late)

    assert await store.read(lambda tables: (tables.agents.count(), tables.tools.count())) == (0, 0)
    await store.write(lambda tables: tables.agents.add(an_agent("a1")))
    assert await store.read(lambda tables: tables.agents.count()) == 1


async def test_a_failed_change_leaves_what_was_there(store):
    await store.write(lambda tables: tables.agents.add(an_agent("a1", name="Ana")))

    def fails(tables: Tables) -> None:
        tables.agents.replace(an_agent("a1", name="Bia"))
        tables.agents.drop("a1")
        raise LookupError

    with pytest.raises(LookupError):
        await store.write(fails)

    assert (await store.read(lambda tables: tables.agents.find("a1"))).name == "Ana"


async def test_a_read_sees_one_view_while_a_write_is_made(store):
    has_read, is_written = threading.Event(), threading.Event()

    def reads_twice(tables: Tables) -> tuple[int, int]:
        before = tables.scenarios.count()
        has_read.set()
        assert is_written.wait(PATIENCE)
        return before, tables.scenarios.count()

    reading = asyncio.create_task(store.read(reads_twice, is_long=True))
    assert await asyncio.to_thread(has_read.wait, PATIENCE)
    await store.write(lambda tables: tables.scenarios.add(a_scenario("s1")))
    is_written.set()

    assert await reading == (0, 0)
    assert await store.read(lambda tables: tables.scenarios.count()) == 1


async def test_a_write_that_is_under_way_is_seen_by_nobody_and_holds_nobody_up(store):
    has_added, may_end = threading.Event(), threading.Event()

    def adds_slowly(tables: Tables) -> None:
        tables.scenarios.add(a_scenario("s1"))
        has_added.set()
        assert may_end.wait(PATIENCE)

    writing = asyncio.create_task(store.write(adds_slowly))
    assert await asyncio.to_thread(has_added.wait, PATIENCE)
    seen = await store.read(lambda tables: tables.scenarios.count())
    may_end.set()
    await writing

    assert seen == 0
    assert await store.read(lambda tables: tables.scenarios.count()) == 1


async def test_writes_at_once_take_their_turn_and_lose_nothing(store):
    await store.write(lambda tables: tables.scenarios.add(a_scenario("s1", description="0")))

    def counts_up(tables: Tables) -> None:
        scenario = tables.scenarios.find("s1")
        tables.scenarios.replace(
            scenario.model_copy(update={"description": str(int(scenario.description) + 1)})
        )

    await asyncio.gather(*(store.write(counts_up) for _ in range(40)))

    assert (await store.read(lambda tables: tables.scenarios.find("s1"))).description == "40"


async def test_a_write_that_nobody_waits_for_any_more_happens_whole(open_store):
    has_begun, may_end = threading.Event(), threading.Event()

    def adds_two(tables: Tables) -> None:
        tables.scenarios.add(a_scenario("s1"))
        has_begun.set()
        assert may_end.wait(PATIENCE)
        tables.scenarios.add(a_scenario("s2"))

    with open_store() as store:
        writing = asyncio.create_task(store.write(adds_two))
        assert await asyncio.to_thread(has_begun.wait, PATIENCE)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        may_end.set()

    with open_store() as store:
        assert await store.read(lambda tables: tables.scenarios.count()) == 2


# Tables


async def test_entities_are_found_by_id_and_by_column(store):
    def fill(tables: Tables) -> None:
        tables.agents.add(an_agent("a1", handle="ana"))
        tables.agents.add(an_agent("a2", hidden=True))

    await store.write(fill)

    def ids(**equal: object) -> object:
        return store.read(lambda tables: [agent.id for agent in tables.agents.where(**equal)])

    assert await store.read(lambda tables: tables.agents.find("a404")) is None
    assert await ids(handle="ana") == ["a1"]
    assert await ids(handle=None) == ["a2"]
    assert await ids(hidden=False) == ["a1"]
    assert await ids(hidden=True, handle="ana") == []
    assert await store.read(lambda tables: tables.agents.count(hidden=True)) == 1


async def test_entities_come_in_the_order_of_their_table_or_newest_first_and_in_parts(store):
    def fill(tables: Tables) -> None:
        for id, age in (("s1", 3), ("s2", 1), ("s3", 2), ("s4", 1)):
            tables.scenarios.add(a_scenario(id, age=age))

    await store.write(fill)

    def ids(**part: object) -> object:
        return store.read(lambda tables: [row.id for row in tables.scenarios.where(**part)])

    assert await ids() == ["s1", "s3", "s2", "s4"]
    assert await ids(newest_first=True) == ["s4", "s2", "s3", "s1"]
    assert await ids(newest_first=True, limit=2, offset=1) == ["s2", "s3"]
    assert await ids(offset=4) == []


async def test_a_thousand_values_can_be_asked_for_at_once(store):
    wanted = [f"s{number}" for number in range(1_234)]

    def fill(tables: Tables) -> None:
        tables.datastores.add(a_datastore("d1"))
        for id in wanted:
            tables.scenarios.add(a_scenario(id))
        tables.datasources.add(a_datasource("x1", "d1"))

    await store.write(fill)

    found = await store.read(lambda tables: tables.scenarios.within("id", [*wanted, "s404"]))
    counted = await store.read(lambda tables: tables.datasources.counts("datastore_id", [*wanted, "d1"]))

    assert {scenario.id for scenario in found} == set(wanted)
    assert counted == {"d1": 1}
    assert await store.read(lambda tables: tables.scenarios.within("id", [])) == []


async def test_what_belongs_to_an_entity_goes_with_it(store):
    def fill(tables: Tables) -> None:
        tables.agents.add(an_agent("a1"))
        tables.datastores.add(a_datastore("d1"))
        tables.tools.add(a_tool("t1", "a1", type="datastore", datastore_id="d1"))
        tables.tools.add(a_tool("t2", "a1"))
        tables.datasources.add(a_datasource("x1", "d1"))
        said(tables, "x1", "text")
        tables.uploads.add("x1", 0, b"file")
        tables.ingestions.put("x1", "split", NOON)
        tables.scenarios.add(a_scenario("c1"))
        tables.steps.add(a_step("s1", "c1", 0, agent_id="a1"))
        tables.steps.add(a_step("s2", "c1", 1, auto_next_step_id="s1"))

    await store.write(fill)

    await store.write(lambda tables: tables.datastores.drop("d1"))
    assert await store.read(lambda tables: [tool.id for tool in tables.tools.where()]) == ["t2"]
    assert await store.read(
        lambda tables: (
            tables.datasources.count(),
            tables.documents.find("x1-1"),
            tables.documents.text("x1-1"),
            tables.passages.number("x1-1"),
            list(tables.uploads.chunks("x1")),
            tables.ingestions.number(),
        )
    ) == (0, None, "", 0, [], 0)

    await store.write(lambda tables: tables.agents.drop("a1"))
    assert await store.read(lambda tables: tables.tools.count()) == 0
    assert (await store.read(lambda tables: tables.steps.find("s1"))).agent_id is None

    await store.write(lambda tables: tables.steps.drop("s1"))
    assert (await store.read(lambda tables: tables.steps.find("s2"))).auto_next_step_id is None

    await store.write(lambda tables: tables.scenarios.drop("c1"))
    assert await store.read(lambda tables: tables.steps.count()) == 0


async def test_a_search_finds_words_in_names_and_in_texts_that_wait_newest_first(store):
    def fill(tables: Tables) -> None:
        tables.datastores.add(a_datastore("d1"))
        for id, age, name, text, status in (
            ("x1", 3, "Taxes", ".", "synched"),
            ("x2", 1, "b", "about TAXES", "pending"),
            ("x3", 2, "c", ".", "pending"),
            ("x4", 4, "d", "about taxes", "synched"),
        ):
            tables.datasources.add(a_datasource(id, "d1", age=age, name=name, status=status))
            said(tables, id, text)

    await store.write(fill)

    def ids(words: str | None, **more: object) -> object:
        part = {"limit": 10, "offset": 0, **more}
        return store.read(lambda tables: [row.id for row in tables.datasources.search("d1", words, **part)])

    assert await ids("taxes") == ["x2", "x1"]
    assert await ids("taxes", also=["x4", "x404"]) == ["x2", "x1", "x4"]
    assert await ids(None) == ["x2", "x3", "x1", "x4"]
    assert await ids(None, limit=1, offset=1) == ["x3"]
    assert await ids("taxes", name="b") == ["x2"]
    assert await ids("t%s") == []


async def test_datasources_are_picked_by_all_their_tags_and_one_id_of_the_users_own(store):
    def fill(tables: Tables) -> None:
        for id in ("d1", "d2"):
            tables.datastores.add(a_datastore(id))
        tables.datasources.add(a_datasource("x1", "d1", config={"tags": ["a", "b"], "custom_id": "one"}))
        tables.datasources.add(a_datasource("x2", "d1", config={"tags": ["a"], "custom_id": "two"}))
        tables.datasources.add(a_datasource("x3", "d1", config={"tags": {"a": 1}, "custom_id": ["one"]}))
        tables.datasources.add(a_datasource("x4", "d2", config={"tags": ["a", "b"], "custom_id": "one"}))

    await store.write(fill)

    def picked(tags: list[str], custom_ids: list[str]) -> object:
        return store.read(lambda tables: sorted(tables.datasources.tagged("d1", tags, custom_ids)))

    assert await picked(["a"], []) == ["x1", "x2"]
    assert await picked(["a", "b"], []) == ["x1"]
    assert await picked([], ["one", "two"]) == ["x1", "x2"]
    assert await picked(["b"], ["two"]) == []


# Conversations


async def test_conversations_are_listed_by_columns_times_and_tags_after_the_last_one_seen(store):
    def fill(tables: Tables) -> None:
        for id, age, fields in (
            ("c1", 3, {"tags": ["a", "b"]}),
            ("c2", 1, {"is_ai_enabled": False, "unread_messages_count": 2}),
            ("c3", 1, {"assignee": "u1", "tags": ["b"]}),
            ("c4", 2, {"channel": "website"}),
        ):
            tables.conversations.add(a_conversation(id, age=age, **fields))

    await store.write(fill)

    def ids(limit: int = 10, **wanted: object) -> object:
        of = ConversationFilter(**{"equal": {}, **wanted})
        return store.read(lambda tables: [row.id for row in tables.conversations.listed(of, limit)])

    day = NOON - timedelta(days=1)
    assert await ids() == ["c3", "c2", "c4", "c1"]
    assert await ids(limit=2) == ["c3", "c2"]
    assert await ids(before=(day, "c3")) == ["c2", "c4", "c1"]
    assert await ids(before=(day, "c2")) == ["c4", "c1"]
    assert await ids(equal={"is_ai_enabled": True}, tag="b") == ["c3", "c1"]
    assert await ids(equal={"assignee": None, "channel": "api"}) == ["c2", "c1"]
    assert await ids(is_unread=True) == ["c2"]
    assert await ids(is_unread=False, created_from=day) == ["c3"]
    assert await ids(created_to=NOON - timedelta(days=2)) == ["c4", "c1"]


async def test_messages_keep_their_order_and_the_last_ones_are_read(store):
    def fill(tables: Tables) -> list[int]:
        for id in ("c1", "c2"):
            tables.conversations.add(a_conversation(id))
        tables.messages.append(a_message("other", "c2"))
        return [tables.messages.append(a_message(f"m{place}", "c1")).position for place in range(4)]

    assert await store.write(fill) == [1, 2, 3, 4]

    def last(limit: int, **before: int) -> object:
        return store.read(lambda tables: [row.id for row in tables.messages.last("c1", limit, **before)])

    assert await last(2) == ["m2", "m3"]
    assert await last(2, before=3) == ["m0", "m1"]
    assert await last(9) == ["m0", "m1", "m2", "m3"]


async def test_turns_wait_for_those_before_them_and_the_stranded_are_found(store):
    def fill(tables: Tables) -> None:
        tables.conversations.add(a_conversation("c1"))
        for place, state, lease in ((1, "answered", None), (2, "running", -1), (3, "waiting", 1)):
            until = None if lease is None else NOON + timedelta(minutes=lease)
            tables.turns.add(a_turn(f"t{place}", "c1", place, state=state, lease_until=until))

    await store.write(fill)

    def before(id: str) -> object:
        return store.read(lambda tables: [row.id for row in tables.turns.open_before(tables.turns.find(id))])

    assert (await before("t3"), await before("t2")) == (["t2"], [])
    stranded = await store.read(lambda tables: tables.turns.stranded(NOON, 10))
    assert [turn.id for turn in stranded] == ["t2"]


async def test_leases_run_on_for_turns_that_are_not_finished_and_that_nobody_else_has_taken(store):
    later, soon = NOON + timedelta(minutes=5), NOON + timedelta(minutes=1)
    ours = [
        a_turn("t1", "c1", 1, state="running", lease_until=soon, fence=3),
        a_turn("t2", "c1", 2, state="waiting", lease_until=soon),
        a_turn("t3", "c1", 3, state="running", lease_until=soon, fence=1),
        a_turn("t4", "c1", 4, state="running", lease_until=soon),
    ]

    def fill(tables: Tables) -> None:
        tables.conversations.add(a_conversation("c1"))
        for turn in ours:
            tables.turns.add(turn)
        tables.turns.replace(ours[2].changed(NOON, fence=2))
        tables.turns.replace(ours[3].changed(NOON, state="answered", lease_until=None))

    await store.write(fill)
    await store.write(lambda tables: tables.turns.extend(ours, later))

    found = await store.read(lambda tables: tables.turns.where(conversation_id="c1"))
    assert [(turn.id, turn.lease_until) for turn in found] == [
        ("t1", later),
        ("t2", later),
        ("t3", soon),
        ("t4", None),
    ]


async def test_turns_that_failed_or_were_stranded_are_found_newest_first(store):
    ends = (
        ("failed", {"state": "failed"}),
        ("promised", {"state": "failed", "durable": True}),
        ("stranded", {"state": "interrupted", "stranded": True}),
        ("left", {"state": "interrupted"}),
        ("answered", {"state": "answered"}),
    )

    def fill(tables: Tables) -> None:
        tables.conversations.add(a_conversation("c1"))
        for place, (id, end) in enumerate(ends):
            turn = a_turn(id, "c1", place, **end)
            tables.turns.add(turn.model_copy(update={"created_at": NOON + timedelta(minutes=place)}))

    await store.write(fill)

    def failed(limit: int, *before: object) -> object:
        return store.read(lambda tables: [row.id for row in tables.turns.failed(limit, before or None)])

    assert await failed(9) == ["stranded", "promised", "failed"]
    assert await failed(1) == ["stranded"]
    assert await failed(9, NOON + timedelta(minutes=1), "promised") == ["failed"]


async def test_turns_that_jobs_have_yet_to_answer_are_counted_up_to_a_bound(store):
    def fill(tables: Tables) -> None:
        tables.conversations.add(a_conversation("c1"))
        for place, state in enumerate(("waiting", "running", "waiting", "answered", "failed")):
            tables.turns.add(a_turn(f"t{place}", "c1", place, state=state, durable=True))
        tables.turns.add(a_turn("t9", "c1", 9, state="running"))

    await store.write(fill)

    assert await store.read(lambda tables: tables.turns.number_promised(9)) == 3
    assert await store.read(lambda tables: tables.turns.number_promised(2)) == 2


async def test_a_turn_is_held_up_by_earlier_ones_that_someone_looks_after(store):
    def fill(tables: Tables) -> None:
        tables.conversations.add(a_conversation("c1"))
        tables.conversations.add(a_conversation("c2"))
        tables.turns.add(a_turn("other", "c2", 1, state="running", lease_until=NOON + timedelta(minutes=1)))
        for place, state, lease in ((1, "running", -1), (2, "waiting", 1), (3, "waiting", 1)):
            until = NOON + timedelta(minutes=lease)
            tables.turns.add(a_turn(f"t{place}", "c1", place, state=state, lease_until=until))

    await store.write(fill)

    def held_up(tables: Tables) -> list[bool]:
        return [tables.turns.is_held_up(turn, NOON) for turn in tables.turns.where(conversation_id="c1")]

    assert await store.read(held_up) == [False, False, True]
    assert await store.read(lambda tables: tables.turns.number_open("c1", NOON)) == 2
    assert await store.read(lambda tables: tables.turns.number_open("c404", NOON)) == 0


async def test_when_secrets_are_forgotten_every_sealed_one_is_and_the_new_key_counts(workspace):
    with workspace.opened() as store:
        known = {"id": "p1", "organization_id": "o1", "created_at": NOON, "updated_at": NOON}
        provider = Provider(**known, name="openai", secrets={"api_key": "sk-1"})
        await store.write(lambda tables: tables.providers.add(provider))
        await store.write(lambda tables: tables.agents.add(an_agent("a1", secrets={"token": "t"})))
        await store.write(lambda tables: tables.keys.add(a_key("k1")))

    workspace.forget_secrets(OTHER_KEY)

    with workspace.opened(OTHER_KEY) as store:
        kept = await store.read(lambda tables: (tables.providers.find("p1"), tables.agents.find("a1")))
        key = await store.read(lambda tables: tables.keys.find("k1"))
    assert [each.secrets for each in kept] == [{}, {}]
    assert key.revoked_at is not None


async def test_secrets_of_a_database_from_before_some_tables_can_be_forgotten(workspace):
    with workspace.opened():
        pass
    workspace.asked("drop table providers")

    workspace.forget_secrets(OTHER_KEY)

    with pytest.raises(StorageFailed, match="master key"), workspace.opened():
        pass


async def test_a_workspace_opens_with_its_own_key_alone(workspace):
    with workspace.opened():
        pass

    with pytest.raises(StorageFailed, match="key does not belong") as refusal:
        workspace.store(OTHER_KEY)

    assert "key file" in refusal.value.hint
    with workspace.opened() as store:
        assert await store.read(lambda tables: tables.scenarios.count()) == 0


async def test_a_database_of_a_newer_program_is_refused_and_left_alone(workspace):
    with workspace.opened():
        pass
    workspace.asked("update schema_version set version = 999")

    with pytest.raises(StorageFailed, match="schema 999") as refusal:
        workspace.store()

    assert "update the program" in refusal.value.hint
    assert workspace.asked("select version from schema_version") == [(999,)]


async def test_what_is_taken_is_refused_and_nothing_is_half_there(store):
    await store.write(lambda tables: tables.agents.add(an_agent("a1", handle="ana")))

    def takes_it_again(tables: Tables) -> None:
        tables.scenarios.add(a_scenario("s1"))
        tables.agents.add(an_agent("a2", handle="ana"))

    with pytest.raises(StorageFailed, match="The database failed"):
        await store.write(takes_it_again)

    assert await store.read(lambda tables: (tables.scenarios.count(), tables.agents.count())) == (0, 1)


async def test_texts_are_ordered_by_their_letters_codes_on_every_database(store):
    ids = ["B1", "a-1", "a1", "a_1", "b1", "C1"]

    def fill(tables: Tables) -> None:
        for id in ids:
            tables.scenarios.add(a_scenario(id))
            tables.conversations.add(a_conversation(id))

    await store.write(fill)

    assert await store.read(lambda tables: [row.id for row in tables.scenarios.where()]) == sorted(ids)
    after = ConversationFilter(equal={}, before=(NOON, "a_1"))
    listed = await store.read(lambda tables: [row.id for row in tables.conversations.listed(after, 10)])
    assert listed == ["a1", "a-1", "C1", "B1"]


async def test_contacts_are_known_by_any_of_their_ids_and_searched_with_a_count(store):
    def fill(tables: Tables) -> None:
        tables.contacts.add(a_contact("p1", age=2, email="a@b.c", first_name="Ágata", last_name="Lima"))
        tables.contacts.add(a_contact("p2", age=1, phone_number="55_1", external_id="u2"))
        tables.contacts.add(a_contact("p3"))
        tables.conversations.add(a_conversation("c1", contact_id="p2", status="RESOLVED", tags=["vip"]))

    await store.write(fill)

    def found(limit: int = 10, offset: int = 0, **wanted: object) -> object:
        def searched(tables: Tables) -> tuple[list[str], int]:
            rows, count = tables.contacts.search(ContactFilter(**wanted), limit=limit, offset=offset)
            return [row.id for row in rows], count

        return store.read(searched)

    known = await store.read(lambda tables: tables.contacts.known_by(email="a@b.c", external_id="u2"))
    assert [contact.id for contact in known] == ["p1", "p2"]
    assert await store.read(lambda tables: tables.contacts.known_by()) == []
    await store.write(lambda tables: tables.contacts.add(a_contact("p4", email="A@b.c")))
    spelt = await store.read(lambda tables: tables.contacts.known_by(email="A@b.c"))
    assert [contact.id for contact in spelt] == ["p4", "p1"]
    await store.write(lambda tables: tables.contacts.drop("p4"))
    assert await found() == (["p3", "p2", "p1"], 3)
    assert await found(limit=1, offset=1) == (["p2"], 3)
    assert await found(words="ÁGATA L") == (["p1"], 1)
    assert await found(words="5_1") == (["p2"], 1)
    assert await found(words="5%1") == ([], 0)
    assert await found(has_email=False, has_phone=False) == (["p3"], 1)
    assert await found(created_from=NOON - timedelta(hours=1)) == (["p3"], 1)
    assert await found(conversation={"status": "RESOLVED"}, tags=["x", "vip"]) == (["p2"], 1)
    assert await found(conversation={"status": "UNRESOLVED"}, tags=["vip"]) == ([], 0)


async def test_what_belongs_to_a_conversation_goes_with_it_and_a_contact_is_let_go(store):
    def fill(tables: Tables) -> None:
        tables.agents.add(an_agent("a1"))
        tables.contacts.add(a_contact("p1"))
        for id in ("c1", "c2"):
            tables.conversations.add(a_conversation(id, agent_id="a1", contact_id="p1"))
            tables.messages.append(a_message(f"m-{id}", id))
            tables.turns.add(a_turn(f"t-{id}", id, 1))

    await store.write(fill)

    def counts(tables: Tables) -> tuple[int, int, int]:
        return tables.conversations.count(), tables.messages.count(), tables.turns.count()

    await store.write(lambda tables: tables.contacts.drop("p1"))
    assert (await store.read(lambda tables: tables.conversations.find("c1"))).contact_id is None
    await store.write(lambda tables: tables.conversations.drop("c1"))
    assert await store.read(counts) == (1, 1, 1)
    await store.write(lambda tables: tables.agents.drop("a1"))
    assert await store.read(counts) == (0, 0, 0)


async def test_what_agents_spend_adds_up_month_by_month(store):
    def spend(tables: Tables) -> None:
        tables.agents.add(an_agent("a1"))
        for month in ("2026-01", "2026-02", "2026-02"):
            tables.usage.add("a1", month, Spending(1, 10, 5, 0.25))

    await store.write(spend)

    assert await store.read(lambda tables: tables.usage.of("a1", "2026-02")) == Spending(2, 20, 10, 0.5)
    assert await store.read(lambda tables: tables.usage.of("a1", "2026-03")) == Spending(0, 0, 0, 0.0)


# The library


async def test_a_text_is_read_between_any_two_places_whatever_its_length(store):
    text = "".join(f"{number:05d} ação 報價\n" for number in range(5_000))

    def fill(tables: Tables) -> None:
        tables.datastores.add(a_datastore("d1"))
        tables.datasources.add(a_datasource("x1", "d1"))
        said(tables, "x1", text)

    await store.write(fill)

    edges = (0, 1, 32_767, 32_768, 32_769, 65_536, len(text) - 1, len(text), len(text) + 9)
    for start in edges:
        for end in edges:
            read = await store.read(lambda tables, a=start, z=end: tables.documents.text("x1-1", a, z))
            assert read == text[start:end], (start, end)


async def test_passages_are_cited_while_what_they_belong_to_counts(store):
    def fill(tables: Tables) -> None:
        tables.datastores.add(a_datastore("d1"))
        tables.datasources.add(a_datasource("x1", "d1"))
        document = said(tables, "x1", "One. Two.")
        passages = [Passage(0, 4, 1, "i", 1, ("Top",), 2), Passage(5, 9, None, None, None, (), 2)]
        tables.passages.add(document, 0, [(each, f"h{each.start}") for each in passages])

    await store.write(fill)

    def cited(tables: Tables) -> list[Cited]:
        return tables.passages.cited([1, 2, 404])

    one, two = await store.read(cited)
    assert (one.text, one.passage.label, one.passage.headings, two.text) == ("One.", "i", ("Top",), "Two.")
    assert await store.read(lambda tables: tables.passages.count("d1")) == 2

    def outdate(tables: Tables) -> None:
        tables.documents.replace(tables.documents.find("x1-1").in_state("old"))

    await store.write(outdate)
    assert await store.read(cited) == []


async def test_the_index_is_told_of_the_passages_that_it_lacks_and_of_those_that_are_gone(store):
    made = Collection("d1.words", "d1", "words", 2, serves=True, filled_to=1)

    def fill(tables: Tables) -> None:
        tables.datastores.add(a_datastore("d1"))
        tables.datasources.add(a_datasource("x1", "d1", name="Our long list.txt"))
        document = said(tables, "x1", "One. Two.")
        passages = [Passage(start, start + 4, None, None, None, (), 2) for start in (0, 5)]
        tables.passages.add(document, 0, [(each, f"h{each.start}") for each in passages])
        tables.passages.keep_vectors("words", {"h5": b"2222"})
        tables.collections.put(made)

    await store.write(fill)

    (waiting,) = await store.read(lambda tables: tables.passages.unindexed(made, 10))
    assert (waiting.id, waiting.text, waiting.vector) == (2, "Our long list\nTwo.", b"2222")
    missing = await store.read(lambda tables: tables.passages.unembedded(made.changed(filled_to=0), 10))
    assert [each.hash for each in missing] == ["h0"]

    await store.write(lambda tables: tables.passages.retire("x1-1"))
    assert await store.read(lambda tables: tables.collections.gone(made, 10)) == [1, 2]
    assert await store.read(lambda tables: tables.passages.vectors("words", ["h0", "h5"])) == {}

    await store.write(lambda tables: tables.collections.forgotten(made, [1, 2]))
    assert await store.read(lambda tables: tables.collections.gone(made, 10)) == []


async def test_one_worker_has_the_work_until_its_lease_ends_or_it_is_asked_for_again(store):
    def fill(tables: Tables) -> None:
        tables.datastores.add(a_datastore("d1"))
        tables.datasources.add(a_datasource("x1", "d1"))
        tables.ingestions.put("x1", "read", NOON)

    await store.write(fill)
    lease, later = timedelta(seconds=90), NOON + timedelta(seconds=91)

    def claim(at: datetime) -> object:
        return store.write(lambda tables: tables.ingestions.claim(at, at + lease))

    def holds(claimed: Ingestion) -> object:
        return store.write(lambda tables: tables.ingestions.hold(claimed, later + lease))

    first = await claim(NOON)
    assert (first.datasource_id, first.step, first.attempts) == ("x1", "read", 1)
    assert await claim(NOON) is None
    second = await claim(later)
    assert (second.attempts, await holds(first), await holds(second)) == (2, False, True)

    await store.write(lambda tables: tables.ingestions.put("x1", "split", later))
    await store.write(lambda tables: tables.ingestions.finish(second))
    third = await claim(later)
    assert (third.step, third.attempts, await holds(second)) == ("split", 1, False)

    await store.write(lambda tables: tables.ingestions.postpone(third, later + lease))
    assert await claim(later) is None
    fourth = await claim(later + lease)
    await store.write(lambda tables: tables.ingestions.finish(fourth))
    assert await store.read(lambda tables: tables.ingestions.number()) == 0


async def test_a_file_is_kept_in_pieces_until_it_is_dropped(store):
    def fill(tables: Tables) -> None:
        tables.datastores.add(a_datastore("d1"))
        tables.datasources.add(a_datasource("x1", "d1"))
        for position in (1, 0, 2):
            tables.uploads.add("x1", position, bytes([position, 0, 255]))

    await store.write(fill)
    kept = await store.read(lambda tables: b"".join(tables.uploads.chunks("x1")))
    assert kept == b"\0\0\xff\1\0\xff\2\0\xff"

    await store.write(lambda tables: tables.uploads.drop("x1"))
    assert await store.read(lambda tables: list(tables.uploads.chunks("x1"))) == []


names = texts.map(lambda text: f"x{text}x").filter(lambda text: _is_line(text))


@given(
    name=names,
    text=texts,
    config=objects(),
    temperature=st.floats(0, 1),
    secrets=st.dictionaries(texts, st.text(st.characters(exclude_categories=[])), max_size=3),
)
def test_any_entity_is_read_back_as_it_was_written(shared_store, name, text, config, temperature, secrets):
    agent = an_agent(
        "a1",
        name=name,
        system_prompt=text,
        interface_config=config,
        temperature=temperature,
        secrets=secrets,
    )

    def written_and_read(tables: Tables) -> object:
        tables.agents.drop("a1")
        tables.agents.add(agent)
        added = tables.agents.find("a1")
        tables.agents.replace(agent)
        return added, tables.agents.find("a1")

    assert asyncio.run(shared_store.write(written_and_read)) == (agent, agent)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_store(request, tmp_path_factory) -> Iterator[Store]:
    if request.param == "sqlite":
        with Workspace(tmp_path_factory.mktemp("shared") / "store.db").opened() as store:
            yield store
        return
    with (
        new_schema(request.getfixturevalue("postgres").url) as url,
        Workspace(url).opened() as store,
    ):
        yield store


def _is_line(text: str) -> bool:
    try:
        return one_line(text) == text
    except ValueError:
        return False
