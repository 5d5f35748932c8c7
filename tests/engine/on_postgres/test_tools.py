"""The tests of tools, on Postgres."""

from tests.engine.test_tools import *  # noqa: F403
