"""Turns: one at a time in each conversation, in the order of the messages, across processes too."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.jobs import Job
from vivavoce.domain.turns import OPEN, Turn, TurnState
from vivavoce.engine.handlers import Work
from vivavoce.engine.time.jobs import TIME
from vivavoce.errors import StorageFailed
from vivavoce.operations import Hear, Told
from vivavoce.ports import Ports, Tables

from .endings import tell_of_the_end
from .opening import LEASE

_LOOK = 1.0
"""Seconds between two looks at what another process may have changed."""
_AT_ONCE = 100
_WATCH = 30.0
"""Seconds between two looks for turns that nobody works on any more."""
_log = logging.getLogger(__name__)


class Stopped(Exception):
    """The turn is not ours any more: someone else finished it, or a person took over."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Line:
    """Who waits in which conversation of this process, so that what changes there is seen at once."""

    def __init__(self) -> None:
        self._moved: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        """Those that someone waits for: they go away with the last who does."""
        self._watching: dict[str, list[Callable[[], None]]] = {}

    def next_move(self, conversation_id: str) -> asyncio.Event:
        """Is set when a turn of the conversation ends here, or someone changes it here."""
        return self._moved.setdefault(conversation_id, asyncio.Event())

    @contextmanager
    def watched(self, conversation_id: str, tell: Callable[[], None]) -> Iterator[None]:
        """A block in which each change of the conversation here is told."""
        watching = self._watching.setdefault(conversation_id, [])
        watching.append(tell)
        try:
            yield
        finally:
            watching.remove(tell)
            if not watching:
                self._watching.pop(conversation_id, None)

    def moved(self, conversation_id: str) -> None:
        """Say that something has changed in the conversation, once it is stored."""
        event = self._moved.pop(conversation_id, None)
        if event is not None:
            event.set()
        for tell in self._watching.get(conversation_id, ()):
            tell()


LINE = Line()


@dataclass
class Taken:
    """A turn that is being worked on here."""

    turn: Turn
    ports: Ports
    job: Job | None = None
    """The job that answers it, where one does."""
    stopped: Stopped | None = None
    """Why it may not go on, as soon as that is known."""
    _waiting: asyncio.Task[Any] | None = None

    def stop(self, stopped: Stopped) -> None:
        """Let it go no further: who waits for a model, or for earlier turns, stops waiting at once."""
        if self.stopped is not None:  # who stops waiting may need a moment, and is not hurried
            return
        self.stopped = stopped
        if self._waiting is not None:
            self._waiting.cancel()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A wait that ends with Stopped as soon as the turn may not go on."""
        self._check()
        task = asyncio.current_task()
        assert task is not None
        before = task.cancelling()
        self._waiting = task
        try:
            yield
        except asyncio.CancelledError:
            if self.stopped is None or task.uncancel() > before:  # the caller goes away
                raise
            raise self.stopped from None
        finally:
            self._waiting = None

    def finish(
        self,
        tables: Tables,
        state: TurnState,
        *,
        reason: str = "",
        answer: Message | None = None,
        trace: dict[str, Any],
    ) -> Turn:
        """End the turn in the caller's transaction; Stopped when it is not ours any more."""
        turn = self.stored(tables)
        if self.job is not None:
            tables.jobs.finish(self.job)
        ended = turn.changed(
            self.ports.now(),
            state=state,
            reason=reason,
            answer_id=None if answer is None else answer.id,
            lease_until=None,
            trace=trace,
        )
        tables.turns.replace(ended)
        return ended

    def put_off(self, tables: Tables, due_at: datetime, reason: str, *, has_failed: bool) -> None:
        """Let the job answer the turn later, in the caller's transaction; Stopped when it is not ours."""
        assert self.job is not None
        turn = self.stored(tables)
        tables.turns.replace(turn.changed(self.ports.now(), state="waiting", reason=reason, lease_until=None))
        tables.jobs.postpone(self.job, due_at, has_failed=has_failed)

    def stored(self, tables: Tables) -> Turn:
        """The turn as it is stored; Stopped when it or its job is not ours any more."""
        if self.job is not None and not tables.jobs.is_ours(self.job):
            raise Stopped("The turn was taken over by another worker.")
        return current(self.turn, tables)

    def _check(self) -> None:
        if self.stopped is not None:
            raise self.stopped


