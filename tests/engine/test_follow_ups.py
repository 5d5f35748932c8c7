"""Follow-ups: what is said into a silence, and what was planned for a moment."""

import asyncio
from datetime import UTC, datetime

import pytest

from vivavoce.domain.entities import written
from vivavoce.errors import Conflict, InvalidInput, NotAvailable, NotFound
from vivavoce.operations import STRANGER
from vivavoce.ports import Called
from vivavoce.ports.time import Refused, TryLater, Unsure
from vivavoce.testing import FakeClock

from .lines import WEBHOOK, Line
from .workspaces import an_agent

FOLLOW_UP, BLOCKED = "AGENT_MESSAGE_FOLLOW_UP", "AGENT_MESSAGE_BLOCKED"


def follow_ups(messages="Still there? || Bye.", max_sends=2, interval_hours=4):
    config = {"messages": messages, "max_sends": max_sends, "interval_hours": interval_hours}
    return {"type": "follow_up_messages", "config": config}


@pytest.fixture
def line(lines) -> Line:
    return lines()


@pytest.fixture
async def silent(line) -> Line:
    """A line on which the agent has just answered."""
    await line.opened(follow_ups(), configUrlInfosSystemExternal=WEBHOOK)
    await line.hears("When do you open?")
    assert line.sent == ["Nine."]
    return line


# Into a silence


async def test_the_parts_go_out_one_after_the_other_into_the_silence(silent):
    await silent.later(hours=3, minutes=59)
    assert silent.sent == ["Nine."]

    await silent.later(minutes=1)
    assert silent.sent == ["Nine.", "Still there?"]
    await silent.later(hours=4)
    assert silent.sent == ["Nine.", "Still there?", "Bye."]
    await silent.later(days=3)

    assert silent.sent == ["Nine.", "Still there?", "Bye."]
    assert await silent.told(FOLLOW_UP, BLOCKED) == [FOLLOW_UP, FOLLOW_UP]
    assert await silent.timers() == 0


async def test_a_follow_up_is_a_message_of_the_agent(silent):
    await silent.later(hours=4)

    talk = await silent.talk()
    last = (await silent.run("list_messages", conversationId=talk.id, count=1))["messages"][0]
    assert (last["from"], last["agentId"], last["text"]) == ("agent", silent.agent, "Still there?")
    assert last["metadata"] == {"isFollowUp": True}
    (delivery,) = await silent.read(
        lambda tables: tables.deliveries.where(message_id=last["id"], kind="message")
    )
    assert (delivery.state, delivery.by_ai) == ("sent", True)


@pytest.mark.parametrize(
    ("messages", "max_sends", "said"),
    [
        ("One||Two", 4, ["One", "Two", "Two", "Two"]),
        ("One||Two||Three", 2, ["One", "Two"]),
        (" || One || ||Two|| ", 3, ["One", "Two", "Two"]),
        ("Only | one", 1, ["Only | one"]),
    ],
)
async def test_the_last_part_is_repeated_where_there_are_fewer_than_sends(line, messages, max_sends, said):
    await line.opened(follow_ups(messages, max_sends, 1), wire="telegram")
    await line.hears("Hello?")

    for _ in range(12):
        await line.later(hours=1)

    assert line.sent == ["Nine.", *said]


async def test_an_answer_of_the_person_stops_them_and_the_next_silence_begins_from_the_first(silent):
    await silent.later(hours=4)
    await silent.later(hours=2)
    await silent.hears("Yes!")
    await silent.later(hours=3)
    assert silent.sent == ["Nine.", "Still there?", "Nine."]

    await silent.later(hours=1)

    assert silent.sent == ["Nine.", "Still there?", "Nine.", "Still there?"]


async def test_a_message_that_nobody_answers_stops_them_too(silent):
    talk = await silent.talk()

    await silent.run("receive_message", conversationId=talk.id, message="I am here.")
    await silent.later(hours=9)

    assert silent.sent == ["Nine."]
    assert await silent.timers() == 0


