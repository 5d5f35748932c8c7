"""What every store promises of jobs: order within a lane, one holder at a time, nothing lost or doubled."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta

import pytest

from vivavoce.adapters.sql.jobs import JobRows
from vivavoce.domain.jobs import Job, NewJob
from vivavoce.ports import Store

from .entities import NOON
from .workspaces import Workspace

LEASE = timedelta(seconds=10)


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


class Work:
    """The jobs of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def add(self, key: str, due: float = 0, lane: str = "", kind: str = "test", **facts) -> bool:
        job = NewJob(key, kind, at(due), lane, facts)
        return await self.store.write(lambda tables: tables.jobs.add(job, NOON))

    async def claim(
        self, now: float = 0, limit: int = 100, lane: str | None = None, kind: str | None = None
    ) -> list[Job]:
        until = at(now) + LEASE
        return await self.store.write(lambda tables: tables.jobs.claim(at(now), until, limit, lane, kind))

    async def claimed(self, now: float = 0, limit: int = 100) -> list[str]:
        return [job.key for job in await self.claim(now, limit)]

    async def finish(self, job: Job) -> bool:
        return await self.store.write(lambda tables: tables.jobs.finish(job))

    async def postpone(self, job: Job, due: float, facts=None) -> bool:
        return await self.store.write(lambda tables: tables.jobs.postpone(job, at(due), facts))

    async def hold(self, jobs: list[Job], until: float) -> set[int]:
        return await self.store.write(lambda tables: tables.jobs.hold(jobs, at(until)))

    async def move(self, key: str, due: float, **more: bool) -> bool:
        return await self.store.write(lambda tables: tables.jobs.move(key, at(due), **more))

    async def cancel(self, key: str) -> bool:
        return await self.store.write(lambda tables: tables.jobs.cancel(key))

    async def is_ours(self, job: Job) -> bool:
        return await self.store.write(lambda tables: tables.jobs.is_ours(job))

    async def seems_ours(self, job: Job) -> bool:
        return await self.store.read(lambda tables: tables.jobs.seems_ours(job))

    async def due(self, key: str):
        return await self.store.read(lambda tables: tables.jobs.due(key))

    async def next_due(self):
        return min((await self.next_of_kinds()).values(), default=None)

    async def next_of_kinds(self):
        return await self.store.read(lambda tables: tables.jobs.next_of_kinds())

    async def number(self, kind: str | None = None) -> int:
        return await self.store.read(lambda tables: tables.jobs.number(kind))


@pytest.fixture(params=["sqlite", "postgres"])
def workspace(request, tmp_path) -> Workspace:
    """An empty workspace on each database."""
    if request.param == "sqlite":
        return Workspace(tmp_path / "store.db")
    return Workspace(request.getfixturevalue("postgres_schema"))


@pytest.fixture
def open_store(workspace) -> Callable[[], AbstractContextManager[Store]]:
    """Opens the same workspace each time."""
    return workspace.opened


@pytest.fixture
def store(open_store) -> Iterator[Store]:
    with open_store() as store:
        yield store


@pytest.fixture
def jobs(store) -> Work:
    return Work(store)


# When and in which order


async def test_a_job_is_claimed_when_it_is_due_and_not_before(jobs):
    await jobs.add("one", due=5, text="é", number=0)

    assert await jobs.claim(4.999) == []
    (job,) = await jobs.claim(5)

    assert (job.key, job.lane, job.kind, job.attempts) == ("one", "one", "test", 1)
    assert job.facts == {"text": "é", "number": 0}
    assert (job.created_at, job.due_at) == (NOON, at(5))


