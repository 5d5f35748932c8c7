"""The crash test in its small size: server and workers are killed again and again, and nothing is lost."""

from __future__ import annotations

import os

import pytest

from tests.crash.journey import crash_test

MESSAGES = int(os.environ.get("CRASH_TEST_MESSAGES", "20000"))
"""As many as `bin/crash-test` sends without --full."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of calls that a kill cut off
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_nothing_is_lost_doubled_or_out_of_order_when_everything_is_killed(tmp_path, database):
    found = crash_test(MESSAGES, database, tmp_path, seed=1)

    print(found.figures)
    assert found.wrongs == []
    assert found.figures["accepted"] == found.figures["heard"] == found.figures["answered"] >= MESSAGES * 0.99
    assert found.figures["kills"] > 5
