"""Forgetting: what was finished long ago is removed, and nothing else is."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from vivavoce.app import open_app
from vivavoce.domain.channels import Arrival
from vivavoce.domain.deliveries import Delivery
from vivavoce.engine import Engine
from vivavoce.engine.time.forgetting import FORGET
from vivavoce.errors import InvalidInput
from vivavoce.settings import Settings, variable

DAYS = 90
CALL = {"name": "Pay", "tool": "t1", "status": 200, "arguments": {"iban": "DE1"}}


@pytest.fixture
async def line(lines):
    return await lines("At nine.").opened(configUrlInfosSystemExternal={})


async def begun(line, days: float | None = DAYS) -> None:
    """The line on an engine that keeps records for so many days."""
    keeps = None if days is None else timedelta(days=days)
    line.engine = Engine(line.engine.ports, keeps=keeps)
    await line.engine.worker.place_standing()
    await line.works()


async def rested(line) -> int:
    """Let it come back until it rests; how often it came."""
    for number in range(1, 100):
        await line.works()
        due = await line.read(lambda tables: tables.jobs.due(FORGET))
        if due is None or due - line.clock.now() > timedelta(minutes=1):
            return number
        line.clock.advance(seconds=1)
    raise AssertionError("It never rests.")


async def counted(line) -> dict[str, int]:
    return await line.read(
        lambda tables: {
            "arrivals": tables.arrivals.count(),
            "deliveries": tables.deliveries.count(),
            "events": tables.events.count(),
            "traces": sum(bool(turn.trace) for turn in tables.turns.where()),
            "messages": tables.messages.count(),
            "conversations": tables.conversations.count(),
            "turns": tables.turns.count(),
        }
    )


async def test_what_was_finished_is_removed_after_its_days_and_what_was_said_stays(line):
    await begun(line)
    await line.hears("When do you open?")
    kept = await counted(line)
    assert min(kept.values()) > 0

    await line.later(days=DAYS - 1)
    assert await counted(line) == kept

    await line.later(days=2)
    await rested(line)
    gone = {"arrivals": 0, "deliveries": 0, "events": 0, "traces": 0}
    assert await counted(line) == {**kept, **gone}
    (message,) = [
        each for each in await line.read(lambda tables: tables.messages.where()) if each.from_ == "agent"
    ]
    trace = await line.run("get_turn_trace", messageId=message.id)
    assert (trace["state"], trace["instructions"], trace["passages"]) == ("answered", None, [])


async def test_what_is_not_finished_or_went_wrong_is_kept_until_someone_deals_with_it(line):
    await begun(line)
    now = line.clock.now()
    known = {"organization_id": "o1", "created_at": now, "updated_at": now}

    def stored(tables) -> None:
        for state in ("waiting", "sending", "sent", "uncertain", "failed", "withdrawn", "held"):
            tables.deliveries.add(Delivery(id=f"d-{state}", **known, kind="message", state=state))
        for state in ("waiting", "done", "passed_over", "failed"):
            event = {"account_id": "account1", "event_id": f"e-{state}", "heard": {"chat": "c"}}
            tables.arrivals.add(Arrival(id=f"a-{state}", **known, **event, state=state))

    await line.write(stored)
    await line.later(days=DAYS + 1)
    await rested(line)

    left = await line.read(
        lambda tables: {each.state for each in (*tables.deliveries.where(), *tables.arrivals.where())}
    )
    assert left == {"waiting", "sending", "uncertain", "failed", "withdrawn", "held"}


async def test_its_days_begin_when_it_was_last_changed(line):
    await begun(line)
    await line.hears("When do you open?")
    await line.later(days=DAYS - 10)
    (delivery,) = await line.read(lambda tables: tables.deliveries.where())
    read = delivery.changed(line.clock.now(), status="read")
    await line.write(lambda tables: tables.deliveries.replace(read))

    await line.later(days=20)
    await rested(line)
    assert (await counted(line))["deliveries"] == 1

    await line.later(days=DAYS)
    await rested(line)
    assert (await counted(line))["deliveries"] == 0


async def test_an_event_that_comes_again_is_known_for_as_long_as_it_is_kept(line):
    await begun(line, 14)
    await line.hears("When do you open?")
    (arrival,) = await line.read(lambda tables: tables.arrivals.where())
    await line.later(days=13)

    again = arrival.model_copy(update={"id": "again"})
    assert not await line.write(lambda tables: tables.arrivals.take(again))


async def test_a_failed_answer_keeps_its_trace_and_a_change_that_was_made_is_not_forgotten(line):
    await begun(line)
    await line.hears("When do you open?")
    await line.hears("And pay for me.", chat="chat2")
    first, second = await line.read(lambda tables: tables.turns.where())
    call = {**CALL, "request": {"method": "POST", "url": "https://bank.example"}}

    def changed(tables) -> None:
        tables.turns.replace(first.model_copy(update={"state": "failed"}))
        tables.turns.replace(second.model_copy(update={"trace": {"calls": [call], "instructions": "Pay."}}))

    await line.write(changed)
    await line.later(days=DAYS + 1)
    await rested(line)

    traces = {each.id: each.trace for each in await line.read(lambda tables: tables.turns.where())}
    assert traces[first.id] == first.trace
    brief = {"name": "Pay", "tool": "t1", "status": 200, "request": {"method": "POST"}}
    assert traces[second.id] == {"calls": [brief]}


async def test_a_year_of_records_goes_in_small_batches_between_which_others_work(line):
    await begun(line)
    now = line.clock.now()
    known = {"organization_id": "o1", "created_at": now, "updated_at": now, "account_id": "account1"}

    def stored(tables) -> None:
        for number in range(1_200):
            heard = {"event_id": f"x{number}", "heard": {"chat": "c"}, "state": "done"}
            tables.arrivals.add(Arrival(id=f"x{number}", **known, **heard))

    await line.write(stored)
    line.clock.advance(days=DAYS + 1)
    await line.works()
    assert (await counted(line))["arrivals"] == 700
    await line.hears("When do you open?")
    assert line.sent == ["At nine."]

    assert await rested(line) > 1
    assert (await counted(line))["arrivals"] == 1


async def test_there_is_one_that_forgets_however_many_processes_work(line):
    await begun(line)
    await begun(line)
    other = Engine(line.engine.ports, keeps=timedelta(days=DAYS))
    await other.worker.place_standing()

    assert await line.timers(FORGET) == 1


async def test_who_keeps_everything_forgets_nothing_and_lets_go_of_the_job(line):
    await begun(line)
    await line.hears("When do you open?")
    kept = await counted(line)
    await begun(line, None)

    await line.later(days=1_000)

    assert (await counted(line), await line.timers(FORGET)) == (kept, 0)


async def test_after_many_failures_it_begins_again_another_day(line):
    await begun(line)
    await line.hears("When do you open?")
    line.clock.advance(days=DAYS + 1)

    def worn_out(tables) -> None:
        tables.connection.execute("update jobs set claims = 1000 where key = :key", {"key": FORGET})

    await line.write(worn_out)
    await line.works()
    assert (await counted(line))["arrivals"] == 1

    await line.later(days=2)
    await rested(line)
    assert (await counted(line))["arrivals"] == 0


# The setting


async def test_a_process_that_works_forgets_after_the_days_of_its_setting(tmp_path, clock):
    place = {variable("database"): str(tmp_path / "workspace.db"), variable("keep_days"): "14"}
    long_ago = clock.now() - timedelta(days=1_000)
    known = {"organization_id": "o1", "created_at": long_ago, "updated_at": long_ago}
    old = Delivery(id="old", **known, kind="message", state="sent")
    async with open_app(Settings.read(place)) as app:
        await app.ports.store.write(lambda tables: tables.deliveries.add(old))

    async with open_app(Settings.read(place), works=True) as app, asyncio.timeout(30):
        while await app.ports.store.read(lambda tables: tables.deliveries.count()):
            await asyncio.sleep(0.01)


def test_records_are_kept_for_longer_than_providers_repeat_what_they_sent_or_for_ever():
    assert Settings.read({}).keep_days == 90
    assert Settings.read({variable("keep_days"): "14"}).keep_days == 14
    assert Settings.read({variable("keep_days"): "0"}).keep_days == 0
    for wrong in ("13", "3651", "-1", "00", "week"):
        with pytest.raises(
            InvalidInput, match="VIVAVOCE_KEEP_DAYS must be 0, or a number of days, 14 to 3650"
        ):
            Settings.read({variable("keep_days"): wrong})