async def test_jobs_of_a_lane_are_done_one_at_a_time_in_the_order_in_which_they_were_added(jobs):
    for key, due in (("first", 3), ("second", 1), ("third", 2)):
        await jobs.add(key, due, lane="talk")

    assert await jobs.claim(2) == []  # the second waits for the first, although it is due
    done = []
    while claimed := await jobs.claim(3):
        (job,) = claimed
        assert await jobs.claim(3) == []
        done.append(job.key)
        assert await jobs.finish(job)

    assert done == ["first", "second", "third"]
    assert (await jobs.number(), await jobs.next_due()) == (0, None)


async def test_lanes_go_on_beside_each_other_those_that_wait_longest_first(jobs):
    await jobs.add("b1", 2, lane="b")
    await jobs.add("a1", 1, lane="a")
    await jobs.add("a2", 1, lane="a")
    await jobs.add("alone", 0)

    assert await jobs.claimed(2, limit=2) == ["alone", "a1"]
    assert await jobs.claimed(2) == ["b1"]
    assert await jobs.claimed(2) == []


async def test_a_single_lane_can_be_claimed(jobs):
    await jobs.add("a1", lane="a")
    await jobs.add("b1", lane="b")

    assert [job.key for job in await jobs.claim(0, lane="b")] == ["b1"]
    assert [job.key for job in await jobs.claim(0, lane="nothing")] == []


async def test_of_a_key_there_is_one_job(jobs):
    assert await jobs.add("one", due=5, first=True)
    assert not await jobs.add("one", due=1, first=False)

    assert await jobs.due("one") == at(5)
    (job,) = await jobs.claim(5)
    assert job.facts == {"first": True}
    assert not await jobs.add("one")
    await jobs.finish(job)
    assert await jobs.add("one", due=9)


async def test_what_is_due_next_and_how_much_there_is(jobs):
    assert (await jobs.next_due(), await jobs.number(), await jobs.due("one")) == (None, 0, None)
    await jobs.add("one", 7, kind="a")
    await jobs.add("two", 3, kind="b")

    assert await jobs.next_due() == at(3)
    assert (await jobs.number(), await jobs.number("a"), await jobs.number("c")) == (2, 1, 0)


async def test_jobs_of_one_kind_can_be_claimed_past_those_of_others_that_wait_longer(jobs):
    assert await jobs.next_of_kinds() == {}
    for number in range(5):
        await jobs.add(f"slow{number}", number, kind="slow")
    await jobs.add("quick", 9, kind="quick")

    assert await jobs.next_of_kinds() == {"slow": at(0), "quick": at(9)}
    assert [job.key for job in await jobs.claim(9, limit=3, kind="quick")] == ["quick"]
    assert [job.key for job in await jobs.claim(9, limit=2, kind="slow")] == ["slow0", "slow1"]
    assert await jobs.claim(9, kind="other") == []
    assert await jobs.next_of_kinds() == {"slow": at(2), "quick": at(19)}


async def test_a_lane_is_of_the_kind_of_the_job_that_is_first_in_it(jobs):
    await jobs.add("one", lane="mixed", kind="a")
    await jobs.add("two", lane="mixed", kind="b")
    await jobs.add("three", lane="mixed", kind="a")

    assert await jobs.claim(0, kind="b") == []
    (one,) = await jobs.claim(0, kind="a")
    assert await jobs.finish(one)
    assert await jobs.claim(0, kind="a") == []
    assert await jobs.cancel("two")
    assert [job.key for job in await jobs.claim(0, kind="a")] == ["three"]


async def test_jobs_are_there_when_the_store_is_opened_again(open_store):
    with open_store() as store:
        await Work(store).add("one", 1, lane="talk")
        await Work(store).add("two", 1, lane="talk")
        await Work(store).claim(1)

    with open_store() as store:
        again = Work(store)
        assert await again.claim(1) == []
        (job,) = await again.claim(11)
        assert (job.key, job.attempts, job.claims) == ("one", 1, 2)


async def test_a_job_is_stored_with_what_it_belongs_to_or_not_at_all(jobs):
    def broken(tables):
        tables.jobs.add(NewJob("one", "test", NOON), NOON)
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError):
        await jobs.store.write(broken)

    assert await jobs.claim() == []


