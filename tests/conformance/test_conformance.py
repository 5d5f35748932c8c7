"""The official MCP conformance suite, run against our HTTP surface with the fixtures it asks for.

The suite writes one folder for each scenario, with a list of checks: SUCCESS, FAILURE, WARNING or INFO.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.node_tools import installed

pytestmark = pytest.mark.journey

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MODULES = HERE / "node_modules"

NOT_REQUIRED = re.compile(r"tasks-|sep-2640-skills-")
"""Scenarios of optional extensions that we do not offer. Nothing else is excused."""


@dataclass(frozen=True)
class Suite:
    """One run of the suite, and what it must show."""

    package: str
    options: tuple[str, ...]
    scenarios: int
    """So many scenarios must run, extensions not counted."""
    warns: frozenset[str] = field(default=frozenset())
    """Scenarios that pass with a warning."""


SUITES = [
    # The longest comes first, so that two workers end together.
    # 37 required scenarios, and 3 that the suite does not score yet.
    pytest.param(Suite("conformance-0.2", ("--requirements", "2026-07-28"), scenarios=40), id="2026-07-28"),
    # 30 required scenarios, and 3 that the suite does not score yet.
    pytest.param(Suite("conformance-0.2", ("--requirements", "2025-11-25"), scenarios=33), id="2025-11-25"),
    pytest.param(
        # This version opens the polling scenario with the header of a revision that has no polling, so a
        # server that heeds the header cannot please it. The next version repairs that, and we pass there.
        Suite("conformance-0.1", ("--suite", "all"), scenarios=32, warns=frozenset({"server-sse-polling"})),
        id="0.1.16",
    ),
]


@pytest.mark.parametrize("suite", SUITES)
def test_every_required_scenario_passes(suite: Suite, node: str, server: str, tmp_path: Path):
    results, log = tmp_path / "results", tmp_path / "suite.log"
    script = MODULES / suite.package / "dist" / "index.js"
    command = [node, str(script), "server", "--url", server, *suite.options, "--output-dir", str(results)]

    with log.open("wb") as output:
        code = subprocess.run(command, stdout=output, stderr=output, cwd=tmp_path, timeout=300).returncode

    assert results.exists(), f"The suite did not start, see {log}:\n{log.read_text(encoding='utf-8')[-2000:]}"
    scenarios = {name: found for name, found in _scenarios(results) if not NOT_REQUIRED.match(name)}
    failed = {name: found["FAILURE"] for name, found in scenarios.items() if found["FAILURE"]}
    assert not failed, f"Failed, details in {results}: {json.dumps(failed, indent=2)}"
    assert len(scenarios) >= suite.scenarios, f"Only {len(scenarios)} scenarios ran: {sorted(scenarios)}"
    warned = {name: found["WARNING"] for name, found in scenarios.items() if found["WARNING"]}
    assert set(warned) == suite.warns, f"Other warnings than expected: {json.dumps(warned, indent=2)}"
    hollow = {name for name, found in scenarios.items() if not found["SUCCESS"]}
    assert hollow <= suite.warns, f"Passed without a single check: {sorted(hollow)}"
    assert code == 0, f"The suite ended with code {code}, see {log}."


@pytest.fixture(scope="session")
def node() -> str:
    """The Node that runs the suite, once the suite is installed."""
    return installed(HERE, "the conformance suite", oldest_node=(22, 0))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of the fixtures, served by a process of their own on a port of its own."""
    command = [sys.executable, "-m", "tests.conformance.serve"]
    log = tmp_path / "server.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, f"The server did not start:\n{log.read_text(encoding='utf-8')}"
            yield address
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def _scenarios(results: Path) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each scenario that ran, with what its checks said, by status."""
    for folder in sorted(results.iterdir()):
        name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$", "", folder.name)
        found: dict[str, list[str]] = {"SUCCESS": [], "FAILURE": [], "WARNING": []}
        checks = folder / "checks.json"
        if not checks.exists():
            found["FAILURE"].append("The scenario broke off; the suite's log says why.")
        for check in json.loads(checks.read_text(encoding="utf-8")) if checks.exists() else ():
            message = f"{check['id']}: {check.get('errorMessage') or check['description']}"
            found.setdefault(check["status"], []).append(message)
        yield name, found
