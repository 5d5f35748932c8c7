"""Timers against a simple model: each goes off once, not before its time, or was stopped, and never both."""

import asyncio
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from vivavoce.domain.entities import written
from vivavoce.engine.time.worker import LEASE
from vivavoce.errors import NotFound
from vivavoce.testing import FakeClock

from .lines import Line

# The clocks of New York are put forward two hours from now, those of Lisbon are not for weeks.
BEGINNING = datetime(2026, 3, 8, 5, 0, tzinfo=UTC)
PARTS = ("One", "Two", "Three")
INTERVAL = timedelta(hours=2)
FOLLOW_UPS = {
    "type": "follow_up_messages",
    "config": {"messages": "||".join(PARTS), "max_sends": 3, "interval_hours": 2},
}
CHATS = st.sampled_from(["ann", "bob"])
TAGS = st.sampled_from(["visit", "bill"])
ZONES = st.sampled_from(["America/New_York", "Europe/Lisbon", "Asia/Kathmandu"])
AHEAD = st.sampled_from([timedelta(minutes=1), timedelta(hours=2, minutes=30), timedelta(hours=6)])
STRIDES = st.sampled_from(
    [timedelta(seconds=9), timedelta(minutes=59), timedelta(hours=2), timedelta(hours=3), timedelta(days=2)]
)
HOUR = timedelta(hours=1)


@dataclass
class Timer:
    """One that is set."""

    due: datetime
    text: str
    number: int = 0
    is_void: bool = False
    """Nothing comes of it when it goes off: someone of the team took over."""

    def taken(self, now: datetime) -> None:
        """A process took it and ended."""
        self.due = max(self.due, now + LEASE)


@dataclass
class Chat:
    """What is known of a conversation."""

    is_on: bool = True
    status: str = "UNRESOLVED"
    silence: Timer | None = None
    planned: dict[str, Timer] = field(default_factory=dict)
    said: Counter = field(default_factory=Counter)

    def heard(self, now: datetime) -> None:
        self.status = "UNRESOLVED" if self.status == "RESOLVED" else self.status
        self.silence = Timer(now + INTERVAL, PARTS[0]) if self.is_on else None

    def works(self, now: datetime) -> None:
        due, self.silence = self._due(self.silence, now), self._pending(self.silence, now)
        if due is not None and not due.is_void:
            self.said[due.text] += 1
            if due.number + 1 < len(PARTS):
                self.silence = Timer(now + INTERVAL, PARTS[due.number + 1], due.number + 1)
        for tag, timer in list(self.planned.items()):
            if timer.due <= now:
                self.said[timer.text] += 1
                del self.planned[tag]

    def dies(self, now: datetime) -> None:
        for timer in (self.silence, *self.planned.values()):
            if timer is not None and timer.due <= now:
                timer.taken(now)

    def _due(self, timer: Timer | None, now: datetime) -> Timer | None:
        return timer if timer is not None and timer.due <= now else None

    def _pending(self, timer: Timer | None, now: datetime) -> Timer | None:
        return None if timer is None or timer.due <= now else timer


def moment(wall: datetime, zone: str) -> datetime:
    """The moment of a time on a wall, found by trying the offsets that the zone has around it."""
    place = ZoneInfo(zone)
    around = [wall.replace(tzinfo=UTC) + timedelta(days=days) for days in (-2, 2)]
    before, after = (each.astimezone(place).utcoffset() for each in around)
    tried = [wall.replace(tzinfo=UTC) - offset for offset in (before, after)]
    shown = [each for each in tried if each.astimezone(place).replace(tzinfo=None) == wall]
    return min(shown) if shown else tried[0]