async def test_what_is_said_in_a_group_ends_the_silence(silent):
    silent.clock.advance(minutes=1)
    await silent.hears("Not for the agent.", is_group=True)
    await silent.later(hours=9)

    assert silent.sent == ["Nine."]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("set_ai_enabled", {"enabled": False}),
        ("set_conversation_status", {"status": "RESOLVED"}),
        ("set_conversation_status", {"status": "HUMAN_REQUESTED"}),
        ("set_conversation_blocked", {"blocked": True}),
        ("delete_conversation", {}),
    ],
)
async def test_the_team_stops_them(silent, operation, arguments):
    talk = await silent.talk()

    await silent.run(operation, conversationId=talk.id, **arguments)
    await silent.later(hours=9)

    assert silent.sent == ["Nine."]
    assert await silent.timers() == 0


@pytest.mark.parametrize(
    "back",
    [
        [("set_ai_enabled", {"enabled": False}), ("set_ai_enabled", {"enabled": True})],
        [
            ("set_conversation_status", {"status": "RESOLVED"}),
            ("set_conversation_status", {"status": "UNRESOLVED"}),
        ],
        [("set_conversation_blocked", {"blocked": True}), ("set_conversation_blocked", {"blocked": False})],
    ],
)
async def test_what_was_stopped_does_not_come_back(silent, back):
    talk = await silent.talk()

    for operation, arguments in back:
        await silent.run(operation, conversationId=talk.id, **arguments)
    await silent.later(hours=9)

    assert silent.sent == ["Nine."]


async def test_a_reply_of_the_team_stops_them(silent):
    talk = await silent.talk()

    await silent.run("send_message", type="conversationId", value=talk.id, message="Bia here.")
    await silent.later(hours=9)

    assert silent.sent == ["Nine.", "Bia here."]


async def test_nothing_follows_where_the_agent_resolved_the_conversation(lines):
    line = lines(Called("1", "mark_as_resolved", "{}"), "Done.")
    await line.opened(follow_ups(), {"type": "mark_as_resolved"})
    await line.hears("Thanks, that is all.")

    assert (await line.talk()).status == "RESOLVED"
    assert await line.timers() == 0


async def test_an_assignment_and_a_new_priority_do_not_stop_them(silent):
    talk = await silent.talk()

    await silent.run("assign_conversation", conversationId=talk.id, email="bia@example.com")
    await silent.run("set_conversation_priority", conversationId=talk.id, priority="HIGH")
    await silent.later(hours=4)

    assert silent.sent == ["Nine.", "Still there?"]


async def test_the_person_is_not_reminded_while_their_own_message_waits(line):
    await line.opened(follow_ups(), {"type": "delayed_responses", "config": {"delay": 3_600}})
    await line.hears("Hello?")
    await line.later(hours=1)
    assert line.sent == ["Nine."]

    line.clock.advance(hours=3, minutes=30)
    await line.hears("Are you open?")
    await line.later(minutes=45)
    assert line.sent == ["Nine."]
    await line.later(minutes=15)

    assert line.sent == ["Nine.", "Nine."]


async def test_nothing_follows_an_answer_while_a_later_message_waits(line):
    await line.opened(follow_ups())
    await line.arrives("One?")
    await line.arrives("Two?")

    await line.works()

    assert line.sent == ["Nine.", "Nine."]
    assert await line.timers() == 1


async def test_the_tools_of_the_agent_that_answered_count(line):
    await line.opened()
    bia = await line.run("create_agent", **an_agent(name="Bia", tools=[follow_ups("From Bia.", 1)]))
    scenario = await line.run("create_crm_scenario", name="Sale")
    step = {"scenarioId": scenario["id"], "name": "Offer", "prompt": "Offer.", "agentId": bia["id"]}
    offer = await line.run("create_crm_step", **step)
    await line.hears("Hello?")
    await line.later(hours=5)
    assert line.sent == ["Nine."]

    on_board = {"conversationId": (await line.talk()).id, "stepId": offer["id"]}
    await line.run("add_conversation_to_scenario", **on_board)
    await line.hears("And now?")
    await line.later(hours=4)

    assert line.sent == ["Nine.", "Nine.", "From Bia."]


# The channel's window


