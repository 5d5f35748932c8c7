"""Ids, secrets and the clock."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC

from vivavoce.adapters import identity
from vivavoce.testing import CountedIds, FakeClock

CUID = re.compile(r"c[0-9a-z]{24}")


def test_ids_have_the_shape_of_a_cuid_and_sort_by_age():
    ids = identity.Ids()

    made = [ids() for _ in range(5_000)]

    assert all(CUID.fullmatch(id) for id in made)
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_ids_made_in_many_threads_differ():
    ids = identity.Ids()

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: ids(), range(4_000)))

    assert len(set(made)) == len(made)


def test_secrets_differ_and_are_long_enough_not_to_be_guessed():
    made = {identity.new_secret() for _ in range(100)}

    assert len(made) == 100
    assert min(len(secret) for secret in made) >= 43


def test_the_clock_says_what_the_wire_can_say():
    moment = identity.now()

    assert moment.tzinfo is UTC
    assert moment.microsecond % 1_000 == 0


def test_the_ids_and_the_clock_for_tests_can_be_foretold():
    ids, clock = CountedIds(), FakeClock()
    start = clock.now()

    assert [ids(), ids()] == ["c000000000000000000000001", "c000000000000000000000002"]
    assert CUID.fullmatch(ids())
    clock.advance(days=1, milliseconds=5)
    assert (clock.now() - start).total_seconds() == 86_400.005
