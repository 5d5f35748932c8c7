"""Chat windows without a key, exports, and filters by scenario and mood."""

import json

import pytest

from vivavoce.engine import exports
from vivavoce.errors import Conflict, InvalidInput, NotAllowed, NotAuthenticated, NotFound
from vivavoce.operations import OPERATOR, STRANGER

from .talks import Talks
from .workspaces import an_agent


@pytest.fixture
def talks(engine) -> Talks:
    return Talks(engine)


@pytest.fixture
async def talk(run, talks) -> dict[str, str]:
    """A conversation of a visitor with a public agent."""
    agent = await run("create_agent", **an_agent(visibility="public"))
    await talks.talk("talk1", agent_id=agent["id"], channel="website", visitor_id="v1")
    return {"conversationId": "talk1", "visitorId": "v1"}


# Messages of a chat window


async def test_what_a_visitor_writes_while_the_ai_is_off_is_kept_for_the_team(run, talks, talk):
    await run("set_conversation_status", conversationId="talk1", status="RESOLVED")
    file = {"name": "bill.pdf", "url": "https://files.example/bill.pdf"}

    told = await run("receive_message", caller=STRANGER, **talk, message="Anyone?", attachments=[file])

    (kept,) = (await run("list_messages", conversationId="talk1", count=9))["messages"]
    assert (kept["id"], kept["text"], kept["from"]) == (told["id"], "Anyone?", "human")
    assert (kept["visitorId"], kept["userId"], kept["attachments"][0]["name"]) == ("v1", None, "bill.pdf")
    shown = await run("get_conversation", conversationId="talk1")
    assert (shown["status"], shown["unreadMessagesCount"]) == ("UNRESOLVED", 1)
    stored = await talks.read(lambda tables: tables.messages.find(told["id"]))
    assert stored.by_stranger
    assert await talks.read(lambda tables: tables.turns.where(conversation_id="talk1")) == []


async def test_a_key_writes_for_a_contact_who_is_known(run, talks, talk):
    await talks.contact("person1")

    told = await run("receive_message", conversationId="talk1", message="Hi.", contactId="person1")

    assert told["contactId"] == "person1"
    with pytest.raises(NotFound):
        await run("receive_message", conversationId="talk1", message="Hi.", contactId="nobody")


@pytest.mark.parametrize("operation", ["receive_message", "update_conversation"])
async def test_nobody_writes_into_the_conversation_of_someone_else(run, talk, operation):
    given = {"receive_message": {"message": "Hi."}, "update_conversation": {"status": "RESOLVED"}}[operation]

    for visitor in ({}, {"visitorId": "v2"}):
        with pytest.raises(NotAuthenticated):
            await run(operation, caller=STRANGER, conversationId="talk1", **visitor, **given)


# What a visitor changes


async def test_a_visitor_asks_for_a_person(run, talk):
    changed = await run(
        "update_conversation", caller=STRANGER, **talk, status="HUMAN_REQUESTED", isAiEnabled=False
    )

    assert (changed["status"], changed["isAiEnabled"]) == ("HUMAN_REQUESTED", False)
    assert changed["organizationId"] == ""


@pytest.mark.parametrize("change", [{"isAiEnabled": True}, {"blocked": False}, {"blocked": True}])
async def test_what_the_team_decides_a_visitor_does_not(run, talk, change):
    with pytest.raises(NotAllowed):
        await run("update_conversation", caller=STRANGER, **talk, **change)


async def test_what_a_visitor_says_of_themselves_does_not_touch_what_the_team_keeps(run, talk):
    await run("update_conversation", conversationId="talk1", metadata={"order": 1})

    await run("update_conversation", caller=STRANGER, **talk, metadata={"page": "/shoes", "order": 2})

    shown = await run("get_conversation", conversationId="talk1")
    assert shown["metadata"] == {"order": 1, "visitor": {"page": "/shoes", "order": 2}}


# Exports


