"""Moving: what entering a step does, once and in one go, whoever or whatever moves a conversation."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from vivavoce.domain.conversations import MOST_TAGS
from vivavoce.domain.jobs import NewJob
from vivavoce.errors import Conflict, InvalidInput, NotAllowed, NotFound
from vivavoce.operations import STRANGER, Caller, Scope
from vivavoce.testing import CountedIds, FakeOutside, MemoryChannel, open_test_engine

from .boards import Board


@pytest.fixture
async def board(engine) -> Board:
    return await Board(engine).opened({}, {}, {})


@pytest.fixture
def channel() -> MemoryChannel:
    return MemoryChannel()


@pytest.fixture
async def wired(tmp_path, clock, channel):
    """A board whose conversations can be written to."""
    with open_test_engine(tmp_path, clock, channel=channel) as engine:
        yield await Board(engine).opened({}, {"initialMessage": "Welcome, {user-name}!"}, {})


# Adding, moving, removing


async def test_a_conversation_is_added_to_a_step_and_its_log_is_active(board):
    await board.talk()

    came = await board.add(1)

    assert came == {
        "success": True,
        "message": "Conversation added to the scenario.",
        "newStepId": board.steps[1],
    }
    assert await board.place() == 1
    assert await board.walk() == [(1, "active", "call")]


@pytest.mark.parametrize(("named", "place"), [({}, 0), ({"stepIndex": 2}, 2)])
async def test_a_step_is_named_by_its_scenario_too(board, named, place):
    await board.talk()

    await board.run(
        "add_conversation_to_scenario", conversationId="talk1", scenarioId=board.scenario, **named
    )

    assert await board.place() == place


async def test_a_conversation_is_not_added_twice_to_a_scenario(board):
    await board.talk()
    await board.add(0)

    with pytest.raises(Conflict, match="already") as refusal:
        await board.add(1)

    assert "move_conversation" in refusal.value.hint
    assert await board.place() == 0


async def test_who_is_added_to_another_scenario_leaves_the_first(board):
    await board.talk()
    await board.add(0)
    other = (await board.run("create_crm_scenario", name="Support"))["id"]
    step = await board.step(scenarioId=other, name="New")

    await board.run("add_conversation_to_scenario", conversationId="talk1", stepId=step)

    assert await board.place() == 3
    assert await board.walk() == [(0, "inactive", "call"), (3, "active", "call")]


async def test_a_move_ends_one_stay_and_begins_another(board):
    await board.talk()
    await board.add(0)

    came = await board.move(2)

    assert came == {"success": True, "message": "Conversation moved.", "newStepId": board.steps[2]}
    assert await board.walk() == [(0, "inactive", "call"), (2, "active", "call")]


async def test_a_move_to_the_step_it_is_in_changes_nothing(board):
    await board.talk()
    await board.add(0)

    came = await board.move(0, shouldSendInitialMessage=True)

    assert (came["success"], came["newStepId"]) == (True, board.steps[0])
    assert await board.walk() == [(0, "active", "call")]


async def test_a_move_by_place_goes_to_that_step(board):
    await board.talk()
    await board.add(0)

    await board.run("move_conversation", conversationId="talk1", scenarioId=board.scenario, destStepIndex=1)

    assert await board.place() == 1


async def test_what_cannot_be_moved_says_why(board):
    await board.talk()
    with pytest.raises(NotFound, match="not in scenario") as refusal:
        await board.move(1)
    assert "add_conversation_to_scenario" in refusal.value.hint
    with pytest.raises(InvalidInput, match="destStepId"):
        await board.run("move_conversation", conversationId="talk1", scenarioId=board.scenario)
    with pytest.raises(InvalidInput, match="scenarioId"):
        await board.run("add_conversation_to_scenario", conversationId="talk1")
    with pytest.raises(NotFound, match="has no step 3"):
        await board.run(
            "add_conversation_to_scenario", conversationId="talk1", scenarioId=board.scenario, stepIndex=3
        )
    other = (await board.run("create_crm_scenario", name="Support"))["id"]
    with pytest.raises(InvalidInput, match="not one of scenario"):
        await board.run(
            "add_conversation_to_scenario", conversationId="talk1", scenarioId=other, stepId=board.steps[0]
        )


async def test_a_move_from_a_step_that_it_has_left_is_refused(board):
    await board.talk()
    await board.add(0)
    await board.move(1, expectedStepId=board.steps[0])

    with pytest.raises(Conflict, match="not in"):
        await board.move(2, expectedStepId=board.steps[0])

    assert await board.place() == 1


async def test_it_is_taken_into_another_scenario_or_off_the_board_only_from_the_step_it_was_seen_in(board):
    await board.talk()
    await board.add(1)
    other = (await board.run("create_crm_scenario", name="Support"))["id"]
    step = await board.run("create_crm_step", scenarioId=other, name="open")
    there = {"conversationId": "talk1", "stepId": step["id"]}
    off = {"conversationId": "talk1", "scenarioId": board.scenario}

    for operation, where in (
        ("add_conversation_to_scenario", there),
        ("remove_conversation_from_scenario", off),
    ):
        with pytest.raises(Conflict, match="not in"):
            await board.run(operation, **where, expectedStepId=board.steps[0])
    assert await board.place() == 1

    await board.run("add_conversation_to_scenario", **there, expectedStepId=board.steps[1])
    gone = {"conversationId": "talk1", "scenarioId": other, "expectedStepId": step["id"]}
    await board.run("remove_conversation_from_scenario", **gone)
    assert await board.place() is None
    with pytest.raises(Conflict, match="in no step, not in"):
        await board.add(0, expectedStepId=step["id"])


async def test_of_two_moves_at_once_from_the_same_step_one_is_refused(board):
    await board.talk()
    await board.add(0)

    both = await asyncio.gather(
        *(board.move(number, expectedStepId=board.steps[0]) for number in (1, 2)), return_exceptions=True
    )

    assert sorted(type(each).__name__ for each in both) == ["Conflict", "dict"]
    assert len(await board.logs()) == 2
    assert await board.place() in (1, 2)


async def test_many_moves_at_once_leave_one_active_stay(board):
    await board.talk()
    await board.add(0)

    await asyncio.gather(*(board.move(number % 3) for number in range(12)))

    assert await board.place() is not None


async def test_a_required_step_is_not_passed_over_unless_it_is_forced(board):
    await board.talk()
    await board.add(0)
    await board.change(1, isRequired=True)

    with pytest.raises(Conflict, match="required"):
        await board.move(2)
    await board.move(2, force=True)
    assert await board.place() == 2
    await board.move(0)  # going back is always possible
    await board.move(1)
    await board.move(0)
    await board.move(2)  # it has been there

    assert await board.place() == 2


async def test_a_required_step_is_not_passed_over_when_a_conversation_is_added(board):
    await board.talk()
    await board.change(1, isRequired=True)

    with pytest.raises(Conflict, match="required"):
        await board.add(2)
    assert await board.place() is None
    await board.add(2, force=True)
    assert await board.place() == 2
    await board.run("remove_conversation_from_scenario", scenarioId=board.scenario, conversationId="talk1")
    await board.add(1)

    assert await board.place() == 1


async def test_who_is_removed_is_on_no_board(board):
    await board.talk()
    await board.add(1)

    gone = await board.run(
        "remove_conversation_from_scenario", scenarioId=board.scenario, conversationId="talk1"
    )

    assert gone == {"message": "Conversation successfully removed from scenario"}
    assert await board.place() is None
    assert await board.walk() == [(1, "inactive", "call")]
    with pytest.raises(NotFound):
        await board.run(
            "remove_conversation_from_scenario", scenarioId=board.scenario, conversationId="talk1"
        )


async def test_a_key_that_may_not_reach_people_moves_nothing(board):
    await board.talk()
    writer = Caller(name="writer", scopes=frozenset({Scope.WRITE}))

    with pytest.raises(NotAllowed):
        await board.run(
            "add_conversation_to_scenario", caller=writer, conversationId="talk1", stepId=board.steps[0]
        )

    assert await board.place() is None


# What a step sets


async def test_a_step_sets_status_priority_tags_and_who_speaks(board):
    await board.talk(tags=["cold", "old"])
    await board.change(
        1,
        defaultStatus="HUMAN_REQUESTED",
        defaultPriority="HIGH",
        defaultAiControl=False,
        defaultTags=["lead", "old"],
        defaultTagsToRemove=["cold"],
    )
    await board.add(1)

    talk = await board.stored()

    assert (talk.status, talk.priority, talk.is_ai_enabled) == ("HUMAN_REQUESTED", "HIGH", False)
    assert talk.tags == ["old", "lead"]
    assert talk.taken_over > 0
    told = [type for type, _ in await board.talks.events()]
    assert told == ["STEP_ENTERED", "AI_SWITCHED", "HUMAN_REQUESTED"]


async def test_a_step_that_sets_nothing_changes_nothing(board):
    known = {
        "status": "RESOLVED",
        "priority": "LOW",
        "is_ai_enabled": False,
        "tags": ["a"],
        "assignee": "bia",
    }
    await board.talk(**known)
    await board.add(0)

    talk = await board.stored()

    assert {name: getattr(talk, name) for name in known} == known
    assert talk.taken_over == 0


async def test_tags_for_which_there_is_no_room_do_not_stop_a_move(board):
    await board.talk(tags=[f"tag{number}" for number in range(MOST_TAGS - 1)])
    await board.change(0, defaultTags=["one", "two", "three"])
    await board.add(0)

    tags = (await board.stored()).tags

    assert (len(tags), tags[-1]) == (MOST_TAGS, "one")
    assert await board.place() == 0


@pytest.mark.parametrize(
    ("told", "after"),
    [
        ({"assigneeLogicType": "none"}, "zoe"),
        ({"assigneeLogicType": "clear"}, None),
        ({"assigneeLogicType": "single_user", "selectedMembershipIdsForAssignee": ["bia", "carl"]}, "bia"),
        ({"defaultAssigneeId": "dora"}, "dora"),
    ],
)
async def test_a_step_says_who_looks_after_a_conversation(board, told, after):
    await board.talk(assignee="zoe")
    await board.change(0, **told)
    await board.add(0)

    assert (await board.stored()).assignee == after


async def test_a_random_assignee_is_one_of_the_pool_and_all_get_some(board):
    pool = ["bia", "carl", "dora"]
    await board.change(0, assigneeLogicType="random_selected", selectedMembershipIdsForAssignee=pool)
    for number in range(30):
        await board.talk(f"t{number}")
        await board.add(0, f"t{number}")

    got = {(await board.stored(f"t{number}")).assignee for number in range(30)}

    assert got == set(pool)


async def test_a_fair_assignee_has_the_fewest_open_conversations(board):
    for number, (who, status) in enumerate(
        [("bia", "UNRESOLVED"), ("bia", "HUMAN_REQUESTED"), ("carl", "UNRESOLVED"), ("dora", "RESOLVED")]
    ):
        await board.talk(f"other{number}", assignee=who, status=status)
    await board.change(
        0,
        assigneeLogicType="fair_distribution_selected",
        selectedMembershipIdsForAssignee=["bia", "carl", "dora"],
    )
    got = []
    for number in range(3):
        await board.talk(f"t{number}")
        await board.add(0, f"t{number}")
        got.append((await board.stored(f"t{number}")).assignee)

    assert got == ["dora", "carl", "dora"]


async def test_the_last_step_takes_a_conversation_off_the_board(board, clock):
    await board.talk()
    await board.change(2, isConversationRemovalStep=True, defaultStatus="RESOLVED")
    await board.add(0)
    clock.advance(seconds=1)

    await board.move(2)

    assert await board.place() is None
    assert await board.walk() == [(0, "inactive", "call"), (2, "inactive", "call")]
    assert (await board.stored()).status == "RESOLVED"


# What a step says


async def test_an_added_conversation_is_greeted_and_a_moved_one_only_on_request(wired, channel):
    await wired.talks.contact(first_name="Lu")
    await wired.connected(contact_id="person1")

    added = await wired.add(1)
    await wired.move(0)
    quiet = await wired.move(1)
    await wired.move(0)
    loud = await wired.move(1, shouldSendInitialMessage=True)
    await wired.works()

    assert added["messageSent"] is True
    assert (added["initialMessage"], added["blockedBy24hRule"]) == ("Welcome, {user-name}!", False)
    assert "messageSent" not in quiet
    assert loud["messageSent"] is True
    assert [each.text for each in channel.sent] == ["Welcome, Lu!", "Welcome, Lu!"]
    said = await wired.read(lambda tables: tables.messages.last("talk1", 10))
    assert [each.id for each in said] == [added["sentMessageId"], loud["sentMessageId"]]
    assert {each.from_ for each in said} == {"agent"}


async def test_nothing_is_said_outside_the_channels_window(wired, channel, clock):
    await wired.connected(channel="whatsapp")
    clock.advance(hours=25)

    came = await wired.add(1)
    await wired.works()

    assert (came["messageSent"], came["blockedBy24hRule"]) == (False, True)
    assert "window" in came["messageError"]
    assert came["sendMessageError"] == came["messageError"]
    assert (channel.sent, await wired.said()) == ([], [])
    assert await wired.place() == 1


async def test_what_the_window_keeps_from_being_said_is_told(wired, clock):
    hook = {"url_webhook_external": "https://hooks.example/events"}
    await wired.run("update_agent", id=wired.agent, configUrlInfosSystemExternal=hook)
    await wired.connected(channel="whatsapp")
    clock.advance(hours=25)

    await wired.add(1)

    told = await wired.read(lambda tables: [each.body for each in tables.deliveries.where(kind="webhook")])
    (blocked,) = [each for each in told if each["eventType"] == "AGENT_MESSAGE_BLOCKED"]
    assert blocked["agentResponse"] == "Welcome, !"


async def test_nothing_is_said_where_nothing_can_be_sent(wired):
    await wired.talk(channel="telegram")

    came = await wired.add(1)

    assert came["messageSent"] is False
    assert "not connected" in came["messageError"]
    assert await wired.place() == 1


async def test_a_greeting_is_still_sent_by_the_step_that_switches_the_ai_off(wired, channel):
    await wired.connected()
    await wired.change(1, defaultAiControl=False)

    await wired.add(1)
    await wired.works()

    assert len(channel.sent) == 1
    assert not (await wired.stored()).is_ai_enabled


async def test_a_greeting_that_someone_asked_for_is_sent_when_a_person_takes_over(wired, channel):
    await wired.connected()
    await wired.add(1)

    await wired.run("set_ai_enabled", conversationId="talk1", enabled=False)
    await wired.works()

    assert len(channel.sent) == 1


async def test_a_greeting_that_someone_asked_for_is_not_sent_to_a_person_who_is_blocked(wired, channel):
    await wired.connected()
    await wired.add(1)

    await wired.run("set_conversation_blocked", conversationId="talk1", blocked=True)
    await wired.works()

    assert channel.sent == []


async def test_a_greeting_that_time_brings_is_withdrawn_when_a_person_takes_over(wired, channel, clock):
    await wired.connected()
    await wired.change(0, autoNextStepId=wired.steps[1], autoNextTime=2, autoNextTimeUnit="h")
    await wired.add(0)
    clock.advance(hours=2)
    await wired.engine.worker._do((await wired.engine.worker._claim(1))[0])
    assert await wired.place() == 1

    await wired.run("set_ai_enabled", conversationId="talk1", enabled=False)
    await wired.works()

    assert channel.sent == []


async def test_notices_that_nothing_can_send_are_not_called_sent(board):
    await board.talk()
    await board.change(
        0,
        zapi={"agentId": board.agent, "phoneNumber": "5511999", "message": "New lead"},
        whatsapp={"templateName": "welcome"},
    )
    came = await board.add(0)

    assert (came["zapiAgentId"], came["zapiPhoneNumber"], came["zapiMessage"]) == (
        board.agent,
        "5511999",
        "New lead",
    )
    assert "Z-API notice was not sent" in came["message"]
    assert "WhatsApp template was not sent" in came["message"]
    (told,) = [facts for type, facts in await board.talks.events() if type == "STEP_ENTERED"]
    assert told["notSent"] == ["zapi", "whatsapp"]


async def test_the_webhook_of_a_step_is_told(tmp_path, clock):
    outside = FakeOutside({"POST https://hooks.example/step": (200, "ok")})
    with open_test_engine(tmp_path, clock, outside=outside) as engine:
        board = await Board(engine).opened({"webhookUrl": "https://hooks.example/step"})
        await board.talk()
        await board.add(0)
        await board.works()

    ((method, url, _, body),) = outside.sent
    assert (method, url) == ("POST", "https://hooks.example/step")
    assert b'"STEP_ENTERED"' in body
    assert board.steps[0].encode() in body


# Time


async def test_a_conversation_moves_on_when_its_time_is_over(wired, channel, clock):
    await wired.connected()
    await wired.change(0, autoNextStepId=wired.steps[1], autoNextTime=2, autoNextTimeUnit="h")
    await wired.add(0)

    clock.advance(hours=1, minutes=59)
    await wired.works()
    assert await wired.place() == 0
    clock.advance(minutes=1)
    await wired.works()

    assert await wired.walk() == [(0, "inactive", "call"), (1, "active", "time")]
    assert [each.text for each in channel.sent] == ["Welcome, !"]
    assert await wired.due() is None


@pytest.mark.parametrize(
    ("time", "unit", "seconds"),
    [(90, None, 90), (3, "m", 180), (2, "h", 7_200), (1, "d", 86_400), (0, "d", None), (None, "d", None)],
)
async def test_how_long_a_step_waits(board, clock, time, unit, seconds):
    await board.talk()
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=time, autoNextTimeUnit=unit)
    await board.add(0)

    assert await board.due() == (None if seconds is None else clock.now() + timedelta(seconds=seconds))


async def test_a_move_or_a_removal_stops_the_timer_and_another_stay_has_its_own(board, clock):
    await board.talk()
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=60)
    await board.add(0)
    await board.move(2)
    assert await board.due() is None
    clock.advance(seconds=50)
    await board.move(0)

    clock.advance(seconds=20)
    await board.works()
    assert await board.place() == 0  # the first stay's minute is over, this one's is not
    await board.run("remove_conversation_from_scenario", scenarioId=board.scenario, conversationId="talk1")
    clock.advance(hours=1)

    assert await board.works() == 0
    assert await board.place() is None


async def test_a_timer_that_was_taken_when_its_conversation_moved_moves_nothing(board, clock):
    await board.talk()
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=60)
    await board.add(0)
    clock.advance(seconds=60)
    (job,) = await board.engine.worker._claim(1)

    await board.move(2)
    await board.engine.worker._do(job)

    assert await board.place() == 2
    assert await board.walk() == [(0, "inactive", "call"), (2, "active", "call")]


async def test_a_timer_moves_only_the_very_stay_that_it_was_set_for(board, clock):
    await board.talk()
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=60)
    await board.add(0)
    (first,) = await board.logs()
    await board.move(2)
    await board.move(0)
    facts = {"conversation": "talk1", "step": board.steps[0], "log": first.id}
    stale = NewJob("stale", "next_step", clock.now(), facts=facts)
    await board.talks.write(lambda tables: tables.jobs.add(stale, clock.now()))
    await board.talks.write(lambda tables: tables.jobs.cancel("step:talk1"))
    clock.advance(seconds=60)

    assert await board.works() == 1
    assert await board.place() == 0


async def test_a_timer_and_a_move_at_once_make_one_of_the_two_first(board, clock):
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=60)
    for number in range(10):
        id = f"t{number}"
        await board.talk(id)
        await board.add(0, id)
        clock.advance(seconds=60)

        came, _ = await asyncio.gather(
            board.move(2, id, expectedStepId=board.steps[0]), board.works(), return_exceptions=True
        )

        is_moved = not isinstance(came, Conflict)
        assert await board.place(id) == (2 if is_moved else 1)
        assert len(await board.logs(id)) == 2


async def test_a_step_that_is_told_to_wait_longer_or_not_at_all_does_so_at_once(board, clock):
    await board.talk()
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=60)
    await board.add(0)
    await board.change(0, autoNextTime=100)
    clock.advance(seconds=60)
    await board.works()
    assert (await board.place(), await board.due()) == (0, clock.now() + timedelta(seconds=40))

    await board.change(0, autoNextTime=None)
    clock.advance(seconds=40)
    await board.works()

    assert (await board.place(), await board.due()) == (0, None)


async def test_time_moves_a_silent_conversation_and_says_nothing_in_it(wired, channel, clock):
    await wired.connected(is_ai_enabled=False)
    await wired.change(0, autoNextStepId=wired.steps[1], autoNextTime=1)
    await wired.add(0)
    clock.advance(seconds=1)
    await wired.works()

    assert (await wired.place(), channel.sent) == (1, [])


async def test_a_circle_of_steps_goes_slowly_and_comes_to_an_end(board, clock):
    await board.talk()
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=1)
    await board.change(1, autoNextStepId=board.steps[0], autoNextTime=1)
    await board.add(0)
    clock.advance(seconds=1)
    moves = []
    for _ in range(600):
        before = len(await board.logs())
        assert await board.works() <= 1
        moves.append(len(await board.logs()) - before)
        clock.advance(seconds=1)

    assert max(sum(moves[start : start + 60]) for start in range(540)) <= 11
    assert sum(moves) == 30
    assert await board.due() is None
    assert await board.place() is not None


async def test_timers_survive_the_process(tmp_path, clock):
    ids = CountedIds()
    with open_test_engine(tmp_path, clock, ids) as engine:
        board = await Board(engine).opened({}, {})
        await board.talk()
        await board.change(0, autoNextStepId=board.steps[1], autoNextTime=1, autoNextTimeUnit="d")
        await board.add(0)
    clock.advance(days=3)
    with open_test_engine(tmp_path, clock, ids) as engine:
        again = Board(engine)
        again.steps = board.steps
        await again.works()

        assert await again.walk() == [(0, "inactive", "call"), (1, "active", "time")]


# What is deleted


@pytest.mark.parametrize("gone", ["delete_crm_step", "delete_crm_scenario"])
async def test_conversations_leave_a_step_or_a_scenario_that_is_deleted(board, gone):
    await board.talk()
    await board.talk("talk2")
    await board.change(1, autoNextStepId=board.steps[2], autoNextTime=60)
    await board.add(1)
    await board.add(1, "talk2")
    await board.run("set_crm_config", id=board.agent, scenarioId=board.scenario, stepId=board.steps[1])

    told = await board.run(gone, id=board.steps[1] if gone == "delete_crm_step" else board.scenario)

    assert told["alsoRemoved"]["conversationsReleased"] == 2
    for id in ("talk1", "talk2"):
        assert await board.place(id) is None
        assert await board.due(id) is None
        assert await board.logs(id) == []
    config = await board.run("get_crm_config", id=board.agent)
    kept = board.scenario if gone == "delete_crm_step" else None
    assert config == {"agentId": board.agent, "scenarioId": kept, "stepId": None}


async def test_a_deleted_conversation_leaves_nothing_that_fails(board, clock):
    await board.talk()
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=60)
    await board.add(0)
    await board.run("delete_conversation", conversationId="talk1")
    clock.advance(seconds=60)

    assert await board.works() <= 1
    assert await board.read(lambda tables: tables.jobs.number()) == 0


# Lists


async def test_conversations_of_a_scenario_are_listed_and_counted(board, clock):
    for number in range(3):
        await board.talk(f"t{number}", title=f"Talk {number}")
        await board.add(min(number, 1), f"t{number}")
        clock.advance(seconds=1)
    await board.change(1, autoNextStepId=board.steps[2], autoNextTime=60)
    of = {"scenarioId": board.scenario}

    every = await board.run("list_scenario_conversations", **of)
    assert [each["conversationId"] for each in every] == ["t2", "t1", "t0"]
    assert {"available", "processingJob", "scenario", "step", "conversation"} <= every[0].keys()
    assert every[0]["step"] == {"id": board.steps[1], "index": 1, "name": "step1"}
    assert every[0]["conversation"] == {"id": "t2", "title": "Talk 2"}
    second = await board.run("list_scenario_conversations", **of, page=1, limit=2)
    assert [each["conversationId"] for each in second] == ["t0"]
    one = await board.run("list_scenario_conversations", **of, stepId=board.steps[0])
    assert [each["conversationId"] for each in one] == ["t0"]
    counted = await board.run("list_scenario_conversations", **of, isCount=True)
    assert counted == {board.steps[0]: 1, board.steps[1]: 2, board.steps[2]: 0}
    number = await board.run("list_scenario_conversations", **of, isCount=True, stepId=board.steps[1])
    assert number == {"count": 2}


async def test_those_who_left_are_listed_on_request_once(board, clock):
    await board.talk()
    await board.add(0)
    clock.advance(seconds=1)
    await board.move(1)
    await board.run("remove_conversation_from_scenario", scenarioId=board.scenario, conversationId="talk1")
    of = {"scenarioId": board.scenario, "showInactiveConversations": True}

    (left,) = await board.run("list_scenario_conversations", **of)

    assert (left["available"], left["stepId"]) == (False, board.steps[1])
    counted = await board.run("list_scenario_conversations", **of, isCount=True)
    assert counted == {board.steps[0]: 0, board.steps[1]: 1, board.steps[2]: 0}
    assert await board.run("list_scenario_conversations", scenarioId=board.scenario) == []


# Where new conversations begin


async def test_new_conversations_of_an_agent_begin_in_its_scenario(board):
    await board.change(0, initialMessage="Welcome!", defaultTags=["new"])
    await board.run("set_crm_config", id=board.agent, scenarioId=board.scenario)

    await board.ask("Hello?")

    assert await board.walk() == [(0, "active", "opening")]
    said = await board.said()
    assert said[:2] == [("human", "Hello?"), ("agent", "Welcome!")]
    assert len(said) == 3
    assert (await board.stored()).tags == ["new"]


async def test_new_conversations_begin_in_the_step_that_is_named_and_only_once(board):
    await board.run("set_crm_config", id=board.agent, scenarioId=board.scenario, stepId=board.steps[1])
    await board.ask("Hello?")
    await board.run("remove_conversation_from_scenario", scenarioId=board.scenario, conversationId="talk1")

    await board.ask("Still there?")

    assert await board.walk() == [(1, "inactive", "opening")]


async def test_a_first_step_that_switches_the_ai_off_leaves_the_message_to_the_team(board):
    await board.change(0, defaultAiControl=False, initialMessage="Someone will be with you.")
    await board.run("set_crm_config", id=board.agent, scenarioId=board.scenario)

    await board.ask("Hello?")

    assert await board.said() == [("human", "Hello?"), ("agent", "Someone will be with you.")]


async def test_who_writes_on_a_channel_begins_there_too_and_only_once(wired, channel, clock):
    await wired.connected("other")
    await wired.run("set_crm_config", id=wired.agent, scenarioId=wired.scenario, stepId=wired.steps[1])

    for event in ("e1", "e2"):
        await wired.arrives(event, "Hello")
        await wired.works()

    (talk,) = await wired.read(lambda tables: tables.conversations.where(channel_external_id="chat2"))
    assert await wired.walk(talk.id) == [(1, "active", "opening")]
    assert [each.text for each in channel.sent].count("Welcome, Lu!") == 1
    assert [who for who, _ in await wired.said(talk.id)] == ["human", "agent", "agent", "human", "agent"]


async def test_a_visitor_without_a_key_begins_there_too(board):
    await board.run("update_agent", id=board.agent, visibility="public")
    await board.run("set_crm_config", id=board.agent, scenarioId=board.scenario)

    answer = await board.run("agent_query", caller=STRANGER, id=board.agent, query="Hello")

    assert await board.place(answer["conversationId"]) == 0


async def test_a_default_that_does_not_fit_is_refused(board):
    other = (await board.run("create_crm_scenario", name="Support"))["id"]
    with pytest.raises(InvalidInput, match="not one of scenario"):
        await board.run("set_crm_config", id=board.agent, scenarioId=other, stepId=board.steps[0])
    with pytest.raises(InvalidInput, match="needs scenarioId"):
        await board.run("set_crm_config", id=board.agent, scenarioId=None, stepId=board.steps[0])
    with pytest.raises(NotFound):
        await board.run("set_crm_config", id=board.agent, scenarioId="nowhere")

    await board.run("set_crm_config", id=board.agent, scenarioId=board.scenario)
    after = await board.run("set_crm_config", id=board.agent, scenarioId=None)
    assert after == {"agentId": board.agent, "scenarioId": None, "stepId": None}


async def test_a_conversation_shows_where_it_stands(board):
    await board.talk()
    await board.talk("talk2")
    await board.add(1)

    shown = await board.run("get_conversation", conversationId="talk1")
    listed = await board.run("list_conversations")

    (link,) = shown["crmScenarioConversations"]
    assert (link["available"], link["scenario"]["name"], link["step"]["id"]) == (True, "Sale", board.steps[1])
    assert {each["id"]: each["crmScenarioConversations"] for each in listed} == {"talk1": [link], "talk2": []}
