"""The tests of crm, on Postgres."""

from tests.engine.test_crm import *  # noqa: F403
