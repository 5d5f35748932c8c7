"""Deliveries: looked at, sent again by hand, and resumed."""

from __future__ import annotations

import json

import pytest

from vivavoce.domain.channels import Account
from vivavoce.domain.conversations import Conversation
from vivavoce.errors import Conflict, InvalidInput, NotFound
from vivavoce.ports.time import Refused, Unsure
from vivavoce.testing import MemoryChannel, ScriptedModel, TestModels, open_test_engine

from .receivers import AGENT, HookDesk, Receiver


@pytest.fixture
def desk(tmp_path, clock):
    """Opens a desk whose events go to a receiver that answers so, with a channel beside it."""
    held = []

    async def open_(*answers, channel=None, hook=None):
        receiver = Receiver(*answers)
        models = TestModels(ScriptedModel(["Nine."]))
        channel = channel or MemoryChannel()
        opening = open_test_engine(tmp_path, clock, models=models, outside=receiver, channel=channel)
        engine = opening.__enter__()
        held.append(opening)
        return await HookDesk(engine, receiver).opened(hook)

    yield open_
    for each in held:
        each.__exit__(None, None, None)


async def on_a_channel(at: HookDesk) -> str:
    """A conversation with an account of a channel; its id."""
    now = at.engine.ports.now()
    known = {"organization_id": "o1", "created_at": now, "updated_at": now}
    account = Account(id="account1", **known, agent_id=at.agent, type="webhook", name="Test")
    talk = Conversation(
        id="talk-1",
        **known,
        agent_id=at.agent,
        channel_external_id="chat1",
        channel_credentials_id="account1",
    )

    def stored(tables):
        tables.accounts.add(account)
        tables.conversations.add(talk)

    await at.engine.ports.store.write(stored)
    return talk.id


async def said(at: HookDesk) -> str:
    """A message of the team that went out on a channel; the id of its delivery."""
    talk = await on_a_channel(at)
    await at.run("send_message", type="conversationId", value=talk, message="Hello.")
    await at.works()
    (delivery,) = await at.deliveries(kind="message")
    return delivery.id


async def test_deliveries_are_listed_newest_first_and_page_by_page(desk, clock):
    at = await desk()
    for number in range(5):
        await at.ask(f"{number}?")
        clock.advance(seconds=number % 2)  # some of the same moment

    seen, cursor = [], {}
    while rows := (await at.run("list_deliveries", limit=2, **cursor))["deliveries"]:
        seen += rows
        last = {"lastCreatedAt": rows[-1]["createdAt"], "lastId": rows[-1]["id"]}
        cursor = {"cursor": json.dumps(last)}

    assert [each["id"] for each in seen] == [each.id for each in (await at.deliveries())[::-1]]
    assert len(seen) == 5


async def test_deliveries_are_filtered(desk):
    at = await desk(503, 200)
    talk = (await at.ask())["conversationId"]
    await at.works()
    other = (await at.ask())["conversationId"]
    await at.works()
    made = await at.run("create_agent", **{**AGENT, "name": "Bea", "handle": "bea"})

    async def found(**filters):
        rows = (await at.run("list_deliveries", **filters))["deliveries"]
        return [row["conversationId"] for row in rows]

    assert await found(state="waiting") == [talk]
    assert await found(state="sent", kind="webhook") == [other]
    assert await found(conversationId=talk) == [talk]
    assert (await found(agentId=at.agent), await found(agentId="@bea")) == ([other, talk], [])
    assert (await found(kind="callback"), made["handle"]) == ([], "bea")


async def test_a_cursor_that_stands_nowhere_is_refused(desk):
    at = await desk()

    with pytest.raises(InvalidInput):
        await at.run("list_deliveries", cursor="second page")


async def test_a_delivery_is_shown_with_what_is_sent_and_each_try(desk):
    at = await desk(503)
    await at.ask("When?")
    await at.works()
    (row,) = (await at.run("list_deliveries"))["deliveries"]

    shown = await at.run("get_delivery", deliveryId=row["id"])

    assert shown["payload"] == at.receiver.events[0]
    assert shown["tries"] == [
        {"at": shown["tries"][0]["at"], "status": 503, "error": "The address answers 503."}
    ]
    assert (shown["state"], shown["reason"], shown["eventType"]) == (
        "waiting",
        "The address answers 503.",
        "AGENT_USER_MESSAGE",
    )
    assert shown["dueAt"] > shown["tries"][0]["at"]


async def test_what_is_not_there_cannot_be_shown_or_sent(desk):
    at = await desk()

    for operation in ("get_delivery", "redeliver"):
        with pytest.raises(NotFound):
            await at.run(operation, deliveryId="nothing")


async def test_a_dead_letter_is_sent_again_under_its_id_with_a_new_ladder(desk, clock):
    at = await desk(*[503] * 9, 200)
    await at.ask()
    for _ in range(12):
        await at.works()
        clock.advance(hours=13)
    (dead,) = await at.deliveries()
    assert (dead.state, len(dead.tries)) == ("failed", 8)

    again = await at.run("redeliver", deliveryId=dead.id)
    await at.works()
    (waits,) = await at.deliveries()
    clock.advance(seconds=10)
    await at.works()

    assert (again["state"], again["reason"]) == ("waiting", "")
    assert (waits.state, waits.rung) == ("waiting", 1)
    (sent,) = await at.deliveries()
    assert (sent.state, len(sent.tries)) == ("sent", 10)
    assert set(at.receiver.ids) == {dead.id}