async def test_a_visitor_does_not_undo_that_a_person_was_asked_for(run, talk):
    await run("set_conversation_status", conversationId="talk1", status="HUMAN_REQUESTED")

    for status in ("UNRESOLVED", "RESOLVED"):
        with pytest.raises(NotAllowed):
            await run("update_conversation", caller=STRANGER, **talk, status=status)
    await run("update_conversation", caller=STRANGER, **talk, status="HUMAN_REQUESTED")

    assert (await run("get_conversation", conversationId="talk1"))["status"] == "HUMAN_REQUESTED"
    changed = await run("update_conversation", conversationId="talk1", status="UNRESOLVED")
    assert changed["status"] == "UNRESOLVED"


async def test_an_export_has_so_many_messages_at_most_and_goes_on_from_there(run, talks, monkeypatch):
    monkeypatch.setattr(exports, "MOST", 5)
    for number in range(3):
        await talks.talk(f"talk{number}", age=number)
        for text in ("One", "Two"):
            await run("register_message", conversationId=f"talk{number}", message=text)

    page = (await run("export_conversations"))["conversations"]
    last = {"lastCreatedAt": page[-1]["createdAt"], "lastId": page[-1]["id"]}
    rest = (await run("export_conversations", cursor=json.dumps(last)))["conversations"]

    assert [[each["id"] for each in some] for some in (page, rest)] == [["talk0", "talk1"], ["talk2"]]


async def test_a_long_conversation_is_exported_piece_by_piece(run, talks, monkeypatch):
    monkeypatch.setattr(exports, "MOST", 2)
    await talks.talk("talk1")
    for text in ("One", "Two", "Three"):
        await run("register_message", conversationId="talk1", message=text)

    new = (await run("export_conversation", conversationId="talk1"))["messages"]
    old = (await run("export_conversation", conversationId="talk1", cursor=new[0]["id"]))["messages"]

    assert [[each["text"] for each in some] for some in (old, new)] == [["One"], ["Two", "Three"]]


async def test_a_conversation_is_exported_with_what_was_said_oldest_first(run, talk):
    for text in ("One", "Two", "Three"):
        await run("register_message", conversationId="talk1", message=text)

    exported = await run("export_conversation", conversationId="talk1")
    (of_many,) = (await run("export_conversations", channel="website"))["conversations"]

    assert [message["text"] for message in exported["messages"]] == ["One", "Two", "Three"]
    assert of_many == exported
    assert (await run("export_conversations", channel="api"))["conversations"] == []


# Filters


async def test_conversations_are_found_by_how_they_were_rated(run, talks):
    for number, rating in enumerate((2, 9, None), start=1):
        await talks.talk(f"talk{number}")
        if rating is not None:
            await run("rate_conversation", conversationId=f"talk{number}", rating=rating)

    async def found(**filters: object) -> set[str]:
        listed = (await run("list_conversations", **filters))["conversations"]
        return {each["id"] for each in listed}

    assert await found(npsRating=9) == {"talk2"}
    assert await found(npsRatingMin=2) == {"talk1", "talk2"}
    assert await found(npsRatingMin=3, npsRatingMax=9) == {"talk2"}
    assert await found(npsRating=9, npsRatingMin=0) == {"talk2"}
    assert await found(npsRatingMax=0) == await found(npsRating=2, npsRatingMin=3) == set()
    assert await found(npsCompleted=True) == {"talk1", "talk2"}
    assert await found(npsCompleted=False) == {"talk3"}