async def test_nothing_is_sent_outside_the_window_and_nothing_more_follows(line):
    await line.opened(follow_ups(max_sends=5, interval_hours=20), configUrlInfosSystemExternal=WEBHOOK)
    await line.hears("When do you open?")

    await line.later(hours=20)
    assert line.sent == ["Nine.", "Still there?"]
    await line.later(hours=20)

    assert line.sent == ["Nine.", "Still there?"]
    assert await line.told(FOLLOW_UP, BLOCKED) == [FOLLOW_UP, BLOCKED]
    assert await line.timers() == 0
    await line.later(days=5)
    assert await line.told(FOLLOW_UP, BLOCKED) == [FOLLOW_UP, BLOCKED]


async def test_the_account_says_how_long_its_window_is(line):
    await line.opened(follow_ups(interval_hours=40), window_hours=48)
    await line.hears("When do you open?")

    await line.later(hours=40)
    await line.later(hours=40)

    assert line.sent == ["Nine.", "Still there?"]


async def test_after_a_long_stop_one_is_sent_late_and_not_several(line):
    await line.opened(follow_ups(max_sends=5), wire="telegram")
    await line.hears("When do you open?")

    line.clock.advance(days=10)
    line.restart()
    await line.works()
    assert line.sent == ["Nine.", "Still there?"]
    await line.later(hours=3)
    assert line.sent == ["Nine.", "Still there?"]
    await line.later(hours=1)

    assert line.sent == ["Nine.", "Still there?", "Bye."]


async def test_after_a_stop_longer_than_the_window_nothing_is_sent(silent):
    silent.clock.advance(hours=25)
    silent.restart()
    await silent.works()

    assert silent.sent == ["Nine."]
    assert await silent.told(FOLLOW_UP, BLOCKED) == [BLOCKED]
    assert await not_sent(silent) == "Still there?"


# Settings that change meanwhile


async def test_the_settings_of_now_count(silent):
    (tool,) = (await silent.run("list_agent_tools", agentId=silent.agent))["tools"]
    on_tool = {"agentId": silent.agent, "toolId": tool["id"]}
    later = {"messages": "Hello?", "max_sends": 1, "interval_hours": 6}
    await silent.run("update_agent_tool", **on_tool, type="follow_up_messages", config=later)

    await silent.later(hours=4)
    assert silent.sent == ["Nine."]
    await silent.later(hours=2)
    assert silent.sent == ["Nine.", "Hello?"]
    await silent.later(hours=9)

    assert silent.sent == ["Nine.", "Hello?"]


async def test_without_the_tool_nothing_more_follows(silent):
    await silent.later(hours=4)
    (tool,) = (await silent.run("list_agent_tools", agentId=silent.agent))["tools"]

    await silent.run("remove_agent_tool", agentId=silent.agent, toolId=tool["id"])
    await silent.later(hours=4)

    assert silent.sent == ["Nine.", "Still there?"]


async def test_without_the_agent_nothing_follows(silent):
    await silent.run("delete_agent", id=silent.agent)
    await silent.later(hours=9)

    assert silent.sent == ["Nine."]
    assert await silent.timers() == 0


async def test_inactive_hours_are_waited_for(line):
    rest = {"all": {"all": [{"from": "12:00", "to": "15:10"}]}}
    await line.opened(follow_ups(), enableInactiveHours=True, inactiveHours=rest)
    await line.hears("When do you open?")  # at 9:30

    await line.later(hours=4)
    assert line.sent == ["Nine."]
    await line.later(hours=1, minutes=39)
    assert line.sent == ["Nine."]
    await line.later(minutes=1)

    assert line.sent == ["Nine.", "Still there?"]
    await line.later(hours=4)
    assert line.sent == ["Nine.", "Still there?", "Bye."]


async def test_an_agent_that_always_rests_says_nothing(silent):
    rest = {"all": {"all": [{"from": "00:00", "to": "24:00"}]}}
    await silent.run("update_agent", id=silent.agent, enableInactiveHours=True, inactiveHours=rest)

    await silent.later(hours=4)

    assert silent.sent == ["Nine."]
    assert await silent.timers() == 0


# Where nothing is sent


@pytest.mark.parametrize("channel", ["api", "dashboard", "form"])
async def test_where_clients_read_what_was_said_it_is_stored_and_told(line, channel):
    await line.opened(follow_ups(), configUrlInfosSystemExternal=WEBHOOK)
    answer = await line.run("agent_query", id=line.agent, query="Open?", channel=channel)

    await line.later(hours=4)

    page = await line.run("list_messages", conversationId=answer["conversationId"], count=9)
    assert [each["text"] for each in page["messages"]] == ["Open?", "Nine.", "Still there?"]
    assert line.sent == []
    assert await line.told(FOLLOW_UP) == [FOLLOW_UP]


