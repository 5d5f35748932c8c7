"""What goes out on a channel: refused where it cannot, kept while the channel is off, stopped with the AI."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.engine.turns import typing
from vivavoce.errors import Conflict, NotAvailable, VivavoceError, WindowClosed
from vivavoce.ports.time import TryLater

from .lines import WEBHOOK, Line


@pytest.fixture
async def line(lines) -> Line:
    """A line on which the agent has just answered."""
    line = await lines().opened(configUrlInfosSystemExternal=WEBHOOK)
    await line.hears("When do you open?")
    assert line.sent == ["Nine."]
    return line


async def switch(line, enabled):
    await line.run("update_channel", channelId="account1", enabled=enabled)


async def says(line, text):
    talk = await line.talk()
    return await line.run("send_message", type="conversationId", value=talk.id, message=text)


async def delivered(line):
    found = await line.read(lambda tables: tables.deliveries.where(kind="message"))
    return [(each.state, each.reason) for each in found]


# What the team says


async def refused(line, kind: type[VivavoceError]) -> VivavoceError:
    """How a message of the team is refused; nothing of it is stored, told or sent."""
    before = await line.talk()
    with pytest.raises(kind) as told:
        await says(line, "Bia here.")
    await line.works()
    messages = await line.read(lambda tables: tables.messages.where(conversation_id=before.id))
    assert [each.text for each in messages] == ["When do you open?", "Nine."]
    assert await line.talk() == before
    assert await line.told("AGENT_MESSAGE_SENDED", "AGENT_MESSAGE_BLOCKED") == []
    assert line.sent == ["Nine."]
    return told.value


async def test_outside_the_window_a_message_of_the_team_is_refused_by_the_code_of_the_wire(line):
    line.clock.advance(hours=25)

    error = await refused(line, WindowClosed)

    assert (error.wire, error.status, error.code) == ("ERR_META_SESSION_EXPIRED_24H", 406, "conflict")


async def test_a_message_of_the_team_is_refused_while_the_channel_is_off(line):
    await switch(line, False)

    error = await refused(line, Conflict)

    assert "switched off" in str(error)


async def test_a_message_of_the_team_is_refused_where_the_channel_is_gone(line):
    await line.run("delete_channel", channelId="account1")

    await refused(line, NotAvailable)


async def test_within_the_window_it_goes_out_and_is_told(line):
    await says(line, "Bia here.")
    await line.works()

    assert line.sent == ["Nine.", "Bia here."]
    assert await line.told("AGENT_MESSAGE_SENDED") == ["AGENT_MESSAGE_SENDED"]


# While the channel is off


async def test_what_is_to_go_out_waits_while_the_channel_is_off(line):
    line.channel.outcomes.append(TryLater("Busy."))
    await says(line, "Bia here.")
    await line.works()
    await switch(line, False)
    await line.later(hours=3)
    assert (line.sent.count("Bia here."), (await delivered(line))[-1]) == (
        1,
        ("waiting", "The channel is switched off."),
    )

    await switch(line, True)
    await line.works()

    assert line.sent.count("Bia here.") == 2
    assert (await delivered(line))[-1] == ("sent", "")


async def test_days_of_waiting_for_a_channel_are_no_failures(lines):
    line = await lines().opened(wire="telegram")
    await line.hears("Hello?")
    line.channel.outcomes.append(TryLater("Busy."))
    await says(line, "Bia here.")
    await line.works()
    await switch(line, False)
    for _ in range(300):
        await line.later(minutes=11)

    await switch(line, True)
    await line.works()

    assert (await delivered(line))[-1] == ("sent", "")


async def test_an_answer_that_waits_for_its_channel_is_withdrawn_when_a_person_takes_over(line):
    line.channel.outcomes.append(TryLater("Busy."))
    await line.hears("And on Sundays?")
    await switch(line, False)
    await line.later(hours=1)
    await line.run("set_ai_enabled", conversationId=(await line.talk()).id, enabled=False)

    await switch(line, True)
    await line.works()

    assert (await delivered(line))[-1] == ("withdrawn", "A person took over.")


async def test_an_answer_whose_window_closes_while_its_channel_is_off_is_blocked(line):
    line.channel.outcomes.append(TryLater("Busy."))
    await line.hears("And on Sundays?")
    await switch(line, False)
    await line.later(hours=25)

    assert (await delivered(line))[-1] == ("withdrawn", "The channel's window for writing is closed.")
    assert await line.told("AGENT_MESSAGE_BLOCKED") == ["AGENT_MESSAGE_BLOCKED"]


# Sent again


async def test_what_waits_for_its_next_try_is_tried_at_once_when_someone_asks(line):
    line.channel.outcomes.append(TryLater("Busy.", 3_600.0))
    await says(line, "Bia here.")
    await line.works()
    waiting = (await line.run("list_deliveries", state="waiting", kind="message"))["deliveries"]

    again = await line.run("redeliver", deliveryId=waiting[0]["id"])
    await line.works()

    assert (again["state"], again["dueAt"] < waiting[0]["dueAt"]) == ("waiting", True)
    assert line.sent.count("Bia here.") == 2
    assert (await delivered(line))[-1] == ("sent", "")


async def test_what_is_being_sent_is_never_sent_beside_it(line):
    line.channel.outcomes.append(TryLater("Busy.", 3_600.0))
    await says(line, "Bia here.")
    await line.works()
    (waiting,) = await line.read(lambda tables: tables.deliveries.where(kind="message", state="waiting"))
    begun = waiting.changed(line.clock.now(), state="sending")
    await line.write(lambda tables: tables.deliveries.replace(begun))

    with pytest.raises(Conflict, match="on its way"):
        await line.run("redeliver", deliveryId=waiting.id, force=True)


async def test_a_message_whose_process_ended_shows_the_try_that_nobody_knows_of(line):
    line.channel.outcomes.append(TryLater("Busy."))
    await says(line, "Bia here.")
    await line.works()
    (waiting,) = await line.read(lambda tables: tables.deliveries.where(kind="message", state="waiting"))
    begun = waiting.changed(line.clock.now(), state="sending")
    await line.write(lambda tables: tables.deliveries.replace(begun))

    await line.later(seconds=10)

    shown = await line.run("get_delivery", deliveryId=waiting.id)
    assert shown["state"] == "uncertain"
    assert [each["outcome"] for each in shown["tries"]] == ["later", "unsure"]
    assert shown["tries"][-1]["error"] == shown["reason"]


# Typing


@pytest.fixture
async def held(lines, monkeypatch) -> Line:
    """A line on which an answer is held, and signs follow each other at once."""
    monkeypatch.setattr(typing, "_APART", 0.0)
    line = await lines().opened({"type": "delayed_responses", "config": {"delay": 60}})
    await line.write(lambda tables: tables.accounts.replace(_typing(tables.accounts.find("account1"))))
    await line.hears("When do you open?")
    async with asyncio.timeout(30):
        while len(line.channel.typing) < 3:
            await asyncio.sleep(0)
    return line


def _typing(account):
    return account.model_copy(update={"config": {**account.config, "typing": True}})


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("set_ai_enabled", {"enabled": False}),
        ("set_conversation_status", {"status": "HUMAN_REQUESTED"}),
        ("set_conversation_blocked", {"blocked": True}),
    ],
)
async def test_nobody_seems_to_type_once_the_ai_is_silenced(held, operation, arguments):
    talk = await held.talk()
    followed = {"conversationId": talk.id}
    assert (await held.run("follow_conversation", **followed))["isTyping"] is True

    await held.run(operation, conversationId=talk.id, **arguments)
    window = await held.run("follow_conversation", **followed)
    async with asyncio.timeout(30):
        await held.engine.later.close(at_once=False)  # it comes to an end by itself

    assert window["isTyping"] is False


async def test_nobody_seems_to_type_once_the_team_has_answered(held):
    talk = await held.talk()

    await says(held, "Bia here.")

    assert (await held.run("follow_conversation", conversationId=talk.id))["isTyping"] is False