async def test_what_was_taken_can_be_sent_again(desk):
    at = await desk()
    await at.ask()
    await at.works()
    (sent,) = await at.deliveries()

    await at.run("redeliver", deliveryId=sent.id)
    await at.works()

    assert at.receiver.ids == [sent.id, sent.id]


async def test_what_is_on_its_way_is_not_sent_twice(desk):
    at = await desk()
    await at.ask()
    (waits,) = await at.deliveries()

    with pytest.raises(Conflict, match="is on its way"):
        await at.run("redeliver", deliveryId=waits.id)
    await at.works()

    assert len(at.receiver.sent) == 1


async def test_nothing_is_sent_again_while_the_webhook_is_paused(desk):
    at = await desk(410)
    await at.ask()
    await at.works()
    (held,) = await at.deliveries()

    with pytest.raises(Conflict, match="paused") as refused:
        await at.run("redeliver", deliveryId=held.id)
    await at.works()

    assert refused.value.hint == f"Resume it with resume_webhook, id {at.agent!r}."
    (held,) = await at.deliveries()
    assert (held.state, len(at.receiver.sent)) == ("held", 1)


async def test_an_event_that_waits_for_its_next_try_is_sent_at_once_when_someone_asks(desk):
    at = await desk(503, 503, 200)
    await at.ask()
    await at.works()
    (waits,) = await at.deliveries()

    for _ in range(2):
        await at.run("redeliver", deliveryId=waits.id)
        await at.works()

    assert at.receiver.ids == [waits.id] * 3
    (sent,) = await at.deliveries()
    assert (sent.state, sent.rung) == ("sent", 2)


async def test_where_an_event_goes_is_shown_without_its_secrets(desk):
    at = await desk(503, hook={"url_webhook_external": "https://hooks.example/in?token=t0ken-1234567"})
    await at.ask()

    (row,) = (await at.run("list_deliveries"))["deliveries"]
    shown = await at.run("get_delivery", deliveryId=row["id"])

    assert row["url"] == shown["url"]
    assert row["url"].startswith("https://hooks.example/in?token=")
    assert "t0ken" not in row["url"]


@pytest.mark.parametrize(("outcome", "state"), [(None, "sent"), (Unsure("Cut off."), "uncertain")])
async def test_a_message_that_may_have_arrived_is_only_sent_again_by_force(desk, outcome, state):
    channel = MemoryChannel(*[] if outcome is None else [outcome])
    at = await desk(channel=channel, hook={})
    id = await said(at)
    assert [each.state for each in await at.deliveries()] == [state]

    with pytest.raises(Conflict, match="twice"):
        await at.run("redeliver", deliveryId=id)
    await at.works()
    assert len(channel.sent) == 1
    await at.run("redeliver", deliveryId=id, force=True)
    await at.works()

    assert [each.id for each in channel.sent] == [id, id]
    assert [each.state for each in await at.deliveries()] == ["sent"]


async def test_a_message_that_was_refused_is_sent_again_without_force(desk):
    channel = MemoryChannel(Refused("No such chat."))
    at = await desk(channel=channel, hook={})
    id = await said(at)

    shown = await at.run("get_delivery", deliveryId=id)
    await at.run("redeliver", deliveryId=id)
    await at.works()

    assert (shown["state"], shown["payload"]) == ("failed", {"text": "Hello.", "attachments": []})
    assert [each.state for each in await at.deliveries()] == ["sent"]


async def test_what_was_withdrawn_is_sent_when_someone_wants_it_all_the_same(desk):
    channel = MemoryChannel()
    at = await desk(channel=channel, hook={})
    talk = await on_a_channel(at)
    await at.ask("When?", conversationId=talk)
    await at.run("set_ai_enabled", conversationId=talk, enabled=False)
    await at.works()
    (withdrawn,) = await at.deliveries(kind="message")
    assert (withdrawn.state, channel.sent) == ("withdrawn", [])

    await at.run("redeliver", deliveryId=withdrawn.id)
    await at.works()

    assert [each.text for each in channel.sent] == ["Nine."]


async def test_the_status_of_a_webhook_is_shown(desk):
    at = await desk(503)
    fine = await at.run("get_webhook_status", id=at.agent)
    await at.ask()
    await at.works()

    failing = await at.run("get_webhook_status", id=at.agent)

    assert (fine["failures"], fine["isPaused"], fine["waiting"], fine["lastError"]) == (0, False, 0, "")
    assert (failing["failures"], failing["isPaused"], failing["waiting"]) == (1, False, 1)
    assert (failing["lastError"], failing["url"]) == (
        "The address answers 503.",
        "https://hooks.example/events",
    )
    assert failing["failingSince"]


async def test_an_agent_without_a_webhook_has_none_to_resume(desk):
    at = await desk(hook={})

    with pytest.raises(Conflict, match="has no webhook"):
        await at.run("resume_webhook", id=at.agent)
    assert (await at.run("get_webhook_status", id=at.agent))["url"] is None


async def test_the_newest_are_found_by_an_index(desk):
    at = await desk()
    plans = [
        ("", {}),
        ("where state = :state", {"state": "failed"}),
        ("where agent_id = :agent", {"agent": at.agent}),
        ("where conversation_id = :talk", {"talk": "talk-1"}),
    ]

    for clause, values in plans:
        sql = (
            f"explain query plan select * from deliveries {clause} order by created_at desc, id desc limit 9"
        )
        plan = await at.engine.ports.store.read(
            lambda tables, sql=sql, values=values: list(tables.connection.execute(sql, values))
        )
        steps = " ".join(row[-1] for row in plan)
        assert " INDEX deliveries_by" in steps
