"""Conversations: found, read and looked after by people."""

import json

import pytest

from tests.conftest import Run
from vivavoce.engine import Engine
from vivavoce.engine.handlers import HANDLERS, Work
from vivavoce.errors import Conflict, InvalidInput, NotAllowed, NotAuthenticated, NotAvailable, NotFound
from vivavoce.operations import OPERATOR, STRANGER, Caller, Scope
from vivavoce.operations.conversations import ListConversations
from vivavoce.ports import Tables
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

from .talks import SOURCE, TRACE, Talks
from .workspaces import an_agent


@pytest.fixture
def talks(engine) -> Talks:
    return Talks(engine)


@pytest.fixture
async def agent(run) -> str:
    return (await run("create_agent", **an_agent(visibility="public", handle="ana")))["id"]


async def listed(run: Run, **filters: object) -> list[str]:
    return [talk["id"] for talk in (await run("list_conversations", **filters))["conversations"]]


def cursor_after(talk: dict) -> str:
    return json.dumps({"lastCreatedAt": talk["createdAt"], "lastId": talk["id"]})


# Finding


async def test_conversations_are_listed_newest_first_page_by_page(run, talks):
    for number in range(7):
        await talks.talk(f"talk{number}", age=number // 2)  # some began at the same moment

    pages, last = [], {}
    while page := (await run("list_conversations", limit=3, **last))["conversations"]:
        pages.append([talk["id"] for talk in page])
        last = {"cursor": cursor_after(page[-1])}

    assert [len(page) for page in pages] == [3, 3, 1]
    assert [id for page in pages for id in page] == [
        "talk1",
        "talk0",
        "talk3",
        "talk2",
        "talk5",
        "talk4",
        "talk6",
    ]


async def test_every_filter_keeps_what_it_names(run, talks, agent):
    await talks.talk("plain", age=10, agent_id=agent)
    await talks.talk("other", channel="website", status="RESOLVED", priority="HIGH", is_ai_enabled=False)
    await talks.talk("busy", age=5, tags=["vip"], assignee="bia@example.com", unread_messages_count=2)

    assert await listed(run, agentId=agent) == await listed(run, agentId="@ana") == ["plain"]
    assert await listed(run, agentId="null") == ["other", "busy"]
    assert await listed(run, channel="website") == ["other"]
    assert await listed(run, status="RESOLVED") == await listed(run, priority="HIGH") == ["other"]
    assert await listed(run, ai="disabled") == ["other"]
    assert await listed(run, ai="enabled") == ["busy", "plain"]
    assert await listed(run, tag="vip") == await listed(run, unread=True) == ["busy"]
    assert await listed(run, unread=False, status="UNRESOLVED") == ["plain"]
    assert await listed(run, assigneeId="bia@example.com") == ["busy"]
    assert await listed(run, assigneeId="unassigned") == ["other", "plain"]
    assert await listed(run, createdAt="2026-01-31 09:24") == ["other", "busy"]
    assert await listed(run, endDate="2026-01-31T10:24:30+01:00") == ["plain"]
    assert await listed(run, createdAt="2026-01-31", endDate="2026-01-31") == ["other", "busy", "plain"]
    assert await listed(run, endDate="2026-01-30") == []


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"cursor": "c1"}, "cursor"),
        ({"cursor": "[]"}, "cursor"),
        ({"cursor": '{"lastId": "c1"}'}, "cursor"),
        ({"cursor": '{"lastCreatedAt": "soon", "lastId": "c1"}'}, "cursor"),
        ({"cursor": '{"lastCreatedAt": null, "lastId": "c1"}'}, "cursor"),
        ({"cursor": "[" * 500}, "cursor"),
        ({"createdAt": "yesterday"}, "createdAt"),
        ({"createdAt": "0001-01-01T00:00:00+14:00"}, "createdAt"),
        ({"endDate": "2026-13-01"}, "endDate"),
        ({"limit": 101}, "limit"),
        ({"status": "OPEN"}, "status"),
    ],
)
async def test_a_filter_that_cannot_be_read_is_refused_by_its_name(run, filters, field):
    with pytest.raises(InvalidInput) as refusal:
        await run("list_conversations", **filters)

    assert list(refusal.value.details) == [field]


