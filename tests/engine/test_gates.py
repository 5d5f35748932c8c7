"""Gates: a provider that is slow or down is left alone, and found again when it is back."""

import asyncio

import pytest

from vivavoce.engine.time.gates import AT_ONCE, Gates


@pytest.fixture
def gate(clock):
    return Gates(clock.now).to("shop")


async def fails(gate, number=1, **more):
    for _ in range(number):
        assert await gate.enter() == 0
        gate.leave(went_well=False, **more)


async def test_a_few_failures_close_the_way_and_time_opens_it_for_one(gate, clock):
    await fails(gate, 3)
    assert 5 <= await gate.enter() <= 6.5

    clock.advance(seconds=5)

    assert await gate.enter() == 0
    assert await gate.enter() > 0  # one is on its way, and finds out


async def test_the_way_stays_closed_for_longer_each_time(gate, clock):
    await fails(gate, 3)
    waits = []
    for _ in range(8):
        clock.advance(seconds=120)
        await fails(gate)
        waits.append(await gate.enter())

    assert waits[0] < waits[1] < waits[2]
    assert max(waits) <= 120 * 1.3


async def test_one_success_opens_the_way_for_all(gate, clock):
    await fails(gate, 3)
    clock.advance(seconds=5)
    assert await gate.enter() == 0
    gate.leave(went_well=True)

    assert [await gate.enter() for _ in range(AT_ONCE)] == [0.0] * AT_ONCE


async def test_what_was_not_sent_says_nothing_of_the_provider(gate):
    for _ in range(10):
        assert await gate.enter() == 0
        gate.leave(went_well=None)

    assert await gate.enter() == 0


async def test_a_provider_that_wants_more_time_gets_it(gate):
    await fails(gate, 3, seconds=300.0)

    assert await gate.enter() >= 300


async def test_those_who_find_no_place_come_back_one_after_the_other(gate):
    for _ in range(AT_ONCE):
        await gate.enter()

    waits = await asyncio.gather(*(gate.enter() for _ in range(20)))

    assert min(waits) >= 0.5
    assert len(set(waits)) == 20


async def test_a_place_that_becomes_free_is_taken_by_who_waits(gate):
    for _ in range(AT_ONCE):
        await gate.enter()
    waiting = asyncio.create_task(gate.enter())
    await asyncio.sleep(0)

    gate.leave(went_well=True)

    assert await waiting == 0


async def test_each_provider_has_a_way_of_its_own(clock):
    gates = Gates(clock.now)
    await fails(gates.to("shop"), 3)

    assert await gates.to("bank").enter() == 0
    assert await gates.to("shop").enter() > 0