async def test_a_visitor_of_a_website_finds_it_in_the_window(line):
    await line.opened(follow_ups())
    answer = await line.run("agent_query", caller=STRANGER, id=line.agent, query="Open?")

    await line.later(hours=4)

    ids = {"conversationId": answer["conversationId"], "visitorId": answer["visitorId"]}
    seen = await line.run("follow_conversation", caller=STRANGER, **ids)
    assert [each["text"] for each in seen["messages"]] == ["Still there?", "Nine.", "Open?"]


async def test_nothing_follows_in_a_test(line):
    await line.opened(follow_ups())

    await line.run("agent_query", id=line.agent, query="Open?", isTest=True)
    await line.later(hours=9)

    assert await line.said() == ["Nine."]
    assert await line.timers() == 0


# Planned for a moment


async def planned(line, when="2026-01-31 12:00:00", **more):
    talk = await line.talk()
    known = {"conversationId": talk.id, "tag": "visit", "msg": "See you at one.", "dtToSend": when}
    return (await line.run("schedule_follow_up", **{**known, **more}))["followUp"]


async def not_sent(line):
    """The words that were blocked, as the webhook is told them."""
    (blocked,) = await line.read(
        lambda tables: [
            each for each in tables.deliveries.where(kind="webhook") if each.event_type == BLOCKED
        ]
    )
    assert blocked.body["createdAt"]
    return blocked.body["agentResponse"]


async def shown(line, **more):
    found = (await line.run("list_follow_ups", conversationId=(await line.talk()).id, **more))["followUps"]
    return [(each["message"], each["state"], each["reason"]) for each in found]


@pytest.fixture
async def spoken(line) -> Line:
    """A line on which someone has written."""
    await line.opened(configUrlInfosSystemExternal=WEBHOOK)
    await line.hears("May I come?")
    return line


async def test_a_message_goes_out_at_the_moment_that_it_is_planned_for(spoken):
    follow_up = await planned(spoken, "2026-01-31 09:00:00", timeZone="America/Sao_Paulo")
    assert (follow_up["dueAt"], follow_up["state"]) == ("2026-01-31T12:00:00.000Z", "planned")

    await spoken.later(hours=2, minutes=29, seconds=59)
    assert spoken.sent == ["Nine."]
    await spoken.later(seconds=1)

    assert spoken.sent == ["Nine.", "See you at one."]
    assert await spoken.told(FOLLOW_UP) == [FOLLOW_UP]
    assert await shown(spoken) == [("See you at one.", "sent", "")]
    (row,) = (await spoken.run("list_follow_ups", conversationId=(await spoken.talk()).id))["followUps"]
    said = await spoken.run("get_message", messageId=row["messageId"])
    assert (said["text"], said["from"]) == ("See you at one.", "agent")


async def test_planned_again_under_its_tag_it_replaces_the_earlier_one(spoken):
    talk = await spoken.talk()
    known = {"conversationId": talk.id, "tag": "visit", "dtToSend": "2026-01-31 12:00:00"}
    first = await spoken.run("schedule_follow_up", **known, msg="At one.")
    second = await spoken.run("schedule_follow_up", **known, msg="At two.")
    await spoken.run("schedule_follow_up", **{**known, "tag": "parking"}, msg="Park behind.")

    await spoken.later(hours=3)

    assert (first["message"], second["message"]) == ("Planned.", "Planned in place of an earlier one.")
    assert sorted(spoken.sent[1:]) == ["At two.", "Park behind."]
    assert sorted(await shown(spoken)) == [
        ("At one.", "cancelled", "Another one was planned in its place."),
        ("At two.", "sent", ""),
        ("Park behind.", "sent", ""),
    ]


async def test_what_was_planned_can_be_taken_back(spoken):
    await planned(spoken)
    talk = await spoken.talk()

    removed = await spoken.run("remove_follow_up", conversationId=talk.id, tag="visit")
    await spoken.later(days=1)

    assert (removed["success"], removed["followUp"]["state"]) == (True, "cancelled")
    assert spoken.sent == ["Nine."]
    assert await spoken.timers("follow_up") == 0
    with pytest.raises(NotFound, match="No follow-up 'visit' is planned"):
        await spoken.run("remove_follow_up", conversationId=talk.id, tag="visit")