async def test_a_page_costs_two_statements_on_an_index_however_long_and_deep_it_is(run, talks, agent):
    for number in range(30):
        contact = await talks.contact(f"person{number}")
        await talks.talk(f"talk{number:02}", age=number, contact_id=contact.id, agent_id=agent)
    page = (await run("list_conversations", limit=20))["conversations"]
    after = cursor_after(page[-1])
    assert {len(talk["participantsContacts"]) for talk in page} == {1}

    for filters, index in (
        ({"limit": 1}, "conversations_by_age"),
        ({"limit": 30}, "conversations_by_age"),
        ({"cursor": after}, "SEARCH conversations USING INDEX conversations_by_age"),
        ({"cursor": after, "agentId": agent}, "USING INDEX conversations_by_agent (agent_id=? AND"),
    ):
        op = ListConversations.parse(filters)
        said, plan = await talks.read(lambda tables, op=op: explained(op, talks.engine, tables))
        assert len(said) - ("agentId" in filters) == 2, said  # one more looks the agent up
        assert index in plan
        assert "TEMP B-TREE" not in plan


def explained(op: ListConversations, engine: Engine, tables: Tables) -> tuple[list[str], str]:
    """The statements that an operation comes to, and how the database goes about the one for the page."""
    said: list[str] = []
    tables.connection.set_trace_callback(said.append)
    HANDLERS[ListConversations](op, Work(OPERATOR, engine.ports.now(), engine.ports, tables))
    tables.connection.set_trace_callback(None)
    (page,) = [statement for statement in said if " from conversations " in statement]
    steps = tables.connection.execute(f"explain query plan {page}").fetchall()
    return said, " ".join(step[-1] for step in steps)


# Reading


async def test_a_conversation_is_shown_as_strict_clients_read_it(run, talks, agent):
    contact = await talks.contact(last_name="Lima")
    await talks.talk(
        agent_id=agent, contact_id=contact.id, summary="Prices.", tags=["vip"], assignee="bia@example.com"
    )
    await run("set_variable", conversationId="talk1", varName="size", varValue="L")

    shown = await run("get_conversation", conversationId="talk1")

    assert not {"channelExternalId", "frustration"} & shown.keys()
    (person,) = shown["participantsContacts"]
    assert (person["firstName"], person["lastName"], person["id"]) == ("", "Lima", contact.id)
    assert [each["context"] for each in shown["conversationContexts"]] == ["Prices."]
    assert shown["tags"] == [{"tag": "vip"}]
    assert shown["assignees"][0]["user"]["email"] == "bia@example.com"
    assert [(each["varName"], each["varValue"]) for each in shown["conversationVariables"]] == [("size", "L")]
    assert (shown["isAiEnabled"], shown["isTest"], shown["blocked"]) == (True, False, False)


async def test_scores_and_channel_ids_are_shown_where_there_are_any(run, talks):
    await talks.talk(frustration=0.0, channel_external_id="55119")

    shown = await run("get_conversation", conversationId="talk1")

    assert (shown["frustration"], shown["channelExternalId"]) == (0.0, "55119")


async def test_the_last_messages_come_in_order_and_with_every_key_of_the_wire(run, talks, agent):
    await talks.talk(agent_id=agent)
    await talks.turn(agent)
    await run("register_message", conversationId="talk1", message="Thanks!")

    shown = await run("list_messages", conversationId="talk1", count=2)

    assert [message["text"] for message in shown["messages"]] == ["It is 5.", "Thanks!"]
    assert (shown["status"], shown["isAiEnabled"]) == ("UNRESOLVED", True)
    assert {"html", "sources", "externalId", "userId", "from", "createdAt"} <= shown["messages"][1].keys()
    answer = await run("get_message", messageId="said1")
    assert (answer["from"], answer["inputId"], answer["sources"]) == ("agent", "asked1", [SOURCE])
    assert (await run("get_message", messageId="said1", includeSources=False))["sources"] is None


async def test_the_trace_of_a_turn_is_found_from_the_question_and_from_the_answer(run, talks, agent):
    await talks.talk(agent_id=agent)
    await talks.turn(agent)

    trace = await run("get_turn_trace", messageId="said1")

    assert trace == await run("get_turn_trace", messageId="asked1")
    assert trace.items() >= TRACE.items()
    assert (trace["state"], trace["messageId"], trace["answerId"]) == ("answered", "asked1", "said1")


