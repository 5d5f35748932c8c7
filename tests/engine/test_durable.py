"""Durable turns: heard, answered and sent by jobs, once and in order, whatever ends in between."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.domain.channels import Account, Arrival, Heard
from vivavoce.domain.jobs import NewJob
from vivavoce.engine import Engine
from vivavoce.engine.handlers import Errand
from vivavoce.engine.time.hearing import lane_of_chat
from vivavoce.engine.time.statuses import apply_status
from vivavoce.operations import OPERATOR
from vivavoce.operations.agents import CreateAgent
from vivavoce.operations.conversations import SetAiEnabled
from vivavoce.operations.messages import ListMessages, SendMessage
from vivavoce.ports.time import TryLater
from vivavoce.testing import MemoryChannel, ScriptedModel, TestModels, open_test_engine

AGENT = {
    "name": "Ana",
    "description": "Answers customers.",
    "modelName": "gpt_4o_mini",
    "systemPrompt": "Be kind.",
    "temperature": 0,
}


class Desk:
    """An agent with an account of a channel."""

    def __init__(self, engine, channel, agent, account) -> None:
        self.engine, self.channel, self.agent, self.account = engine, channel, agent, account
        self._number = 0

    async def arrives(self, text, chat="chat1"):
        self._number += 1
        event = f"e{self._number}"

        def stored(tables):
            now = self.engine.ports.now()
            arrival = Arrival(
                id=self.engine.ports.new_id(),
                organization_id="o1",
                created_at=now,
                updated_at=now,
                account_id=self.account.id,
                event_id=event,
                heard={"event_id": event, "chat": chat, "text": text},
            )
            tables.arrivals.add(arrival)
            lane = lane_of_chat(self.account.id, chat)
            tables.jobs.add(NewJob(f"hear:{arrival.id}", "hear", now, lane, {"arrival": arrival.id}), now)

        await self.engine.ports.store.write(stored)

    async def says(self, text):
        (talk,) = await self.tables(lambda tables: tables.conversations.where())
        op = SendMessage.parse({"type": "conversationId", "value": talk.id, "message": text})
        await self.engine.run(op, OPERATOR)

    async def tells(self, delivery_id, status):
        heard = Heard("s1", "chat1", kind="status", delivery_id=delivery_id, status=status)
        errand = Errand(OPERATOR, self.engine.ports)
        await errand.write(lambda work: apply_status(heard, self.account, work))

    async def works(self):
        return await self.engine.worker.finish_due()

    async def tables(self, look):
        return await self.engine.ports.store.read(look)


@pytest.fixture
def desk(tmp_path, clock):
    """Opens a desk whose agent says these things."""
    held = []

    async def open_(*said, channel=None, tools=()):
        channel = channel or MemoryChannel()
        models = TestModels(ScriptedModel(list(said) or ["Nine."]))
        opening = open_test_engine(tmp_path, clock, models=models, channel=channel)
        engine = opening.__enter__()
        held.append(opening)
        agent = await engine.run(CreateAgent.parse({**AGENT, "tools": list(tools)}), OPERATOR)
        now = engine.ports.now()
        known = {"id": "account1", "organization_id": "o1", "created_at": now, "updated_at": now}
        account = Account(**known, agent_id=agent.id, type="webhook", name="Test")
        await engine.ports.store.write(lambda tables: tables.accounts.add(account))
        return Desk(engine, channel, agent, account)

    yield open_
    for each in held:
        each.__exit__(None, None, None)


async def test_what_arrives_is_answered_and_sent(desk):
    at = await desk("At nine.")

    await at.arrives("When do you open?")
    await at.works()

    assert [(each.chat, each.text) for each in at.channel.sent] == [("chat1", "At nine.")]
    (delivery,) = await at.tables(lambda tables: tables.deliveries.where())
    assert (delivery.state, delivery.external_id) == ("sent", "ext-1")
    assert await at.tables(lambda tables: tables.jobs.number()) == 0
    (talk,) = await at.tables(lambda tables: tables.conversations.where())
    said = await at.engine.run(ListMessages(conversation_id=talk.id, count=10), OPERATOR)
    assert [(each.from_, each.text) for each in said.messages] == [
        ("human", "When do you open?"),
        ("agent", "At nine."),
    ]


async def test_messages_of_a_chat_are_answered_in_the_order_in_which_they_came(desk):
    at = await desk("One.", "Two.", "Three.")

    for text in ("1?", "2?", "3?"):
        await at.arrives(text)
    await at.works()

    assert [each.text for each in at.channel.sent] == ["One.", "Two.", "Three."]


async def test_messages_within_the_delay_are_answered_together(desk, clock):
    delay = {"type": "delayed_responses", "config": {"delay": 10}}
    at = await desk("All of it.", tools=[delay])

    await at.arrives("Hello")
    await at.works()
    clock.advance(seconds=6)
    await at.arrives("when do you open?")
    await at.works()
    clock.advance(seconds=6)
    await at.works()
    assert at.channel.sent == []
    clock.advance(seconds=5)
    await at.works()

    assert [each.text for each in at.channel.sent] == ["All of it."]
    (turn,) = await at.tables(lambda tables: tables.turns.where())
    assert (turn.state, len(turn.joined)) == ("answered", 2)
    (prompt,) = at.engine.ports.models.model.prompts
    assert prompt.question == "Hello\nwhen do you open?"
    assert prompt.history == ()
    assert prompt.tools == ()


async def test_what_the_ai_said_is_not_sent_once_a_person_took_over(desk):
    at = await desk("At nine.")
    await at.arrives("When?")
    while not await at.tables(lambda tables: tables.deliveries.where()):
        for job in await at.engine.worker._claim(1):
            await at.engine.worker._do(job)
    (talk,) = await at.tables(lambda tables: tables.conversations.where())

    await at.engine.run(SetAiEnabled(conversation_id=talk.id, enabled=False), OPERATOR)
    await at.works()

    assert at.channel.sent == []
    (delivery,) = await at.tables(lambda tables: tables.deliveries.where())
    assert (delivery.state, delivery.reason) == ("withdrawn", "A person took over.")


async def test_what_a_person_took_over_does_not_come_back_with_a_message_that_follows(desk, clock):
    at = await desk("You are welcome.", tools=[{"type": "delayed_responses", "config": {"delay": 10}}])
    await at.arrives("Please cancel order 5")
    await at.works()

    await at.says("I cancelled it.")
    clock.advance(seconds=2)
    await at.arrives("thanks")
    await at.works()
    clock.advance(seconds=60)
    await at.works()

    assert [each.text for each in at.channel.sent] == ["I cancelled it.", "You are welcome."]
    (prompt,) = at.engine.ports.models.model.prompts
    assert prompt.question == "thanks"


async def test_a_message_that_the_provider_says_is_there_is_not_sent_again(desk, clock):
    at = await desk("At nine.", channel=MemoryChannel(TryLater("It answers 500.")))
    await at.arrives("When?")
    await at.works()
    (delivery,) = await at.tables(lambda tables: tables.deliveries.where())
    assert delivery.state == "waiting"

    await at.tells(delivery.id, "delivered")
    clock.advance(seconds=60)
    await at.works()

    (delivery,) = await at.tables(lambda tables: tables.deliveries.where())
    assert (delivery.state, delivery.status, len(at.channel.sent)) == ("sent", "delivered", 1)


async def test_what_a_person_says_does_not_wait_behind_what_the_ai_will_not_send_any_more(desk, clock):
    at = await desk("At nine.", channel=MemoryChannel(*(TryLater("It answers 500.") for _ in range(6))))
    await at.arrives("When?")
    for _ in range(6):
        await at.works()
        clock.advance(hours=2)

    await at.says("At ten today.")
    await at.works()

    assert at.channel.sent[-1].text == "At ten today."
    states = await at.tables(lambda tables: [each.state for each in tables.deliveries.where()])
    assert states == ["withdrawn", "sent"]


async def test_what_the_channel_said_counts_although_another_worker_took_the_job(desk, clock):
    channel = Slow()
    at = await desk("At nine.", channel=channel)
    await at.arrives("When?")
    working = asyncio.create_task(at.works())
    await channel.is_asked.wait()

    clock.advance(seconds=30)
    await Engine(at.engine.ports).worker.finish_due()
    (delivery,) = await at.tables(lambda tables: tables.deliveries.where())
    assert delivery.state == "uncertain"
    channel.goes_on.set()
    await working

    (delivery,) = await at.tables(lambda tables: tables.deliveries.where())
    assert (delivery.state, delivery.external_id, len(channel.sent)) == ("sent", "ext-1", 1)


class Slow(MemoryChannel):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.goes_on = asyncio.Event(), asyncio.Event()

    async def send(self, account, sending):
        self.is_asked.set()
        await self.goes_on.wait()
        return await super().send(account, sending)
