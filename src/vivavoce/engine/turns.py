"""Turns: one at a time in each conversation, in the order of the messages, across processes too."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.turns import Turn, TurnState
from vivavoce.errors import StorageFailed
from vivavoce.operations import Hear, Told
from vivavoce.ports import Ports, Tables

from .opening import LEASE

_BEAT = LEASE.total_seconds() / 4
_LOOK = 1.0
"""Seconds between two looks at turns that another process works on."""
_SOON = 0.1
"""And after a turn has ended here, until what became of it is stored."""
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
    """Who waits in which conversation of this process, so that the next one begins at once."""

    def __init__(self) -> None:
        self._moved: dict[str, asyncio.Event] = {}

    def next_move(self, conversation_id: str) -> asyncio.Event:
        """Is set when the next turn of the conversation ends here."""
        return self._moved.setdefault(conversation_id, asyncio.Event())

    def moved(self, conversation_id: str) -> None:
        """Say that a turn of the conversation has ended."""
        event = self._moved.pop(conversation_id, None)
        if event is not None:
            event.set()


LINE = Line()


@dataclass
class Taken:
    """A turn that is being worked on here."""

    turn: Turn
    ports: Ports

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


def current(turn: Turn, tables: Tables) -> Turn:
    """The turn as it is stored; Stopped when another worker has it."""
    stored = tables.turns.find(turn.id)
    if stored is None or stored.fence != turn.fence or stored.state not in ("waiting", "running"):
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


@asynccontextmanager
async def taken(mine: Taken, hear: Hear) -> AsyncIterator[None]:
    """Wait until it is the turn's time; it shows signs of life until the block ends."""
    turn, ports = mine.turn, mine.ports
    beating = asyncio.create_task(_beat(turn, ports))
    try:
        running: Turn | None = turn if turn.state == "running" else None
        patience = _LOOK
        while running is None:
            move = LINE.next_move(turn.conversation_id)  # before the look, so that none is missed
            if not await ports.store.read(lambda tables: tables.turns.is_held_up(turn, ports.now())):
                running = await ports.store.write(lambda tables: _claimed(turn, ports, tables))
            if running is None:
                hear(Told("queued", turn.id))
                patience = _SOON if await _is_set(move, patience) else _LOOK
        mine.turn = running
        yield
    finally:
        beating.cancel()
        LINE.moved(turn.conversation_id)


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
            tables.turns.replace(_interrupted(turn, ports))
        return len(stranded)

    return await ports.store.write(marked)


async def _is_set(event: asyncio.Event, seconds: float) -> bool:
    """Whether it is set before the time is over."""
    with suppress(TimeoutError):
        return await asyncio.wait_for(event.wait(), seconds)
    return False


def _claimed(turn: Turn, ports: Ports, tables: Tables) -> Turn | None:
    """The turn, running; None while an earlier one of the conversation is not finished."""
    if tables.turns.is_held_up(turn, ports.now()):
        return None
    for earlier in tables.turns.open_before(turn):
        tables.turns.replace(_interrupted(earlier, ports))
    now = ports.now()
    stored = current(turn, tables)
    running = stored.changed(now, state="running", lease_until=now + LEASE)
    tables.turns.replace(running)
    return running


def _interrupted(turn: Turn, ports: Ports) -> Turn:
    reason = "The process that worked on it ended; the message is kept and was not answered."
    return turn.changed(
        ports.now(), state="interrupted", reason=reason, fence=turn.fence + 1, lease_until=None
    )


async def _beat(turn: Turn, ports: Ports) -> None:
    """Extend the lease now and then."""

    def extended(tables: Tables) -> bool:
        stored = tables.turns.find(turn.id)
        if stored is None or stored.fence != turn.fence or stored.lease_until is None:
            return False
        now = ports.now()
        tables.turns.replace(stored.changed(now, lease_until=now + LEASE))
        return True

    while True:
        await asyncio.sleep(_BEAT)
        try:
            if not await ports.store.write(extended):
                return
        except StorageFailed:  # there are more beats in a lease than one
            _log.warning("The lease of a turn could not be extended.", exc_info=True)