async def test_the_trace_tells_what_became_of_a_callback(run, talks, agent):
    told = {"tries": 5, "status": 503, "error": "The address answers 503."}
    await talks.talk(agent_id=agent)
    await talks.turn(agent, trace={**TRACE, "callback": told})

    assert (await run("get_turn_trace", messageId="said1"))["callback"] == told


async def test_a_turn_without_an_answer_says_why(run, talks, agent):
    await talks.talk(agent_id=agent)
    await talks.turn(agent, state="silent", reason="The AI is switched off.", answer_id=None, trace={})

    trace = await run("get_turn_trace", messageId="asked1")

    assert (trace["state"], trace["reason"], trace["calls"]) == ("silent", "The AI is switched off.", [])
    with pytest.raises(NotFound, match="belongs to no turn"):
        await run("get_turn_trace", messageId="said1")


# Looking after


async def test_the_ai_is_switched_and_what_it_was_saying_is_held(run, talks, agent):
    await talks.talk()
    await talks.turn(agent)

    off = await run("set_ai_enabled", conversationId="talk1", enabled="false")
    again = await run("set_ai_enabled", conversationId="talk1", enabled=False)
    on = await run("set_ai_enabled", conversationId="talk1", enabled="true")

    assert (await talks.read(lambda tables: tables.conversations.find("talk1"))).held_after == 1
    assert [each["message"] for each in (off, again, on)] == ["AI is Off.", "AI is Off.", "AI is On."]
    assert (await run("get_conversation", conversationId="talk1"))["isAiEnabled"] is True
    assert await talks.events() == [("AI_SWITCHED", {"enabled": False}), ("AI_SWITCHED", {"enabled": True})]


@pytest.mark.parametrize("enabled", ["no", "False", 0, None, "1"])
async def test_a_switch_is_never_guessed(run, talks, enabled):
    await talks.talk()

    with pytest.raises(InvalidInput, match="enabled"):
        await run("set_ai_enabled", conversationId="talk1", enabled=enabled)


async def test_a_status_is_changed_and_told_once(run, talks):
    await talks.talk(unread_messages_count=3)

    for status in ("HUMAN_REQUESTED", "RESOLVED", "RESOLVED", "UNRESOLVED"):
        changed = await run("set_conversation_status", conversationId="talk1", status=status)

    assert changed == {"success": True, "message": "Conversation Status changed."}
    assert [type for type, _ in await talks.events()] == [
        *("HUMAN_REQUESTED", "CONVERSATION_RESOLVED", "CONVERSATION_REOPENED")
    ]
    shown = await run("get_conversation", conversationId="talk1")
    assert (shown["status"], shown["unreadMessagesCount"], shown["isAiEnabled"]) == ("UNRESOLVED", 0, True)


async def test_a_priority_is_changed(run, talks):
    await talks.talk()

    changed = await run("set_conversation_priority", conversationId="talk1", priority="HIGH")

    assert changed == {"success": True, "message": "Conversation Priority changed."}
    assert await listed(run, priority="HIGH") == ["talk1"]


async def test_a_conversation_is_taken_from_someone_only_by_force(run, talks):
    await talks.talk()

    first = await run("assign_conversation", conversationId="talk1", email="bia@example.com")
    await run("assign_conversation", conversationId="talk1", email="bia@example.com")
    with pytest.raises(Conflict, match=r"assigned to 'bia@example\.com'"):
        await run("assign_conversation", conversationId="talk1", membershipId="m2")
    assert await listed(run, assigneeId="bia@example.com") == ["talk1"]
    await run("assign_conversation", conversationId="talk1", membershipId="m2", force=True)
    assert await listed(run, assigneeId="m2") == ["talk1"]
    last = await run("unassign_conversation", conversationId="talk1")

    assert (first["message"], last["message"]) == ("Conversation Assigned.", "Conversation unassigned.")
    assert [facts["assignee"] for _, facts in await talks.events()] == ["bia@example.com", "m2", None]


