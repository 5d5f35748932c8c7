"""The worker: does jobs when they are due. Any number of them may work on one store.

Each kind of job has places of its own, and the worker asks only for kinds that have a free one. So models
that are slow hold up no messages, addresses that hang hold up no answers, and no queue hides what is due.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from vivavoce.domain.jobs import Job, NewJob
from vivavoce.engine.faults import log_fault
from vivavoce.engine.handlers import Errand, Work
from vivavoce.errors import StorageFailed, VivavoceError
from vivavoce.ports import Ports, Tables

from .jobs import KINDS, Lost, finish, places_of, postpone, wait, wait_after

LEASE = timedelta(seconds=10)
"""How long a job is safe from being taken by another worker without a sign of life."""
_BEAT = LEASE / 4
_AT_ONCE = 48
"""How many jobs are claimed together by who waits until they are done."""
_POLL = 0.25
"""Seconds between two looks at what other processes may have stored."""
_PAUSE = 1.0
"""Seconds before the next look after one that failed."""
_TRIES = 15
_CLAIMS = 100
"""How often a job is begun by processes that end before they let go of it."""
_UNKNOWN = 60.0
"""Seconds before a job of a kind that only a newer program knows is looked at again."""
_SENDINGS = frozenset({"send", "post"})
"""Jobs that are brought to their end when the worker stops: what is half sent may have arrived or not."""
_MOMENT = 5.0
"""Seconds that they have for it."""
_log = logging.getLogger(__name__)


class Worker:
    """Claims jobs and does them, many of each kind at a time, one of each lane."""

    def __init__(self, ports: Ports, errand: Callable[[], Errand], standing: Sequence[str] = ()) -> None:
        self.ports, self._errand = ports, errand
        self._standing = standing
        """Kinds of which there is always one job."""
        self._woken = asyncio.Event()
        self._held: dict[tuple[int, int], tuple[Job, asyncio.Task[None]]] = {}
        """By what names a claim: the job and its fence."""
        self._kept_at: datetime | None = None
        self._keepers = 0
        self._beating: asyncio.Task[None] | None = None
        self.is_running = False

    def wake(self) -> None:
        """There may be something to do."""
        self._woken.set()

    async def run(self) -> None:
        """Work for ever; in the end, let go of what is not done, so that another worker may begin at once."""
        self.is_running = True
        async with self._keeping():
            try:
                while True:
                    self._woken.clear()
                    pause = await self._begin_what_is_due()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(pause):
                            await self._woken.wait()
            finally:
                self.is_running = False
                await self._let_go()

    async def place_standing(self) -> None:
        """See to it that the jobs are there that always are, once for all who work on the store."""
        if self._standing:
            now = self.ports.now()
            jobs = [NewJob(kind, kind, now) for kind in self._standing]
            await self.ports.store.write(lambda tables: [tables.jobs.add(job, now) for job in jobs])
            self._standing = ()

    async def finish_due(self, lane: str | None = None) -> int:
        """Do what is due now, and what becomes due by it; how much that was."""
        number = 0
        async with self._keeping():
            while claimed := await self._claim(_AT_ONCE, lane):
                await _all_of([self._begun(job) for job in claimed])
                number += len(claimed)
        return number

    async def _begin_what_is_due(self) -> float:
        """Begin as much as there is room for; how many seconds to wait before the next look."""
        try:
            await self.place_standing()
            due = await self.ports.store.read(lambda tables: tables.jobs.next_of_kinds())
            room, now = self._room(due), self.ports.now()
            seconds = min(((due[kind] - now).total_seconds() for kind in room), default=_POLL)
            if seconds > 0:
                return min(seconds, _POLL)
            room = {kind: places for kind, places in room.items() if due[kind] <= now}
            claimed = await self._claimed(partial(_claimed_of_kinds, room))
        except Exception as error:  # a worker that ends by a fault would leave all that is due undone
            log_fault(_log, "Looking for what is due", error)
            return _PAUSE
        for job in claimed:
            _ = self._begun(job)
        taken = Counter(job.kind for job in claimed)
        return 0.0 if any(taken[kind] >= places for kind, places in room.items()) else _POLL

    def _room(self, kinds: Iterable[str]) -> dict[str, int]:
        """How many more jobs of each of these kinds may begin; those that are full are left out."""
        held = Counter(job.kind for job, _ in self._held.values())
        room = {kind: places_of(kind) - held[kind] for kind in kinds}
        return {kind: places for kind, places in room.items() if places > 0}

    async def _claim(self, limit: int, lane: str | None = None) -> list[Job]:
        return await self._claimed(lambda tables, now: tables.jobs.claim(now, now + LEASE, limit, lane))

    async def _claimed(self, claim: Callable[[Tables, datetime], list[Job]]) -> list[Job]:
        now = self.ports.now()
        if self._held and (self._kept_at is None or now - self._kept_at > 2 * _BEAT):
            await self._keep()  # the clock jumped: else we would take from ourselves what we work on
        return await self.ports.store.write(lambda tables: claim(tables, now))

    def _begun(self, job: Job) -> asyncio.Task[None]:
        """Do a job from now on; whoever does it here under an earlier claim has lost it."""
        for held, task in self._held.values():
            if held.seq == job.seq:
                task.cancel()
        task = asyncio.create_task(self._do(job))
        self._held[job.seq, job.fence] = (job, task)
        task.add_done_callback(partial(self._ended, job))
        return task

    def _ended(self, job: Job, task: asyncio.Task[None]) -> None:
        del self._held[job.seq, job.fence]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log_fault(_log, f"What came of a job of kind {job.kind}", error)
        self.wake()  # the next one of its lane may be due

    async def _do(self, job: Job) -> None:
        """Do a job; what goes wrong is stored with it, and none stops the others."""
        kind, errand = KINDS.get(job.kind), replace(self._errand(), since=job.due_at)
        try:
            if kind is None:
                await errand.write(lambda work: wait(job, _UNKNOWN, work))
            elif job.attempts > _TRIES:
                await self._give_up(job, f"Given up after {_TRIES} tries.")
            elif job.claims > _CLAIMS:
                await self._give_up(job, f"Given up: the process ended each time, {_CLAIMS} times.")
            else:
                await kind.do(job, errand)
        except Lost:
            pass
        except asyncio.CancelledError:
            await asyncio.shield(self._put_back(lambda work: wait(job, 0.0, work)))
            raise
        except Exception as error:  # one job with a fault that nobody foresaw must not stop the others
            is_foreseen = isinstance(error, VivavoceError)
            level = logging.WARNING if is_foreseen else logging.ERROR
            log_fault(_log, f"A job of kind {job.kind}", error, level)
            await self._put_back(lambda work: postpone(job, wait_after(job.attempts), work))

    async def _give_up(self, job: Job, reason: str) -> None:
        def given_up(work: Work) -> None:
            finish(job, work)
            KINDS[job.kind].give_up(job, reason, work)

        await self._errand().write(given_up)

    async def _put_back(self, put: Callable[[Work], None]) -> None:
        with suppress(Lost, StorageFailed):  # else it is due again when the lease ends
            await self._errand().write(put)

    @asynccontextmanager
    async def _keeping(self) -> AsyncIterator[None]:
        """Keep what is worked on until the block ends."""
        self._keepers += 1
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            self._keepers -= 1
            if self._keepers == 0:
                self._beating.cancel()
                self._beating = None

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT.total_seconds())
            try:
                await self._keep()
            except Exception as error:  # there are more beats in a lease than one
                log_fault(_log, "Looking after jobs", error)

    async def _keep(self) -> None:
        """Keep what is worked on; stop what is not ours any more."""
        now, jobs = self.ports.now(), [job for job, _ in self._held.values()]
        if jobs:
            ours = await self.ports.store.write(partial(_kept, jobs, now + LEASE))
            lost = [job for job in jobs if job.seq not in ours]
            for _, task in filter(None, [self._held.get((job.seq, job.fence)) for job in lost]):
                task.cancel()
        self._kept_at = now

    async def _let_go(self) -> None:
        """Bring to an end what is being sent, and stop the rest."""
        sendings = [task for job, task in self._held.values() if job.kind in _SENDINGS]
        tasks = [task for _, task in self._held.values()]
        for task in tasks:
            if task not in sendings:
                task.cancel()
        try:
            if sendings:
                await asyncio.wait(sendings, timeout=_MOMENT)
        finally:
            await _stopped(tasks)


def _claimed_of_kinds(room: Mapping[str, int], tables: Tables, now: datetime) -> list[Job]:
    """As many jobs of each kind as there is room for, those that wait longest first."""
    claimed = [
        job for kind, places in room.items() for job in tables.jobs.claim(now, now + LEASE, places, kind=kind)
    ]
    return sorted(claimed, key=lambda job: job.due_at)


def _kept(jobs: Sequence[Job], until: datetime, tables: Tables) -> set[int]:
    return tables.jobs.hold(jobs, until)


async def _all_of(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Wait until all are done; who waits no longer stops them."""
    try:
        await asyncio.wait(tasks)
    finally:
        await _stopped(tasks)
    for task in tasks:
        if not task.cancelled():
            task.result()


async def _stopped(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Stop those that are not done, and let each put back what it did."""
    left = [task for task in tasks if not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left)
