"""How soon a stdio server answers, beside its peers. Rounds are interleaved; medians are shown."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from reporting import report, words
from speaking import HELLO, Spoken

HERE = Path(__file__).parent
PEER = HERE / "peers" / "node_modules" / "chatvolt-mcp" / "build" / "index.js"


def main() -> None:
    """Start each server in turn, round by round."""
    given = words(rounds=15)
    with tempfile.TemporaryDirectory() as folder:
        workspace = {"VIVAVOCE_DATABASE": str(Path(folder) / "workspace.db")}
        ours = [sys.executable, "-P", "-m", "vivavoce", "mcp"]
        servers: dict[str, tuple[list[str], dict[str, str], str | None]] = {
            "vivavoce": (ours, workspace, "list_agents"),
            "bare SDK server": ([sys.executable, str(HERE / "bare_server.py")], {}, "get_agent"),
        }
        node = shutil.which("node")
        if node and PEER.exists():
            servers["chatvolt-mcp 0.1.4"] = ([node, str(PEER)], {"CHATVOLT_API_KEY": "none"}, None)
        else:
            print("chatvolt-mcp is left out: npm ci --prefix bench/peers installs it.", file=sys.stderr)
        measured: dict[str, list[dict[str, float]]] = {name: [] for name in servers}
        for number in range(given.rounds + 1):
            for name, (command, environment, tool) in servers.items():
                figures = _round(command, environment, tool)
                if number:  # the first round warms the disk's cache
                    measured[name].append(figures)
    report(f"Start over stdio, medians of {given.rounds}", _rows(measured), given.json)


def _round(command: list[str], environment: dict[str, str], tool: str | None) -> dict[str, float]:
    server = Spoken(command, **environment)
    server.ask("initialize", **HELLO)
    figures = {"initialize ms": server.since_start()}
    server.tell("notifications/initialized")
    asked = server.since_start()
    _, line = server.ask("tools/list")
    figures["first tools/list ms"] = server.since_start() - asked
    figures["start to tools/list ms"] = server.since_start()
    figures["tools/list bytes"] = len(line)
    if tool is not None:
        server.ask("tools/call", name=tool, arguments={"id": "a"} if tool == "get_agent" else {})
        figures["start to first call ms"] = server.since_start()
    figures["idle MB"] = server.memory()
    server.close()
    return figures


def _rows(measured: dict[str, list[dict[str, float]]]) -> list[dict[str, Any]]:
    names = list(next(iter(measured.values()))[0])
    peer = measured.get("chatvolt-mcp 0.1.4") or []
    rows = []
    for server, rounds in measured.items():
        medians = {
            name: round(statistics.median(figures[name] for figures in rounds), 1)
            if name in rounds[0]
            else "-"
            for name in names
        }
        ratio: Any = "-"
        if peer:
            base = statistics.median(figures["initialize ms"] for figures in peer)
            ratio = round(float(medians["initialize ms"]) / base, 2)  # type: ignore[arg-type]
        rows.append({"server": server, **medians, "initialize x peer": ratio})
    return rows


if __name__ == "__main__":
    main()
