"""What a turn adds to a model that answers at once: a history of 20 messages, a datastore of 10,000 passages.

The model is a process on loopback that speaks the OpenAI protocol; the bare call to it stands beside. The
question's embedding is not counted: an embedder that counts words takes its place. Then the memory over many
turns. What a crowd of turns does to other calls is measured by `crowd.py`.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from reporting import report, words

from vivavoce.app import open_app
from vivavoce.engine import Engine
from vivavoce.engine.library.ingestion import Ingester
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.settings import Settings
from vivavoce.testing import TestEmbedders

_PASSAGE = 300
"""Words of a passage, about."""
_HISTORY = 10


async def main() -> None:
    """Measure one turn at a time, and memory."""
    given = words(passages=10_000, turns=300, memory=20_000)
    speaking = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("speaking_server.py"))],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert speaking.stdout is not None
        url = f"http://127.0.0.1:{int(speaking.stdout.readline())}/v1"
        with tempfile.TemporaryDirectory() as folder:
            async with _bench(Path(folder), url, given.passages) as bench:
                rows = await bench.one_by_one(given.turns)
                rows += await bench.memory(given.memory)
        report(f"Turns, {given.passages:,} passages, {2 * _HISTORY} messages before", rows, given.json)
    finally:
        speaking.terminate()


@asynccontextmanager
async def _bench(folder: Path, url: str, passages: int) -> Any:
    environment = {
        "VIVAVOCE_DATABASE": str(folder / "bench.db"),
        "VIVAVOCE_MODEL_URL": url,
    }
    async with open_app(Settings.read(environment)) as app:
        engine = Engine(replace(app.ports, embedders=TestEmbedders()))
        bench = _Bench(engine, url)
        await bench.prepare(passages)
        yield bench


class _Bench:
    """An agent with a datastore, and what asking it costs."""

    def __init__(self, engine: Engine, url: str) -> None:
        self.engine, self.url = engine, url
        self.agent = ""

    async def run(self, name: str, /, **arguments: Any) -> Any:
        return await self.engine.run(CATALOGUE[name].parse(arguments), OPERATOR)

    async def prepare(self, passages: int) -> None:
        chance = random.Random(7)
        vocabulary = [f"{a}{b}{c}" for a in "bdfglm" for b in ("alo", "eri", "ino", "oma") for c in "rstvz"]
        store = await self.run("create_datastore", name="Help", type="qdrant")
        for number in range(0, passages, 500):
            text = "\n\n".join(
                " ".join(f"{chance.choice(vocabulary)}{chance.randrange(40)}" for _ in range(_PASSAGE)) + "."
                for _ in range(min(500, passages - number))
            )
            name = f"Book {number}"
            await self.run("create_datasource", datastoreId=store.id, name=name, type="file", text=text)
        await self.run(
            "create_datasource",
            datastoreId=store.id,
            name="Returns",
            type="file",
            text="Shoes may come back within 30 days.",
        )
        await Ingester(self.engine.ports).finish()
        tools = [{"type": "datastore", "datastoreId": store.id}, {"type": "request_human"}]
        agent = await self.run(
            "create_agent",
            name="Ana",
            description="Answers.",
            modelName="scripted",
            systemPrompt="You are Ana.",
            tools=tools,
        )
        self.agent = agent.id
        for _ in range(_HISTORY):
            await self.ask("warm")

    async def ask(self, conversation: str) -> None:
        answer = await self.run(
            "agent_query",
            id=self.agent,
            query="When may shoes come back?",
            conversationId=conversation,
        )
        assert answer.sources, answer

    async def one_by_one(self, turns: int) -> list[dict[str, Any]]:
        bare = await _timed(turns, self._bare_call())
        ours = await _timed(turns, lambda: self.ask("warm"))
        added = [one - _middle(bare) for one in ours]
        return [_row("bare call to the model", bare), _row("a turn", ours), _row("added by a turn", added)]

    def _bare_call(self) -> Callable[[], Awaitable[None]]:
        import httpx2

        client = httpx2.AsyncClient()
        asked = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "x" * 4_000}]}

        async def call() -> None:
            async with client.stream("POST", f"{self.url}/chat/completions", json=asked) as answer:
                async for line in answer.aiter_lines():
                    if line.startswith("data: {"):
                        json.loads(line[6:])

        return call

    async def memory(self, turns: int) -> list[dict[str, Any]]:
        before = _resident()
        start = time.perf_counter()
        for place in range(turns):
            await self.ask(f"m{place % 1_000}")
            if place == turns // 10:
                before = _resident()
        spent = (time.perf_counter() - start) * 1000 / max(1, turns)
        grown = (_resident() - before) / 2**20
        return (
            [{"what": f"{turns:,} turns: {grown:.1f} MB more", "p50 ms": spent, "p99 ms": 0.0}]
            if turns
            else []
        )


async def _timed(number: int, do: Callable[[], Awaitable[Any]]) -> list[float]:
    spent = []
    for _ in range(number):
        start = time.perf_counter()
        await do()
        spent.append((time.perf_counter() - start) * 1000)
    return spent


def _middle(spent: list[float]) -> float:
    return sorted(spent)[len(spent) // 2]


def _row(what: str, spent: list[float]) -> dict[str, Any]:
    ordered = sorted(spent)
    return {"what": what, "p50 ms": _middle(spent), "p99 ms": ordered[int(len(ordered) * 0.99)]}


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    asyncio.run(main())