async def test_what_was_sent_can_be_planned_again_under_its_tag(spoken):
    await planned(spoken)
    await spoken.later(hours=3)
    await planned(spoken, "2026-01-31 18:00:00")
    await spoken.later(hours=6)

    assert spoken.sent == ["Nine.", "See you at one.", "See you at one."]
    assert await shown(spoken, state="planned") == []


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("set_ai_enabled", {"enabled": False}),
        ("set_conversation_status", {"status": "RESOLVED"}),
        ("set_conversation_status", {"status": "HUMAN_REQUESTED"}),
        ("receive_message", {"message": "I know."}),
    ],
)
async def test_a_reminder_that_someone_planned_comes_all_the_same(spoken, operation, arguments):
    await planned(spoken)
    talk = await spoken.talk()

    await spoken.run(operation, conversationId=talk.id, **arguments)
    await spoken.later(hours=3)

    assert spoken.sent == ["Nine.", "See you at one."]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("set_ai_enabled", {"enabled": False}),
        ("set_conversation_status", {"status": "HUMAN_REQUESTED"}),
    ],
)
async def test_a_reminder_on_its_way_is_not_stopped_by_who_takes_over(spoken, operation, arguments):
    await planned(spoken)
    spoken.channel.outcomes.append(TryLater("Busy.", 60.0))
    await spoken.later(hours=3)
    assert await shown(spoken) == [("See you at one.", "sending", "Busy.")]

    await spoken.run(operation, conversationId=(await spoken.talk()).id, **arguments)
    await spoken.later(minutes=2)

    assert spoken.sent == ["Nine.", "See you at one.", "See you at one."]
    assert await shown(spoken) == [("See you at one.", "sent", "")]


@pytest.mark.parametrize(
    ("outcome", "state"), [(Refused("No such chat."), "failed"), (Unsure("Cut off."), "uncertain")]
)
async def test_a_reminder_shows_what_became_of_it(spoken, outcome, state):
    await planned(spoken)
    spoken.channel.outcomes.append(outcome)

    await spoken.later(hours=3)

    told = [("See you at one.", state, outcome.reason)]
    assert await shown(spoken) == told
    assert (await shown(spoken, state=state), await shown(spoken, state="sent")) == (told, [])


async def test_a_reminder_on_its_way_does_not_reach_a_person_who_is_blocked_meanwhile(spoken):
    await planned(spoken)
    spoken.channel.outcomes.append(TryLater("Busy.", 60.0))
    await spoken.later(hours=3)

    await spoken.run("set_conversation_blocked", conversationId=(await spoken.talk()).id, blocked=True)
    await spoken.later(minutes=2)

    assert spoken.sent == ["Nine.", "See you at one."]
    assert await shown(spoken, state="withdrawn") == [
        ("See you at one.", "withdrawn", "The person is blocked.")
    ]


async def test_a_person_who_is_blocked_is_not_written_to(spoken):
    await planned(spoken)
    talk = await spoken.talk()

    await spoken.run("set_conversation_blocked", conversationId=talk.id, blocked=True)
    await spoken.later(hours=3)

    assert spoken.sent == ["Nine."]
    assert await shown(spoken) == [("See you at one.", "cancelled", "The person is blocked.")]


async def test_what_was_planned_for_a_conversation_goes_with_it(spoken):
    await planned(spoken)
    talk = await spoken.talk()

    await spoken.run("delete_conversation", conversationId=talk.id)
    await spoken.later(hours=3)

    assert spoken.sent == ["Nine."]
    assert await spoken.read(lambda tables: tables.follow_ups.count()) == 0
    assert await spoken.timers("follow_up") == 0


async def test_outside_the_window_it_is_blocked_and_that_is_told(spoken):
    await planned(spoken, "2026-02-01 12:00:00")

    await spoken.later(hours=27)

    assert spoken.sent == ["Nine."]
    assert await shown(spoken, state="blocked") == [
        ("See you at one.", "blocked", "The channel's window for writing is closed.")
    ]
    assert await spoken.told(FOLLOW_UP, BLOCKED) == [BLOCKED]
    assert await not_sent(spoken) == "See you at one."


