"""The tests of avatars, on Postgres."""

from tests.engine.test_avatars import *  # noqa: F403
