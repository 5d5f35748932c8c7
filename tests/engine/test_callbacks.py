"""Answers that are sent to an address: accepted at once, sent by a job, tried again, never lost sight of."""

from __future__ import annotations

import asyncio
import json

import pytest

from vivavoce.domain.jobs import lane_of_conversation
from vivavoce.domain.webhooks import WAITS
from vivavoce.engine import Engine
from vivavoce.errors import InvalidInput, NotNow, Rejected, UpstreamFailed
from vivavoce.operations import OPERATOR, STRANGER
from vivavoce.operations.agents import CreateAgent
from vivavoce.operations.answers import AgentQuery
from vivavoce.operations.conversations import SetAiEnabled
from vivavoce.operations.deliveries import GetDelivery
from vivavoce.operations.messages import GetTurnTrace
from vivavoce.testing import CountedIds, FakeOutside, ScriptedModel, TestModels, open_test_engine

from .receivers import AGENT, Receiver, is_signed, secret_of

URL = "https://hooks.example/answers"


@pytest.fixture
def opened(tmp_path, clock):
    """Opens an engine with an agent that speaks through a model and an outside that takes calls."""
    held = []

    async def open_(outside, model=None):
        models = TestModels(model or ScriptedModel(["Nine."]))
        opening = open_test_engine(tmp_path, clock, models=models, outside=outside)
        engine = opening.__enter__()
        held.append(opening)
        agent = await engine.run(CreateAgent.parse(AGENT), OPERATOR)
        return engine, AgentQuery.parse({"id": agent.id, "query": "When?", "callbackURL": URL})

    yield open_
    for each in held:
        each.__exit__(None, None, None)


async def turns(engine):
    return await engine.ports.store.read(lambda tables: list(tables.turns.where()))


async def deliveries(engine):
    return await engine.ports.store.read(lambda tables: list(tables.deliveries.where()))


async def climbed(engine, clock, rungs: int) -> None:
    """Let the time of some rungs of the ladder go by."""
    for wait in WAITS["callback"][:rungs]:
        clock.advance(seconds=wait * 1.2 + 0.1)
        await engine.worker.finish_due()


async def test_the_answer_is_sent_after_the_call_was_answered(opened):
    outside = Receiver(204)
    engine, query = await opened(outside)

    at_once = await engine.run(query, OPERATOR)
    assert at_once.wire().keys() == {"conversationId", "visitorId"}
    await engine.close(at_once=False)

    ((url, headers, content),) = outside.sent
    assert (url, headers["Content-Type"]) == (URL, "application/json")
    sent = json.loads(content)
    assert (sent["answer"], sent["conversationId"]) == ("Nine.", at_once.conversation_id)
    assert sent["messageId"]
    (turn,) = await turns(engine)
    assert turn.state == "answered"
    assert turn.trace["callback"] == {"tries": 1, "status": 204}
    assert turn.trace["usage"]


async def test_what_is_sent_is_signed_with_the_secret_of_the_workspace(opened, clock):
    outside = Receiver(200)
    engine, query = await opened(outside)

    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)

    ((_, headers, content),) = outside.sent
    secret = await secret_of(engine)
    assert headers["Vivavoce-Timestamp"] == str(int(clock.now().timestamp()))
    assert is_signed(headers, content, secret)
    assert secret.startswith("vvs_")
    assert secret not in json.dumps([turn.trace for turn in await turns(engine)])


async def test_an_address_that_fails_is_tried_again(opened, clock):
    outside = Receiver(UpstreamFailed("hooks.example does not answer."), 408, 425, 429, 503, 200)
    engine, query = await opened(outside)
    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)

    await climbed(engine, clock, 5)

    assert len(outside.sent) == 6
    assert len(set(outside.ids)) == 1
    assert (await turns(engine))[0].trace["callback"] == {"tries": 6, "status": 200}
    assert [each.state for each in await deliveries(engine)] == ["sent"]


async def test_patience_has_an_end_and_the_trace_says_so(opened, clock):
    outside = Receiver(500)
    engine, query = await opened(outside)
    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)
    (turn,) = await turns(engine)
    assert turn.trace["callback"] == {"tries": 1, "status": 500, "error": "The address answers 500."}

    await climbed(engine, clock, 6)
    clock.advance(days=9)
    await engine.worker.finish_due()

    assert WAITS["callback"] == (1, 4, 15, 40, 300, 1_800)
    assert len(outside.sent) == 7
    shown = await engine.run(GetTurnTrace(message_id=turn.message_id), OPERATOR)
    assert shown.callback == {"tries": 7, "status": 500, "error": "The address answers 500."}
    assert [each.state for each in await deliveries(engine)] == ["failed"]