async def test_after_a_stop_what_was_planned_is_sent_late_and_once(spoken):
    await planned(spoken)
    spoken.clock.advance(hours=12)
    spoken.restart()
    other = spoken.another_engine()

    await asyncio.gather(spoken.works(), other.worker.finish_due())

    assert spoken.sent == ["Nine.", "See you at one."]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"timeZone": "Mars/Olympus"}, "no time zone"),
        ({"timeZone": "localtime"}, "no time zone"),
        ({"timeZone": "Factory"}, "no time zone"),
        ({"timeZone": "posix/Europe/Lisbon"}, "no time zone"),
        ({"timeZone": "right/Europe/Lisbon"}, "no time zone"),
        ({"timeZone": "posixrules"}, "no time zone"),
        ({"dtToSend": "tomorrow"}, "no date with a time"),
        ({"dtToSend": "2026-01-31 09:00:00"}, "has gone by"),
        ({"dtToSend": "2028-01-31 09:00:00"}, "more than a year ahead"),
        ({"msg": ""}, "msg"),
        ({"tag": "  "}, "tag"),
    ],
)
async def test_what_cannot_be_planned_is_refused_in_words(spoken, more, words):
    talk = await spoken.talk()
    known = {"conversationId": talk.id, "tag": "visit", "msg": "Hi.", "dtToSend": "2026-01-31 12:00:00"}

    with pytest.raises(InvalidInput, match=words):
        await spoken.run("schedule_follow_up", **{**known, **more})

    assert await spoken.timers("follow_up") == 0


async def test_nothing_is_planned_where_nothing_can_be_sent(spoken):
    talk = (await spoken.talk()).changed(spoken.clock.now(), channel_credentials_id=None)
    await spoken.write(lambda tables: tables.conversations.replace(talk))

    with pytest.raises(NotAvailable, match="not connected"):
        await planned(spoken)


async def test_a_conversation_holds_a_hundred_plans(spoken):
    for number in range(100):
        await planned(spoken, tag=f"tag {number}")

    with pytest.raises(Conflict, match="100 follow-ups are planned"):
        await planned(spoken, tag="one more")
    await planned(spoken, tag="tag 7")


async def test_clocks_that_are_changed_meanwhile_do_not_move_it(tmp_path):
    clock = FakeClock(datetime(2026, 3, 7, 12, 0, tzinfo=UTC))
    line = await Line(tmp_path, clock).opened(wire="telegram")
    await line.hears("May I come?")
    gap = await planned(line, "2026-03-08 02:30:00", timeZone="America/New_York", tag="gap")
    twice = await planned(line, "2026-11-01 01:30:00", timeZone="America/New_York", tag="twice")

    assert (gap["dueAt"], twice["dueAt"]) == ("2026-03-08T07:30:00.000Z", "2026-11-01T05:30:00.000Z")
    await line.later(hours=19, minutes=29)
    assert line.sent == ["Nine."]
    await line.later(minutes=1)
    assert (line.sent, written(clock.now())) == (["Nine.", "See you at one."], gap["dueAt"])
    line.close()


@pytest.mark.parametrize("blank", [" ", "\n\t "])
async def test_a_message_that_says_nothing_is_not_planned(spoken, blank):
    talk = (await spoken.talk()).id
    known = {"conversationId": talk, "tag": "visit", "dtToSend": "2026-01-31 12:00:00"}

    with pytest.raises(InvalidInput) as refused:
        await spoken.run("schedule_follow_up", **known, msg=blank)

    assert refused.value.details == {"msg": "must not be blank"}
    assert (await spoken.run("list_follow_ups", conversationId=talk))["followUps"] == []


@pytest.mark.parametrize("messages", [" ", "||", " || \n|| "])
async def test_messages_without_a_part_are_no_follow_ups(spoken, messages):
    agent = (await spoken.run("list_agents"))["agents"][0]["id"]

    with pytest.raises(InvalidInput, match="messages"):
        await spoken.run("addFollowUpMessagesTool", agentId=agent, config=follow_ups(messages)["config"])
    with pytest.raises(InvalidInput, match="messages"):
        await spoken.run("add_agent_tool", agentId=agent, **follow_ups(messages))
