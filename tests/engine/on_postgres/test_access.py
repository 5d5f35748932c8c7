"""Some of the tests of access lists, on Postgres."""

from tests.engine.test_access import (  # noqa: F401
    line,
    test_from_the_first_number_on_nobody_else_is_answered_on_whatsapp,
    test_what_was_planned_for_someone_is_cancelled_once_they_are_on_the_list,
    test_without_any_number_left_everyone_is_answered,
)