@pytest.mark.parametrize("who", [{}, {"email": "a@b.c", "id": "u1"}, {"email": "nobody"}, {"id": ""}])
async def test_a_conversation_is_assigned_to_exactly_one_person(run, talks, who):
    await talks.talk()

    with pytest.raises(InvalidInput):
        await run("assign_conversation", conversationId="talk1", **who)


async def test_the_messages_of_a_blocked_person_are_kept_and_not_answered(run, talks, agent):
    await talks.talk(agent_id=agent)
    asked = {"id": agent, "query": "Hello?", "conversationId": "talk1"}

    blocked = await run("set_conversation_blocked", conversationId="talk1", blocked="true")
    silent = await run("agent_query", **asked)
    shown = await run("get_conversation", conversationId="talk1")
    again = await run("update_conversation", conversationId="talk1", blocked=False)
    answered = await run("agent_query", **asked)

    assert blocked["message"] == "Conversation blocked."
    assert (shown["blocked"], again["blocked"]) == (True, False)
    assert silent["answer"] is None
    assert answered["answer"] is not None
    said = (await run("list_messages", conversationId="talk1", count=9))["messages"]
    assert [message["from"] for message in said] == ["human", "human", "agent"]


async def test_several_things_are_changed_in_one_call(run, talks):
    await talks.talk(metadata={"a": 1})

    changed = await run(
        "update_conversation", conversationId="talk1", status="RESOLVED", isAiEnabled=False, metadata={"b": 2}
    )
    kept = await run("update_conversation", conversationId="talk1")

    for shown in (changed, kept):
        assert (shown["status"], shown["isAiEnabled"], shown["metadata"]) == ("RESOLVED", False, {"b": 2})


async def test_a_deleted_conversation_takes_everything_of_it_along(run, talks, agent):
    await talks.talk(agent_id=agent)
    await talks.turn(agent)
    await run("create_note", conversationId="talk1", note="Call back.")

    gone = await run("delete_conversation", conversationId="talk1")

    assert (gone["success"], gone["message"]) == (True, "Conversation deleted.")
    assert gone["alsoRemoved"] == {"messages": 2, "notes": 1}
    with pytest.raises(NotFound):
        await run("get_message", messageId="said1")
    assert await talks.read(lambda tables: (tables.turns.count(), tables.notes.count())) == (0, 0)


# Writing


async def test_the_team_writes_to_a_website_and_the_ai_keeps_what_it_began_to_itself(run, talks):
    await talks.talk(channel="website", unread_messages_count=2, last_asked=7)

    sent = await run("send_message", type="conversationId", value="talk1", message="Hello, Bia here.")

    message = sent["message"]
    assert (message["from"], message["text"], message["userId"]) == ("human", "Hello, Bia here.", "operator")
    kept = await talks.read(lambda tables: tables.conversations.find("talk1"))
    assert (kept.held_after, kept.is_ai_enabled, kept.unread_messages_count) == (7, True, 0)
    assert await talks.events() == [("MESSAGE_SENT", {"messageId": message["id"]})]


@pytest.mark.parametrize(
    "takes_over",
    [
        {"operation": "send_message", "type": "conversationId", "value": "talk1", "message": "Bia here."},
        {"operation": "set_ai_enabled", "conversationId": "talk1", "enabled": False},
        {"operation": "set_conversation_status", "conversationId": "talk1", "status": "HUMAN_REQUESTED"},
    ],
    ids=["message", "switch", "status"],
)
async def test_an_answer_that_the_ai_is_writing_when_a_person_takes_over_is_not_given(
    tmp_path, clock, takes_over
):
    given = dict(takes_over)
    model = Interrupted(given.pop("operation"), given)
    with open_test_engine(tmp_path, clock, models=TestModels(model)) as engine:
        model.run = run = Run(engine)
        agent = await run("create_agent", **an_agent())
        asked = {"id": agent["id"], "query": "Hello?", "conversationId": "talk1", "channel": "website"}
        answer = await run("agent_query", **asked)
        messages = (await run("list_messages", conversationId="talk1", count=9))["messages"]
        trace = await run("get_turn_trace", messageId=messages[0]["id"])

    assert answer["answer"] is None
    assert "Too late." not in [message["text"] for message in messages]
    assert (trace["state"], trace["reason"]) == ("silent", "A person took over.")


