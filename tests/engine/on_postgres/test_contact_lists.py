"""The tests of contact lists, on Postgres."""

from tests.engine.test_contact_lists import *  # noqa: F403
