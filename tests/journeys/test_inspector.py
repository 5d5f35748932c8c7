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
AVATAR = {
    "id": "ada",
    "name": "Ada Lovelace",
    "description": "Wrote the first program",
    "corpus": {"description": "Her notes.", "sources": []},
    "systemPrompt": {"identity": "i", "tone": "t", "constraints": [], "citationStyle": "APA"},
}
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
    assert len(tools) == 30
    assert called.returncode == 0, called.stderr
    assert json.loads(called.stdout)["result"]["structuredContent"]["name"] == "Ana"
    assert refused.returncode == 5
    assert "id: is required" in refused.stdout


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_finds_no_fault_in_the_server_of_an_avatar(inspector, transport, era, tmp_path):
    written = json.dumps({"config": AVATAR})
    made = run([*PROGRAM, "create-avatar", "--input", written], tmp_path)
    assert made.returncode == 0, made.stderr
    with target(transport, tmp_path, avatar="ada") as words:
        command = [*inspector, *words, "--protocol-era", era, "--format", "json"]
        listed = run([*command, "--method", "tools/list", "--strict"], tmp_path)
        called = run([*command, "--method", "tools/call", "--tool-name", "get_avatar_info"], tmp_path)

    assert listed.returncode == 0, listed.stderr
    names = [tool["name"] for tool in json.loads(listed.stdout)["result"]["tools"]]
    assert names == ["query_corpus", "generate_response", "get_avatar_info"]
    assert called.returncode == 0, called.stderr
    assert json.loads(called.stdout)["result"]["structuredContent"]["id"] == "ada"


@contextmanager
def target(transport: str, folder: Path, avatar: str | None = None) -> Iterator[list[str]]:
    """The words that tell the Inspector what to look at."""
    if transport == "stdio":
        alone = [] if avatar is None else [f"--avatar={avatar}"]
        # The Inspector gives a server few of its own variables, so the command sets this one.
        yield ["env", f"VIVAVOCE_DATABASE={folder / 'workspace.db'}", *PROGRAM, "mcp", *alone]
    else:
        with serving(folder) as served:
            path = "/mcp" if avatar is None else f"/avatars/{avatar}/mcp"
            yield [served.address + path, "--transport", "http"]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment(folder), cwd=folder, capture_output=True, text=True, timeout=120
    )