class Timers(RuleBasedStateMachine):
    """People write, the team steps in, clocks go wrong and processes die."""

    @initialize()
    def begins(self) -> None:
        self.folder, self.clock = Path(tempfile.mkdtemp()), FakeClock(BEGINNING)
        self.runner = asyncio.Runner()
        self.line = Line(self.folder, self.clock)
        self.chats = {"ann": Chat(), "bob": Chat()}
        self.ids: dict[str, str] = {}
        self.number = 0
        self.do(self.line.opened(FOLLOW_UPS, wire="telegram"))
        for chat in self.chats:
            self.hears(chat)
            self.ids[chat] = self.do(self.line.talk(chat)).id

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

    def run(self, operation, chat, **arguments):
        return self.do(self.line.run(operation, conversationId=self.ids[chat], **arguments))

    # People and the team

    @rule(chat=CHATS)
    def hears(self, chat: str) -> None:
        self.works()
        self.do(self.line.hears("Hello?", chat))
        self.chats[chat].heard(self.now)

    @rule(chat=CHATS)
    def hears_what_nobody_answers(self, chat: str) -> None:
        self.run("receive_message", chat, message="I am here.")
        self.chats[chat].heard(self.now)
        self.chats[chat].silence = None

    @rule(chat=CHATS, is_on=st.booleans())
    def switches_the_ai(self, chat: str, is_on: bool) -> None:
        self.run("set_ai_enabled", chat, enabled=is_on)
        known = self.chats[chat]
        known.is_on = is_on
        if not is_on:
            known.silence = None

    @rule(chat=CHATS)
    def replies(self, chat: str) -> None:
        message = {"type": "conversationId", "value": self.ids[chat], "message": "Bia here."}
        self.do(self.line.run("send_message", **message))
        known = self.chats[chat]
        if known.silence is not None:
            known.silence.is_void = True

    @rule(chat=CHATS, status=st.sampled_from(["RESOLVED", "UNRESOLVED"]))
    def changes_the_status(self, chat: str, status: str) -> None:
        self.run("set_conversation_status", chat, status=status)
        known = self.chats[chat]
        known.status = status
        if status == "RESOLVED":
            known.silence = None

    @rule(chat=CHATS, tag=TAGS, ahead=AHEAD, zone=ZONES)
    def plans(self, chat: str, tag: str, ahead: timedelta, zone: str) -> None:
        self.number += 1
        wall = (self.now.astimezone(ZoneInfo(zone)).replace(tzinfo=None) + ahead).replace(microsecond=0)
        due = moment(wall, zone)
        given = {
            "tag": tag,
            "msg": f"Planned {self.number}",
            "dtToSend": wall.isoformat(" "),
            "timeZone": zone,
        }
        told = self.run("schedule_follow_up", chat, **given)
        assert told["followUp"]["dueAt"] == written(due)
        self.chats[chat].planned[tag] = Timer(due, f"Planned {self.number}")

    @rule(chat=CHATS, tag=TAGS)
    def takes_back(self, chat: str, tag: str) -> None:
        try:
            self.run("remove_follow_up", chat, tag=tag)
            was_planned = True
        except NotFound:
            was_planned = False
        assert was_planned == (self.chats[chat].planned.pop(tag, None) is not None)

    # Time and processes

    @rule(stride=STRIDES)
    def goes_on(self, stride: timedelta) -> None:
        self.clock.advance(seconds=stride.total_seconds())

    @rule(stride=STRIDES)
    def goes_on_and_works(self, stride: timedelta) -> None:
        self.goes_on(stride)
        self.works()

    @rule()
    def is_put_back_an_hour(self) -> None:
        self.clock.advance(hours=-1)

    @rule()
    def is_put_forward_an_hour(self) -> None:
        self.clock.advance(hours=1)

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

    @rule(chat=CHATS, tag=TAGS)
    def is_stopped_in_the_moment_it_goes_off(self, chat: str, tag: str) -> None:
        """Which of the two comes first is open; that both come is not."""
        known, other = self.chats[chat], self.line.another_engine()
        before, planned = self.said(chat), known.planned.get(tag)
        known_before = known.said.copy()

        async def all_at_once() -> None:
            ids = {"conversationId": self.ids[chat]}
            await asyncio.gather(
                self.line.works(),
                self.line.run("receive_message", **ids, message="I am here."),
                self.line.run("remove_follow_up", **ids, tag=tag),
                other.worker.finish_due(),
                return_exceptions=True,
            )

        self.do(all_at_once())
        for each in self.chats.values():
            each.works(self.now)
        known.heard(self.now)
        known.silence = None
        known.planned.pop(tag, None)
        could, did = known.said - known_before, self.said(chat) - before
        assert did <= could
        if planned is not None:
            states = self.do(self.line.read(lambda tables: tables.follow_ups.where(state="sent")))
            assert (planned.text in did) == (planned.text in [each.message for each in states])
        known.said = known_before + did

    # What must always hold

    @invariant()
    def what_was_said_is_what_was_due_and_nothing_else(self) -> None:
        if not hasattr(self, "ids"):
            return
        for chat, known in self.chats.items():
            if chat in self.ids:
                assert self.said(chat) == known.said

    @invariant()
    def what_is_set_is_what_is_waited_for(self) -> None:
        if not hasattr(self, "ids"):
            return
        silences = sum(chat.silence is not None for chat in self.chats.values())
        planned = sum(len(chat.planned) for chat in self.chats.values())
        assert self.do(self.line.timers("follow")) == silences
        assert self.do(self.line.timers("follow_up")) == planned

    def said(self, chat: str) -> Counter:
        """What went out into a silence or was planned, counted."""
        id = self.ids[chat]
        found = self.do(self.line.read(lambda tables: tables.messages.where(conversation_id=id)))
        return Counter(each.text for each in found if (each.metadata or {}).get("isFollowUp"))


TestTimers = Timers.TestCase
TestTimers.settings = settings(max_examples=25, stateful_step_count=40)