def current(turn: Turn, tables: Tables) -> Turn:
    """The turn as it is stored; Stopped when another worker has it."""
    return as_taken(turn, tables.turns.find(turn.id))


def as_taken(turn: Turn, stored: Turn | None) -> Turn:
    """What is stored of a turn that was taken here; Stopped when another worker has it."""
    if stored is None or stored.fence != turn.fence or stored.state not in OPEN:
        raise Stopped("The turn was ended elsewhere.")
    return stored


def check_nobody_took_over(conversation: Conversation, turn: Turn) -> None:
    """Human wins: Stopped when a person took over since the turn's message was stored, or is wanted now.

    Switching the AI on again does not bring such a turn back.
    """
    if conversation.blocked:
        raise Stopped("The person is blocked.")
    if not conversation.is_ai_enabled or conversation.held_after >= turn.position:
        raise Stopped("A person took over.")
    if conversation.status == "HUMAN_REQUESTED":
        raise Stopped("A person was asked for.")


def interrupt(turn: Turn, ports: Ports, tables: Tables) -> None:
    """End a turn that nobody works on any more; whoever thinks otherwise is refused from now on."""
    reason = "The process that worked on it ended; the message is kept and was not answered."
    changes = {"state": "interrupted", "reason": reason, "fence": turn.fence + 1, "lease_until": None}
    tables.turns.replace(turn.changed(ports.now(), stranded=True, **changes))
    tell_of_the_end(turn, "interrupted", reason, "", Work(TIME, ports.now(), ports, tables))


async def its_time(mine: Taken, hear: Hear, patience: float) -> bool:
    """Wait until all earlier turns of the conversation are over; False where nobody should wait so long.

    A caller waits for `patience` seconds. A job does not wait for a turn that another job answers, which may
    stand behind it.
    """
    turn, ports = mine.turn, mine.ports
    clock = asyncio.get_running_loop().time
    ends = clock() + patience if mine.job is None else math.inf
    running: Turn | None = turn if turn.state == "running" else None
    while running is None:
        move = LINE.next_move(turn.conversation_id)  # before the look, so that none is missed
        if not await ports.store.read(lambda tables: tables.turns.is_held_up(turn, ports.now())):
            running = await ports.store.write(lambda tables: _claimed(turn, ports, tables))
        if running is None:
            if clock() >= ends or (mine.job is not None and await _is_behind_a_job(turn, ports)):
                return False
            hear(Told("queued", turn.id))
            with mine.waiting():
                await is_set(move, min(_LOOK, ends - clock()))
    mine.turn = running
    return True


async def watch(ports: Ports) -> None:
    """Mark what processes that ended have left behind, now and then, without end."""
    while True:
        try:
            while await recover(ports) == _AT_ONCE:
                continue
        except StorageFailed:
            _log.warning("Turns could not be looked after.", exc_info=True)
        await asyncio.sleep(_WATCH)


async def recover(ports: Ports) -> int:
    """Mark turns that nobody works on any more; how many there were."""

    def marked(tables: Tables) -> int:
        stranded = tables.turns.stranded(ports.now(), _AT_ONCE)
        for turn in stranded:
            interrupt(turn, ports, tables)
        return len(stranded)

    return await ports.store.write(marked)


async def is_set(event: asyncio.Event, seconds: float) -> bool:
    """Whether it is set before the time is over."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await event.wait()
    return False


async def _is_behind_a_job(turn: Turn, ports: Ports) -> bool:
    """Whether a job answers an earlier turn that is not over."""
    earlier = await ports.store.read(lambda tables: tables.turns.open_before(turn))
    return any(each.durable for each in earlier)


def _claimed(turn: Turn, ports: Ports, tables: Tables) -> Turn | None:
    """The turn, running; None while an earlier one of the conversation is not finished."""
    if tables.turns.is_held_up(turn, ports.now()):
        return None
    for earlier in tables.turns.open_before(turn):  # a durable one would have held it up
        interrupt(earlier, ports, tables)
    now = ports.now()
    stored = current(turn, tables)
    running = stored.changed(now, state="running", lease_until=now + LEASE)
    tables.turns.replace(running)
    return running
