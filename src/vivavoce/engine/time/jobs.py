"""Jobs: which function does what is to be done later, and how it says that it is done."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from vivavoce.domain.jobs import Job
from vivavoce.domain.keys import Scope
from vivavoce.engine.handlers import Errand, Work
from vivavoce.operations import Caller

TIME = Caller(id="time", name="time", scopes=frozenset(Scope))
"""Who asks where nobody does: time itself."""

AT_ONCE = 24
"""How many jobs of a kind are under way in a process, where its function says nothing else.

That is enough for those that only store something. Kinds that wait for others say how many of them may wait.
"""
_FIRST, _LONGEST = 1.0, 600.0
_chance = random.Random()
_SPREAD = 0.2

Do = Callable[[Job, Errand], Awaitable[None]]
GiveUp = Callable[[Job, str, Work], None]


class Lost(Exception):
    """The job is not ours any more: someone else took it, or it was cancelled. Nothing of it is stored."""


@dataclass(frozen=True)
class Kind:
    """How jobs of one kind are done."""

    do: Do
    """Does it. The transaction that stores what came of it finishes or postpones the job, too."""
    give_up: GiveUp
    """Stores that it failed for good, and why; the worker finishes the job in the same transaction."""
    at_once: int = AT_ONCE
    """How many are under way in a process: each kind has its own places, so that none takes another's."""


KINDS: dict[str, Kind] = {}


def does(kind: str, *, gives_up: GiveUp, at_once: int = AT_ONCE) -> Callable[[Do], Do]:
    """Mark a coroutine as what does jobs of a kind; one that is not finished may be begun again."""

    def register(do: Do) -> Do:
        if kind in KINDS:
            raise TypeError(f"jobs of kind {kind} are done already")
        KINDS[kind] = Kind(do, gives_up, at_once)
        return do

    return register


def places_of(kind: str) -> int:
    """How many jobs of a kind are under way in a process at most."""
    return KINDS[kind].at_once if kind in KINDS else AT_ONCE


def finish(job: Job, work: Work) -> None:
    """The job is done with what this transaction stores; Lost, and nothing is stored, if it is not ours."""
    if not work.tables.jobs.finish(job):
        raise Lost(job.key)


def postpone(job: Job, seconds: float, work: Work) -> None:
    """Do the job later, as it failed; Lost if it is not ours."""
    if not work.tables.jobs.postpone(job, work.now + timedelta(seconds=seconds)):
        raise Lost(job.key)


def wait(job: Job, seconds: float, work: Work, facts: Mapping[str, Any] | None = None) -> None:
    """Do the job later, though nothing is wrong with it: this was no attempt. Lost if it is not ours.

    It keeps its facts, unless there are others.
    """
    if not work.tables.jobs.postpone(job, work.now + timedelta(seconds=seconds), facts, has_failed=False):
        raise Lost(job.key)


def check_ours(job: Job, work: Work) -> None:
    """Lost if the job is not ours; if it is, nobody takes it before this is stored."""
    if not work.tables.jobs.is_ours(job):
        raise Lost(job.key)


def check_seems_ours(job: Job, work: Work) -> None:
    """Lost if the job is not ours any more, as far as one who only reads can see."""
    if not work.tables.jobs.seems_ours(job):
        raise Lost(job.key)


def wait_after(attempts: int) -> float:
    """Seconds before the next attempt: twice as many each time, and never the same for two that failed."""
    return spread(min(_FIRST * 2 ** min(attempts - 1, 20), _LONGEST))


def spread(seconds: float) -> float:
    """About so many seconds, so that those who failed together do not come back together."""
    return seconds * _chance.uniform(1 - _SPREAD, 1 + _SPREAD)
