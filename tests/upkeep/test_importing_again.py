"""A hosted account that answers badly once takes nothing away that was copied before."""

from __future__ import annotations

import pytest

from vivavoce.upkeep.moving_in.account import OutOfReach

from .accounts import copied, numbers, said
from .test_importing_faults import AGENT, EMPTY, TALK, account, fake, here, in_turn, page, said_by

from fake import says  # isort: skip  # found by way of accounts

__all__ = ["fake"]  # a fixture

CONTACT = {"id": "cbo", "firstName": "Bo", "email": "bo@example.com", "createdAt": "2025-01-01T10:00:00Z"}
FACTS = says(200, {"variables": {"size": 41}, "variableList": []})
BOOM = says(500, {"error": "boom"})
LOG = {
    **{"id": "clog", "conversationId": "ctalk", "scenarioId": "csc", "stepId": "cst", "status": "active"},
    **{"createdAt": "2025-02-01T10:00:00Z", "updatedAt": "2025-02-01T10:00:00Z"},
}
LINK = {"id": "clink", "available": True, "scenario": {"id": "csc"}, "step": {"id": "cst"}}
MESSAGES = "GET /conversation/ctalk/messages/10000"


def people(facts):
    listed = in_turn(says(200, {"contacts": [CONTACT], "count": 1}), says(200, {"contacts": [], "count": 1}))
    return {"GET /contacts": listed, "GET /contacts/variables": facts}


def board(*logs, links=()):
    return account(talks=[{**TALK, "crmScenarioConversations": list(links)}]) | {
        "GET /crm/scenario": says(200, [{"id": "csc", "name": "Sales"}]),
        "GET /crm/step": says(200, [{"id": "cst", "name": "New", "index": 0, "scenarioId": "csc"}]),
        "GET /crm/conversationLog": in_turn(page(*logs), says(200, {**EMPTY, "pagination": {}})),
    }


def listed(name):
    agent = {"id": "cagent", "name": "Ana"}
    return {"id": "cb", "agentId": "cagent", "userIdentify": name, "organizationId": "corg", "agent": agent}


async def after(app, fake, routes):
    """The report of a copy of an account that answers so."""
    fake.routes = routes
    return await copied(app, fake.backend)


async def bo(app):
    return await app.ports.store.read(lambda tables: tables.contacts.find("cbo"))


async def on_the_board(app):
    placed = (await here(app, "list_scenario_conversations", scenarioId="csc"))["placements"]
    talk = await here(app, "get_conversation", conversationId="ctalk")
    stays = await app.ports.store.read(lambda tables: tables.crm_logs.where(status="active"))
    assert [stay.id for stay in stays] == [each["id"] for each in placed]
    return [each["conversationId"] for each in placed], [
        each["step"]["id"] for each in talk["crmScenarioConversations"] if each["available"]
    ]


async def test_facts_that_cannot_be_read_stay_as_they_are(app, fake):
    await after(app, fake, account() | people(FACTS))

    report = await after(app, fake, account() | people(BOOM))

    assert (await bo(app)).variables == {"size": 41}
    assert (await bo(app)).origins == {"size": "unknown"}
    assert numbers(report, "failed") == {"contacts": 1}
    assert said(report, "contacts")[0].startswith("the facts about it could not be read: ")


async def test_facts_that_could_not_be_read_come_with_the_next_copy(app, fake):
    await after(app, fake, account() | people(BOOM))
    assert (await bo(app)).variables == {}

    report = await after(app, fake, account() | people(FACTS))

    assert (await bo(app)).variables == {"size": 41}
    assert numbers(report, "updated") == {"contacts": 1}


async def test_facts_that_can_never_be_read_change_nothing_again_and_again(app, fake):
    await after(app, fake, account() | people(BOOM))

    report = await after(app, fake, account() | people(BOOM))

    assert numbers(report, "updated") == {}
    assert numbers(report, "failed") == {"contacts": 1}


async def test_a_contact_changed_here_is_not_said_to_be_changed_there_where_that_is_not_known(app, fake):
    await after(app, fake, account() | people(FACTS))
    await here(app, "set_contact_variable", id="cbo", key="size", value=42)

    report = await after(app, fake, account() | people(BOOM))

    assert (await bo(app)).variables == {"size": 42}
    assert len(said(report, "contacts")) == 1


async def test_what_a_conversation_tells_of_a_contact_takes_nothing_from_one_who_is_known(app, fake):
    await after(app, fake, account() | people(FACTS))
    talk = {**TALK, "participantsContacts": [{"id": "cbo", "firstName": "Bo"}]}

    await after(app, fake, account(talks=[talk]) | {"GET /contacts": BOOM})

    assert ((await bo(app)).email, (await bo(app)).variables) == ("bo@example.com", {"size": 41})
    stored = await app.ports.store.read(lambda tables: tables.conversations.find("ctalk"))
    assert stored.contact_id == "cbo"


async def test_a_contact_whom_only_a_conversation_tells_of_is_copied(app, fake):
    talk = {**TALK, "participantsContacts": [{"id": "cbo", "firstName": "Bo"}]}

    await after(app, fake, account(talks=[talk]))

    assert (await bo(app)).first_name == "Bo"


