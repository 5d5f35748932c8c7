"""Answers that are sent to an address: at once accepted, signed, tried again, and never lost sight of."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json

import pytest

from vivavoce.engine.callbacks import WAITS, call_back, secret_of_workspace
from vivavoce.engine.handlers import Errand
from vivavoce.engine.later import MOST
from vivavoce.engine.opening import Opened, open_turn
from vivavoce.errors import InvalidInput, LimitReached, UpstreamFailed
from vivavoce.operations import OPERATOR, STRANGER
from vivavoce.operations.agents import CreateAgent
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.ports import Reply
from vivavoce.testing import FakeOutside, ScriptedModel, TestModels, open_test_engine

URL = "https://hooks.example/answers"
AGENT = {
    "name": "Ana",
    "description": "Answers customers.",
    "modelName": "gpt_4o_mini",
    "systemPrompt": "Be kind.",
    "temperature": 0,
}
AT_ONCE = tuple(0.0 for _ in WAITS)


class Answering:
    """An address that answers with these statuses, one after the other; an error is raised."""

    def __init__(self, *statuses: int | Exception) -> None:
        self.statuses, self.sent = list(statuses), []

    async def send(self, method, url, *, headers, content, most):
        self.sent.append((method, url, dict(headers), content))
        status = self.statuses[min(len(self.sent), len(self.statuses)) - 1]
        if isinstance(status, Exception):
            raise status
        return Reply(status, {}, b"", False)


@pytest.fixture
def opened(tmp_path, clock):
    """Opens an engine with an agent that speaks through a model and an outside that takes calls."""
    held = []

    async def open_(outside, model=None):
        opening = open_test_engine(
            tmp_path, clock, models=TestModels(model or ScriptedModel(["Nine."])), outside=outside
        )
        engine = opening.__enter__()
        held.append(opening)
        made = {**AGENT, "visibility": "public"}
        agent = await engine.run(CreateAgent.parse(made), OPERATOR)
        return engine, AgentQuery.parse({"id": agent.id, "query": "When?", "callbackURL": URL})

    yield open_
    for each in held:
        each.__exit__(None, None, None)


async def turns(engine):
    return await engine.ports.store.read(lambda tables: list(tables.turns.where()))


async def test_the_answer_is_sent_after_the_call_was_answered(opened):
    outside = Answering(204)
    engine, query = await opened(outside)

    at_once = await engine.run(query, OPERATOR)
    assert at_once.wire().keys() == {"conversationId", "visitorId"}
    await engine.close(at_once=False)

    ((method, url, headers, content),) = outside.sent
    assert (method, url, headers["Content-Type"]) == ("POST", URL, "application/json")
    sent = json.loads(content)
    assert (sent["answer"], sent["conversationId"]) == ("Nine.", at_once.conversation_id)
    assert sent["messageId"]
    (turn,) = await turns(engine)
    assert turn.state == "answered"
    assert turn.trace["callback"] == {"tries": 1, "status": 204}
    assert turn.trace["usage"]


async def test_what_is_sent_is_signed_with_the_secret_of_the_workspace(opened, clock):
    outside = Answering(200)
    engine, query = await opened(outside)

    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)

    ((_, _, headers, content),) = outside.sent
    id, timestamp = headers["Vivavoce-Id"], headers["Vivavoce-Timestamp"]
    assert timestamp == str(int(clock.now().timestamp()))
    secret = await _secret(engine)
    expected = hmac.new(secret.encode(), f"{id}.{timestamp}.".encode() + content, hashlib.sha256).hexdigest()
    assert headers["Vivavoce-Signature"] == f"v1={expected}"
    assert secret.startswith("vvs_")
    assert secret not in json.dumps([turn.trace for turn in await turns(engine)])


async def test_an_address_that_fails_is_tried_again(opened):
    outside = Answering(UpstreamFailed("hooks.example does not answer."), 429, 503, 200)
    engine, query = await opened(outside)
    errand, message = await _begun(engine, query)

    await call_back(URL, _answer, message, errand, AT_ONCE)

    assert len(outside.sent) == 4
    assert len({headers["Vivavoce-Id"] for _, _, headers, _ in outside.sent}) == 1
    assert (await turns(engine))[0].trace["callback"] == {"tries": 4, "status": 200}


async def test_patience_has_an_end_and_the_trace_says_so(opened):
    outside = Answering(500)
    engine, query = await opened(outside)
    errand, message = await _begun(engine, query)

    await call_back(URL, _answer, message, errand, AT_ONCE)

    assert len(outside.sent) == 5
    told = {"tries": 5, "status": 500, "error": "The address answers 500."}
    assert (await turns(engine))[0].trace["callback"] == told
    assert 50 <= sum(WAITS) <= 70


@pytest.mark.parametrize(
    "refusal",
    [404, 301, InvalidInput("10.0.0.1 is a private address.")],
    ids=["gone", "elsewhere", "private"],
)
async def test_an_address_that_refuses_for_good_is_tried_once(opened, refusal):
    outside = Answering(refusal)
    engine, query = await opened(outside)
    errand, message = await _begun(engine, query)

    await call_back(URL, _answer, message, errand, AT_ONCE)

    assert len(outside.sent) == 1
    assert (await turns(engine))[0].trace["callback"]["error"]


async def test_a_turn_that_fails_is_told_as_well(opened):
    outside = Answering(200)
    engine, query = await opened(outside, ScriptedModel([UpstreamFailed("The provider is down.")]))

    at_once = await engine.run(query, OPERATOR)
    await engine.close(at_once=False)

    ((_, _, _, content),) = outside.sent
    assert json.loads(content) == {
        "conversationId": at_once.conversation_id,
        "visitorId": at_once.visitor_id,
        "error": "UPSTREAM_FAILED",
        "message": "The provider is down.",
    }
    assert (await turns(engine))[0].state == "failed"


async def test_a_shutdown_interrupts_the_turn_and_sends_nothing(opened):
    outside, model = FakeOutside(), Thinking()
    engine, query = await opened(outside, model)

    await engine.run(query, OPERATOR)
    await asyncio.wait_for(model.thinks.wait(), 30)
    await engine.close()

    assert [turn.state for turn in await turns(engine)] == ["interrupted"]
    assert outside.sent == []


async def test_a_shutdown_waits_until_cancelled_calls_are_put_in_order(opened):
    model = Thinking()
    engine, query = await opened(FakeOutside(), model)
    calling = asyncio.create_task(engine.run(query.model_copy(update={"callback_url": None}), OPERATOR))
    await asyncio.wait_for(model.thinks.wait(), 30)

    calling.cancel()
    await engine.close()

    assert calling.done()
    assert [turn.state for turn in await turns(engine)] == ["interrupted"]


async def test_a_shutdown_between_two_attempts_stands_in_the_trace(opened):
    outside = Answering(500)
    engine, query = await opened(outside)
    errand, message = await _begun(engine, query)
    sending = asyncio.create_task(call_back(URL, _answer, message, errand, (3_600.0,)))
    while not outside.sent:
        await asyncio.sleep(0)

    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)

    told = (await turns(engine))[0].trace["callback"]
    assert (told["tries"], "process ended" in told["error"]) == (1, True)


async def test_a_stranger_is_refused_before_anything_is_stored(opened):
    outside = Answering(200)
    engine, query = await opened(outside)

    with pytest.raises(InvalidInput) as refused:
        await engine.run(query, STRANGER)

    assert refused.value.details == {"callbackURL": "needs an API key"}
    assert await turns(engine) == []
    assert outside.sent == []


async def test_more_than_can_be_held_is_refused_before_anything_is_stored(opened):
    engine, query = await opened(Answering(200))
    over = asyncio.Event()
    for _ in range(MOST):
        engine.later.begin(_until(over))

    with pytest.raises(LimitReached):
        await engine.run(query, OPERATOR)

    assert await turns(engine) == []
    over.set()
    await engine.close(at_once=False)
    await engine.run(query, OPERATOR)
    await engine.close(at_once=False)
    assert [turn.state for turn in await turns(engine)] == ["answered"]


class Thinking:
    """A model that never comes to an end."""

    name, context = "thinking", 128_000

    def __init__(self) -> None:
        self.thinks = asyncio.Event()

    async def answer(self, prompt):
        self.thinks.set()
        await asyncio.Event().wait()
        yield  # never reached; makes this a generator


async def _begun(engine, query) -> tuple[Errand, Opened]:
    """A turn that was opened, and what works on it."""
    errand = Errand(OPERATOR, engine.ports)
    return errand, await errand.write(lambda work: open_turn(query, work))


async def _answer() -> AgentAnswer:
    return AgentAnswer(answer="Nine.", conversation_id="c1", visitor_id="v1", message_id="m1")


async def _secret(engine) -> str:
    return await Errand(OPERATOR, engine.ports).read(secret_of_workspace)


async def _until(event: asyncio.Event) -> None:
    await event.wait()
