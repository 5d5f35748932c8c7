"""Calls that wait for an answer which a job gives, and answers that are fetched later."""

import asyncio

import pytest

from vivavoce.engine import Engine
from vivavoce.engine.turns.waiting import retell
from vivavoce.errors import InvalidInput, NotAuthenticated, NotFound, UpstreamFailed
from vivavoce.operations import OPERATOR, STRANGER, Effect
from vivavoce.operations.answers import AgentAnswer, AgentQuery, GetAnswer
from vivavoce.settings import Settings, variable

from .lines import Line

DELAY = 10
HELD = {"type": "delayed_responses", "config": {"delay": DELAY}}


@pytest.fixture
async def line(lines) -> Line:
    return await lines("All of it.").opened(HELD)


@pytest.fixture
def hurried(line) -> Engine:
    """An engine whose calls do not wait."""
    return Engine(line.engine.ports, call_budget=0.0)


def query(line, text="When?", **more):
    return AgentQuery(id=line.agent, query=text, conversation_id="talk1", **more)


async def queued(line, op, caller=OPERATOR):
    """A call that waits for its answer."""
    stored = asyncio.Event()
    call = asyncio.create_task(line.engine.run(op, caller, lambda told: stored.set()))
    await stored.wait()
    return call


async def test_a_call_waits_until_its_answer_is_there(line):
    told = []
    stored = asyncio.Event()

    def hear(news):
        told.append(tuple(news))
        stored.set()

    call = asyncio.create_task(line.engine.run(query(line), OPERATOR, hear))
    await stored.wait()
    assert not call.done()
    await line.later(seconds=DELAY)

    answer = await call
    assert (answer.answer, answer.conversation_id) == ("All of it.", "talk1")
    assert (told[0][0], told[1:]) == ("queued", [("answer", "All of it.")])
    assert answer.message_id is not None


async def test_without_a_worker_the_call_that_waits_does_what_is_due(line):
    call = await queued(line, query(line))

    line.clock.advance(seconds=DELAY)

    assert (await call).answer == "All of it."


async def test_a_worker_in_another_process_answers_the_call(line):
    call = await queued(line, query(line))
    line.engine.worker.is_running = True  # this process leaves it to its worker, which stands still
    other = line.another_engine()

    line.clock.advance(seconds=DELAY)
    await other.worker.finish_due()

    assert (await call).answer == "All of it."


async def test_of_calls_that_are_answered_together_the_last_one_has_the_answer(line):
    first = await queued(line, query(line, "Hello"))
    line.clock.advance(seconds=5)
    second = await queued(line, query(line, "when do you open?"))

    early = await first
    assert early.answer is None
    assert early.metadata["reason"] == "It is answered together with a message that came later."
    line.clock.advance(seconds=DELAY)
    answer = await second

    assert answer.answer == "All of it."
    assert line.model.prompts[-1].question == "Hello\nwhen do you open?"
    fetched = await line.engine.run(GetAnswer(message_id=early.message_id), OPERATOR)
    assert fetched.wire() == answer.wire()


async def test_past_the_budget_the_call_gives_a_handle_with_which_the_answer_is_fetched(line, hurried):
    later = await hurried.run(query(line), OPERATOR)

    assert later.answer is None
    assert later.metadata["reason"] == (
        "The answer is not there yet. Fetch it with get_answer and this messageId."
    )
    assert later.wire() == {
        "conversationId": "talk1",
        "visitorId": later.visitor_id,
        "messageId": later.message_id,
        "metadata": later.metadata,
    }
    assert (await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)).wire() == later.wire()
    await line.later(seconds=DELAY)

    answer = await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)
    assert answer.answer == "All of it."
    assert answer.usage.total_tokens == 15
    assert (await hurried.run(GetAnswer(message_id=answer.message_id), OPERATOR)).answer == "All of it."


HOOK = "https://hooks.example/answers"


@pytest.fixture
async def stuck(lines) -> Line:
    """A line whose first message is put off, since its model is down for now."""
    line = await lines(UpstreamFailed("The model is down."), "One.", "Two.", "Three.").opened()
    await line.engine.run(query(line, "1?", callback_url=HOOK), OPERATOR)
    await line.engine.close(at_once=False)
    return line


async def test_who_waits_for_earlier_messages_past_the_budget_gets_a_handle_too(stuck):
    hurried = Engine(stuck.engine.ports, call_budget=0.0)

    later = await hurried.run(query(stuck, "2?"), OPERATOR)
    await hurried.close(at_once=False)

    assert (later.answer, later.metadata["reason"][:31]) == (None, "The answer is not there yet. Fe")
    await stuck.later(seconds=3)
    fetched = await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)
    assert fetched.answer == "Two."
    assert [prompt.question for prompt in stuck.model.prompts] == ["1?", "1?", "2?"]


