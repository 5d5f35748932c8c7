"""Fault points: a process that ends after any statement loses nothing and says nothing twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="There is no fork.")


def seen_by(module: str, folder: Path, *words: str) -> Any:
    """What a module that kills processes has seen."""
    command = [sys.executable, "-m", f"tests.engine.{module}", str(folder), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def server() -> str:
    """The Postgres server that the workspaces are on; nothing for files."""
    return ""


@pytest.mark.parametrize(("story", "events"), [("plain", []), ("held", ["AGENT_USER_MESSAGE"])])
def test_a_process_may_end_after_any_statement_between_the_event_and_its_answer(
    tmp_path, server, story, events
):
    """Proves that an answer, also one that is held, is given once, and that a webhook is told of it."""
    points = seen_by("fault_points", tmp_path / "points", story, server)

    assert len(points) > 60  # else not every statement was one
    for point in points:
        assert point["arrivals"] == ["done"], point
        assert point["said"] == [["human", "When do you open?"], ["agent", "At nine."]], point
        assert (point["turns"], point["jobs"]) == (["answered"], 0), point
        ((id, state),) = point["deliveries"]
        arrived = [sent for sent in point["sent"] if sent[0] == id]
        assert point["sent"] == arrived, point
        assert (state, len(arrived)) in {("sent", 1), ("uncertain", 1), ("uncertain", 0)}, point
        assert [(type, state) for _, type, state in point["told"]] == [(type, "sent") for type in events]
        assert set(point["posts"]) == {id for id, _, _ in point["told"]}, point
    unmarked = [point for point in points if point["deliveries"][0][1] == "sent"]
    assert len(unmarked) > len(points) * 0.7  # only what is under way can be uncertain


def test_what_a_power_cut_leaves_holds_every_event_that_was_acknowledged(tmp_path):
    cuts = seen_by("power_cuts", tmp_path / "cuts")

    assert len(cuts) == 40
    assert cuts[-1]["acknowledged"] > cuts[0]["acknowledged"] > 0
    for cut in cuts:
        assert (cut["sound"], cut["missing"]) == ("ok", [])
