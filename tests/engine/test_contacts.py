"""Contacts: the people whom agents talk with, and what is kept about them."""

import pytest

from vivavoce.errors import Conflict, InvalidInput, NotFound

from .talks import Talks
from .workspaces import an_agent


@pytest.fixture
def talks(engine) -> Talks:
    return Talks(engine)


async def found(run, **filters: object) -> list[str]:
    return [contact["id"] for contact in (await run("list_contacts", **filters))["contacts"]]


async def test_a_contact_is_made_once_and_changed_by_whatever_it_is_known_by(run):
    made = await run("save_contact", email="ana@example.com", firstName="Ana", metadata={"plan": "gold"})
    by_address = await run("save_contact", email="ana@example.com", phoneNumber="5511999")
    by_number = await run("save_contact", phoneNumber="5511999", externalId="u1", lastName="Lima")
    by_id = await run("save_contact", id=made["id"], firstName=None, email="")

    assert {each["id"] for each in (made, by_address, by_number, by_id)} == {made["id"]}
    shown = await run("get_contact", contactId=made["id"])
    assert shown == by_id
    assert (shown["firstName"], shown["lastName"], shown["email"]) == (None, "Lima", None)
    assert (shown["phoneNumber"], shown["externalId"]) == ("5511999", "u1")
    assert shown["metadata"] == {"plan": "gold"}
    assert (await run("list_contacts"))["count"] == 1


async def test_an_address_is_known_in_small_and_capital_letters(run):
    first = await run("save_contact", email="Ana@Example.com", firstName="Ana")
    again = await run("save_contact", email="ana@example.COM", lastName="Lima")
    other = await run("save_contact", email="bia@example.com")

    assert again["id"] == first["id"] != other["id"]
    assert (again["firstName"], again["lastName"]) == ("Ana", "Lima")
    assert (await run("save_contact", email="ANA@example.com"))["id"] == first["id"]


async def test_a_phone_number_is_known_in_any_spelling(run):
    first = await run("save_contact", phoneNumber="+55 (11) 97777-6666", firstName="Ana")
    again = await run("save_contact", phoneNumber="5511977776666", lastName="Lima")
    pasted = await run("save_contact", phoneNumber="+55/11\u00a097777\u20116666")
    other = await run("save_contact", phoneNumber="5511977776667")
    blank = await run("save_contact", phoneNumber="-", firstName="Bia")

    assert pasted["id"] == again["id"] == first["id"] != other["id"]
    assert blank["id"] != (await run("save_contact", phoneNumber="+", firstName="Caio"))["id"]
    assert (again["firstName"], again["phoneNumber"]) == ("Ana", "5511977776666")


async def test_what_one_contact_is_known_by_no_other_can_take(run):
    await run("save_contact", email="ana@example.com")
    bia = await run("save_contact", email="bia@example.com", phoneNumber="1")

    with pytest.raises(Conflict, match="has this email already"):
        await run("save_contact", id=bia["id"], email="ana@example.com")
    with pytest.raises(Conflict, match="has this phoneNumber already"):
        await run("save_contact", email="ana@example.com", phoneNumber="1")
    with pytest.raises(NotFound, match="p404"):
        await run("save_contact", id="p404", email="new@example.com")
    assert (await run("get_contact", contactId=bia["id"]))["email"] == "bia@example.com"
    assert (await run("list_contacts"))["count"] == 2


async def test_two_contacts_without_any_address_are_two(run):
    for _ in range(2):
        await run("save_contact", firstName="Ana", email="", phoneNumber="", externalId="")

    assert (await run("list_contacts"))["count"] == 2