# Leases and fences


async def test_who_does_not_renew_a_lease_has_lost_the_job_and_stores_nothing_any_more(jobs):
    await jobs.add("one")
    (late,) = await jobs.claim(0)

    assert await jobs.claim(9.999) == []
    (now,) = await jobs.claim(10)

    assert (now.seq, now.attempts, now.claims) == (late.seq, 1, 2)
    assert now.fence > late.fence
    assert (await jobs.is_ours(late), await jobs.seems_ours(late)) == (False, False)
    assert not await jobs.finish(late)
    assert not await jobs.postpone(late, 99)
    assert await jobs.hold([late], 99) == set()
    assert (await jobs.is_ours(now), await jobs.seems_ours(now)) == (True, True)
    assert await jobs.finish(now)
    assert not await jobs.finish(now)


async def test_a_lease_that_is_renewed_holds(jobs):
    await jobs.add("one")
    await jobs.add("two")
    both = await jobs.claim(0)

    assert await jobs.hold(both, 25) == {job.seq for job in both}

    assert await jobs.claim(24) == []
    assert len(await jobs.claim(25)) == 2


class Counted:
    """A connection that counts what it is asked."""

    def __init__(self, connection) -> None:
        self.dialect, self._connection, self.number = connection.dialect, connection, 0

    def execute(self, sql, values, /):
        self.number += 1
        return self._connection.execute(sql, values)


async def test_the_leases_of_all_that_a_process_works_on_are_renewed_in_one_statement(jobs):
    for number in range(300):
        await jobs.add(f"job{number}")
    held = await jobs.claim(0, 300)
    lost, gone, *ours = held
    await jobs.finish(gone)
    await jobs.postpone(lost, 0)

    def renewed(tables):
        counted = Counted(tables.connection)
        return JobRows(counted).hold(held, at(25)), counted.number

    assert await jobs.store.write(renewed) == ({job.seq for job in ours}, 1)
    assert [job.key for job in await jobs.claim(24, 300)] == [lost.key]
    assert len(await jobs.claim(25, 300)) == len(ours)


async def test_nothing_is_renewed_where_nothing_is_worked_on(jobs):
    assert await jobs.hold([], 25) == set()


async def test_a_fence_still_holds_when_the_lane_was_emptied_and_filled_again(jobs):
    await jobs.add("one", lane="talk")
    (late,) = await jobs.claim(0)
    (now,) = await jobs.claim(20)
    await jobs.finish(now)
    await jobs.add("two", lane="talk")
    (other,) = await jobs.claim(20)

    assert not await jobs.finish(late)
    assert not await jobs.is_ours(late)
    assert await jobs.is_ours(other)


# Later, elsewhere, not at all


async def test_what_is_put_off_keeps_its_place_before_those_behind_it(jobs):
    await jobs.add("first", lane="talk", tries=0)
    await jobs.add("second", lane="talk")
    (job,) = await jobs.claim(0)

    assert await jobs.postpone(job, 5, {"tries": 1})
    assert not await jobs.is_ours(job)

    assert await jobs.claim(4) == []
    (again,) = await jobs.claim(5)
    assert (again.key, again.facts, again.attempts) == ("first", {"tries": 1}, 2)


async def test_what_is_put_off_without_facts_keeps_those_that_it_has(jobs):
    await jobs.add("one", number=1)
    (job,) = await jobs.claim(0)
    await jobs.postpone(job, 5)

    (again,) = await jobs.claim(5)
    assert again.facts == {"number": 1}


async def test_what_was_no_attempt_is_not_counted_as_one(jobs):
    await jobs.add("one")
    (job,) = await jobs.claim(0)
    await jobs.store.write(lambda tables: tables.jobs.postpone(job, at(5), has_failed=False))

    (again,) = await jobs.claim(5)
    assert again.attempts == 1


