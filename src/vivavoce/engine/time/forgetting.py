"""Forgetting: records of work that was finished long ago are removed, a few at a time. What was said stays.

One job does it, so that it happens once however many processes work. It never ends: it puts itself off.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from vivavoce.domain.jobs import Job, NewJob
from vivavoce.domain.turns import TurnState
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.turns.records import brief_calls
from vivavoce.ports import Table, Tables

from .jobs import check_ours, does, finish, wait

FORGET = "forget"
_AT_ONCE = 500
"""How many records are removed in one transaction: few enough that nobody notices having waited for it."""
_TURNS = 100
"""How many turns are looked at in one: their traces are long."""
_BREATH, _REST = 0.25, 3_600.0
"""Seconds before the next ones, and seconds after the last."""
_OVER: tuple[TurnState, ...] = ("answered", "silent")
"""Turns that nobody has to look at: those that failed or were interrupted can still be answered."""


def _given_up(job: Job, reason: str, work: Work) -> None:
    """Begin again another day."""
    work.tables.jobs.add(
        NewJob(job.key, job.kind, work.now + timedelta(days=1), job.lane, job.facts), work.now
    )


@does(FORGET, gives_up=_given_up, at_once=1)
async def forget(job: Job, errand: Errand) -> None:
    """Remove some records that are old enough, in one transaction, and come back for the rest."""
    await errand.write(lambda work: _forgotten(job, errand.keeps, work))


def _forgotten(job: Job, keeps: timedelta | None, work: Work) -> None:
    if keeps is None:
        finish(job, work)
        return
    check_ours(job, work)
    before, room = work.now - keeps, _AT_ONCE
    for table, which in _finished(work.tables):
        if room > 0:
            room -= table.clear(before, room, **which)
    last, seen = _without_traces(job.facts.get("turns", ""), before, min(room, _TURNS), work)
    is_done = seen < min(room, _TURNS)
    wait(job, _REST if is_done else _BREATH, work, {"turns": last})


def _finished(tables: Tables) -> tuple[tuple[Table[Any], dict[str, str]], ...]:
    """Which records nobody has to look at any more.

    What failed or is uncertain is not among them, and what was withdrawn tells that it never went out.
    """
    return (
        (tables.arrivals, {"state": "done"}),
        (tables.arrivals, {"state": "passed_over"}),
        (tables.deliveries, {"state": "sent"}),
        (tables.events, {}),
    )


def _without_traces(last: str, before: datetime, limit: int, work: Work) -> tuple[str, int]:
    """Take their traces from the turns after the last one, in the order in which turns are made.

    The one that was looked at last, and how many there were.
    """
    seen = 0
    for turn in work.tables.turns.after(last, limit):
        if max(turn.created_at, turn.updated_at) >= before:
            break
        last, seen = turn.id, seen + 1
        if turn.state in _OVER and turn.trace:
            work.tables.turns.replace(turn.model_copy(update={"trace": brief_calls(turn.trace)}))
    return last, seen
