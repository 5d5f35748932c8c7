"""Access lists: whom an agent never answers, and whom alone it answers on WhatsApp."""

from __future__ import annotations

import pytest

from vivavoce.errors import Conflict, InvalidInput, NotFound
from vivavoce.operations import STRANGER
from vivavoce.testing import TestModels, open_test_engine

from .desks import Desk, Servers
from .lines import WEBHOOK, Line

FOLLOW_UPS = {"messages": "Still there?", "max_sends": 1, "interval_hours": 4}


@pytest.fixture
async def desk(tmp_path, clock):
    """A desk whose agent answers whatever it is asked."""
    with open_test_engine(tmp_path, clock, models=TestModels(), outside=Servers()) as engine:
        yield await Desk(engine, None, None).opened()


@pytest.fixture
async def line(lines) -> Line:
    """A line on WhatsApp."""
    return await lines().opened(configUrlInfosSystemExternal=WEBHOOK)


async def barred(desk: Desk, *names: str) -> list[str]:
    """The ids of those who are on the blacklist from now on."""
    added = await desk.run("add_to_blacklist", agentId=desk.agent, userIdentify=list(names))
    return [entry["id"] for entry in added["entries"]]


# The blacklist


@pytest.mark.parametrize(
    ("listed", "asking"),
    [
        ("Eve@Example.com", {"contact": {"email": "eve@example.com"}}),
        ("+55 (11) 99999-8888", {"contact": {"phoneNumber": "5511999998888"}}),
        ("crm-9", {"contact": {"userId": "CRM-9"}}),
        ("browser-1", {"visitorId": "browser-1"}),
    ],
)
async def test_who_is_on_the_blacklist_is_heard_and_not_answered(desk, listed, asking):
    await barred(desk, listed)

    refused = await desk.ask("Open?", **asking)
    other = await desk.ask("Open?", contact={"email": "bob@example.com"})

    assert (refused["answer"], refused["messageId"]) == (None, None)
    assert other["answer"]
    kept = await desk.run("list_messages", conversationId=refused["conversationId"], count=5)
    assert [message["text"] for message in kept["messages"]] == ["Open?"]
    trace = await desk.run("get_turn_trace", messageId=kept["messages"][0]["id"])
    assert (trace["state"], trace["reason"]) == ("silent", "The person is on the blacklist of the agent.")


async def test_what_a_visitor_says_of_themselves_can_keep_them_out(desk):
    await barred(desk, "eve@example.com")

    refused = await desk.ask("Open?", caller=STRANGER, contact={"email": "eve@example.com"})
    other = await desk.ask("Open?", caller=STRANGER, contact={"email": "bob@example.com"})

    assert refused["answer"] is None
    assert other["answer"]


async def test_the_list_of_one_agent_is_no_other_agents(desk):
    await barred(desk, "eve@example.com")
    first, second = desk.agent, (await desk.opened()).agent

    answered = await desk.ask("Open?", contact={"email": "eve@example.com"})

    assert answered["answer"]
    assert [entry["agentId"] for entry in (await desk.run("list_blacklist"))["entries"]] == [first]
    assert (await desk.run("list_agent_blacklist", agentId=second))["entries"] == []


async def test_who_is_taken_off_the_list_is_answered_again(desk):
    (entry,) = await barred(desk, "eve@example.com")
    await desk.ask("Open?", contact={"email": "eve@example.com"})

    await desk.run("remove_from_blacklist", agentId=desk.agent, id=entry)

    assert (await desk.again("And now?"))["answer"]
    with pytest.raises(NotFound, match=f"has no entry '{entry}'"):
        await desk.run("remove_from_blacklist", agentId=desk.agent, id=entry)


async def test_to_list_someone_twice_changes_nothing(desk):
    once = await barred(desk, "eve@example.com", "5511999")
    again = await barred(desk, "+55 11 999", " EVE@example.com", "eve@example.com")

    assert again == once[::-1]
    assert len((await desk.run("list_agent_blacklist", agentId=desk.agent))["entries"]) == 2


async def test_what_was_planned_for_someone_is_cancelled_once_they_are_on_the_list(line):
    await line.hears("Open?", phone_number="5511999998888")
    talk = (await line.talk()).id
    await line.run("schedule_follow_up", conversationId=talk, tag="v", msg="Hi.", dtToSend="2026-01-31 12:00")

    await line.run("add_to_blacklist", agentId=line.agent, userIdentify="5511999998888")
    await line.later(hours=3)

    assert line.sent == ["Nine."]
    (planned,) = (await line.run("list_follow_ups", conversationId=talk))["followUps"]
    assert planned["state"] == "cancelled"
    assert planned["reason"] == "The person is on the blacklist of the agent."


