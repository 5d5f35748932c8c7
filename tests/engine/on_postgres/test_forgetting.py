"""The tests of forgetting, on Postgres."""

from tests.engine.test_forgetting import *  # noqa: F403
