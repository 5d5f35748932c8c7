"""Looks at turns that are worked on here: a sign of life now and then, and whether they are still ours."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from vivavoce.domain.turns import Turn
from vivavoce.errors import StorageFailed
from vivavoce.ports import Ports, Store, Tables

from .opening import LEASE
from .turns import LINE, Stopped, Taken, as_taken, check_nobody_took_over, current, is_set

_BEAT = LEASE.total_seconds() / 4
_LOOK = 1.0
"""Seconds between two looks at what another process may have changed."""
_log = logging.getLogger(__name__)


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


async def _beat(mine: Taken) -> None:
    """Extend the lease now and then, and look at the turn whenever its conversation is changed here."""
    clock, ports = asyncio.get_running_loop().time, mine.ports
    due = clock() + _BEAT
    move = LINE.next_move(mine.turn.conversation_id)
    while mine.stopped is None:
        await is_set(move, due - clock())
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
            check_nobody_took_over(conversation, as_taken(mine.turn, turns.get(mine.turn.id)))
        except Stopped as stopped:
            found.append((mine, stopped))
    return found
