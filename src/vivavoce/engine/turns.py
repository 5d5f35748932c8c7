"""Turns: one at a time in each conversation, in the order of the messages, across processes too."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.turns import OPEN, Turn, TurnState
from vivavoce.errors import StorageFailed
from vivavoce.operations import Hear, Told
from vivavoce.ports import Ports, Store, Tables

from .opening import LEASE

_BEAT = LEASE.total_seconds() / 4
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
        self._moved: dict[str, asyncio.Event] = {}

    def next_move(self, conversation_id: str) -> asyncio.Event:
        """Is set when a turn of the conversation ends here, or someone changes it here."""
        return self._moved.setdefault(conversation_id, asyncio.Event())

    def moved(self, conversation_id: str) -> None:
        """Say that something has changed in the conversation, once it is stored."""
        event = self._moved.pop(conversation_id, None)
        if event is not None:
            event.set()


LINE = Line()


@dataclass
class Taken:
    """A turn that is being worked on here."""

    turn: Turn
    ports: Ports
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
        turn = current(self.turn, tables)
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

    def _check(self) -> None:
        if self.stopped is not None:
            raise self.stopped


def current(turn: Turn, tables: Tables) -> Turn:
    """The turn as it is stored; Stopped when another worker has it."""
    return _as_taken(turn, tables.turns.find(turn.id))


def _as_taken(turn: Turn, stored: Turn | None) -> Turn:
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


def interrupted(turn: Turn, ports: Ports) -> Turn:
    """A turn that nobody works on any more; whoever thinks otherwise is refused from now on."""
    reason = "The process that worked on it ended; the message is kept and was not answered."
    return turn.changed(
        ports.now(), state="interrupted", reason=reason, fence=turn.fence + 1, lease_until=None
    )


@asynccontextmanager
async def alive(mine: Taken) -> AsyncIterator[None]:
    """Show signs of life until the block ends; the next one begins after what became of it is stored."""
    beating = asyncio.create_task(_beat(mine))
    looks = _LOOKS.setdefault(mine.ports.store, _Looks())
    looks.add(mine)
    try:
        yield
    finally:
        beating.cancel()
        looks.drop(mine)
        LINE.moved(mine.turn.conversation_id)


async def its_time(mine: Taken, hear: Hear) -> None:
    """Wait until all earlier turns of the conversation are over."""
    turn, ports = mine.turn, mine.ports
    running: Turn | None = turn if turn.state == "running" else None
    while running is None:
        move = LINE.next_move(turn.conversation_id)  # before the look, so that none is missed
        if not await ports.store.read(lambda tables: tables.turns.is_held_up(turn, ports.now())):
            running = await ports.store.write(lambda tables: _claimed(turn, ports, tables))
        if running is None:
            hear(Told("queued", turn.id))
            with mine.waiting():
                await _is_set(move, _LOOK)
    mine.turn = running


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
            tables.turns.replace(interrupted(turn, ports))
        return len(stranded)

    return await ports.store.write(marked)


async def _is_set(event: asyncio.Event, seconds: float) -> bool:
    """Whether it is set before the time is over."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await event.wait()
    return False


def _claimed(turn: Turn, ports: Ports, tables: Tables) -> Turn | None:
    """The turn, running; None while an earlier one of the conversation is not finished."""
    if tables.turns.is_held_up(turn, ports.now()):
        return None
    for earlier in tables.turns.open_before(turn):
        tables.turns.replace(interrupted(earlier, ports))
    now = ports.now()
    stored = current(turn, tables)
    running = stored.changed(now, state="running", lease_until=now + LEASE)
    tables.turns.replace(running)
    return running


async def _beat(mine: Taken) -> None:
    """Extend the lease now and then, and look at the turn whenever its conversation is changed here."""
    clock, ports = asyncio.get_running_loop().time, mine.ports
    due = clock() + _BEAT
    move = LINE.next_move(mine.turn.conversation_id)
    while mine.stopped is None:
        await _is_set(move, due - clock())
        move = LINE.next_move(mine.turn.conversation_id)  # before the look, so that none is missed
        try:
            if clock() >= due:
                due = clock() + _BEAT
                await ports.store.write(lambda tables: _extended(mine.turn, ports, tables))
            else:
                await _look([mine])
        except Stopped as stopped:
            mine.stop(stopped)
        except StorageFailed:  # there are more beats in a lease than one
            _log.warning("A turn could not be looked after.", exc_info=True)


def _extended(turn: Turn, ports: Ports, tables: Tables) -> None:
    now = ports.now()
    tables.turns.replace(current(turn, tables).changed(now, lease_until=now + LEASE))


class _Looks:
    """Looks at the turns that are worked on here, all together: one read a second, however many they are."""

    def __init__(self) -> None:
        self._taken: dict[str, Taken] = {}
        self._looking: asyncio.Task[None] | None = None

    def add(self, mine: Taken) -> None:
        self._taken[mine.turn.id] = mine
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on())

    def drop(self, mine: Taken) -> None:
        del self._taken[mine.turn.id]
        if not self._taken and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _look_on(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            try:
                await _look(list(self._taken.values()))
            except StorageFailed:
                _log.warning("Turns could not be looked at.", exc_info=True)


_LOOKS: WeakKeyDictionary[Store, _Looks] = WeakKeyDictionary()
"""For each store of this process."""


async def _look(taken: Sequence[Taken]) -> None:
    """Stop those of the turns that are not ours to answer any more; all are of one store."""
    for mine, stopped in await taken[0].ports.store.read(lambda tables: _not_ours(taken, tables)):
        mine.stop(stopped)


def _not_ours(taken: Sequence[Taken], tables: Tables) -> list[tuple[Taken, Stopped]]:
    turns = {turn.id: turn for turn in tables.turns.within("id", [mine.turn.id for mine in taken])}
    ids = list({mine.turn.conversation_id for mine in taken})
    conversations = {each.id: each for each in tables.conversations.within("id", ids)}
    found = []
    for mine in taken:
        conversation = conversations.get(mine.turn.conversation_id)
        try:
            if conversation is None:
                raise Stopped("The conversation was deleted.")
            check_nobody_took_over(conversation, _as_taken(mine.turn, turns.get(mine.turn.id)))
        except Stopped as stopped:
            found.append((mine, stopped))
    return found