async def test_a_refusal_is_kept_with_what_an_operator_can_do(opened):
    engine, query = await opened(Receiver(InvalidInput("10.0.0.1 is private.", hint="Allow it.")))

    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)

    assert [each.reason for each in await deliveries(engine)] == ["10.0.0.1 is private. Allow it."]


@pytest.mark.parametrize(
    "refusal",
    [404, 410, 301, InvalidInput("10.0.0.1 is a private address.")],
    ids=["unknown", "gone", "elsewhere", "private"],
)
async def test_an_address_that_refuses_for_good_is_tried_once(opened, clock, refusal):
    outside = Receiver(refusal)
    engine, query = await opened(outside)
    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)

    clock.advance(days=1)
    await engine.worker.finish_due()

    assert len(outside.sent) == 1
    assert (await turns(engine))[0].trace["callback"]["error"]
    assert [each.state for each in await deliveries(engine)] == ["failed"]


async def test_a_turn_that_fails_is_told_as_well(opened):
    outside = Receiver(200)
    engine, query = await opened(outside, ScriptedModel([InvalidInput("No such model.")]))

    at_once = await engine.run(query, OPERATOR)
    await engine.close(at_once=False)

    assert outside.events == [
        {
            "conversationId": at_once.conversation_id,
            "visitorId": at_once.visitor_id,
            "error": "INVALID_REQUEST",
            "message": "No such model.",
        }
    ]
    assert (await turns(engine))[0].state == "failed"


async def test_why_the_agent_keeps_silent_is_told_as_well(opened):
    outside = Receiver(200)
    engine, query = await opened(outside)
    first = await engine.run(query, OPERATOR)
    await engine.close(at_once=False)
    switched_off = SetAiEnabled(conversation_id=first.conversation_id, enabled=False)
    await engine.run(switched_off, OPERATOR)

    at_once = await engine.run(query.model_copy(update={"conversation_id": first.conversation_id}), OPERATOR)
    await engine.close(at_once=False)

    assert at_once.metadata["reason"] == "The AI is switched off in this conversation."
    assert outside.events[1:] == [
        {
            "conversationId": first.conversation_id,
            "visitorId": first.visitor_id,
            "metadata": {"reason": "The AI is switched off in this conversation."},
        }
    ]
    _, headers, content = outside.sent[-1]
    assert is_signed(headers, content, await secret_of(engine))


async def test_a_model_that_fails_for_now_is_asked_again_before_the_failure_is_told(opened, clock):
    outside = Receiver(200)
    engine, query = await opened(outside, ScriptedModel([UpstreamFailed("The provider is down."), "Nine."]))

    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)
    assert outside.sent == []
    clock.advance(seconds=3)
    await engine.worker.finish_due()

    (told,) = outside.events
    assert told["answer"] == "Nine."


async def test_a_model_that_refuses_for_good_is_asked_once_and_holds_up_nobody(opened):
    outside = Receiver(200)
    engine, query = await opened(outside, ScriptedModel([Rejected("The key is not accepted."), "Nine."]))

    at_once = await engine.run(query, OPERATOR)
    await engine.close(at_once=False)
    assert [(told["error"], told["message"]) for told in outside.events] == [
        ("UPSTREAM_FAILED", "The key is not accepted.")
    ]
    follows = {"callback_url": None, "conversation_id": at_once.conversation_id}

    answer = await engine.run(query.model_copy(update=follows), OPERATOR)

    assert answer.answer == "Nine."


async def test_a_shutdown_puts_the_answer_off_and_loses_nothing(tmp_path, clock):
    ids, outside, model = CountedIds(), Receiver(200), Thinking()
    with open_test_engine(tmp_path, clock, ids, models=TestModels(model), outside=outside) as engine:
        agent = await engine.run(CreateAgent.parse(AGENT), OPERATOR)
        query = AgentQuery.parse({"id": agent.id, "query": "When?", "callbackURL": URL})
        await engine.run(query, OPERATOR)
        await asyncio.wait_for(model.thinks.wait(), 30)
        await engine.close()
        assert [turn.state for turn in await turns(engine)] == ["waiting"]
        assert outside.sent == []

    models = TestModels(ScriptedModel(["Nine."]))
    with open_test_engine(tmp_path, clock, ids, models=models, outside=outside) as engine:
        await engine.worker.finish_due()

    (told,) = outside.events
    assert told["answer"] == "Nine."