async def test_a_job_can_be_moved_while_nobody_works_on_it(jobs):
    await jobs.add("one", 5)

    assert await jobs.move("one", 9)
    assert await jobs.claim(8) == []
    assert await jobs.move("one", 2)
    assert await jobs.next_due() == at(2)
    (job,) = await jobs.claim(2)
    assert not await jobs.move("one", 20)

    assert await jobs.finish(job)
    assert not await jobs.move("one", 1)


async def test_a_job_that_failed_is_put_off_further_but_not_brought_forward(jobs):
    await jobs.add("one")
    (job,) = await jobs.claim(0)
    await jobs.postpone(job, 20)

    assert await jobs.move("one", 5)
    assert await jobs.next_due() == at(20)
    assert await jobs.move("one", 30)
    assert await jobs.next_due() == at(30)


async def test_who_has_looked_at_a_job_that_is_his_keeps_it_until_it_is_stored(open_store):
    """Who would cancel it meanwhile waits."""
    with open_store() as one, open_store() as two:
        await Work(one).add("one")
        (job,) = await Work(one).claim(0)
        has_looked, may_go_on = threading.Event(), threading.Event()

        def looks(tables):
            assert tables.jobs.is_ours(job)
            has_looked.set()
            assert may_go_on.wait(10)
            return tables.jobs.seems_ours(job)

        looking = asyncio.create_task(one.write(looks))
        await asyncio.to_thread(has_looked.wait, 10)
        cancelling = asyncio.create_task(Work(two).cancel("one"))
        done, _ = await asyncio.wait([cancelling], timeout=0.2)
        may_go_on.set()

        assert await looking
        assert await cancelling
        assert not done


async def test_a_job_that_cannot_be_read_is_set_aside_and_those_behind_it_go_on(jobs):
    await jobs.add("bad", lane="talk")
    await jobs.add("good", lane="talk")
    broken = "update jobs set document = '{' where key = 'bad'"
    await jobs.store.write(lambda tables: tables.connection.execute(broken, {}))

    assert await jobs.claimed(0) == []
    assert await jobs.claimed(0) == ["good"]
    assert await jobs.claim(60) != []
    assert await jobs.number() == 2
    assert await jobs.next_due() == at(70)


async def test_a_job_behind_one_that_is_worked_on_can_be_moved(jobs):
    await jobs.add("first", lane="talk")
    await jobs.add("second", 3, lane="talk")
    (first,) = await jobs.claim(0)

    assert await jobs.move("second", 7)

    assert await jobs.is_ours(first)
    assert await jobs.finish(first)
    assert await jobs.claim(6) == []
    assert await jobs.claimed(7) == ["second"]


async def test_a_job_that_failed_is_brought_forward_only_where_someone_wants_it_now(jobs):
    await jobs.add("one")
    (one,) = await jobs.claim(0)
    await jobs.postpone(one, 9)

    assert await jobs.move("one", 2)
    assert await jobs.claim(8) == []
    assert await jobs.move("one", 2, even_failed=True)

    assert await jobs.claimed(2) == ["one"]


async def test_a_job_behind_one_that_waits_can_be_moved(jobs):
    await jobs.add("first", 2, lane="talk")
    await jobs.add("second", 3, lane="talk")

    assert await jobs.move("second", 1)

    assert await jobs.claim(1) == []
    (first,) = await jobs.claim(2)
    await jobs.finish(first)
    assert await jobs.claimed(2) == ["second"]


async def test_a_job_that_is_cancelled_is_done_by_nobody(jobs):
    await jobs.add("one", 5)

    assert await jobs.cancel("one")
    assert not await jobs.cancel("one")

    assert await jobs.claim(9) == []
    assert (await jobs.number(), await jobs.next_due()) == (0, None)


