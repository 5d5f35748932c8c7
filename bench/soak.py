"""What an hour of steady load does to `vivavoce serve`: memory, open files, threads, its log, slow calls.

People ask an agent with a datastore over REST and write to it through a channel, and an assistant looks at
it. Model, embedder and the channel's provider are a process on loopback that answers at once. The first third
of the time is warming up; the slope is that of a straight line through the rest.
"""

from __future__ import annotations

import asyncio
import math
import os
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import linear_regression
from typing import Any

from reporting import at, report, words
from serving import Lines, program, shop, vivavoce_process

_MODEL = Path(__file__).with_name("speaking_server.py")
_CONVERSATIONS = 499
_KINDS = ("query", "query", "query", "event", "look")
"""One after the other, over and over."""


async def main() -> None:
    """Load, sample, report."""
    given = words(minutes=60, rate=10, every=10, passages=1_000)
    assert given.minutes * 60 >= 3 * given.every, "Too short for a slope."
    with tempfile.TemporaryDirectory() as folder, program(_MODEL) as outside:
        settings = {
            "VIVAVOCE_MODEL_URL": f"http://127.0.0.1:{outside}/v1",
            "VIVAVOCE_EMBEDDER_URL": f"http://127.0.0.1:{outside}/v1",
            "VIVAVOCE_EMBEDDER_MODEL": "counting",
            "VIVAVOCE_ALLOWED_ADDRESSES": f"127.0.0.1:{outside}",
        }
        with vivavoce_process(Path(folder), **settings) as (port, pid):
            load = await _load(port, outside, given.passages)
            samples = await _soaked(load, _Looked(pid, Path(folder) / "bench.db"), given)
            unsent = await load.unsent()
    title = f"{load.done:,} calls, {given.rate} a second; of the last answers {unsent} were not sent"
    report(title, _rows(samples), given.json)


@dataclass
class _Load:
    """Calls of all kinds, one after the other."""

    lines: Lines
    channel: Lines
    agent: str
    events: str
    numbers: count[int] = field(default_factory=lambda: count(1))
    done: int = 0
    spent: list[float] = field(default_factory=list)

    async def call(self, due: float) -> None:
        """The next one, which was due at that moment."""
        number = next(self.numbers)
        kind, chat = _KINDS[number % len(_KINDS)], f"c{number % _CONVERSATIONS}"
        if kind == "query":
            asked = {"query": "When may shoes come back?", "conversationId": chat}
            answer = await self.lines.ask("POST", f"/agents/{self.agent}/query", asked)
            assert answer["sources"], answer
        elif kind == "event":
            event = {"id": f"e{number}", "chat": chat, "text": "When may shoes come back?"}
            await self.channel.ask("POST", self.events, {"events": [event]})
        else:
            await self.lines.ask("GET", f"/agents/{self.agent}")
        self.spent.append((time.perf_counter() - due) * 1000)
        self.done += 1

    async def unsent(self) -> int:
        """How many of the newest hundred answers have not gone out through the channel after a minute."""
        for _ in range(60):
            found = await self.lines.ask("GET", "/deliveries?limit=100")
            if not (left := sum(each["state"] != "sent" for each in found)):
                break
            await asyncio.sleep(1)
        assert found, "Nothing went out at all."
        return left


@dataclass(frozen=True)
class _Looked:
    """What the system says of a process and its database."""

    pid: int
    database: Path

    def now(self) -> dict[str, float]:
        own = Path(f"/proc/{self.pid}")
        status = dict(line.split(":", 1) for line in (own / "status").read_text().splitlines())
        log = self.database.with_name(f"{self.database.name}-wal")
        return {
            "memory, MB": int(status["VmRSS"].split()[0]) / 1024,
            "open files": float(len(os.listdir(own / "fd"))),
            "threads": float(status["Threads"]),
            "write-ahead log, MB": log.stat().st_size / 2**20 if log.exists() else 0.0,
            "database, MB": self.database.stat().st_size / 2**20,
        }


async def _load(port: int, outside: int, passages: int) -> _Load:
    lines = Lines(port)
    agent = await shop(lines, "scripted", passages)
    config = {"url": f"http://127.0.0.1:{outside}/messages"}
    channel = await lines.ask("POST", "/channels", {"agentId": agent, "name": "Soak", "config": config})
    spoken = Lines(port, f"X-Webhook-Token: {channel['token']}\r\n")
    return _Load(lines, spoken, agent, channel["eventsPath"])


async def _soaked(load: _Load, looked: _Looked, given: Any) -> list[tuple[float, dict[str, float]]]:
    """What was seen, and when, in seconds since the beginning."""
    begin = time.perf_counter()
    samples: list[tuple[float, dict[str, float]]] = []

    def sample() -> None:
        slowest = at(0.99, load.spent) if load.spent else math.nan
        samples.append((time.perf_counter() - begin, looked.now() | {"p99 of calls, ms": slowest}))
        load.spent = []

    async with asyncio.TaskGroup() as calls:
        for number in range(given.minutes * 60 * given.rate):
            due = begin + number / given.rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            _ = calls.create_task(load.call(due))
            if number and number % (given.every * given.rate) == 0:
                sample()
    sample()
    return samples


def _rows(samples: list[tuple[float, dict[str, float]]]) -> list[dict[str, Any]]:
    warm = samples[len(samples) // 3 :]
    hours = [seconds / 3600 for seconds, _ in warm]
    return [
        {
            "measure": name,
            "after a third": warm[0][1][name],
            "at the end": warm[-1][1][name],
            "most": max(seen[name] for _, seen in samples),
            "more each hour": linear_regression(hours, [seen[name] for _, seen in warm]).slope,
        }
        for name in warm[0][1]
    ]


if __name__ == "__main__":
    asyncio.run(main())