class Interrupted(ScriptedModel):
    """A model that is interrupted by a person while it writes."""

    def __init__(self, operation: str, given: dict) -> None:
        super().__init__(["Too late."])
        self.interruption, self.run = (operation, given), None

    async def answer(self, prompt):
        operation, given = self.interruption
        await self.run(operation, **given)
        async for piece in super().answer(prompt):
            yield piece


@pytest.mark.parametrize(
    "fields", [{"channel": "api"}, {"channel": "dashboard"}, {"channel": "whatsapp", "is_test": True}]
)
async def test_where_nobody_can_be_written_to_the_message_is_kept_as_a_note(run, talks, fields):
    await talks.talk(**fields)

    sent = await run("send_message", type="conversationId", value="talk1", message="Hello.")

    assert sent["message"]["metadata"] == {"isNoted": True}
    assert [type for type, _ in await talks.events()] == ["MESSAGE_NOTED"]


async def test_a_channel_that_is_not_connected_is_refused_and_nothing_is_stored(run, talks):
    await talks.talk(channel="whatsapp", last_asked=7)

    with pytest.raises(NotAvailable, match="'whatsapp': it is not connected"):
        await run("send_message", type="conversationId", value="talk1", message="Hello.")

    assert (await run("list_messages", conversationId="talk1", count=10))["messages"] == []
    assert (await talks.read(lambda tables: tables.conversations.find("talk1"))).held_after == 0


async def test_a_person_is_written_to_by_number_or_address_in_their_newest_conversation(run, talks, agent):
    person = await talks.contact(phone_number="5511999")
    for id, age in (("old", 9), ("new", 1)):
        await talks.talk(id, age=age, agent_id=agent, channel="website", contact_id=person.id)
    where = {"agentId": "@ana", "channel": "website", "message": "Hi."}

    for type, value in (("phone", "+55 11 999"), ("phone", "5511999"), ("email", "person1@example.com")):
        sent = await run("send_message", type=type, value=value, **where)
        assert sent["message"]["conversationId"] == "new"
    other = (await run("create_agent", **an_agent()))["id"]
    with pytest.raises(NotFound, match="'new' is not one of agent"):
        await run("send_message", type="conversationId", value="new", agentId=other, message="Hi.")
    with pytest.raises(NotFound, match="on the channel 'api'"):
        await run("send_message", type="phone", value="5511999", **{**where, "channel": "api"})
    with pytest.raises(InvalidInput, match="agentId and channel are required"):
        await run("send_message", type="phone", value="5511999", message="Hi.")


async def test_a_registered_message_of_the_person_opens_a_resolved_conversation_again(run, talks, agent):
    await talks.talk(status="RESOLVED", agent_id=agent)

    person = await run("register_message", conversationId="talk1", message="One more thing.")
    machine = await run("register_message", conversationId="talk1", message="Yes?", **{"from": "agent"})

    assert (person["message"]["from"], person["message"]["visitorId"]) == ("human", "v1")
    assert (machine["message"]["from"], machine["message"]["agentId"]) == ("agent", agent)
    shown = await run("get_conversation", conversationId="talk1")
    assert (shown["status"], shown["unreadMessagesCount"]) == ("UNRESOLVED", 1)
    assert [type for type, _ in await talks.events()] == ["CONVERSATION_REOPENED"]


async def test_an_answer_is_rated_and_nothing_else_is(run, talks, agent):
    await talks.talk(agent_id=agent)
    await talks.turn(agent)

    assert (await run("rate_answer", messageId="said1", eval="good"))["eval"] == "good"
    assert (await run("rate_answer", messageId="said1", eval=None))["eval"] is None
    with pytest.raises(InvalidInput, match="not an answer"):
        await run("rate_answer", messageId="asked1", eval="bad")


# Strangers


