"""Server CPU for each call over stdio, beside a bare SDK tool that returns the same object."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reporting import report, words
from speaking import HELLO, Spoken

HERE = Path(__file__).parent
AGENT = {"name": "Ana", "description": "Answers.", "modelName": "gpt_4o_mini", "systemPrompt": "Be brief."}


def main() -> None:
    """Interleave blocks of calls to both servers and compare the CPU of the server processes."""
    given = words(calls=2000, blocks=5)
    with tempfile.TemporaryDirectory() as folder:
        ours = Spoken(
            [sys.executable, "-P", "-m", "vivavoce", "mcp"],
            VIVAVOCE_DATABASE=str(Path(folder) / "workspace.db"),
        )
        _open(ours)
        agent = ours.ask("tools/call", name="create_agent", arguments=AGENT)[0]["result"]["structuredContent"]
        constant = Path(folder) / "agent.json"
        constant.write_text(json.dumps(agent), encoding="utf-8")
        bare = Spoken([sys.executable, str(HERE / "bare_server.py"), str(constant)])
        _open(bare)
        servers = {"vivavoce get_agent": ours, "bare SDK tool": bare}
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in servers}
        for number in range(given.blocks + 1):
            for name, server in servers.items():
                figures = _block(server, agent["id"], given.calls)
                if number:
                    measured[name].append(figures)
        for server in servers.values():
            server.close()
    report(f"{given.calls} calls, median of {given.blocks} blocks", _rows(measured), given.json)


def _open(server: Spoken) -> None:
    server.ask("initialize", **HELLO)
    server.tell("notifications/initialized")


def _block(server: Spoken, agent_id: str, calls: int) -> tuple[float, float]:
    cpu, began = server.cpu(), time.perf_counter()
    for _ in range(calls):
        answer, _ = server.ask("tools/call", name="get_agent", arguments={"id": agent_id})
        assert answer["result"]["structuredContent"]["id"] == agent_id
    return (server.cpu() - cpu) / calls * 1000, (time.perf_counter() - began) / calls * 1000


def _rows(measured: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    base = statistics.median(cpu for cpu, _ in measured["bare SDK tool"])
    return [
        {
            "server": name,
            "CPU ms per call": round(statistics.median(cpu for cpu, _ in blocks), 3),
            "wall ms per call": round(statistics.median(wall for _, wall in blocks), 3),
            "CPU x bare": round(statistics.median(cpu for cpu, _ in blocks) / base, 2),
        }
        for name, blocks in measured.items()
    ]


if __name__ == "__main__":
    main()