async def test_a_list_of_logs_that_cannot_be_read_takes_nobody_off_the_board(app, fake):
    await after(app, fake, board(LOG))

    report = await after(app, fake, board() | {"GET /crm/conversationLog": BOOM})

    assert await on_the_board(app) == (["ctalk"], ["cst"])
    assert numbers(report, "failed") == {"crm_logs": 1}
    await after(app, fake, board(LOG))
    assert await on_the_board(app) == (["ctalk"], ["cst"])
    await after(app, fake, board())
    assert await on_the_board(app) == ([], [])


async def test_a_conversation_that_comes_back_to_a_step_is_on_the_board_again(app, fake):
    for links in ([LINK], [{**LINK, "available": False}], [LINK]):
        await after(app, fake, board(links=links))

    assert await on_the_board(app) == (["ctalk"], ["cst"])


async def test_a_stay_that_a_newer_one_had_ended_lasts_once_that_one_is_gone(app, fake):
    newer = {**LOG, "id": "cnewer"}
    await after(app, fake, board(newer, LOG))

    await after(app, fake, board(LOG))

    assert await on_the_board(app) == (["ctalk"], ["cst"])


async def test_older_messages_that_come_later_stand_before_the_newer_ones(app, fake):
    messages = [said_by(str(number), number) for number in range(6)]
    part = {MESSAGES: BOOM, MESSAGES.replace("10000", "500"): says(200, {"messages": messages[2:5]})}
    await after(app, fake, account(talks=[TALK]) | part)

    await after(app, fake, account(talks=[TALK]) | {MESSAGES: says(200, {"messages": messages})})

    stored = await app.ports.store.read(lambda tables: tables.messages.where(conversation_id="ctalk"))
    assert [(message.position, message.text) for message in stored] == [
        (place, str(place - 1)) for place in range(1, 7)
    ]


async def test_whom_an_agent_may_not_answer_comes_along(app, fake):
    lists = {
        "GET /agent-blacklist/cagent": says(200, [listed("A@b.c")]),
        "GET /agent-whitelist-whatsapp/cagent": says(
            200, [{"agentId": "cagent", "whatsappNumber": "+47 123 45 678"}]
        ),
    }
    first = await after(app, fake, account() | lists)

    second = await after(app, fake, account() | lists)

    kept_out = (await here(app, "list_agent_blacklist", agentId="cagent"))["entries"]
    assert [(each["id"], each["userIdentify"]) for each in kept_out] == [("cb", "A@b.c")]
    let_in = (await here(app, "list_agent_whitelist", agentId="cagent"))["entries"]
    assert [each["whatsappNumber"] for each in let_in] == ["+47 123 45 678"]
    entries = await app.ports.store.read(lambda tables: tables.access.where())
    assert {entry.who for entry in entries} == {"a@b.c", "4712345678"}
    assert numbers(first, "added") == {"agents": 1, "access": 2}
    assert numbers(second, "unchanged") == {"agents": 1, "access": 2}


async def test_someone_who_is_on_the_list_here_already_stays_on_it_once(app, fake):
    await after(app, fake, account())
    await here(app, "add_to_blacklist", agentId="cagent", userIdentify="a@b.c")

    report = await after(app, fake, account() | {"GET /agent-blacklist/cagent": says(200, [listed("A@B.c")])})

    assert numbers(report, "kept") == {"access": 1}
    assert len((await here(app, "list_agent_blacklist", agentId="cagent"))["entries"]) == 1


async def test_a_blacklist_that_cannot_be_read_is_named_and_the_agent_is_here(app, fake):
    report = await after(app, fake, account() | {"GET /agent-blacklist/cagent": BOOM})

    assert numbers(report, "added") == {"agents": 1}
    assert numbers(report, "failed") == {"agents": 1}
    assert said(report, "agents")[0].startswith("its blacklist could not be read: ")


async def test_messages_notes_and_texts_that_cannot_be_read_have_failed(app, fake):
    source = {"id": "cs", "name": "p", "type": "web_page", "config": {"source_url": "https://a.example/"}}
    broken = {
        MESSAGES: BOOM,
        MESSAGES.replace("10000", "500"): BOOM,
        "GET /conversations/ctalk/notes": BOOM,
        "GET /datastores/list": in_turn(page({"id": "cd", "name": "Pages", "type": "qdrant"}), page()),
        "GET /datasources/list": in_turn(page(source), page()),
        "GET /datasources/cs": BOOM,
    }

    report = await after(app, fake, account(agents=[AGENT], talks=[TALK]) | broken)

    assert numbers(report, "failed") == {"datasources": 1, "conversations": 1}
    messages, notes = said(report, "conversations")
    assert messages.startswith("its messages could not be read: ")
    assert notes.startswith("its notes could not be read: ")
    assert said(report, "datasources")[0].startswith("its text could not be read: ")


async def test_what_could_not_be_read_before_a_copy_was_broken_off_has_still_failed(app, fake):
    too_many = says(429, {"error": "RATE_LIMIT"}, retry_after="900")
    with pytest.raises(OutOfReach):
        await after(app, fake, account() | people(BOOM) | {"GET /crm/conversationLog": too_many})

    report = await after(app, fake, account() | people(FACTS))

    assert numbers(report, "unchanged") == {"agents": 1, "contacts": 1}
    assert numbers(report, "failed") == {"contacts": 1}
    assert said(report, "contacts")[0].startswith("the facts about it could not be read: ")
