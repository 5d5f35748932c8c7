"""The tests of contacts, on Postgres."""

from tests.engine.test_contacts import *  # noqa: F403
