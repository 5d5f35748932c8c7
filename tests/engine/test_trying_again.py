"""Turns that a job answers and that fail: for a while, for good, or after an operator decided on a call."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress

import pytest

from vivavoce.domain.channels import Account
from vivavoce.engine import Engine
from vivavoce.engine.turns.lanes import recover
from vivavoce.errors import Conflict, InvalidInput, NotFound, StorageFailed, UpstreamFailed
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.operations.agents import CreateAgent
from vivavoce.ports import Called, Returned
from vivavoce.testing import FakeOutside, MemoryChannel, ScriptedModel, TestModels, open_test_engine

from .libraries import Killed
from .test_durable import AGENT, Desk

TICKETS = "https://tickets.example/open"
OPEN = Called("1", "Open_ticket", '{"subject": "late"}')
TOOL = {
    "type": "http",
    "config": {
        "name": "Open ticket",
        "description": "Opens a ticket.",
        "url": TICKETS,
        "method": "POST",
        "withApproval": True,
        "body": [{"key": "subject", "isUserProvided": True}],
    },
}
DELAYED = {"type": "delayed_responses", "config": {"delay": 30}}


class Line(Desk):
    """An agent with an account of a channel, a model and servers."""

    clock = model = outside = None

    async def run(self, operation, **arguments):
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), OPERATOR)
        return result.model_dump(mode="json")

    async def hears(self, text):
        await self.arrives(text)
        await self.works()

    async def asks(self, text):
        return await self.run("agent_query", id=self.agent.id, query=text)

    async def goes_on(self):
        """All that is tried again within some hours."""
        for _ in range(10):
            self.clock.advance(hours=1)
            await self.works()

    async def turn(self):
        (turn,) = await self.tables(lambda tables: tables.turns.where())
        return turn

    async def approval(self):
        return (await self.tables(lambda tables: tables.approvals.where()))[-1]

    @property
    def said(self):
        return [each.text for each in self.channel.sent]


@pytest.fixture
async def line(tmp_path, clock):
    """Opens a line whose model says these things."""
    held = []

    async def open_(*said, tools=()):
        model, outside, channel = ScriptedModel(list(said)), FakeOutside(), MemoryChannel()
        outside.answers[f"POST {TICKETS}"] = (201, "Ticket 77 is open.")
        opening = open_test_engine(
            tmp_path, clock, models=TestModels(model), outside=outside, channel=channel
        )
        engine = opening.__enter__()
        held.append(opening)
        engine._call_budget, engine._attends = 0.0, False  # nobody waits: workers do it all
        agent = await engine.run(CreateAgent.parse({**AGENT, "tools": list(tools)}), OPERATOR)
        now = engine.ports.now()
        known = {"id": "account1", "organization_id": "o1", "created_at": now, "updated_at": now}
        account = Account(**known, agent_id=agent.id, type="webhook", name="Test")
        await engine.ports.store.write(lambda tables: tables.accounts.add(account))
        line = Line(engine, channel, agent, account)
        line.clock, line.model, line.outside = clock, model, outside
        return line

    yield open_
    for each in held:
        each.__exit__(None, None, None)


class Broken(Exception):
    """A fault that nobody foresaw."""


@contextmanager
def before_each_answer(model, do):
    """What is done whenever the model is asked, before it answers."""
    real = model.answer

    async def answer(prompt):
        await do()
        async for piece in real(prompt):
            yield piece

    model.answer = answer
    try:
        yield
    finally:
        model.answer = real


async def test_a_short_fault_of_the_store_fails_no_turn(line, monkeypatch):
    at = await line("At nine.")
    store = at.engine.ports.store
    real, left = store.write, [0]

    async def write(work, **how):
        if left[0] > 0:
            left[0] -= 1
            raise StorageFailed("The database failed.")
        return await real(work, **how)

    async def begin_to_fail():
        left[0] = 2  # the answer, and that it is put off

    monkeypatch.setattr(store, "write", write)
    with before_each_answer(at.model, begin_to_fail):
        await at.hears("When?")
    assert ((await at.turn()).state, at.said) == ("running", [])
    await at.goes_on()

    assert ((await at.turn()).state, at.said) == ("answered", ["At nine."])


async def test_a_fault_that_nobody_foresaw_is_tried_again(line):
    at = await line("At nine.")

    async def broken():
        raise Broken

    with before_each_answer(at.model, broken):
        await at.hears("When?")
    assert (await at.turn()).state == "running"
    await at.goes_on()

    assert ((await at.turn()).state, at.said) == ("answered", ["At nine."])


async def test_a_turn_whose_message_is_gone_is_over(line):
    at = await line("At nine.", tools=[DELAYED])
    await at.hears("When?")
    turn = await at.turn()
    await at.engine.ports.store.write(lambda tables: tables.messages.drop(turn.message_id))

    await at.goes_on()

    assert ((await at.turn()).state, at.model.prompts) == ("failed", [])
    assert await at.tables(lambda tables: tables.jobs.number()) == 0


async def test_what_others_have_put_off_is_not_spent_twice(line):
    at = await line(UpstreamFailed("Overloaded."), "At nine.", tools=[])

    async def taken():
        """A worker of another process takes the conversation while the model is asked."""
        at.clock.advance(minutes=1)
        assert len(await Engine(at.engine.ports).worker._claim(1)) == 1

    with before_each_answer(at.model, taken):
        await at.hears("When?")

    month = at.engine.ports.now().strftime("%Y-%m")
    spent = await at.tables(lambda tables: tables.usage.of(at.agent.id, month))
    assert spent.turns == 0


async def test_an_approved_turn_whose_model_fails_is_tried_again_and_its_call_is_made_once(line):
    at = await line(OPEN, UpstreamFailed("Overloaded."), "Your ticket is 77.", tools=[TOOL])
    await at.hears("A ticket, please.")
    approval = await at.approval()

    told = await at.run("answer_approval", id=approval.id, approved=True, note="Be quick.")
    assert told["answer"]["messageId"] == (await at.turn()).message_id
    await at.works()
    assert at.model.prompts[-1].steps[-1].text.startswith("Status 201.")
    await at.goes_on()

    turn, approval = await at.turn(), await at.approval()
    assert (turn.state, turn.durable, at.said) == ("answered", True, ["Your ticket is 77."])
    assert (approval.state, approval.outcome, len(at.outside.sent)) == ("done", "sent", 1)
    last = Returned("1", "Open_ticket", "Status 201.\nTicket 77 is open.\nThe operator says: Be quick.")
    assert at.model.prompts[-1].steps[-1] == last
    assert [call.get("status") for call in turn.trace["calls"]] == [None, 201]
    (talk,) = await at.tables(lambda tables: tables.conversations.where())
    assert list(talk.tool_calls.values()) == [1]


async def test_an_operator_who_goes_away_after_deciding_ends_no_turn(line):
    at = await line(OPEN, "Your ticket is 77.", tools=[TOOL])
    await at.hears("A ticket, please.")
    approval = await at.approval()
    at.engine._call_budget, at.engine._attends = 45.0, True
    asked, may_answer = asyncio.Event(), asyncio.Event()

    async def stand_still():
        asked.set()
        await may_answer.wait()

    with before_each_answer(at.model, stand_still):
        deciding = asyncio.create_task(at.run("answer_approval", id=approval.id, approved=True))
        await asked.wait()
        deciding.cancel()
        await asyncio.gather(deciding, return_exceptions=True)
        may_answer.set()
        await at.engine.close(at_once=False)
    await at.goes_on()

    assert ((await at.turn()).state, at.said) == ("answered", ["Your ticket is 77."])
    assert len(at.outside.sent) == 1


async def test_an_approved_call_whose_process_ended_is_not_made_again_and_the_model_knows(line):
    at = await line(OPEN, "I do not know.", tools=[TOOL])
    await at.hears("A ticket, please.")
    approval = await at.approval()
    real = at.outside.send

    async def killed(*given, **more):
        await real(*given, **more)
        raise Killed

    at.outside.send = killed
    await at.run("answer_approval", id=approval.id, approved=True)
    with pytest.raises(Killed):
        await at.works()
    at.outside.send = real
    assert ((await at.turn()).state, (await at.approval()).outcome) == ("running", "uncertain")
    await at.goes_on()

    assert (at.said, len(at.outside.sent)) == (["I do not know."], 1)
    assert "not known" in at.model.prompts[-1].steps[-1].text
    approval = await at.approval()
    assert (approval.state, approval.outcome) == ("done", "uncertain")


async def test_a_tool_that_was_changed_before_a_job_makes_an_approved_call_is_decided_on_again(line):
    at = await line(OPEN, "Your ticket is 77.", tools=[TOOL])
    await at.hears("A ticket, please.")
    approval = await at.approval()
    await at.run("answer_approval", id=approval.id, approved=True)
    await at.engine.ports.store.write(lambda tables: tables.tools.drop(approval.tool_id))
    await at.works()

    assert ((await at.turn()).state, (await at.approval()).state) == ("asking", "pending")
    assert (at.outside.sent, await at.tables(lambda tables: tables.jobs.number())) == ([], 0)


async def test_all_messages_that_came_together_are_answered_after_an_approval(line):
    at = await line(OPEN, "Your ticket is 77.", tools=[TOOL, DELAYED])
    await at.hears("My order 5 is late.")
    at.clock.advance(seconds=5)
    await at.hears("A ticket, please.")
    at.clock.advance(seconds=40)
    await at.works()

    await at.run("answer_approval", id=(await at.approval()).id, approved=True)
    await at.works()

    questions = [prompt.question for prompt in at.model.prompts]
    assert questions == ["My order 5 is late.\nA ticket, please."] * 2
    assert at.said == ["Your ticket is 77."]


async def test_an_answer_that_failed_for_good_is_listed_and_tried_again_by_hand(line):
    at = await line(InvalidInput("The model takes no such prompt."), "At nine.")
    await at.hears("When?")

    (failed,) = (await at.run("list_failed_answers"))["answers"]
    turn = await at.turn()
    assert (failed["messageId"], failed["reason"]) == (turn.message_id, "The model takes no such prompt.")
    told = await at.run("retry_answer", messageId=turn.message_id)
    await at.works()

    assert (told["answer"], told["messageId"]) == (None, turn.message_id)
    assert ((await at.turn()).state, at.said) == ("answered", ["At nine."])
    assert (await at.run("list_failed_answers"))["answers"] == []
    with pytest.raises(NotFound, match="No answer to message"):
        await at.run("retry_answer", messageId=turn.message_id)


async def test_failed_answers_come_page_by_page_with_the_newest_first(line):
    at = await line(*[InvalidInput("No.")] * 3)
    for number in range(3):
        at.clock.advance(seconds=1)
        await at.hears(f"{number}?")

    first = (await at.run("list_failed_answers", limit=2))["answers"]
    cursor = f'{{"lastCreatedAt": "{first[-1]["createdAt"]}", "lastId": "{first[-1]["id"]}"}}'
    second = (await at.run("list_failed_answers", limit=2, cursor=cursor))["answers"]

    turns = await at.tables(lambda tables: tables.turns.where())
    assert [each["id"] for each in first + second] == [turn.id for turn in reversed(turns)]


async def test_a_turn_that_failed_after_an_approval_goes_on_there_and_calls_nothing_again(line):
    at = await line(OPEN, InvalidInput("The model takes no such prompt."), "Your ticket is 77.", tools=[TOOL])
    await at.hears("A ticket, please.")
    await at.run("answer_approval", id=(await at.approval()).id, approved=True)
    await at.works()
    assert (await at.turn()).state == "failed"

    await at.run("retry_answer", messageId=(await at.turn()).message_id)
    await at.works()

    assert (at.said, len(at.outside.sent)) == (["Your ticket is 77."], 1)
    assert [call.get("status") for call in (await at.turn()).trace["calls"]] == [None, 201]
    (talk,) = await at.tables(lambda tables: tables.conversations.where())
    assert list(talk.tool_calls.values()) == [1]


async def test_a_query_whose_process_ended_is_listed_and_answered_once_without_calling_again(line):
    create = {**TOOL, "config": {**TOOL["config"], "withApproval": False}}
    at = await line(OPEN, OPEN, "Your ticket is 77.", tools=[create])
    stands_still = asyncio.Event()

    async def think():
        if at.outside.sent:
            stands_still.set()
            await asyncio.Event().wait()

    with before_each_answer(at.model, think):
        asking = asyncio.create_task(at.asks("A ticket, please."))
        await stands_still.wait()
    at.clock.advance(minutes=1)
    await recover(at.engine.ports)

    (failed,) = (await at.run("list_failed_answers"))["answers"]
    turn = await at.turn()
    assert (turn.state, failed["messageId"]) == ("interrupted", turn.message_id)
    await at.run("retry_answer", messageId=turn.message_id)
    await at.works()

    answer = await at.run("get_answer", messageId=turn.message_id)
    assert (answer["answer"], len(at.outside.sent)) == ("Your ticket is 77.", 1)
    assert (await at.run("list_failed_answers"))["answers"] == []
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert (await at.turn()).state == "answered"


async def test_a_query_that_failed_is_tried_again_though_its_caller_waited(line):
    at = await line(InvalidInput("No."), "At nine.")
    with pytest.raises(InvalidInput) as told:
        await at.asks("When?")

    (failed,) = (await at.run("list_failed_answers"))["answers"]
    assert failed["messageId"] == told.value.details["messageId"]
    await at.run("retry_answer", messageId=failed["messageId"])
    await at.works()

    assert (await at.run("get_answer", messageId=failed["messageId"]))["answer"] == "At nine."


async def test_a_query_whose_caller_went_away_is_not_listed_and_can_be_tried_again(line):
    at = await line("Never said.", "At nine.")

    async def gone():
        asyncio.current_task().cancel()
        await asyncio.sleep(0)

    with before_each_answer(at.model, gone), pytest.raises(asyncio.CancelledError):
        await at.asks("When?")
    assert (await at.run("list_failed_answers"))["answers"] == []

    turn = await at.turn()
    await at.run("retry_answer", messageId=turn.message_id)
    await at.works()

    assert (await at.turn()).state == "answered"


async def test_a_failed_answer_is_not_tried_beside_another_message_that_is_answered(line):
    at = await line(InvalidInput("No."), "At nine.")
    await at.hears("When?")
    failed = await at.turn()
    delayed = {"agentId": at.agent.id, "delay": 30}
    await at.run("addDelayedResponsesTool", **delayed)
    await at.hears("Hello?")

    with pytest.raises(Conflict, match="being answered"):
        await at.run("retry_answer", messageId=failed.message_id)


async def test_a_failed_answer_stays_unsaid_once_a_person_took_over(line):
    at = await line(InvalidInput("No."), "At nine.")
    await at.hears("When?")
    turn = await at.turn()
    await at.run("set_ai_enabled", conversationId=turn.conversation_id, enabled=False)
    await at.run("set_ai_enabled", conversationId=turn.conversation_id, enabled=True)

    await at.run("retry_answer", messageId=turn.message_id)
    await at.works()

    assert ((await at.turn()).state, at.said) == ("silent", [])


async def test_a_turn_that_a_process_puts_back_as_it_ends_has_not_failed(line):
    at = await line("At nine.")
    asked = asyncio.Event()

    async def stand_still():
        asked.set()
        await asyncio.Event().wait()

    with before_each_answer(at.model, stand_still):
        working = asyncio.create_task(at.engine.worker.run())
        await at.arrives("When?")
        await asked.wait()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    (job,) = await at.engine.worker._claim(1)

    assert (job.kind, job.attempts, (await at.turn()).state) == ("answer", 1, "waiting")
