"""Places: each kind of job has its own, so that what is slow holds up nothing else."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from vivavoce.engine import Engine
from vivavoce.engine.time.jobs import KINDS
from vivavoce.operations import OPERATOR
from vivavoce.operations.answers import AgentQuery
from vivavoce.ports import Delta, Reply, Spent
from vivavoce.testing import ScriptedModel

from .workspaces import an_agent

_HOSTS, _TALKS = 24, 8
PLANNED = {"tag": "t", "msg": "A reminder.", "channel": "whatsapp", "timeZone": "UTC"}


class Slow(ScriptedModel):
    """A model that speaks when it is let."""

    def __init__(self) -> None:
        super().__init__(["Slow answer."])
        self.asked, self.may = 0, asyncio.Event()

    async def answer(self, prompt):
        self.asked += 1
        await self.may.wait()
        yield Delta("Slow answer.")
        yield Spent("m", prompt_tokens=1, completion_tokens=1, cost=0.0)


class Hanging:
    """Servers that take calls and do not answer."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.may = asyncio.Event()

    async def send(self, method: str, url: str, **call: Any) -> Reply:
        self.calls.append(url)
        await self.may.wait()
        return Reply(200, {}, b"", False)


@asynccontextmanager
async def at_work(engine: Engine):
    working = asyncio.create_task(engine.worker.run())
    try:
        yield
    finally:
        working.cancel()
        await asyncio.wait([working])


async def until(line, is_so) -> None:
    """Wait, and let time pass as it does: what found no place for a moment comes back a little later."""
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.01)
            line.clock.advance(milliseconds=10)


async def test_models_that_are_slow_hold_up_no_message_of_the_team_and_no_reminder(lines):
    """More chats wait for the model than there are places for answers, and all else goes on as ever."""
    line = lines()
    await line.opened()
    await line.hears("Hello?", chat="first")
    talk = await line.talk("first")
    line.model = model = Slow()
    line.restart()
    places = KINDS["answer"].at_once
    for number in range(places + 20):
        await line.arrives("When?", chat=f"chat{number}")

    async with at_work(line.engine):
        await until(line, lambda: model.asked >= places)
        await line.run("send_message", type="conversationId", value=talk.id, message="Bia here.")
        due = line.clock.now().strftime("%Y-%m-%d %H:%M:%S")
        await line.run("schedule_follow_up", conversationId=talk.id, dtToSend=due, **PLANNED)
        await line.arrives("And I?", chat="last")
        await until(line, lambda: {"Bia here.", "A reminder."} <= set(line.sent))
        heard = await line.read(lambda tables: tables.arrivals.count(state="waiting"))
        assert (model.asked, heard) == (places, 0)
        model.may.set()
        await until(line, lambda: line.sent.count("Slow answer.") == places + 21)


async def test_addresses_that_hang_hold_up_no_answer_and_each_has_a_few_places(lines):
    line = await lines(*["At nine."] * (_HOSTS * _TALKS + 1)).opened()
    outside = Hanging()
    line.engine = Engine(replace(line.engine.ports, outside=outside))
    for number in range(_HOSTS):
        hook = {"url_webhook_external": f"https://host{number}.example/events"}
        agent = await line.run(
            "create_agent", **an_agent(name=f"{number}", configUrlInfosSystemExternal=hook)
        )
        for _ in range(_TALKS):
            await line.engine.run(AgentQuery(id=agent["id"], query="When?"), OPERATOR)
    places = KINDS["post"].at_once

    async with at_work(line.engine):
        await until(line, lambda: len(outside.calls) >= places)
        await line.arrives("When?")
        await until(line, lambda: line.sent == ["At nine."])
        assert len(outside.calls) == places
        assert max(outside.calls.count(url) for url in outside.calls) <= 4
        outside.may.set()
        await until(line, lambda: len(outside.calls) == _HOSTS * _TALKS)
