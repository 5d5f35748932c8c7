"""Held answers and timed moves against a simple model: each happens once, not before its time, in order."""

import asyncio
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from vivavoce.domain.holding import held_until
from vivavoce.engine.time.worker import LEASE
from vivavoce.testing import FakeClock

from .lines import Line

BEGINNING = datetime(2026, 3, 8, 5, 0, tzinfo=UTC)
DELAY = 6
HELD = {"type": "delayed_responses", "config": {"delay": DELAY}}
WAITS = (timedelta(hours=1), timedelta(hours=3), None)
"""How long a conversation stays in each step."""
MOST_MOVES = 3
"""By hand; with those of time they are too few to be held for a circle."""
CHATS = st.sampled_from(["ann", "bob"])
STRIDES = st.sampled_from(
    [timedelta(seconds=4), timedelta(seconds=30), timedelta(hours=1), timedelta(hours=3)]
)


@dataclass
class Turn:
    """An answer that is held."""

    since: datetime
    due: datetime
    is_taken: bool = False
    """A process took it and ended: no message joins it any more."""
    is_void: bool = False
    """Someone of the team took over: nothing is said."""


@dataclass
class Chat:
    """What is known of a conversation."""

    turns: list[Turn] = field(default_factory=list)
    answers: int = 0
    step: int | None = None
    moves_at: datetime | None = None
    moves: int = 0
    stays: Counter = field(default_factory=Counter)

    def heard(self, now: datetime) -> None:
        last = self.turns[-1] if self.turns else None
        if last is None or last.is_taken or last.is_void:
            self.turns.append(Turn(now, held_until(now, now, DELAY)))
        else:
            last.due = held_until(last.since, now, DELAY)

    def enters(self, step: int, now: datetime) -> None:
        self.step, wait = step, WAITS[step]
        self.stays[step] += 1
        self.moves_at = None if wait is None else now + wait

    def works(self, now: datetime) -> None:
        while self.turns and self.turns[0].due <= now:
            self.answers += not self.turns.pop(0).is_void
        while self.moves_at is not None and self.moves_at <= now:
            assert self.step is not None
            self.enters(self.step + 1, now)

    def dies(self, now: datetime) -> None:
        if self.turns and self.turns[0].due <= now:
            self.turns[0].due, self.turns[0].is_taken = now + LEASE, True
        if self.moves_at is not None and self.moves_at <= now:
            self.moves_at = now + LEASE


