"""The tests of agents, on Postgres."""

from tests.engine.test_agents import *  # noqa: F403
