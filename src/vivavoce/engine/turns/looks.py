"""Looks at turns that are worked on here: a sign of life now and then, and whether they are still ours."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from weakref import WeakKeyDictionary

from vivavoce.ports import Store, Tables, others_first

from .lanes import LINE, Stopped, Taken, as_taken, check_nobody_took_over, is_set
from .opening import LEASE

_BEAT = LEASE.total_seconds() / 4
"""Seconds between two signs of life."""
_LOOK = 1.0
"""Seconds between two looks at what another process may have changed."""
_TOGETHER = 10
"""How many turns are looked at in one read, so that it is short."""
_log = logging.getLogger(__name__)


@asynccontextmanager
async def alive(mine: Taken) -> AsyncIterator[None]:
    """Show signs of life until the block ends; the next one begins after what became of it is stored."""
    looks = _LOOKS.setdefault(mine.ports.store, _Looks())
    looks.add(mine)
    try:
        with LINE.watched(mine.turn.conversation_id, lambda: looks.look_at(mine)):
            yield
    finally:
        looks.drop(mine)
        LINE.moved(mine.turn.conversation_id)


class _Looks:
    """Looks at the turns that are worked on here, all together.

    Some short reads a second and one write a beat, however many they are; and a look at a turn whose
    conversation is changed here, at once.
    """

    def __init__(self) -> None:
        self._taken: dict[int, Taken] = {}
        """By which one it is: a turn may be taken anew before who had it has let go of it."""
        self._changed: dict[int, Taken] = {}
        self._is_changed = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    def add(self, mine: Taken) -> None:
        self._taken[id(mine)] = mine
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_on())

    def drop(self, mine: Taken) -> None:
        del self._taken[id(mine)]
        self._changed.pop(id(mine), None)
        if not self._taken and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def look_at(self, mine: Taken) -> None:
        """Look at this one now."""
        self._changed[id(mine)] = mine
        self._is_changed.set()

    async def _look_on(self) -> None:
        clock = asyncio.get_running_loop().time
        next_look, next_beat = clock() + _LOOK, clock() + _BEAT
        while True:
            await is_set(self._is_changed, max(0.0, next_look - clock()))
            self._is_changed.clear()
            taken, self._changed = list(self._changed.values()), {}
            if clock() >= next_look:
                next_look, taken = clock() + _LOOK, list(self._taken.values())
            try:
                if clock() >= next_beat:
                    next_beat = clock() + _BEAT
                    await _show_life(list(self._taken.values()))
                await _look(taken)
            except Exception:  # all turns of this process live by it, and a lease has more beats
                _log.warning("Turns could not be looked after.", exc_info=True)


_LOOKS: WeakKeyDictionary[Store, _Looks] = WeakKeyDictionary()
"""For each store of this process."""


async def _show_life(taken: Sequence[Taken]) -> None:
    """Extend the leases of turns, as far as they are still ours; all are of one store."""
    turns = [mine.turn for mine in taken if mine.job is None]  # a job has a lease of its own
    if turns:
        ports = taken[0].ports
        await ports.store.write(lambda tables: tables.turns.extend(turns, ports.now() + LEASE))


async def _look(taken: Sequence[Taken]) -> None:
    """Stop those of the turns that are not ours to answer any more; all are of one store."""
    for start in range(0, len(taken), _TOGETHER):
        some = taken[start : start + _TOGETHER]
        for mine, stopped in await some[0].ports.store.read(partial(_not_ours, some)):
            mine.stop(stopped)
        await others_first()


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