async def test_who_works_on_a_job_that_is_cancelled_is_refused_and_the_next_one_begins(jobs):
    await jobs.add("first", lane="talk")
    await jobs.add("second", lane="talk")
    (held,) = await jobs.claim(0)

    assert await jobs.cancel("first")

    assert not await jobs.is_ours(held)
    assert await jobs.claimed(0) == ["second"]
    assert not await jobs.finish(held)
    assert not await jobs.postpone(held, 1)
    assert await jobs.hold([held], 99) == set()


async def test_a_job_in_the_middle_of_a_lane_is_cancelled_without_a_word_to_the_others(jobs):
    for key in ("first", "second", "third"):
        await jobs.add(key, lane="talk")
    (first,) = await jobs.claim(0)

    await jobs.cancel("second")

    assert await jobs.is_ours(first)
    assert await jobs.claim(0) == []
    await jobs.finish(first)
    assert await jobs.claimed(0) == ["third"]


async def test_a_job_that_is_cancelled_and_added_again_is_another_one(jobs):
    await jobs.add("one", number=1)
    (held,) = await jobs.claim(0)
    await jobs.cancel("one")
    await jobs.add("one", number=2)

    assert not await jobs.finish(held)
    (job,) = await jobs.claim(0)
    assert job.facts == {"number": 2}


# Several at once


async def test_two_that_claim_at_once_never_get_the_same_job(open_store):
    with open_store() as one, open_store() as two:
        first, second = Work(one), Work(two)
        for number in range(60):
            await first.add(f"{number}", lane=f"lane{number % 20}")

        done: list[str] = []

        async def works(jobs: Work) -> None:
            while True:
                claimed = await jobs.claim(0, limit=3)
                if not claimed and not await jobs.number():
                    return
                for job in claimed:
                    done.append(job.key)  # the next of its lane may be claimed once it is finished
                    assert await jobs.finish(job)

        async with asyncio.timeout(60):
            await asyncio.gather(works(first), works(second))

        assert len(done) == len(set(done)) == 60
        for lane in range(20):
            assert [key for key in done if int(key) % 20 == lane] == [
                f"{lane}",
                f"{lane + 20}",
                f"{lane + 40}",
            ]


async def test_of_those_that_add_the_same_key_at_once_one_does(open_store):
    with open_store() as one, open_store() as two:
        added = await asyncio.gather(*(Work(store).add("one") for store in (one, two) for _ in range(5)))

        assert sorted(added) == [False] * 9 + [True]
        assert await Work(one).number() == 1


async def test_a_lane_that_is_emptied_and_filled_at_once_loses_nothing(open_store):
    with open_store() as one, open_store() as two:
        filling, emptying = Work(one), Work(two)
        done: list[str] = []

        async def fills() -> None:
            for number in range(60):
                await filling.add(f"{number}", lane="talk")

        async def empties() -> None:
            while len(done) < 60:
                for job in await emptying.claim(0):
                    assert await emptying.finish(job)
                    done.append(job.key)

        async with asyncio.timeout(60):
            await asyncio.gather(fills(), empties())

        assert done == [f"{number}" for number in range(60)]
        assert await filling.number() == 0


async def test_of_finish_and_cancel_at_once_one_wins(open_store):
    with open_store() as one, open_store() as two:
        first, second = Work(one), Work(two)
        for number in range(20):
            await first.add(f"{number}")
            (job,) = await first.claim(0)

            is_done, is_gone = await asyncio.gather(first.finish(job), second.cancel(job.key))

            assert is_done != is_gone


async def test_of_move_and_claim_at_once_one_wins(open_store):
    with open_store() as one, open_store() as two:
        first, second = Work(one), Work(two)
        for number in range(20):
            await first.add(f"{number}")

            claimed, is_moved = await asyncio.gather(first.claimed(0), second.move(f"{number}", 5))

            assert is_moved == (claimed == [])
            assert await first.cancel(f"{number}")


