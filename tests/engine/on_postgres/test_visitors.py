"""The tests of visitors, on Postgres."""

from tests.engine.test_visitors import *  # noqa: F403