async def test_nothing_is_said_into_the_silence_of_someone_on_the_list(lines):
    line = await lines().opened({"type": "follow_up_messages", "config": FOLLOW_UPS})
    await line.hears("Open?", phone_number="5511999998888")
    await line.hears("Open?", chat="chat2", phone_number="5511777776666")

    await line.run("add_to_blacklist", agentId=line.agent, userIdentify="5511999998888")
    await line.later(hours=4)

    assert [each.chat for each in line.channel.sent if each.text == "Still there?"] == ["chat2"]


async def test_the_lists_of_an_agent_go_with_it(desk):
    await barred(desk, "eve@example.com")

    await desk.run("delete_agent", id=desk.agent)

    assert (await desk.run("list_blacklist"))["entries"] == []


# The whitelist


async def test_from_the_first_number_on_nobody_else_is_answered_on_whatsapp(line):
    await line.hears("One", chat="5511999998888@c.us")
    await line.run("add_to_whitelist", agentId=line.agent, whatsappNumber="+55 11 77777-6666")

    await line.hears("Two", chat="5511999998888@c.us")
    await line.hears("Three", chat="5511777776666@c.us")
    await line.hears("Four", chat="some-chat", phone_number="5511777776666")

    assert [each.chat for each in line.channel.sent] == [
        *("5511999998888@c.us", "5511777776666@c.us", "some-chat"),
    ]
    assert await line.told("USER_MESSAGE_RECEIVED") == ["USER_MESSAGE_RECEIVED"]


async def test_a_whitelist_counts_on_whatsapp_alone(desk):
    await desk.run("add_to_whitelist", agentId=desk.agent, whatsappNumber="5511777776666")

    assert (await desk.ask("Open?"))["answer"]
    assert (await desk.strange("Open?", contact={"phoneNumber": "5511999998888"}))["answer"]


async def test_without_any_number_left_everyone_is_answered(line):
    await line.run("add_to_whitelist", agentId=line.agent, whatsappNumber=["5511777776666", "5511666665555"])
    await line.run("remove_from_whitelist", agentId=line.agent, whatsappNumber="55 11 77777 6666")
    await line.hears("One", chat="5511999998888@c.us")
    await line.run("remove_from_whitelist", agentId=line.agent, whatsappNumber="5511666665555")
    await line.hears("Two", chat="5511999998888@c.us")

    assert len(line.sent) == 1


async def test_a_number_is_on_the_whitelist_once(desk):
    on = {"agentId": desk.agent}
    added = await desk.run("add_to_whitelist", **on, whatsappNumber=["5511777776666", "+55 11 77777 6666"])
    await desk.run("add_to_whitelist", **on, whatsappNumber="5511666665555")

    assert [entry["whatsappNumber"] for entry in added["entries"]] == ["5511777776666"]
    with pytest.raises(Conflict, match="is on the whitelist"):
        await desk.run("add_to_whitelist", **on, whatsappNumber=["5511555554444", "+5511777776666"])
    with pytest.raises(Conflict, match="is on the whitelist"):
        await desk.run(
            "replace_in_whitelist", **on, oldWhatsappNumber="5511777776666", newWhatsappNumber="5511666665555"
        )
    listed = (await desk.run("list_agent_whitelist", **on))["entries"]
    assert [entry["whatsappNumber"] for entry in listed] == ["5511777776666", "5511666665555"]


async def test_a_number_takes_the_place_of_another(desk):
    on = {"agentId": desk.agent}
    await desk.run("add_to_whitelist", **on, whatsappNumber="5511777776666")
    change = {"oldWhatsappNumber": "+55 11 77777-6666", "newWhatsappNumber": "5511666665555"}

    changed = await desk.run("replace_in_whitelist", **on, **change)

    assert changed == {"agentId": desk.agent, "whatsappNumber": "5511666665555"}
    with pytest.raises(NotFound, match="has no number"):
        await desk.run("replace_in_whitelist", **on, **change)


@pytest.mark.parametrize("number", ["", " ", "ana@example.com", "()--.. ", "12", "5" * 41])
async def test_what_is_no_number_is_refused(desk, number):
    with pytest.raises(InvalidInput, match="whatsappNumber"):
        await desk.run("add_to_whitelist", agentId=desk.agent, whatsappNumber=number)
