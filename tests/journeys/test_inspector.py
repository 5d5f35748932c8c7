"""The MCP Inspector looks at both transports in both eras, with its own eyes and rules."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import PROGRAM, environment, serving

from tests.node_tools import installed

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
NEW = {"name": "Ana", "description": "d", "modelName": "m", "systemPrompt": "p"}


@pytest.fixture(scope="session")
def inspector() -> list[str]:
    """The command of the Inspector, once it is installed."""
    # Not `npm ci`: it wants the lock to name builds for other systems, which not every registry has.
    node = installed(HERE, "the MCP Inspector", oldest_node=(22, 19), install="install --no-save")
    package = MODULES / "@modelcontextprotocol" / "inspector"
    described = json.loads((package / "package.json").read_text(encoding="utf-8"))
    return [node, str(package / described["bin"]["mcp-inspector"]), "--cli"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_finds_no_fault_in_the_tools_and_calls_one(inspector, transport, era, tmp_path):
    with target(transport, tmp_path) as words:
        command = [*inspector, *words, "--protocol-era", era, "--format", "json"]
        listed = run([*command, "--method", "tools/list", "--strict"], tmp_path)
        arguments = ["--tool-name", "create_agent", "--tool-args-json", json.dumps(NEW)]
        called = run([*command, "--method", "tools/call", *arguments], tmp_path)
        refused = run([*command, "--method", "tools/call", "--tool-name", "get_agent"], tmp_path)

    tools = json.loads(listed.stdout)["result"]["tools"]
    assert listed.returncode == 0, listed.stderr
    assert len(tools) == 29
    assert called.returncode == 0, called.stderr
    assert json.loads(called.stdout)["result"]["structuredContent"]["name"] == "Ana"
    assert refused.returncode == 5
    assert "id: is required" in refused.stdout


@contextmanager
def target(transport: str, folder: Path) -> Iterator[list[str]]:
    """The words that tell the Inspector what to look at."""
    if transport == "stdio":
        # The Inspector gives a server few of its own variables, so the command sets this one.
        yield ["env", f"VIVAVOCE_DATABASE={folder / 'workspace.db'}", *PROGRAM, "mcp"]
    else:
        with serving(folder) as served:
            yield [f"{served.address}/mcp", "--transport", "http"]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment(folder), cwd=folder, capture_output=True, text=True, timeout=120
    )
