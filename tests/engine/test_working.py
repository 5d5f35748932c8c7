"""The worker: counts failures, not restarts; keeps what it holds, lets go in order, and never goes deaf."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from vivavoce.app import at_work as working_on
from vivavoce.domain.jobs import NewJob
from vivavoce.engine import Engine
from vivavoce.engine.time.jobs import KINDS, Kind, finish
from vivavoce.engine.turns.lanes import LINE
from vivavoce.errors import UpstreamFailed
from vivavoce.operations import OPERATOR
from vivavoce.operations.answers import AgentQuery, GetAnswer
from vivavoce.ports import Delta, Spent
from vivavoce.ports.time import Sent
from vivavoce.testing import MemoryChannel, ScriptedModel

LEASE = 11
WORDS = "a customer's words"
HELD = {"type": "delayed_responses", "config": {"delay": 6}}


class Slow(ScriptedModel):
    """A model that speaks when it is let."""

    def __init__(self) -> None:
        super().__init__(["Slow answer."])
        self.begun, self.may = asyncio.Event(), asyncio.Event()

    async def answer(self, prompt):
        self.prompts.append(prompt)
        self.begun.set()
        await self.may.wait()
        yield Delta("Slow answer.")
        yield Spent("m", prompt_tokens=1, completion_tokens=1, cost=0.0)


class SlowChannel(MemoryChannel):
    """A channel that takes messages when it is let."""

    def __init__(self, number: int = 1) -> None:
        super().__init__()
        self.number = number
        self.begun, self.may = asyncio.Event(), asyncio.Event()

    async def send(self, account, sending):
        sending.left()
        self.sent.append(sending)
        if len(self.sent) == self.number:
            self.begun.set()
        await self.may.wait()
        return Sent(f"ext-{sending.id}")


@asynccontextmanager
async def at_work(engine: Engine):
    """The worker of a process, until the block ends."""
    working = asyncio.create_task(engine.worker.run())
    try:
        yield working
    finally:
        working.cancel()
        await asyncio.wait([working])


@pytest.fixture
def kinds():
    """Kinds of jobs that only a test knows."""
    known = dict(KINDS)
    yield KINDS
    KINDS.clear()
    KINDS.update(known)


async def added(line, *jobs: NewJob) -> None:
    await line.write(lambda tables: [tables.jobs.add(job, line.clock.now()) for job in jobs])


async def until(is_so) -> None:
    async with asyncio.timeout(10):
        while not await is_so():
            await asyncio.sleep(0.01)


# What counts


async def test_restarts_are_no_failures(lines):
    line = await lines("At nine.").opened()
    await line.arrives("When?")
    for _ in range(20):
        await line.engine.worker._claim(10)  # and the process is killed
        line.clock.advance(seconds=LEASE)

    await line.works()

    assert line.sent == ["At nine."]


async def test_restarts_take_no_rung_of_the_ladder_of_a_model_that_fails(lines):
    line = await lines(UpstreamFailed("overloaded"), "At nine.").opened()
    await line.arrives("When?")
    for job in await line.engine.worker._claim(1):
        await line.engine.worker._do(job)  # it is heard
    for _ in range(6):
        await line.engine.worker._claim(1)
        line.clock.advance(seconds=LEASE)

    await line.works()
    await line.later(hours=1)

    assert line.sent == ["At nine."]


async def test_a_job_that_ends_its_process_each_time_is_given_up_in_the_end(lines):
    line = await lines().opened()
    await line.arrives("When?")
    for _ in range(100):
        await line.engine.worker._claim(10)
        line.clock.advance(seconds=LEASE)

    await line.works()

    (arrival,) = await line.read(lambda tables: tables.arrivals.where())
    assert (arrival.state, arrival.reason) == ("failed", "Given up: the process ended each time, 100 times.")


async def test_a_job_of_a_kind_that_only_a_newer_program_knows_waits_for_it(lines, kinds):
    line = await lines().opened()
    await added(line, NewJob("k", "newer", line.clock.now()))
    for _ in range(120):
        await line.works()
        line.clock.advance(seconds=61)
    done = []

    async def newer(job, errand):
        done.append("done")
        await errand.write(lambda work: finish(job, work))

    kinds["newer"] = Kind(newer, lambda job, reason, work: done.append(reason))
    await line.works()

    assert done == ["done"]


async def test_messages_that_join_a_turn_whose_model_fails_do_not_bring_its_next_try_forward(lines):
    line = await lines(*[UpstreamFailed("overloaded")] * 3, "At nine.", "Again.").opened(HELD)
    for number in range(7):
        await line.hears(f"hello {number}")
        await line.later(seconds=7)

    (turn,) = await line.read(lambda tables: tables.turns.where())
    assert (turn.state, len(turn.joined)) == ("waiting", 7)
    await line.later(minutes=5)
    assert line.sent == ["At nine."]


# What is held


async def test_a_clock_that_jumps_does_not_make_a_worker_take_its_own_job_again(lines):
    line = lines("At nine.")
    line.channel = channel = SlowChannel()
    line.restart()
    await line.opened()
    await line.arrives("When?")

    async with at_work(line.engine):
        await channel.begun.wait()
        line.clock.advance(seconds=LEASE)
        line.engine.worker.wake()
        await added(line, NewJob("k", "newer", line.clock.now()))
        await until(lambda: line.read(lambda tables: tables.jobs.due("k") > line.clock.now()))
        channel.may.set()
        await until(lambda: line.read(lambda tables: tables.deliveries.where(state="sent")))

    assert line.sent == ["At nine."]


async def test_who_gets_a_job_again_stops_what_he_did_for_it_before(lines):
    line = lines()
    line.model = model = Slow()
    line.restart()
    await line.opened()
    await line.arrives("When?")
    worker = line.engine.worker

    async with at_work(line.engine) as working:
        await model.begun.wait()
        model.begun.clear()
        taken_away = "update lanes set fence = fence + 1, due_at = '2000-01-01T00:00:00.000Z'"
        await line.write(lambda tables: tables.connection.execute(taken_away))
        worker.wake()
        await model.begun.wait()
        await until(lambda: _is(len(worker._held) == 1))
        model.may.set()
        await until(lambda: line.read(lambda tables: tables.deliveries.where(state="sent")))
        assert not working.done()

    assert len(model.prompts) == 2
    assert line.sent == ["Slow answer."]


async def _is(what: bool) -> bool:
    return what


async def test_who_stops_lets_messages_that_are_being_sent_arrive(lines):
    line = lines(*["At nine."] * 8)
    line.channel = channel = SlowChannel(8)
    line.restart()
    await line.opened()
    for number in range(8):
        await line.arrives("When?", chat=f"chat{number}")

    async with at_work(line.engine) as working:
        await channel.begun.wait()
        working.cancel()
        asyncio.get_running_loop().call_later(0.05, channel.may.set)
        await asyncio.wait([working])

    deliveries = await line.read(lambda tables: tables.deliveries.where())
    assert [each.state for each in deliveries] == ["sent"] * 8


async def test_who_stops_begins_nothing_more_and_waits_for_no_model(lines):
    line = lines()
    line.model = model = Slow()
    line.restart()
    await line.opened()
    await line.arrives("When?")

    async with at_work(line.engine):
        await model.begun.wait()

    due = await line.read(lambda tables: tables.jobs.next_of_kinds())
    assert max(due.values()) <= line.clock.now()
    model.may.set()
    await line.works()
    assert line.sent == ["Slow answer."]


# Without a worker


async def test_a_call_that_does_what_is_due_itself_keeps_to_its_budget(lines):
    line = lines()
    line.model = model = Slow()
    line.restart()
    await line.opened(HELD)
    hurried = Engine(line.engine.ports, call_budget=0.0)
    later = await hurried.run(AgentQuery(id=line.agent, query="When?"), OPERATOR)
    line.clock.advance(seconds=7)

    async with asyncio.timeout(5):
        still = await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)
    await model.begun.wait()
    model.may.set()
    await hurried.close(at_once=False)

    assert still.answer is None
    answer = await hurried.run(GetAnswer(message_id=later.message_id), OPERATOR)
    assert (answer.answer, len(model.prompts)) == ("Slow answer.", 1)


async def test_what_a_call_does_itself_is_not_done_twice_by_one_that_looks_later(lines):
    line = lines()
    line.model = model = Slow()
    line.restart()
    await line.opened(HELD)
    hurried = Engine(line.engine.ports, call_budget=0.0)
    later = await hurried.run(AgentQuery(id=line.agent, query="When?"), OPERATOR)
    line.clock.advance(seconds=7)
    fetching = asyncio.create_task(line.engine.run(GetAnswer(message_id=later.message_id), OPERATOR))
    await model.begun.wait()

    line.clock.advance(seconds=LEASE)
    assert await line.works() == 0
    model.may.set()

    assert (await fetching).answer == "Slow answer."
    assert len(model.prompts) == 1


async def test_a_server_that_leaves_the_work_to_others_waits_for_them(lines):
    line = await lines("At nine.").opened(HELD)
    server = Engine(line.engine.ports, call_budget=0.0, attends=False)
    later = await server.run(AgentQuery(id=line.agent, query="When?"), OPERATOR)
    line.clock.advance(seconds=7)

    await server.run(GetAnswer(message_id=later.message_id), OPERATOR)
    await server.close(at_once=False)
    assert await line.said() == []
    await line.works()

    answer = await server.run(GetAnswer(message_id=later.message_id), OPERATOR)
    assert answer.answer == "At nine."


async def test_who_fetches_an_answer_leaves_nothing_behind(lines):
    line = await lines(*["Nine."] * 3).opened()
    asked = [await line.engine.run(AgentQuery(id=line.agent, query="When?"), OPERATOR) for _ in range(3)]
    before = len(LINE._moved)

    for each in asked:
        await line.engine.run(GetAnswer(message_id=each.message_id), OPERATOR)

    assert len(LINE._moved) == before


# Faults


async def test_a_row_that_cannot_be_read_stops_nobody(lines, caplog):
    line = await lines("At nine.").opened()
    await added(line, *(NewJob(key, "newer", line.clock.now(), lane="x") for key in ("bad", "k")))
    broken = "update jobs set document = '{' where key = 'bad'"
    await line.write(lambda tables: tables.connection.execute(broken))
    await line.arrives("When?")

    async with at_work(line.engine) as working:
        await until(lambda: line.read(lambda tables: tables.deliveries.where(state="sent")))
        await until(lambda: line.read(lambda tables: tables.jobs.due("k") > line.clock.now()))
        assert not working.done()

    assert line.sent == ["At nine."]
    assert await line.read(lambda tables: tables.jobs.number()) == 2
    assert caplog.text.count("cannot be read") == 1


async def test_a_chore_that_breaks_is_told_and_stops_nothing_else(caplog):
    is_broken, ended = asyncio.Event(), []

    async def breaks():
        raise ValueError(WORDS)

    async def goes_on():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("in order")

    async with working_on([breaks(), goes_on()], is_broken, ends_process=False):
        await asyncio.wait_for(is_broken.wait(), 5)
        assert ended == []

    assert ended == ["in order"]
    assert "What works in this process failed: ValueError" in caplog.text
    assert WORDS not in caplog.text


async def test_a_server_in_which_a_chore_breaks_ends_as_if_it_was_told_to():
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)

    async def breaks():
        raise ValueError(WORDS)

    try:
        async with working_on([breaks()], asyncio.Event(), ends_process=True):
            await asyncio.wait_for(told.wait(), 5)
    finally:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)

    assert told.is_set()


async def test_a_fault_that_nobody_foresaw_does_not_end_the_worker(lines, caplog):
    line = await lines("At nine.").opened()
    now, faults = line.engine.ports.now, [ValueError(WORDS)]

    def failing():
        if faults:
            raise faults.pop()
        return now()

    line.engine.worker.ports = replace(line.engine.ports, now=failing)
    await added(line, NewJob("k", "newer", line.clock.now()))

    async with at_work(line.engine):
        await until(lambda: line.read(lambda tables: tables.jobs.due("k") > line.clock.now()))

    assert "ValueError" in caplog.text
    assert WORDS not in caplog.text


async def test_the_words_of_what_failed_are_not_logged(lines, kinds, caplog):
    caplog.set_level(logging.INFO)
    line = await lines().opened()

    async def foreseen(job, errand):
        raise UpstreamFailed(WORDS)

    async def unforeseen(job, errand):
        raise RuntimeError(WORDS)

    for name, do in (("foreseen", foreseen), ("unforeseen", unforeseen)):
        kinds[name] = Kind(do, lambda job, reason, work: None)
        await added(line, NewJob(name, name, line.clock.now()))

    await line.works()

    assert "UpstreamFailed" in caplog.text
    assert "RuntimeError" in caplog.text
    assert WORDS not in caplog.text