async def test_a_visitor_follows_their_own_conversation_and_sees_nothing_of_the_teams(run, talks, agent):
    contact = await talks.contact()
    theirs = {"tags": ["difficult"], "assignee": "bia@example.com", "contact_id": contact.id}
    await talks.talk(agent_id=agent, channel="website", **theirs)
    await talks.turn(agent)
    await run("set_variable", conversationId="talk1", varName="risk", varValue="high")
    await run("send_message", type="conversationId", value="talk1", message="Bia here.")

    seen = await run("follow_conversation", caller=STRANGER, conversationId="talk1", visitorId="v1")
    older = await run(
        "follow_conversation", caller=STRANGER, conversationId="talk1", visitorId="v1", cursor="said1"
    )

    assert [message["text"] for message in seen["messages"]] == ["Bia here.", "It is 5.", "Price?"]
    assert [message["text"] for message in older["messages"]] == ["Price?"]
    assert (seen["agent"]["name"], seen["isAiEnabled"]) == ("Ana", True)
    for private in ("difficult", "bia@example.com", "risk", contact.id, "operator", "scripted"):
        assert private not in json.dumps(seen)
    rated = await run("rate_answer", caller=STRANGER, messageId="said1", eval="bad", visitorId="v1")
    assert (rated["eval"], rated["agentModel"]) == ("bad", None)


async def test_what_was_only_noted_is_not_shown_to_a_visitor(run, talks, agent):
    await talks.talk(agent_id=agent)
    await run("send_message", type="conversationId", value="talk1", message="He is difficult.")

    seen = await run("follow_conversation", caller=STRANGER, conversationId="talk1", visitorId="v1")
    team = await run("follow_conversation", conversationId="talk1")

    assert (len(seen["messages"]), len(team["messages"])) == (0, 1)


async def test_a_stranger_cannot_tell_a_missing_conversation_from_someone_elses(run, talks, agent):
    private = (await run("create_agent", **an_agent()))["id"]
    await talks.talk("mine", agent_id=agent)
    await talks.talk("nobodys", agent_id=agent, visitor_id=None)
    await talks.talk("hidden", agent_id=private)
    await talks.talk("lone")
    await talks.turn(agent, "mine")

    told = set()
    for conversation, visitor in (
        *(("mine", {"visitorId": "v2"}), ("mine", {}), ("nobodys", {"visitorId": "v1"}), ("nobodys", {})),
        *(("hidden", {"visitorId": "v1"}), ("lone", {"visitorId": "v1"}), ("c404", {"visitorId": "v1"})),
    ):
        with pytest.raises(NotAuthenticated) as refusal:
            await run("follow_conversation", caller=STRANGER, conversationId=conversation, **visitor)
        told.add(str(refusal.value))
    for message in ("said1", "m404"):
        with pytest.raises(NotAuthenticated) as refusal:
            await run("rate_answer", caller=STRANGER, messageId=message, eval="bad", visitorId="v2")
        told.add(str(refusal.value))

    assert len(told) == 1
    assert (await run("get_message", messageId="said1"))["eval"] is None


# Variables, notes, tags


async def test_variables_are_kept_changed_and_forgotten(run, talks, clock):
    await talks.talk()
    made = await run("set_variable", conversationId="talk1", varName="size", varValue="L")
    clock.advance(minutes=1)
    changed = await run("set_variable", conversationId="talk1", varName="size", varValue="")

    assert (changed["varValue"], changed["createdAt"]) == ("", made["createdAt"])
    assert changed["updatedAt"] > made["updatedAt"]
    assert (await run("list_variables", conversationId="talk1"))["variables"] == [changed]
    assert await run("get_variable", conversationId="talk1", varName="size") == changed
    gone = await run("delete_variable", conversationId="talk1", varName="size")
    assert gone == {"message": "Variable successfully deleted", "deleted": changed}
    for operation in ("get_variable", "delete_variable"):
        with pytest.raises(NotFound, match="no variable 'size'"):
            await run(operation, conversationId="talk1", varName="size")


@pytest.mark.parametrize(("name", "value"), [("x" * 21, "v"), ("a/b", "v"), ("", "v"), ("x", "v" * 101)])
async def test_a_variable_is_short_and_has_a_name_that_fits_into_an_address(run, talks, name, value):
    await talks.talk()

    with pytest.raises(InvalidInput):
        await run("set_variable", conversationId="talk1", varName=name, varValue=value)


