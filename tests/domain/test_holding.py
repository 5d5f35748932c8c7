"""How long an answer is held."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.holding import held_until

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_each_message_begins_the_wait_again():
    assert held_until(NOON, NOON, 10) == NOON + timedelta(seconds=10)
    assert held_until(NOON, NOON + timedelta(seconds=7), 10) == NOON + timedelta(seconds=17)


@given(delay=st.integers(6, 3_600), gaps=st.lists(st.integers(0, 3_600), max_size=50))
def test_however_many_messages_follow_an_answer_is_held_four_times_the_delay_at_most(delay, gaps):
    now = NOON
    for gap in gaps:
        now += timedelta(seconds=gap)

        until = held_until(NOON, now, delay)

        assert until <= NOON + timedelta(seconds=4 * delay)
        assert until <= now + timedelta(seconds=delay)