async def test_a_shutdown_waits_until_cancelled_calls_are_put_in_order(opened):
    model = Thinking()
    engine, query = await opened(FakeOutside(), model)
    calling = asyncio.create_task(engine.run(query.model_copy(update={"callback_url": None}), OPERATOR))
    await asyncio.wait_for(model.thinks.wait(), 30)

    calling.cancel()
    await engine.close()

    assert calling.done()
    assert [turn.state for turn in await turns(engine)] == ["interrupted"]


async def test_an_answer_that_waits_to_be_sent_survives_the_process(tmp_path, clock):
    ids, outside = CountedIds(), Receiver(503, 200)
    models = TestModels(ScriptedModel(["Nine."]))
    with open_test_engine(tmp_path, clock, ids, models=models, outside=outside) as engine:
        agent = await engine.run(CreateAgent.parse(AGENT), OPERATOR)
        query = AgentQuery.parse({"id": agent.id, "query": "When?", "callbackURL": URL})
        await engine.run(query, OPERATOR)
        await engine.close(at_once=False)

    with open_test_engine(tmp_path, clock, ids, models=models, outside=outside) as engine:
        await climbed(engine, clock, 1)
        (turn,) = await turns(engine)

    assert len(set(outside.ids)) == 1
    assert turn.trace["callback"] == {"tries": 2, "status": 200}


async def test_a_stranger_is_refused_before_anything_is_stored(opened):
    outside = Receiver(200)
    engine, query = await opened(outside)

    with pytest.raises(InvalidInput) as refused:
        await engine.run(query, STRANGER)

    assert refused.value.details == {"callbackURL": "needs an API key"}
    assert await turns(engine) == []
    assert outside.sent == []


async def test_where_too_many_wait_no_more_are_taken(opened):
    engine, query = await opened(Receiver(200))
    full = Engine(engine.ports, backlog=2, attends=False)
    for _ in range(2):
        await full.run(query, OPERATOR)

    for crowd in (full, Engine(engine.ports, backlog=2, attends=False)):
        with pytest.raises(NotNow, match="2 messages wait") as refused:
            await crowd.run(query, OPERATOR)
    at_once = await full.run(query.model_copy(update={"callback_url": None}), OPERATOR)

    assert refused.value.retry_after == 5.0
    assert at_once.answer == "Nine."
    assert len(await turns(engine)) == 3
    await engine.worker.finish_due()
    again = Engine(engine.ports, backlog=2, attends=False)
    assert (await again.run(query, OPERATOR)).conversation_id


async def test_where_someone_works_the_call_only_stores_what_is_to_be_done(opened):
    outside = Receiver(200)
    engine, query = await opened(outside)
    engine.worker.is_running = True

    at_once = await engine.run(query, OPERATOR)
    await engine.close(at_once=False)
    assert [turn.answer_id for turn in await turns(engine)] == [None]
    await engine.worker.finish_due(lane_of_conversation(at_once.conversation_id))
    assert outside.sent == []
    await engine.worker.finish_due()

    assert [told["answer"] for told in outside.events] == ["Nine."]


async def test_the_secrets_of_an_address_are_not_shown(opened):
    outside = Receiver(500)
    engine, query = await opened(outside)
    secret = "canary-s3cr3t-51f0"
    await engine.run(query.model_copy(update={"callback_url": f"{URL}?token={secret}&n=1"}), OPERATOR)
    await engine.close(at_once=False)
    (delivery,) = await deliveries(engine)

    shown = await engine.run(GetDelivery(delivery_id=delivery.id), OPERATOR)

    assert outside.sent[0][0] == f"{URL}?token={secret}&n=1"
    assert shown.url == f"{URL}?token=********&n=1"
    assert secret not in repr([(turn.trace, turn.reason) for turn in await turns(engine)])


class Thinking:
    """A model that never comes to an end."""

    name, context = "thinking", 128_000

    def __init__(self) -> None:
        self.thinks = asyncio.Event()

    async def answer(self, prompt):
        self.thinks.set()
        await asyncio.Event().wait()
        yield  # never reached; makes this a generator
