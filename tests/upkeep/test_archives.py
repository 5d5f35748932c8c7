"""Archives: a workspace comes out of a file as it went in, without its secrets and with nothing set going."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import zipfile
from contextlib import closing, contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.upkeep.houses import HOOK, NOW, OLD, SECRET, TEXT, furnish, known, remade, secret_things, things
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message, TagKind
from vivavoce.domain.corpus.library import Document
from vivavoce.domain.inert import inert
from vivavoce.engine.turns.lanes import recover
from vivavoce.errors import Conflict, StorageFailed
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.testing import CountedIds, ingested, open_test_engine
from vivavoce.upkeep.archives import LEFT_OUT, load, parts, save
from vivavoce.upkeep.archives.taking import UNFINISHED

CARRIED = {"documents": "datasources", "parts": "datasources", "uploads": "datasources"}
"""Tables whose rows are in an archive with the things that they belong to."""
UNOPENED = {"sqlite_sequence": "SQLite's own", "schema_version": "which changes of the schema were made"}


@pytest.fixture
async def house(engine):
    """A workspace with everything in it."""
    await engine.ports.store.write(furnish)
    return engine


@pytest.fixture
async def archive(house, tmp_path):
    """The house as a file."""
    path = tmp_path / "house.zip"
    await save(house.ports, path)
    return path


def asked(folder, sql):
    with closing(sqlite3.connect(folder / "vivavoce.db")) as database:
        return database.execute(sql).fetchall()


def everything_in(path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


async def contents(engine) -> dict[str, list]:
    """All that a store holds that can be in an archive, but for when it was changed and whose it is."""

    def found(tables):
        rows = {}
        for part in parts():
            if part.name in ("usage", "avatar_usage", "calibrations"):
                rows[part.name] = list(part.lines(tables))
            else:
                some = getattr(tables, part.name).after("", 100)
                rows[part.name] = [
                    {**each.fields(), "organization_id": "", "updated_at": ""} for each in some
                ]
        rows["versions"] = [
            (
                each.id,
                each.version,
                each.state,
                each.hash,
                each.outline.titles,
                tables.documents.text(each.id),
            )
            for each in tables.documents.versions("mill")
        ]
        rows["file"] = b"".join(tables.uploads.chunks("scan"))
        return rows

    return await engine.ports.store.read(found)


def test_every_table_is_in_an_archive_or_left_out_for_a_reason(empty, tmp_path):
    tables = {
        name for (name,) in asked(tmp_path / "other", "select name from sqlite_master where type='table'")
    }

    decided = {part.name for part in parts()} | CARRIED.keys() | LEFT_OUT.keys()

    assert tables - UNOPENED.keys() == decided
    assert all(len(reason.split()) > 2 for reason in LEFT_OUT.values())


async def test_the_house_has_something_in_each_table_of_an_archive(house, tmp_path):
    names = {part.name for part in parts()} | CARRIED.keys()

    assert [name for name in sorted(names) if asked(tmp_path, f"select count(*) from {name}") == [(0,)]] == []


async def test_everything_comes_out_as_it_went_in_but_inert(archive, empty):
    report = await load(empty.ports, archive)

    here = await contents(empty)
    for name, some in things().items():
        wanted = {each.id: inert(each).thing.fields() for each in some}
        if name == "datastores":
            wanted["books"] |= {"embedder": None, "dimension": None}
        if name == "steps":
            wanted["a-hot"]["auto_next_step_id"], wanted["b-cold"]["auto_next_step_id"] = "b-cold", "a-hot"
        if name == "arrivals":
            wanted["ring"]["raw"] = ""
        passed_over = {"organization_id": "", "updated_at": ""}
        assert {each["id"]: each for each in here[name]} == {
            id: {**each, **passed_over} for id, each in wanted.items()
        }
    assert report.number("failed") == report.number("kept") == 0
    assert report.counts["messages"] == {"added": 2}


async def test_figures_texts_and_files_come_along(archive, empty):
    await load(empty.ports, archive)

    here = await contents(empty)
    assert here["usage"] == [
        {
            "agent_id": "ana",
            "month": "2026-01",
            "turns": 3,
            "prompt_tokens": 20,
            "completion_tokens": 10,
            "cost": 0.25,
        }
    ]
    assert here["avatar_usage"] == [
        {
            "avatar_id": "ada",
            "month": "2026-01",
            "turns": 2,
            "prompt_tokens": 8,
            "completion_tokens": 4,
            "cost": 0.5,
        }
    ]
    assert [each[0] for each in here["versions"]] == ["mill-1", "mill-2"]
    assert [each[2] for each in here["versions"]] == ["old", "current"]
    assert [each[5] for each in here["versions"]] == [OLD, TEXT]
    assert here["versions"][0][4] == [(0, 1, "The mill")]
    assert here["file"] == b"A file in two pieces."


async def test_things_belong_to_the_workspace_they_came_into(archive, empty):
    await load(empty.ports, archive)

    agent, own = await empty.ports.store.read(
        lambda tables: (tables.agents.find("ana"), tables.organization_id)
    )
    assert agent.organization_id == own


async def test_no_secret_is_in_an_archive(archive, house):
    written = everything_in(archive)

    assert SECRET.encode() not in written
    assert b"********" in written
    key = await house.run(CATALOGUE["create_key"].parse({"name": "k", "scopes": ["read"]}), OPERATOR)
    again = archive.with_name("again.zip")
    await save(house.ports, again)
    stored = await house.ports.store.read(lambda tables: tables.keys.find(key.id))
    assert key.key.encode() not in everything_in(again)
    assert stored.digest.encode() not in everything_in(again)


async def test_what_is_left_out_is_said_in_the_archive_and_is_not_there_afterwards(archive, empty):
    await load(empty.ports, archive)

    with zipfile.ZipFile(archive) as file:
        manifest = json.loads(file.read("manifest.json"))
    assert manifest["leftOut"] == LEFT_OUT
    assert manifest["parts"]["messages"]["lines"] == 2
    for name in secret_things().keys() - {"endpoints"}:
        number = await empty.ports.store.read(lambda tables, name=name: getattr(tables, name).count())
        assert number == 0


async def test_nothing_is_set_going(archive, empty, tmp_path):
    await load(empty.ports, archive)

    other = tmp_path / "other"
    assert asked(other, "select count(*) from jobs") == [(0,)]
    assert asked(other, "select id from turns where state in ('waiting', 'running', 'asking')") == []
    assert asked(other, "select id from deliveries where state in ('waiting', 'sending', 'held')") == []
    assert asked(other, "select id from follow_ups where state in ('planned', 'sending')") == []
    assert asked(other, "select id from arrivals where state = 'waiting'") == []
    assert sorted(asked(other, "select id from endpoints")) == [("ana",), ("b-cold",)]
    assert await recover(empty.ports) == 0
    assert await empty.worker.finish_due() == 0
    assert empty.ports.outside.sent == []


async def test_texts_can_be_searched_once_they_are_indexed_and_nobody_is_asked_for_them(archive, empty):
    await load(empty.ports, archive)
    await ingested(empty)

    found = await empty.run(
        CATALOGUE["query_datastore"].parse({"id": "books", "query": "river mill"}), OPERATOR
    )
    states = await empty.ports.store.read(
        lambda tables: {each.id: (each.status, each.error) for each in tables.datasources.where()}
    )
    assert found.chunks[0].text.startswith("The mill stood by the river.")
    assert states["mill"] == ("synched", None)
    assert states["scan"] == ("synched", None)
    assert states["page"] == ("error", "It came from elsewhere before it was read. Synch it.")


async def test_a_report_says_what_must_be_done(archive, empty):
    report = await load(empty.ports, archive)

    said = {(kind, reason) for kind, reason, _, _ in report.reasons()}
    assert ("tools", "its secrets are blank: write them again") in said
    assert ("accounts", "its token is gone: renew it") in said
    assert ("integrations", "it is switched off") in said
    for kind in ("agents", "avatars"):
        assert (kind, "it was public: it is private here until you change that") in said
    assert not [kind for kind, reason in said if kind in ("turns", "approvals") and "secrets" in reason]
    assert ("agents", "its webhook is paused until it is resumed") in said
    assert ("datasources", "it was not read yet: synch it to have it read from here") in said


async def test_a_second_time_changes_nothing(archive, empty):
    await load(empty.ports, archive)
    before = await contents(empty)

    report = await load(empty.ports, archive)

    assert await contents(empty) == before
    assert report.number("added") == report.number("failed") == 0
    assert report.number("unchanged") == sum(map(len, things().values())) + 3 + 3


async def test_what_is_still_to_be_done_is_said_again_and_what_is_done_is_not(archive, empty):
    first = await load(empty.ports, archive)

    def mend(tables):
        tables.tools.replace(tables.tools.find("find").model_copy(update={"secrets": {"url": SECRET}}))
        tables.accounts.replace(tables.accounts.find("front").model_copy(update={"token_digest": "new"}))
        tables.endpoints.drop("ana")

    await empty.ports.store.write(mend)
    second = await load(empty.ports, archive)

    done = {
        ("tools", "find", "its secrets are blank: write them again"),
        ("accounts", "front", "its token is gone: renew it"),
        ("agents", "ana", "its webhook is paused until it is resumed"),
    }
    said = {tuple(each) for each in second.remarks}
    assert done <= {tuple(each) for each in first.remarks}
    assert not done & said
    assert said >= {
        ("integrations", "wa", "it is switched off"),
        ("datasources", "mill", "its secrets are blank: write them again"),
        ("avatars", "ada", "it was public: it is private here until you change that"),
        ("steps", "b-cold", "its webhook is paused until it is resumed"),
    }


async def test_a_dry_one_says_the_same_and_writes_nothing(archive, empty):
    before = await contents(empty)

    dry = await load(empty.ports, archive, is_dry=True)

    assert await contents(empty) == before
    wet = await load(empty.ports, archive)
    assert dry.is_dry
    assert dry.counts == wet.counts
    assert sorted(dry.remarks) == sorted(wet.remarks)


async def test_what_is_there_already_is_kept_and_reported(archive, empty):
    await load(empty.ports, archive)

    def change(tables):
        agent = tables.agents.find("ana")
        tables.agents.replace(agent.model_copy(update={"name": "Mine"}))

    await empty.ports.store.write(change)
    report = await load(empty.ports, archive)

    agent = await empty.ports.store.read(lambda tables: tables.agents.find("ana"))
    assert agent.name == "Mine"
    assert report.counts["agents"] == {"kept": 1, "unchanged": 1}
    assert ("agents", "ana") in {(kind, id) for kind, id, _ in report.remarks}


async def test_what_was_deleted_here_comes_back_with_all_that_belongs_to_it(archive, empty):
    await load(empty.ports, archive)
    before = await contents(empty)
    await empty.ports.store.write(lambda tables: tables.agents.drop("ana"))

    await load(empty.ports, archive)

    after = await contents(empty)
    assert {name: len(some) for name, some in after.items()} == {
        name: len(some) for name, some in before.items()
    }


async def test_names_that_are_taken_here_are_left_empty_and_reported(archive, empty):
    def settle(tables):
        tables.contacts.add(Contact(**known("mine"), email="zoe@x.example"))
        tables.agents.add(things()["agents"][0].model_copy(update={"id": "other"}))
        tables.tags.add(TagKind(**known("else"), name="vip"))

    await empty.ports.store.write(settle)
    report = await load(empty.ports, archive)

    contact, agent, talk = await empty.ports.store.read(
        lambda tables: (
            tables.contacts.find("zoe"),
            tables.agents.find("ana"),
            tables.conversations.find("talk"),
        )
    )
    assert (contact.email, agent.handle, talk.contact_id) == (None, None, "zoe")
    assert report.counts["tags"] == {"kept": 1}
    assert report.number("failed") == 0


async def test_what_belongs_to_nothing_here_is_reported_and_the_rest_comes_in(house, empty, tmp_path):
    path = tmp_path / "edited.zip"
    await save(house.ports, path)
    remade(path, {"conversations.jsonl": b""})

    report = await load(empty.ports, path)

    assert report.counts["messages"] == {"failed": 2}
    assert report.counts["contacts"] == {"added": 1}
    assert report.counts["deliveries"] == {"failed": 1, "added": 1}


async def test_an_archive_is_one_moment_of_a_workspace_in_use(house, tmp_path, empty):
    loop, path = asyncio.get_running_loop(), tmp_path / "moment.zip"
    late = Contact(**known("late"))
    await house.ports.store.write(
        lambda tables: [tables.tags.add(TagKind(**known(f"t{n}"), name=f"t{n}")) for n in range(1_200)]
    )
    written = []

    def told(part, done, total):
        if part == "tags" and not written:
            store = house.ports.store
            work = store.write(lambda tables: (tables.contacts.add(late), tables.tags.drop("t999")))
            written.append(asyncio.run_coroutine_threadsafe(work, loop).result(30))

    await save(house.ports, path, told=told)
    await load(empty.ports, path)

    assert written
    here = await empty.ports.store.read(
        lambda tables: (tables.contacts.find("late"), tables.tags.find("t999"), tables.tags.count())
    )
    assert here[0] is None
    assert here[1] is not None
    assert here[2] == 1_201


async def test_an_archive_is_never_written_over_a_file(house, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("mine")

    with pytest.raises(Conflict, match="exists already"):
        await save(house.ports, path)

    assert path.read_text() == "mine"
    assert [each.name for each in tmp_path.iterdir() if each.name.endswith(".part")] == []


async def test_a_folder_that_is_not_there_is_a_plain_error(house, tmp_path):
    with pytest.raises(StorageFailed, match="No such file"):
        await save(house.ports, tmp_path / "none" / "a.zip")


async def test_an_export_that_fails_leaves_no_file(house, tmp_path):
    await house.ports.store.write(lambda tables: tables.messages.drop("m1"))
    with closing(sqlite3.connect(tmp_path / "vivavoce.db")) as database:
        database.execute("update deliveries set document = '{' where id = 'done'")
        database.commit()

    with pytest.raises(StorageFailed, match="cannot be read"):
        await save(house.ports, tmp_path / "house.zip")

    assert sorted(each.name for each in tmp_path.iterdir() if "house" in each.name) == []


async def test_a_tool_of_which_an_agent_may_have_one_is_not_doubled(archive, empty):
    await load(empty.ports, archive)

    def exchange(tables):
        tables.tools.drop("look")
        tables.tools.add(things()["tools"][1].model_copy(update={"id": "mine"}))

    await empty.ports.store.write(exchange)
    dry = await load(empty.ports, archive, is_dry=True)
    wet = await load(empty.ports, archive)

    ids = await empty.ports.store.read(lambda tables: {each.id for each in tables.tools.where()})
    assert ids == {"find", "mine", "rest"}
    assert dry.counts["tools"] == wet.counts["tools"] == {"kept": 1, "unchanged": 2}
    assert any(kind == "tools" and "already has a" in said for kind, _, said in wet.remarks)


async def test_an_arrival_whose_event_changed_is_kept(archive, empty):
    await load(empty.ports, archive)
    with zipfile.ZipFile(archive) as file:
        body = file.read("arrivals.jsonl").replace(b'"e1"', b'"e2"')
    remade(archive, {"arrivals.jsonl": body})

    report = await load(empty.ports, archive)

    assert report.counts["arrivals"] == {"kept": 1}


async def test_a_draft_is_never_written_through_a_link(house, tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    (tmp_path / ".house.zip.part").symlink_to(mine)

    with pytest.raises(StorageFailed, match="cannot be written"):
        await save(house.ports, tmp_path / "house.zip")

    assert mine.read_text() == "mine"


async def test_a_draft_that_has_another_name_by_now_is_left_alone(house, tmp_path):
    moved = tmp_path / "moved.zip"
    moved.write_text("mine")
    (tmp_path / ".house.zip.part").hardlink_to(moved)

    await save(house.ports, tmp_path / "house.zip")

    assert moved.read_text() == "mine"


async def test_a_draft_that_others_could_read_is_theirs_no_more(house, tmp_path):
    draft = tmp_path / ".house.zip.part"
    draft.touch()
    draft.chmod(0o666)

    await save(house.ports, tmp_path / "house.zip")

    assert (tmp_path / "house.zip").stat().st_mode & 0o777 == 0o600


async def test_a_draft_of_someone_else_is_refused(house, tmp_path, monkeypatch):
    draft = tmp_path / ".house.zip.part"
    draft.write_text("theirs")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)

    with pytest.raises(Conflict, match="belongs to someone else"):
        await save(house.ports, tmp_path / "house.zip")

    assert draft.read_text() == "theirs"


async def test_only_the_owner_can_read_an_archive(archive):
    assert archive.stat().st_mode & 0o777 == 0o600


async def test_a_datasource_that_was_cut_off_begins_anew(archive, empty):
    whole = await load(empty.ports, archive)
    wanted = await contents(empty)

    def cut(tables):
        source = tables.datasources.find("mill")
        tables.datasources.replace(source.model_copy(update={"status": "unsynched", "error": UNFINISHED}))
        for document in tables.documents.versions("mill"):
            tables.documents.drop(document.id)
        tables.documents.add(Document("mill-1", "mill", "books", NOW, 1, "next"))
        tables.documents.append("mill-1", 0, OLD[:5])

    await empty.ports.store.write(cut)
    again = await load(empty.ports, archive)

    assert whole.counts["datasources"] == {"added": 3}
    assert again.counts["datasources"] == {"added": 1, "unchanged": 2}
    assert await contents(empty) == wanted


async def test_half_a_datasource_stays_one_that_was_not_read(house, empty, tmp_path):
    def cut(tables):
        for id in ("mill", "scan"):
            source = tables.datasources.find(id)
            half = {"status": "unsynched", "error": UNFINISHED}
            tables.datasources.replace(source.model_copy(update=half))

    await house.ports.store.write(cut)
    await save(house.ports, tmp_path / "half.zip")
    first = await load(empty.ports, tmp_path / "half.zip")
    second = await load(empty.ports, tmp_path / "half.zip")

    state, chunks = await empty.ports.store.read(
        lambda tables: (tables.datasources.find("scan"), list(tables.uploads.chunks("scan")))
    )
    assert first.counts["datasources"] == {"added": 3}
    assert second.counts["datasources"] == {"unchanged": 3}
    assert (state.status, state.error) == ("error", "It came from elsewhere before it was read. Synch it.")
    assert chunks == []


@contextmanager
def two_engines(folder):
    (folder / "a").mkdir(parents=True)
    (folder / "b").mkdir()
    with open_test_engine(folder / "a", ids=CountedIds()) as a, open_test_engine(folder / "b") as b:
        yield a, b


anything = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=200)


@given(
    texts=st.lists(anything, max_size=5),
    fact=st.recursive(anything | st.booleans() | st.none(), st.lists),
    n=st.integers(0, 3),
)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_out_as_it_went_in(tmp_path_factory, texts, fact, n):
    folder = tmp_path_factory.mktemp("texts")

    async def there_and_back(a, b):
        def fill(tables):
            tables.conversations.add(Conversation(**known("c"), metadata={"fact": fact, HOOK: n}))
            for place, text in enumerate(texts, start=1):
                tables.messages.add(
                    Message(
                        **known(f"m{place}"), conversation_id="c", position=place, from_="human", text=text
                    )
                )

        await a.ports.store.write(fill)
        await save(a.ports, folder / "x.zip")
        await load(b.ports, folder / "x.zip")
        return await b.ports.store.read(
            lambda tables: (tables.conversations.find("c").metadata, tables.messages.last("c", 10))
        )

    with two_engines(folder) as (a, b):
        metadata, messages = asyncio.run(there_and_back(a, b))

    assert metadata == {"fact": fact, HOOK: n}
    assert [each.text for each in messages] == texts