async def test_a_message_that_is_left_to_a_job_is_answered_before_those_that_came_later(stuck):
    patient = Engine(stuck.engine.ports, call_budget=0.2, attends=False)
    stored = asyncio.Event()
    call = asyncio.create_task(patient.run(query(stuck, "2?"), OPERATOR, lambda told: stored.set()))
    await stored.wait()
    await patient.run(query(stuck, "3?", callback_url=HOOK), OPERATOR)

    assert (await call).answer is None
    await stuck.later(seconds=3)
    await stuck.later(seconds=3)

    assert [prompt.question for prompt in stuck.model.prompts] == ["1?", "1?", "2?", "3?"]
    turns = await stuck.read(lambda tables: tables.turns.where())
    assert [turn.state for turn in turns] == ["answered"] * 3


async def test_the_handle_outlives_the_process(line, hurried):
    later = await hurried.run(query(line), OPERATOR)

    line.restart()
    line.clock.advance(seconds=DELAY)

    answer = await line.engine.run(GetAnswer(message_id=later.message_id), OPERATOR)
    assert answer.answer == "All of it."


async def test_fetching_changes_nothing_for_who_may_only_read(line, hurried):
    later = await hurried.run(query(line), OPERATOR)
    before = await line.read(lambda tables: tables.turns.where())

    await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)

    assert GetAnswer.spec.effect is Effect.READ
    assert await line.read(lambda tables: tables.turns.where()) == before


async def test_a_visitor_fetches_an_answer_of_their_own_conversation_alone(line, hurried):
    later = await hurried.run(query(line, visitor_id="v1"), STRANGER)
    await line.later(seconds=DELAY)

    mine = await hurried.run(GetAnswer(message_id=later.message_id, visitor_id="v1"), STRANGER)
    assert mine.answer == "All of it."
    assert mine.usage.cost is None
    for stranger in (
        GetAnswer(message_id=later.message_id),
        GetAnswer(message_id=later.message_id, visitor_id="v2"),
        GetAnswer(message_id="nothing", visitor_id="v1"),
    ):
        with pytest.raises(NotAuthenticated, match="This conversation is not yours"):
            await hurried.run(stranger, STRANGER)


async def test_a_message_that_no_agent_was_asked_to_answer_has_none(line, hurried):
    await hurried.run(query(line), OPERATOR)
    kept = await line.run("register_message", conversationId="talk1", message="By phone.")

    with pytest.raises(NotFound, match="No agent was asked"):
        await hurried.run(GetAnswer(message_id=kept["message"]["id"]), OPERATOR)
    with pytest.raises(NotFound, match="No message"):
        await hurried.run(GetAnswer(message_id="nothing"), OPERATOR)


async def test_why_there_is_no_answer_is_told(line, hurried):
    later = await hurried.run(query(line), OPERATOR)
    await line.run("set_ai_enabled", conversationId="talk1", enabled=False)
    await line.later(seconds=DELAY)

    silent = await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)

    assert (silent.answer, silent.message_id) == (None, None)
    assert silent.wire() == {
        "conversationId": "talk1",
        "visitorId": later.visitor_id,
        "metadata": {"reason": "The AI is switched off in this conversation."},
    }


async def test_a_turn_that_failed_for_good_says_so(line, hurried):
    line.model.rounds = [UpstreamFailed("The model is down.")]
    later = await hurried.run(query(line), OPERATOR)
    for _ in range(8):
        await line.later(hours=1)

    with pytest.raises(UpstreamFailed, match="The model is down"):
        await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)


async def test_a_call_whose_conversation_is_deleted_is_told(line):
    call = await queued(line, query(line))

    await line.run("delete_conversation", conversationId="talk1")

    with pytest.raises(UpstreamFailed, match="deleted meanwhile"):
        await call


async def test_a_chat_window_shows_that_an_answer_is_written_or_held(line, hurried):
    asked = await hurried.run(query(line, visitor_id="v1"), STRANGER)
    ids = {"conversationId": "talk1", "visitorId": asked.visitor_id}

    held = await line.run("follow_conversation", caller=STRANGER, **ids)
    await line.later(seconds=DELAY)
    answered = await line.run("follow_conversation", caller=STRANGER, **ids)

    assert (held["isTyping"], answered["isTyping"]) == (True, False)


def test_who_listens_is_told_an_answer_with_the_places_where_it_cites():
    told = []
    cites = {"citations": [[2, 10], [1, 5], [3, 10]]}
    answer = AgentAnswer(answer="Nine. Ten. Bye.", conversation_id="c", visitor_id="v", metadata=cites)

    retell(answer, told.append)

    assert told == [
        ("answer", "Nine."),
        ("cite", "1"),
        ("answer", " Ten."),
        ("cite", "2"),
        ("cite", "3"),
        ("answer", " Bye."),
    ]


@pytest.mark.parametrize("given", ["0", "601", "-1", "4.5", "soon"])
def test_the_budget_of_a_call_is_one_to_600_seconds(given):
    assert Settings.read({}).call_budget == 45
    assert Settings.read({variable("call_budget"): "600"}).call_budget == 600
    with pytest.raises(InvalidInput, match="VIVAVOCE_CALL_BUDGET must be a number of seconds, 1 to 600"):
        Settings.read({variable("call_budget"): given})
