"""The tests of knowledge, on Postgres."""

from tests.engine.test_knowledge import *  # noqa: F403