@pytest.mark.parametrize("name", ["user-email", "today", "status"])
async def test_a_variable_cannot_stand_for_what_the_conversation_itself_says(run, talks, name):
    await talks.talk()

    with pytest.raises(InvalidInput) as refusal:
        await run("set_variable", conversationId="talk1", varName=name, varValue="v")

    assert list(refusal.value.details) == ["varName"]


async def test_a_conversation_keeps_a_bounded_number_of_variables(run, talks):
    at = talks.engine.ports.now()
    known = {"value": "v", "created_at": at, "updated_at": at}
    await talks.talk(variables={f"v{number}": known for number in range(200)})

    with pytest.raises(Conflict, match="200 variables"):
        await run("set_variable", conversationId="talk1", varName="one_more", varValue="v")
    await run("set_variable", conversationId="talk1", varName="v7", varValue="w")


async def test_notes_are_their_writers_and_private_ones_are_seen_by_them_alone(run, talks):
    await talks.talk()
    scopes = frozenset({Scope.READ, Scope.WRITE})
    ana, bia = (Caller(id=name, name=name, scopes=scopes) for name in ("ana", "bia"))
    open_ = await run("create_note", caller=ana, conversationId="talk1", note="Call back.")
    private = await run("create_note", caller=ana, conversationId="talk1", note="Hm.", isPrivate=True)

    async def seen(caller: Caller) -> list[str]:
        notes = (await run("list_notes", caller=caller, conversationId="talk1"))["notes"]
        return [note["id"] for note in notes]

    assert (await seen(ana), await seen(bia)) == ([open_["id"], private["id"]], [open_["id"]])
    with pytest.raises(NotAllowed, match="someone else's"):
        await run("update_note", caller=bia, conversationId="talk1", noteId=open_["id"], note="No.")
    with pytest.raises(NotFound):
        await run("delete_note", caller=bia, conversationId="talk1", noteId=private["id"])
    with pytest.raises(NotAllowed, match="isJustify"):
        await run("create_note", caller=bia, conversationId="talk1", note="Because.", isJustify=True)

    changed = await run("update_note", caller=ana, conversationId="talk1", noteId=open_["id"], isPrivate=True)
    assert (changed["note"], changed["isPrivate"], changed["userId"]) == ("Call back.", True, "ana")
    await run("delete_note", caller=ana, conversationId="talk1", noteId=private["id"])
    assert await seen(ana) == [open_["id"]]


async def test_a_note_belongs_to_its_conversation_and_can_be_remembered_at_a_time(run, talks):
    await talks.talk()
    await talks.talk("talk2")
    note = await run(
        "create_note", conversationId="talk1", note="x" * 500, notificationDateTime="2026-02-01 08:00"
    )

    assert note["notificationDateTime"] == "2026-02-01T08:00:00.000Z"
    with pytest.raises(NotFound):
        await run("update_note", conversationId="talk2", noteId=note["id"], note="x")
    for bad in ({"note": ""}, {"note": "x" * 501}, {"note": "x", "notificationDateTime": "soon"}):
        with pytest.raises(InvalidInput):
            await run("create_note", conversationId="talk1", **bad)


async def test_tags_are_put_on_and_taken_off_and_a_deleted_tag_is_nowhere(run, talks):
    for id in ("talk1", "talk2"):
        await talks.talk(id)
        await run("tag_conversation", conversationId=id, tagName="vip")
    tags = await run("tag_conversation", conversationId="talk1", tagName="vip")
    await run("create_tag", name="vip", color="#f00")
    await run("create_tag", name="late")

    assert tags == {"conversationId": "talk1", "tags": ["vip"]}
    kinds = (await run("list_tags"))["tags"]
    assert [(kind["name"], kind["color"]) for kind in kinds] == [("vip", "#f00"), ("late", None)]
    gone = await run("delete_tag", name="vip")
    assert gone["alsoRemoved"] == {"conversations": 2}
    assert (await run("list_conversation_tags", conversationId="talk2"))["tags"] == []
    await run("tag_conversation", conversationId="talk2", tagName="late")
    assert (await run("untag_conversation", conversationId="talk2", tagName="late"))["tags"] == []
    with pytest.raises(NotFound, match="No tag 'vip'"):
        await run("delete_tag", name="vip")
    with pytest.raises(NotFound, match="has no tag 'late'"):
        await run("untag_conversation", conversationId="talk2", tagName="late")
