"""Some of the tests of calls that wait for earlier messages, on Postgres."""

from tests.engine.test_waiting import (  # noqa: F401
    stuck,
    test_a_message_that_is_left_to_a_job_is_answered_before_those_that_came_later,
    test_who_waits_for_earlier_messages_past_the_budget_gets_a_handle_too,
)