async def test_conversations_and_contacts_are_found_by_scenario_step_and_mood(run, talks):
    for number, (step, mood) in enumerate((("s1", 0.2), ("s2", 0.8), (None, None)), start=1):
        await talks.contact(f"person{number}")
        scenario = None if step is None else "sales"
        known = {"contact_id": f"person{number}", "scenario_id": scenario, "step_id": step}
        await talks.talk(f"talk{number}", **known, frustration=mood)

    async def found(**filters: object) -> set[str]:
        listed = (await run("list_conversations", **filters))["conversations"]
        return {each["id"] for each in listed}

    assert await found(crmScenarioId="sales") == {"talk1", "talk2"}
    assert await found(crmScenarioId="sales", crmStepId="s2") == {"talk2"}
    assert await found(frustrationMin=0.2) == {"talk1", "talk2"}
    assert await found(frustrationMin=0.3, frustrationMax=0.8) == {"talk2"}
    assert await found(frustrationMax=0.0) == set()
    contacts = (await run("list_contacts", crmScenario="sales", crmStep="s1"))["contacts"]
    assert [each["id"] for each in contacts] == ["person1"]


# What visitors say of themselves


async def captured(run, talk, caller=STRANGER, **given):
    agent = (await run("get_conversation", conversationId=talk["conversationId"]))["agentId"]
    return await run("capture_visitor", caller=caller, id=agent, **{**talk, **given})


async def test_what_a_visitor_says_of_themselves_is_kept_and_makes_nobody_known(run, talks, talk):
    await talks.contact("person1", email="zoe@x.example")

    told = await captured(run, talk, visitorEmail="zoe@x.example")
    await captured(run, talk, phoneNumber="+1 555", visitorEmail="")

    assert told == {"conversationId": "talk1", "contactId": None}
    stored = await talks.read(lambda tables: tables.conversations.find("talk1"))
    assert stored.metadata["visitor"] == {"email": "zoe@x.example", "phoneNumber": "+1 555"}
    assert stored.contact_id is None
    assert await talks.read(lambda tables: tables.contacts.count()) == 1


async def test_what_a_key_says_of_a_visitor_is_the_contact_of_the_conversation(run, talks, talk):
    told = await captured(run, talk, OPERATOR, visitorEmail="zoe@x.example")
    again = await captured(run, talk, OPERATOR, phoneNumber="+1 555")

    contact = await run("get_contact", contactId=told["contactId"])
    assert again == told
    assert (contact["email"], contact["phoneNumber"]) == ("zoe@x.example", "+1 555")
    assert (await talks.read(lambda tables: tables.conversations.find("talk1"))).contact_id == contact["id"]
    assert await talks.read(lambda tables: tables.contacts.count()) == 1


async def test_a_visitor_who_is_known_already_is_not_made_twice(run, talks, talk):
    await talks.contact("person1", email="zoe@x.example")

    assert (await captured(run, talk, OPERATOR, visitorEmail="zoe@x.example"))["contactId"] == "person1"


async def test_without_a_conversation_the_newest_of_the_visitor_is_meant(run, talks, talk):
    told = await captured(run, talk, conversationId="", visitorEmail="zoe@x.example")

    assert told["conversationId"] == "talk1"


@pytest.mark.parametrize("given", [{"visitorId": "v2"}, {"visitorId": ""}, {"conversationId": "talk2"}])
async def test_nobody_says_who_someone_else_is(run, talks, talk, given):
    agent = (await run("get_conversation", conversationId="talk1"))["agentId"]
    asked = {**talk, "visitorEmail": "zoe@x.example", **given}
    with pytest.raises(NotAuthenticated):
        await run("capture_visitor", caller=STRANGER, id=agent, **asked)

    assert "visitor" not in (await talks.read(lambda tables: tables.conversations.find("talk1"))).metadata


async def test_the_agent_is_the_one_of_the_conversation(run, talks, talk):
    other = await run("create_agent", **an_agent(visibility="public"))
    with pytest.raises(Conflict, match="is one of another agent"):
        await run("capture_visitor", id=other["id"], **talk, visitorEmail="zoe@x.example")


async def test_a_visitor_says_an_address_or_a_number(run, talk):
    with pytest.raises(InvalidInput, match="visitorEmail: is required, or phoneNumber"):
        await captured(run, talk, visitorEmail=" ")
