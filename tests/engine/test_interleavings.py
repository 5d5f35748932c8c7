"""Human wins: whenever a person takes over, nothing goes out that the AI had not been let say before."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from typing import Any

from vivavoce.adapters import identity
from vivavoce.domain.channels import Account
from vivavoce.engine import Engine
from vivavoce.operations import OPERATOR, Operation
from vivavoce.operations.conversations import SetAiEnabled, SetConversationBlocked, SetConversationStatus
from vivavoce.operations.messages import SendMessage
from vivavoce.ports import Piece, Prompt
from vivavoce.ports.time import Outcome, Sending
from vivavoce.testing import FakeClock, MemoryChannel, ScriptedModel, TestModels, open_test_engine

from .fault_points import accept, prepare

_CHATS = 6
"""Chats that are spoken in at once."""
_ROUNDS = -(-int(os.environ.get("TAKEOVERS", "360")) // _CHATS)
"""A takeover in each chat of a round; 10,000 are tried with TAKEOVERS=10000."""
_SETTLED = 25
"""So many passes of the loop after which whoever can go on has come to the next gate."""


class Gate:
    """Lets through one at a time of those who want to do something outside of their own code, by lot."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._waiting: list[asyncio.Future[None]] = []
        self._done = asyncio.Event()

    async def through(self, do: Callable[[], Awaitable[Any]]) -> Any:
        """Do it when the lot falls on it."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        await place
        try:
            return await do()
        finally:
            self._done.set()

    async def open_until_nobody_waits(self) -> int:
        """Let one after the other through; how many that were."""
        number = 0
        while True:
            for _ in range(_SETTLED):
                await asyncio.sleep(0)
            self._waiting = [each for each in self._waiting if not each.cancelled()]
            if not self._waiting:
                return number
            number += 1
            self._done.clear()
            self._waiting.pop(self._chance.randrange(len(self._waiting))).set_result(None)
            await self._done.wait()


class GatedStore:
    """A store behind the gate."""

    def __init__(self, store: Any, gate: Gate) -> None:
        self.store, self._gate = store, gate

    async def read(self, work: Any, **how: Any) -> Any:
        return await self._gate.through(lambda: self.store.read(work, **how))

    async def write(self, work: Any, **how: Any) -> Any:
        return await self._gate.through(lambda: self.store.write(work, **how))


class GatedModel(ScriptedModel):
    """A model behind the gate."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(["At nine."])
        self._gate = gate

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        await self._gate.through(lambda: asyncio.sleep(0))
        async for piece in super().answer(prompt):
            yield piece


class GatedChannel(MemoryChannel):
    """A channel behind the gate."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    async def send(self, account: Account, sending: Sending) -> Outcome:
        return await self._gate.through(lambda: super(GatedChannel, self).send(account, sending))


class Takeover:
    """A person who takes over a conversation at some moment."""

    def __init__(self, engine: Engine, chat: str, chance: random.Random) -> None:
        self.engine, self.chat, self._chance = engine, chat, chance
        self.released: set[str] | None = None
        """What the AI had been let say when that was stored; None where there was nothing to take over."""
        self.heard: set[str] = set()

    async def happen(self) -> None:
        """Take over, in one step."""
        talks = await self._read(lambda tables: tables.conversations.where(channel_external_id=self.chat))
        if not talks:
            return
        id = talks[0].id
        await self.engine.run(self._way(id), OPERATOR)
        said = await self._read(lambda tables: tables.deliveries.where(conversation_id=id))
        self.released = {each.id for each in said if each.state not in ("waiting", "withdrawn")}
        self.heard = {each.id for each in await self._read(lambda tables: tables.messages.last(id, 20))}
        if self._chance.random() < 0.3:
            await self.engine.run(SetAiEnabled(conversation_id=id, enabled=True), OPERATOR)

    async def wrongly(self, sent: set[str]) -> set[str]:
        """What of the AI's was let out afterwards, although it answers what had been heard before."""

        def answers(tables: Any) -> dict[str, str]:
            said = {each.id: each.message_id for each in tables.deliveries.within("id", list(sent))}
            return {id: tables.messages.find(message).input_id for id, message in said.items()}

        asked = await self._read(answers)
        return {id for id in sent - (self.released or set()) if asked[id] in self.heard}

    async def _read(self, look: Callable[[Any], Any]) -> Any:
        return await self.engine.ports.store.read(look)

    def _way(self, id: str) -> Operation[Any]:
        ways: list[Operation[Any]] = [
            SetAiEnabled(conversation_id=id, enabled=False),
            SetConversationBlocked(conversation_id=id, blocked=True),
            SetConversationStatus(conversation_id=id, status="HUMAN_REQUESTED"),
            SendMessage(type="conversationId", value=id, message="I am here myself."),
        ]
        return self._chance.choice(ways)


async def _round(
    number: int, plain: Engine, gated: Engine, gate: Gate, chance: random.Random
) -> list[Takeover]:
    """Two messages in each of some chats, and a person who takes over somewhere in between."""
    chats = [f"chat{number}x{place}" for place in range(_CHATS)]
    for chat in chats:
        for place in range(2):
            await accept(plain, f"{chat}e{place}", chat)
    people = [Takeover(plain, chat, chance) for chat in chats]
    later = [(chance.randrange(6, 70), person) for person in people]
    tasks: list[asyncio.Task[None]] = []
    step = 0
    while claimed := await plain.worker._claim(_CHATS * 3):
        tasks += [asyncio.create_task(gated.worker._do(job)) for job in claimed]
        due, later = [p for s, p in later if s <= step], [(s, p) for s, p in later if s > step]
        tasks += [asyncio.create_task(gate.through(person.happen)) for person in due]
        step += await gate.open_until_nobody_waits()
    await asyncio.gather(*tasks)
    return people


async def test_nothing_of_the_ai_is_let_out_after_a_person_took_over_whenever_that_is(tmp_path):
    """Proves that people win at any step of hearing, answering and sending, in an order drawn by lot."""
    chance = random.Random(7)
    gate = Gate(chance)
    channel, model = GatedChannel(gate), GatedModel(gate)
    await prepare(tmp_path)
    happened = withdrawn = let_out = 0
    with open_test_engine(
        tmp_path, FakeClock(), identity.Ids(), models=TestModels(model), channel=channel
    ) as plain:
        gated = Engine(replace(plain.ports, store=GatedStore(plain.ports.store, gate)))
        for number in range(_ROUNDS):
            channel.sent.clear()
            for person in await _round(number, plain, gated, gate, chance):
                if person.released is None:
                    continue
                happened += 1
                sent = {
                    each.id for each in channel.sent if each.chat == person.chat and each.text == "At nine."
                }
                assert await person.wrongly(sent) == set(), (number, person.chat)
                let_out += len(sent)
                withdrawn += len(sent) < 2
    assert happened > _ROUNDS * _CHATS / 2
    assert 0 < withdrawn < happened  # people came before the AI and after it
    assert let_out > 0