class Waits(RuleBasedStateMachine):
    """People write, conversations are moved, clocks go wrong and processes die."""

    @initialize()
    def begins(self) -> None:
        self.folder, self.clock = Path(tempfile.mkdtemp()), FakeClock(BEGINNING)
        self.runner = asyncio.Runner()
        self.line = Line(self.folder, self.clock)
        self.chats = {"ann": Chat(), "bob": Chat()}
        self.ids: dict[str, str] = {}
        self.do(self.line.opened(HELD, wire="telegram"))
        self.scenario, self.steps = self.do(self._board())
        for chat in self.chats:
            self.hears(chat)
            self.ids[chat] = self.do(self.line.talk(chat)).id

    async def _board(self) -> tuple[str, list[str]]:
        scenario = (await self.line.run("create_crm_scenario", name="Sale"))["id"]
        steps: list[str] = []
        for number, wait in reversed(list(enumerate(WAITS))):
            timed = {}
            if wait is not None:
                timed = {"autoNextStepId": steps[0], "autoNextTime": int(wait.total_seconds())}
            made = await self.line.run("create_crm_step", scenarioId=scenario, name=f"step{number}", **timed)
            steps.insert(0, made["id"])
        return scenario, steps

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.line.close()
            self.runner.close()
            shutil.rmtree(self.folder)

    def do(self, coroutine):
        return self.runner.run(coroutine)

    @property
    def now(self) -> datetime:
        return self.clock.now()

    # People and the team

    @rule(chat=CHATS)
    def hears(self, chat: str) -> None:
        self.works()
        self.do(self.line.hears("Hello?", chat))
        self.chats[chat].heard(self.now)

    @rule(chat=CHATS, number=st.integers(2, 8))
    def hears_several(self, chat: str, number: int) -> None:
        """One after the other, so soon that they are answered together, but not for ever."""
        for _ in range(number):
            self.hears(chat)
            self.goes_on_and_works(timedelta(seconds=4))

    @rule(chat=CHATS)
    def replies(self, chat: str) -> None:
        message = {"type": "conversationId", "value": self.ids[chat], "message": "Bia here."}
        self.do(self.line.run("send_message", **message))
        for turn in self.chats[chat].turns:
            turn.is_void = True

    @rule(chat=CHATS, step=st.integers(0, len(WAITS) - 1))
    def moves(self, chat: str, step: int) -> None:
        known = self.chats[chat]
        if known.moves == MOST_MOVES or known.step == step:
            return
        known.moves += 1
        named = {"conversationId": self.ids[chat]}
        if known.step is None:
            self.do(self.line.run("add_conversation_to_scenario", **named, stepId=self.steps[step]))
        else:
            self.do(self.line.run("move_conversation", **named, destStepId=self.steps[step]))
        known.enters(step, self.now)

    @rule(chat=CHATS)
    def leaves(self, chat: str) -> None:
        known = self.chats[chat]
        if known.step is not None:
            named = {"conversationId": self.ids[chat], "scenarioId": self.scenario}
            self.do(self.line.run("remove_conversation_from_scenario", **named))
            known.step = known.moves_at = None

    # Time and processes

    @rule(stride=STRIDES)
    def goes_on(self, stride: timedelta) -> None:
        self.clock.advance(seconds=stride.total_seconds())

    @rule(stride=STRIDES)
    def goes_on_and_works(self, stride: timedelta) -> None:
        self.goes_on(stride)
        self.works()

    @rule(hours=st.sampled_from([-1, 1]))
    def is_put_back_or_forward(self, hours: int) -> None:
        self.clock.advance(hours=hours)

    @rule()
    def works(self) -> None:
        self.do(self.line.works())
        for chat in self.chats.values():
            chat.works(self.now)

    @rule()
    def two_work_at_once(self) -> None:
        other = self.line.another_engine()

        async def both() -> None:
            await asyncio.gather(self.line.works(), other.worker.finish_due())

        self.do(both())
        for chat in self.chats.values():
            chat.works(self.now)

    @rule()
    def dies_with_all_that_is_due_in_its_hands(self) -> None:
        self.do(self.line.engine.worker._claim(100))
        self.line.restart()
        for chat in self.chats.values():
            chat.dies(self.now)

    @rule(hours=st.sampled_from([1, 3]))
    def dies_when_much_is_due(self, hours: int) -> None:
        """And the next process looks before the lease is over, and after it."""
        self.goes_on(timedelta(hours=hours))
        self.dies_with_all_that_is_due_in_its_hands()
        for _ in range(3):
            self.works()
            self.what_was_said_and_where_it_stands_is_what_was_due_and_nothing_else()
            self.goes_on(timedelta(seconds=4))

    # What must always hold

    @invariant()
    def what_was_said_and_where_it_stands_is_what_was_due_and_nothing_else(self) -> None:
        for chat, id in getattr(self, "ids", {}).items():
            known = self.chats[chat]
            assert self.do(self.line.read(lambda tables, id=id: self._seen(tables, id))) == (
                known.answers,
                None if known.step is None else self.steps[known.step],
                {self.steps[step]: number for step, number in known.stays.items()},
            )

    @invariant()
    def what_is_set_is_what_is_waited_for(self) -> None:
        if len(getattr(self, "ids", {})) == len(getattr(self, "chats", "?")):
            held = sum(len(chat.turns) for chat in self.chats.values())
            timed = sum(chat.moves_at is not None for chat in self.chats.values())
            assert self.do(self.line.timers("answer")) == held
            assert self.do(self.line.timers("next_step")) == timed

    def _seen(self, tables, id: str):
        """How many answers were given, the step that it is in, and how often it was in each."""
        messages = tables.messages.where(conversation_id=id)
        answers = sum(each.from_ == "agent" and each.text == "Nine." for each in messages)
        stays = Counter(each.step_id for each in tables.crm_logs.where(conversation_id=id))
        return answers, tables.conversations.find(id).step_id, stays


TestWaits = Waits.TestCase
TestWaits.settings = settings(max_examples=12, stateful_step_count=25)
