"""A worker that stands still past its lease, on Postgres."""

from tests.engine.test_standing_still import (  # noqa: F401
    test_between_its_claim_and_its_work_whatever_the_work_is,
    test_between_the_claim_of_a_follow_up_and_its_work,
    test_between_the_claim_of_a_reminder_and_its_work,
    test_while_its_message_is_with_the_provider,
)