async def test_of_move_and_the_end_of_the_one_before_it_both_count(open_store):
    with open_store() as one, open_store() as two:
        first, second = Work(one), Work(two)
        for number in range(20):
            await first.add(f"a{number}", lane="talk")
            await first.add(f"b{number}", 1, lane="talk")
            (head,) = await first.claim(1)

            is_done, is_moved = await asyncio.gather(first.finish(head), second.move(f"b{number}", 5))

            assert (is_done, is_moved) == (True, True)
            assert await first.claim(4) == []
            (behind,) = await first.claim(5)
            await first.finish(behind)


# Many


async def test_claiming_looks_at_what_is_due_alone_however_much_waits(tmp_path):
    """As many steps of SQLite's machine are taken among 100,000 timers as among 100."""
    workspace = Workspace(tmp_path / "store.db")
    steps = []
    with workspace.opened() as store:
        jobs = Work(store)
        for number, waiting in ((0, 100), (1, 100_000)):
            await store.write(lambda tables, n=number, to=waiting: _fill(tables, f"{n}", to))
            for due in range(3):
                await jobs.add(f"due{number}-{due}")
            taken, claimed = await store.write(_counted)
            assert sorted(job.key for job in claimed) == [f"due{number}-{due}" for due in range(3)]
            steps.append(taken)
            for job in claimed:
                await jobs.finish(job)

        assert await jobs.number() == 100_100
        assert steps[1] < 2 * steps[0]
        assert await store.read(lambda tables: _plan(tables)) == ["lanes_by_due"]


async def test_a_long_queue_of_one_kind_makes_a_claim_of_another_no_dearer(tmp_path):
    """100,000 answers that are overdue cost a claim of what else is due no more steps than 100 do."""
    workspace = Workspace(tmp_path / "store.db")
    steps = []
    with workspace.opened() as store:
        jobs = Work(store)
        for number, waiting in ((0, 100), (1, 100_000)):
            await store.write(lambda tables, n=number, to=waiting: _fill(tables, f"{n}", to, "2026-01-01"))
            await jobs.add(f"due{number}", kind="send")
            taken, claimed = await store.write(lambda tables: _counted(tables, "send"))
            assert [job.key for job in claimed] == [f"due{number}"]
            steps.append(taken)
            await jobs.finish(claimed[0])

        assert steps[1] < 2 * steps[0]
        assert await store.read(lambda tables: _plan(tables, "kind = 'send' and ")) == ["lanes_by_kind"]


def _fill(tables, name, number, day="2026-02-01"):
    for table, columns, values in (
        ("lanes", "lane, due_at, fence, kind", f"lane, '{day}T00:00:00.000Z', 0, 'test'"),
        (
            "jobs",
            "key, lane, kind, created_at, due_at, attempts, document",
            f"lane, lane, 'test', '2026-01-01', '{day}T00:00:00.000Z', 0, '{{}}'",
        ),
    ):
        tables.connection.execute(
            f"with recursive many(lane, n) as (select :name || '-0', 0 union all"
            f" select :name || '-' || (n + 1), n + 1 from many where n + 1 < :number)"
            f" insert into {table} ({columns}) select {values} from many",
            {"name": name, "number": number},
        )


def _counted(tables, kind=None):
    """How many steps it takes to see what is due and to claim it, and what that gives."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    tables.connection.set_progress_handler(step, 1)
    try:
        tables.jobs.next_of_kinds()
        claimed = tables.jobs.claim(NOON, NOON + LEASE, 50, None, kind)
    finally:
        tables.connection.set_progress_handler(None, 1)
    return steps, claimed


def _plan(tables, only=""):
    """The indexes through which a claim finds the lanes that are due."""
    rows = tables.connection.execute(
        f"explain query plan select lane from lanes where {only}due_at <= :now order by due_at limit 50",
        {"now": ""},
    )
    return [word for *_, detail in rows for word in detail.split() if word.startswith("lanes_")]
