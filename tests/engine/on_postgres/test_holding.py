"""Some of the tests of answers that are held, on Postgres."""

from tests.engine.test_holding import (  # noqa: F401
    line,
    test_a_restart_in_the_middle_changes_nothing,
    test_each_message_begins_the_wait_again,
    test_what_comes_while_it_is_answered_is_answered_after_it,
)
