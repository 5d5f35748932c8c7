"""Whether cost grows no faster than the answer: long lists, and one agent among many."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from reporting import report, words

from vivavoce.app import open_app
from vivavoce.operations import OPERATOR
from vivavoce.operations.agents import CreateAgent, GetAgent, ListAgents
from vivavoce.settings import Settings
from vivavoce.surfaces.mcp.server import succeeded

_BATCH = 500


async def main() -> None:
    """Fill a workspace step by step and measure at each size."""
    given = words(most=100_000, rounds=7)
    sizes = [size for size in (100, 1_000, 10_000, 100_000) if size <= given.most]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "workspace.db")})
        async with open_app(settings) as app:
            ids: list[str] = []
            for size in sizes:
                while len(ids) < size:
                    made = [_agent(len(ids) + place) for place in range(min(_BATCH, size - len(ids)))]
                    ids += [
                        made.id
                        for made in await asyncio.gather(*(app.backend.run(op, OPERATOR) for op in made))
                    ]
                rows.append(await _measured(app, ids, size, given.rounds))
    report("Cost by the number of agents", rows, given.json)


def _agent(number: int) -> CreateAgent:
    return CreateAgent(
        name=f"Agent {number}",
        description="Answers.",
        model_name="gpt_4o_mini",
        system_prompt="Be brief.",
        handle=f"agent-{number}",
    )


async def _measured(app: Any, ids: list[str], size: int, rounds: int) -> dict[str, Any]:
    some = ids[:: max(1, len(ids) // 200)]
    by_id, by_handle, listing = [], [], []
    for _ in range(rounds):
        by_id.append(await _cpu([GetAgent(id=one) for one in some], app))
        by_handle.append(
            await _cpu(
                [GetAgent(id=f"@agent-{number}") for number in range(0, size, max(1, size // 200))], app
            )
        )
        if size <= 10_000:
            listing.append(await _cpu([ListAgents()], app))
    row: dict[str, Any] = {
        "agents": size,
        "get_agent by id us": round(statistics.median(by_id), 1),
        "get_agent by handle us": round(statistics.median(by_handle), 1),
        "list_agents ms": "-",
        "list_agents us per agent": "-",
    }
    if listing:
        whole = statistics.median(listing)
        row |= {"list_agents ms": round(whole / 1000, 1), "list_agents us per agent": round(whole / size, 1)}
    return row


async def _cpu(ops: list[Any], app: Any) -> float:
    """Microseconds of CPU for each operation, with its answer written out."""
    began = time.process_time()
    for op in ops:
        succeeded(await app.backend.run(op, OPERATOR))
    return (time.process_time() - began) / len(ops) * 1e6


if __name__ == "__main__":
    asyncio.run(main())