async def test_contacts_are_found_by_words_and_by_what_is_known_of_them(run, talks, clock):
    ana = (await run("save_contact", firstName="JOÃO", lastName="Lima", email="j@example.com"))["id"]
    clock.advance(days=1)
    bia = (await run("save_contact", phoneNumber="5511999", firstName="100%"))["id"]

    assert await found(run) == [bia, ana]
    assert await found(run, search="joão l") == await found(run, search="J@EX") == [ana]
    assert await found(run, search="0%") == await found(run, search="5511") == [bia]
    assert await found(run, search="a%a") == []
    assert await found(run, hasEmail=True) == await found(run, hasPhone=False) == [ana]
    assert await found(run, startDate="2026-02-01") == [bia]
    assert await found(run, endDate="2026-01-31") == [ana]
    first, last = [await run("list_contacts", limit=1, offset=offset) for offset in (0, 1)]
    assert (first["count"], first["hasMore"], first["nextCursor"]) == (2, True, "1")
    assert (last["count"], last["hasMore"], last["nextCursor"]) == (2, False, None)
    assert await run("list_contacts", limit=1, cursor=first["nextCursor"]) == last
    assert await found(run, limit=1, offset=1) == [ana]


async def test_contacts_are_found_by_one_conversation_that_meets_every_filter(run, talks):
    agent = (await run("create_agent", **an_agent(handle="ana")))["id"]
    one, two = await talks.contact("one"), await talks.contact("two")
    await talks.talk("t1", contact_id=one.id, agent_id=agent, status="RESOLVED", tags=["vip", "a"])
    await talks.talk("t2", contact_id=one.id, channel="website", priority="HIGH", tags=["b"])
    await talks.talk("t3", contact_id=two.id, channel="website", priority="LOW")

    assert await found(run, agent="@ana") == await found(run, conversationStatus="RESOLVED") == [one.id]
    assert await found(run, channel="website") == [two.id, one.id]
    assert await found(run, channel="website", priority="LOW") == [two.id]
    assert await found(run, tags=["vip", "c"]) == [one.id]
    assert await found(run, tags="c, b") == [one.id]
    assert await found(run, tags=["vip"], channel="website") == []


async def test_a_deleted_contact_leaves_their_conversations(run, talks):
    contact = await talks.contact()
    await talks.talk(contact_id=contact.id)

    gone = await run("delete_contact", contactId=contact.id)

    assert gone["message"] == "Contact deleted successfully."
    assert gone["alsoRemoved"] == {"conversationsWithoutContact": 1}
    assert (await run("get_conversation", conversationId="talk1"))["participantsContacts"] == []
    with pytest.raises(NotFound):
        await run("delete_contact", contactId=contact.id)


async def test_facts_about_a_contact_are_kept_with_who_said_them(run, talks):
    contact = await talks.contact()
    await talks.talk(contact_id=contact.id)
    await run("set_contact_variable", id=contact.id, key="plan", value={"name": "gold", "seats": 3})
    kept = await run("set_contact_variable", id="talk1", key="mood", value=None, source="ai")

    assert kept == {
        "variables": {
            "plan": {"name": "gold", "seats": 3},
            "mood": None,
            "_sources": {"plan": "human", "mood": "ai"},
        }
    }
    listed = await run("list_contact_variables", id="talk1")
    assert listed["variables"] == kept["variables"]
    assert [(each["varName"], each["source"]) for each in listed["variableList"]] == [
        ("plan", "human"),
        ("mood", "ai"),
    ]
    left = await run("delete_contact_variables", id=contact.id, key="plan")
    assert left["variables"] == {"mood": None, "_sources": {"mood": "ai"}}
    with pytest.raises(NotFound, match="no variable 'plan'"):
        await run("delete_contact_variables", id=contact.id, key="plan")
    assert await run("delete_contact_variables", id=contact.id) == {"variables": {"_sources": {}}}


async def test_facts_need_a_contact_and_a_key_of_ones_own(run, talks):
    contact = await talks.contact()
    await talks.talk("lone")

    with pytest.raises(NotFound, match="'lone' has no contact"):
        await run("set_contact_variable", id="lone", key="a", value=1)
    with pytest.raises(NotFound, match="No contact or conversation 'x404'"):
        await run("list_contact_variables", id="x404")
    for key in ("_sources", "", "x" * 101):
        with pytest.raises(InvalidInput, match="key"):
            await run("set_contact_variable", id=contact.id, key=key, value=1)
    with pytest.raises(InvalidInput, match="value"):
        await run("set_contact_variable", id=contact.id, key="a", value=[0] * 6_000)
