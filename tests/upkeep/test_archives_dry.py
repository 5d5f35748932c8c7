"""A dry run of an archive says of each thing what the real one then does, and writes nothing."""

from __future__ import annotations

import sqlite3
import zipfile
from contextlib import closing

import pytest

from tests.upkeep.houses import LEAD, furnish, known, remade, things
from tests.upkeep.test_archives import contents
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Message, TagKind
from vivavoce.domain.crm import CrmLog
from vivavoce.domain.follow_ups import FollowUp
from vivavoce.upkeep.archives import load, parts, save
from vivavoce.upkeep.archives.things import AFTER_LIBRARY, BEFORE_LIBRARY

NAMES = [part.name for part in parts()]
TABLES = [name for name in NAMES if name not in ("usage", "avatar_usage", "calibrations")]


@pytest.fixture
async def archive(engine, tmp_path):
    """A house as a file."""
    await engine.ports.store.write(furnish)
    path = tmp_path / "house.zip"
    await save(engine.ports, path)
    return path


async def compared(engine, path):
    """The report of the real run, which the dry one before it has told."""
    before = await contents(engine)
    dry = await load(engine.ports, path, is_dry=True)
    assert await contents(engine) == before
    wet = await load(engine.ports, path)
    assert dry.counts == wet.counts
    assert sorted(dry.remarks) == sorted(wet.remarks)
    return wet


def said_of(report, kind):
    return {(id, reason) for name, id, reason in report.remarks if name == kind}


async def test_names_that_are_taken(archive, empty):
    def settle(tables):
        tables.contacts.add(Contact(**known("mine"), email="zoe@x.example"))
        tables.agents.add(things()["agents"][0].model_copy(update={"id": "other"}))
        tables.tags.add(TagKind(**known("else"), name="vip"))

    await empty.ports.store.write(settle)
    report = await compared(empty, archive)

    assert ("ana", "its handle is taken by another one here, and left empty") in said_of(report, "agents")
    assert said_of(report, "contacts") == {("zoe", "its email is taken by another one here, and left empty")}
    assert said_of(report, "tags") == {("vip", "another one with its name or its place is here")}


async def test_places_that_are_taken(archive, empty):
    await load(empty.ports, archive)

    def exchange(tables):
        for name, id in (("integrations", "wa"), ("access", "no"), ("arrivals", "ring"), ("tools", "look")):
            table = getattr(tables, name)
            other = table.find(id).model_copy(update={"id": f"other-{id}"})
            table.drop(id)
            table.add(other)
        tables.messages.drop("m2")
        tables.messages.add(
            Message(**known("mine"), conversation_id="talk", position=2, from_="human", text="?")
        )
        tables.crm_logs.drop("log")
        tables.crm_logs.add(CrmLog(**known("mine"), **LEAD, scenario_id="sale", step_id="b-cold"))
        tables.follow_ups.drop("soon")
        tables.follow_ups.add(
            FollowUp(**known("mine"), **LEAD, tag="t", message="!", due_at=known("")["created_at"])
        )

    await empty.ports.store.write(exchange)
    report = await compared(empty, archive)

    kept = {name for name, counted in report.counts.items() if counted["kept"]}
    assert {"integrations", "access", "arrivals", "tools", "messages", "crm_logs"} <= kept
    assert report.number("failed") == 0


@pytest.mark.parametrize("name", NAMES)
async def test_an_archive_that_lacks_a_part(archive, empty, name):
    remade(archive, {f"{name}.jsonl": b""})

    report = await compared(empty, archive)

    assert name not in report.counts
    if name == "agents":
        assert report.counts["tools"] == {"failed": 3}
        assert report.counts["usage"] == {"failed": 1}
        assert report.counts["messages"] == {"failed": 2}
    if name == "datastores":
        assert report.counts["datasources"] == {"failed": 3}
        assert report.counts["answered"] == {"failed": 1}


@pytest.mark.parametrize("name", TABLES)
async def test_a_workspace_that_lacks_some_things_of_a_kind(archive, empty, name):
    await load(empty.ports, archive)

    def clear(tables):
        if name == "datastores":
            tables.avatars.drop("ada")  # it holds on to its datastore
        for each in getattr(tables, name).after("", 100):
            getattr(tables, name).drop(each.id)

    await empty.ports.store.write(clear)
    report = await compared(empty, archive)

    assert report.number("added") > 0


async def test_a_name_that_stands_in_the_archive_twice(archive, empty):
    with zipfile.ZipFile(archive) as file:
        agents, tags, tools = (file.read(f"{name}.jsonl") for name in ("agents", "tags", "tools"))
    look = next(line for line in tools.splitlines(keepends=True) if b'"look"' in line)
    remade(
        archive,
        {
            "agents.jsonl": agents
            + agents.splitlines(keepends=True)[0].replace(b'"id":"ana"', b'"id":"twin"'),
            "tags.jsonl": tags + tags.replace(b'"id":"vip"', b'"id":"vip-2"'),
            "tools.jsonl": tools + look.replace(b'"id":"look"', b'"id":"look-2"'),
        },
    )

    report = await compared(empty, archive)

    assert report.counts["tags"] == {"added": 1, "kept": 1}
    assert report.counts["tools"] == {"added": 3, "kept": 1}
    assert ("twin", "its handle is taken by another one here, and left empty") in said_of(report, "agents")


def test_what_no_two_may_have_alike_is_what_the_database_holds_to(empty, tmp_path):
    with closing(sqlite3.connect(tmp_path / "other" / "vivavoce.db")) as database:
        for part in (*BEFORE_LIBRARY, *AFTER_LIBRARY):
            indexes = [row[1] for row in database.execute(f"pragma index_list({part.name})") if row[2]]
            columns = {
                tuple(row[2] for row in database.execute(f"pragma index_info({index})")) for index in indexes
            }
            declared = {(name,) for name in part.free} | {each.fields for each in part.alone}

            assert columns - {("id",)} == declared, part.name


def test_what_others_belong_to_is_remembered():
    every = (*BEFORE_LIBRARY, *AFTER_LIBRARY)
    parents = {parent for part in every for parent in (part.parents or {}).values()}

    assert {part.name for part in every if part.holds} == parents
