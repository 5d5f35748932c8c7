"""The load: people who write, and a provider that passes it on until it is taken, sometimes twice."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from .databases import Database
from .outside import QUESTION
from .stories import SHARE, Stories
from .wire import Wire

EACH = 10
"""Messages of a chat."""
HELD = 0.05
"""How many of the messages go to the agent that holds its answers."""
HOLD = 6
"""Seconds for which that agent holds an answer."""
_AT_ONCE = 12
_AHEAD = 2_000
"""How many messages may wait for their answer before people wait, too."""
_AGAIN = 0.2
"""Seconds before a provider repeats what was not taken."""
_STATUSES = 50


@dataclass(frozen=True)
class Account:
    """Where events go."""

    id: str
    token: str


@dataclass
class Load:
    """Who writes what, what was accepted, and what the provider was given so far."""

    port: int
    outside: Wire
    place: Database
    accounts: dict[str, Account]
    """By the first letter of their chats."""
    chance: random.Random
    accepted: set[str] = field(default_factory=set)
    """The names of questions for which the server said that it has them."""
    answered: set[str] = field(default_factory=set)
    taken: list[tuple[str, str, str]] = field(default_factory=list)
    reminders: dict[str, bool] = field(default_factory=dict)
    """What was planned, and whether the server said that it has it."""
    stories: Stories = field(default_factory=Stories)
    caller: str = ""
    """The agent that is asked with callbacks."""
    posts: int = 0
    repeats: int = 0
    duplicates: int = 0
    asked: int = 0
    """How often the model was asked."""
    tries: int = 0
    """How often something was sent to the provider."""
    _told: int = 0
    _looks: int = 0
    _moved: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def run(self, messages: int, first_chat: int) -> int:
        """Write so many messages, and see that the statuses of what is sent come back; the next free chat."""
        held = range(first_chat, first_chat + max(1, round(messages * HELD / EACH)))
        plain = range(held.stop, first_chat + max(2, messages // EACH))
        stories = range(plain.stop, plain.stop + max(2, round(messages * SHARE)))
        watching = asyncio.create_task(self._watch())
        telling = asyncio.create_task(self._tell())
        groups = self._groups(plain)
        async with asyncio.TaskGroup() as lines:
            for _ in range(_AT_ONCE):
                lines.create_task(self._write(groups))
            for chat in held:
                lines.create_task(self._write_in_bursts(chat, min(60.0, messages / 200)))
            lines.create_task(self._plan(len(plain) // 20))
            lines.create_task(self._tell_stories(stories))
            lines.create_task(self._ask_with_callbacks(len(stories)))
        await self._until_quiet()
        for task in (watching, telling):
            task.cancel()
        await asyncio.wait([watching, telling])
        self.stories.told = [tuple(each) for each in (await self.outside.ask("GET", "/told/0"))[1]]
        return stories.stop

    def _groups(self, chats: range) -> list[list[int]]:
        """Chats whose messages come in one request."""
        left, groups = list(chats), []
        while left:
            size = self.chance.randint(1, 8)
            groups.append(left[:size])
            del left[:size]
        return groups

    async def _write(self, groups: list[list[int]]) -> None:
        async with Wire(self.port) as wire:
            while groups:
                chats = groups.pop()
                for number in range(EACH):
                    await self._room()
                    await self._post(wire, "c", [(chat, number) for chat in chats])

    async def _write_in_bursts(self, chat: int, within: float) -> None:
        """Write a few messages, then wait until all are answered; begin within so many seconds."""
        async with Wire(self.port) as wire:
            await asyncio.sleep(self.chance.uniform(0, within))
            number = 0
            while number < EACH:
                burst = range(number, min(EACH, number + self.chance.randint(2, 4)))
                for each in burst:
                    await self._post(wire, "h", [(chat, each)])
                    await asyncio.sleep(self.chance.uniform(0, 1))
                with suppress(TimeoutError):  # whose answer is uncertain may wait for ever
                    async with asyncio.timeout(10 * HOLD):
                        await self._until(
                            lambda names={f"q{chat}x{each}" for each in burst}: names <= self.answered
                        )
                number = burst.stop

    async def _post(self, wire: Wire, letter: str, questions: list[tuple[int, int]]) -> None:
        events = [
            {"id": f"e{chat}x{number}", "chat": f"{letter}{chat}", "text": f"What about q{chat}x{number}?"}
            for chat, number in questions
        ]
        await self._passed_on(wire, letter, events)
        self.accepted |= {f"q{chat}x{number}" for chat, number in questions}
        if self.chance.random() < 0.05:
            self.repeats += 1
            await self._passed_on(wire, letter, events)

    async def _passed_on(self, wire: Wire, letter: str, events: list[dict[str, Any]]) -> None:
        account = self.accounts[letter]
        path = f"/channels/{account.id}/events"
        while True:
            self.posts += 1
            status, said = await wire.ask("POST", path, {"events": events}, X_Webhook_Token=account.token)
            if 200 <= status < 300:
                self.duplicates += said["duplicates"]
                return
            if status not in (0, 429, 500, 502, 503):
                raise AssertionError(f"The server refuses events with {status}: {said}")
            self.repeats += 1
            await asyncio.sleep(_AGAIN)

    async def _plan(self, number: int) -> None:
        """Plan messages for a moment a little later, in conversations that have begun."""
        async with Wire(self.port) as wire:
            for place in range(number):
                await self._until(lambda place=place: len(self.answered) > place * EACH)
                found = self.place.ask(
                    "select id, channel_external_id from conversations"
                    " where channel_external_id like 'c%' order by id desc limit 50"
                )
                if not found:  # those who are held were heard first
                    continue
                talk, chat = self.chance.choice(found)
                name = f"r{len(self.reminders)}"
                due = datetime.now(UTC) + timedelta(hours=-3, seconds=self.chance.randint(12, 24))
                body = {
                    "conversation_id": talk,
                    "tag": name,
                    "msg": f"Reminder {name} in {chat}",
                    "channel": "api",
                    "dt_to_send": due.strftime("%Y-%m-%d %H:%M:%S"),
                    "time_zone": "America/Sao_Paulo",
                }
                self.reminders[name] = False
                for _ in range(50):  # the same tag again replaces what was planned
                    status, said = await wire.ask("POST", "/custom-follow-up/add", body)
                    if 200 <= status < 300:
                        self.reminders[name] = True
                        break
                    if status == 404 and place == 0:
                        del self.reminders[name]  # this version plans nothing
                        return
                    if status not in (0, 429, 500, 502, 503):
                        raise AssertionError(f"The server refuses a reminder with {status}: {said}")
                    await asyncio.sleep(_AGAIN)

    async def _tell_stories(self, chats: range) -> None:
        async with Wire(self.port) as wire:
            for chat in chats:
                await self._post(wire, "s", [(chat, 0)])
                self.stories.chats.add(f"s{chat}")
                await asyncio.sleep(self.chance.uniform(0, 1))

    async def _ask_with_callbacks(self, number: int) -> None:
        async with Wire(self.port) as wire:
            await self.stories.ask(wire, self.caller, self.outside.port, number, _AGAIN)

    async def _watch(self) -> None:
        """Look at what the provider was given."""
        while True:
            status, ledger = await self.outside.ask("GET", f"/ledger/{len(self.taken)}")
            assert status == 200, "What lies outside has ended."
            self.asked, self.tries = ledger["asked"], ledger["tries"]
            async with self._moved:
                for sent in ledger["taken"]:
                    self.taken.append(tuple(sent))
                    self.answered |= set(QUESTION.findall(sent[2]))
                self._looks += 1
                self._moved.notify_all()
            await asyncio.sleep(0.3)

    async def _tell(self) -> None:
        """Let the provider tell what became of each message, as providers do."""
        async with Wire(self.port) as wire:
            while True:
                await self._until(lambda: len(self.taken) > self._told)
                some = self.taken[self._told : self._told + _STATUSES]
                for letter in self.accounts:
                    events = [
                        {
                            "id": f"s{id}",
                            "chat": chat,
                            "type": "status",
                            "deliveryId": id,
                            "status": "delivered",
                        }
                        for id, chat, _ in some
                        if chat.startswith(letter)
                    ]
                    if events:
                        await self._passed_on(wire, letter, events)
                self._told += len(some)

    async def _room(self) -> None:
        await self._until(lambda: len(self.accepted) - len(self.answered) < _AHEAD)

    async def _until_quiet(self) -> None:
        """Wait until nothing is left to do."""
        while True:
            kinds = {str(kind) for (kind,) in self.place.ask("select distinct kind from jobs")}
            if kinds == {"follow"}:
                self.place.let_an_hour_pass()
            elif not kinds:
                # What was sent last may not have been seen: a look that began since must have ended.
                await self._until(lambda last=self._looks + 1: self._looks > last)
                if self._told >= len(self.taken):
                    return
            await asyncio.sleep(0.5)

    async def _until(self, is_so: Any) -> None:
        async with self._moved:
            await self._moved.wait_for(is_so)
