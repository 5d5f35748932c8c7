"""A shop that is served from Postgres: documents in, questions answered, conversations looked after."""

import csv
import io
from datetime import timedelta

import pytest

from tests.engine.desks import Desk
from tests.engine.libraries import Library
from vivavoce.domain.entities import written
from vivavoce.engine import Engine
from vivavoce.engine.library.reindexing import reindex
from vivavoce.testing import ScriptedModel, ingested

RETURNS = "Shoes may come back within 30 days."
SHIPPING = "We ship to Brazil for 9 dollars."


@pytest.fixture
async def desk(engine) -> Desk:
    engine.ports.models.model = ScriptedModel(["Within 30 days."])
    desk = await Desk(engine, engine.ports.models.model, None).opened()
    await desk.documents(RETURNS, SHIPPING)
    return desk


async def test_a_question_is_answered_with_citations_and_all_of_it_is_kept(desk):
    answer = await desk.ask("When may shoes come back?")
    await desk.again("Really?")

    assert answer["answer"] == "Within 30 days."
    assert [source["text"] for source in answer["sources"]][:1] == [RETURNS]
    messages = (await desk.run("list_messages", conversationId=desk.conversation, count=10))["messages"]
    assert [message["text"] for message in messages] == [
        "When may shoes come back?",
        "Within 30 days.",
        "Really?",
        "Within 30 days.",
    ]
    turns = await desk.engine.ports.store.read(lambda tables: tables.turns.where())
    assert {turn.state for turn in turns} == {"answered"}
    spent = await desk.engine.ports.store.read(lambda tables: tables.usage.of(desk.agent, "2026-01"))
    assert spent.turns == 2


async def test_conversations_are_found_by_what_they_are_and_exported(desk, clock):
    ids = []
    for number in range(4):
        await desk.ask(f"Question {number}?", contact={"email": f"p{number}@example.com"})
        ids.append(desk.conversation)
        clock.advance(hours=1)
    await desk.run("tag_conversation", conversationId=ids[0], tagName="vip")
    await desk.run("set_conversation_status", conversationId=ids[1], status="RESOLVED")
    await desk.run("set_ai_enabled", conversationId=ids[2], enabled=False)

    async def listed(**filters: object) -> list[str]:
        return [talk["id"] for talk in (await desk.run("list_conversations", **filters))["conversations"]]

    assert await listed() == ids[::-1]
    assert await listed(tag="vip") == [ids[0]]
    assert await listed(status="RESOLVED") == [ids[1]]
    assert await listed(ai="disabled") == [ids[2]]
    early = written(clock.now() - timedelta(hours=3, minutes=30))
    assert await listed(endDate=early) == [ids[0]]
    exported = await desk.run("export_conversations")
    assert set(ids) == {talk["id"] for talk in exported["conversations"]}
    contacts = csv.DictReader(io.StringIO((await desk.run("export_contacts"))["csv"]))
    assert {row["email"] for row in contacts} == {f"p{number}@example.com" for number in range(4)}


async def test_a_file_is_read_replaced_searched_and_deleted(engine, tmp_path):
    library = await Library(engine).opened()
    plain = await library.upload(tmp_path / "returns.txt", RETURNS.encode() * 3_000)
    await library.add("Shipping", SHIPPING, config={"tags": ["shipping", "brazil"]}, custom_id="one")
    await ingested(engine)

    assert (await library.source(plain))["status"] == "synched"
    assert SHIPPING in await library.texts("Brazil?")
    assert await library.texts("Brazil?", tags=["shipping", "brazil"]) == [SHIPPING]
    assert await library.texts("Brazil?", tags=["returns", "brazil"]) == []
    assert await library.texts("Brazil?", filters={"custom_ids": ["one", "two"]}) == [SHIPPING]
    assert await library.number("uploads") == 0

    await library.run("delete_datasource", id=plain)
    await ingested(engine)
    assert await library.number("passages") == 1
    assert (await reindexed(engine, library)) == 1


async def reindexed(engine: Engine, library: Library) -> int:
    """How many passages a new index of the datastore holds."""
    await reindex(library.id, engine.ports)
    (collection,) = await engine.ports.store.read(lambda tables: tables.collections.of(library.id))
    return await engine.ports.index.count(collection.name)
