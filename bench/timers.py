"""How late timers are with 100,000 of them pending, and how soon the first answer comes with a full inbox.

Lateness is that of jobs which become due one after the other while the others wait for tomorrow, from when
a job is due to when it is begun. Recovery is from the start of `vivavoce work` as a process to the first
message that the provider is given, with as many arrivals waiting as there were timers.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from reporting import report, words

from vivavoce.app import App, open_app
from vivavoce.domain.jobs import Job, NewJob
from vivavoce.engine import Engine
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.time.jobs import does, finish
from vivavoce.engine.time.worker import Worker
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.ports import Tables
from vivavoce.settings import Settings

_BATCH = 1_000
_late: list[float] = []


async def main() -> None:
    """Measure lateness, then recovery."""
    given = words(pending=100_000, due=500, rate=50)
    with tempfile.TemporaryDirectory() as folder:
        rows = [await _lateness(Path(folder), given.pending, given.due, given.rate)]
    with tempfile.TemporaryDirectory() as folder:
        rows += await _recovery(Path(folder), given.pending)
    report(f"Timers with {given.pending:,} pending", rows, given.json)


def _nobody(job: Job, reason: str, work: Work) -> None:
    """A bench does not give up."""


@does("bench", gives_up=_nobody)
async def note(job: Job, errand: Errand) -> None:
    """Note how late it is."""
    _late.append((errand.ports.now() - job.due_at).total_seconds() * 1000)
    await errand.write(lambda work: finish(job, work))


async def _lateness(folder: Path, pending: int, due: int, rate: int) -> dict[str, Any]:
    async with open_app(_settings(folder, 0)) as app:
        now = app.ports.now()
        tomorrow = [now + timedelta(days=1, milliseconds=number) for number in range(pending)]
        await _add(app, [NewJob(f"later{n}", "bench", at) for n, at in enumerate(tomorrow)])
        start = app.ports.now() + timedelta(seconds=2)
        soon = [start + timedelta(seconds=number / rate) for number in range(due)]
        await _add(app, [NewJob(f"soon{n}", "bench", at) for n, at in enumerate(soon)])
        engine = app.backend
        assert isinstance(engine, Engine)
        await _work_until(engine.worker, lambda: len(_late) >= due)
    ordered = sorted(_late)
    return {
        "what": f"lateness of {due} timers at {rate}/s",
        "p50 ms": ordered[len(ordered) // 2],
        "p99 ms": ordered[int(len(ordered) * 0.99)],
        "most ms": ordered[-1],
    }


async def _work_until(worker: Worker, is_done: Any) -> None:
    working = asyncio.create_task(worker.run())
    while not is_done():
        await asyncio.sleep(0.1)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


async def _recovery(folder: Path, pending: int) -> list[dict[str, Any]]:
    """A backlog in as many chats as there are tens of events, and a worker that is started on it."""
    async with _outside() as (port, was_given):
        settings = _settings(folder, port)
        async with open_app(settings) as app:
            await _fill(app, port, pending)
        rows = []
        for what in ("start to the first answer, cold", "the same after a kill"):
            was_given.clear()
            begin = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, "-m", "vivavoce", "work"],
                env={**os.environ, **_environment(folder, port)},
                stderr=subprocess.DEVNULL,
            )
            await was_given.wait()
            spent = (time.perf_counter() - begin) * 1000
            process.kill()
            process.wait()
            rows.append({"what": what, "p50 ms": spent, "p99 ms": spent, "most ms": spent})
    return rows


async def _fill(app: App, port: int, pending: int) -> None:
    agent = await _run(app, "create_agent", name="Ana", description="", modelName="m", systemPrompt="Hi.")
    config = {"url": f"http://127.0.0.1:{port}/"}
    channel = await _run(app, "create_channel", agentId=agent.id, name="Bench", config=config)
    headers = {"x-webhook-token": channel.token}
    for first in range(0, pending, _BATCH):
        events = [
            {"id": f"e{number}", "chat": f"c{number % max(1, pending // 10)}", "text": "When?"}
            for number in range(first, min(pending, first + _BATCH))
        ]
        await app.inbox.accept(channel.id, headers, json.dumps({"events": events}).encode())


async def _run(app: App, name: str, /, **arguments: Any) -> Any:
    return await app.backend.run(CATALOGUE[name].parse(arguments), OPERATOR)


async def _add(app: App, jobs: list[NewJob]) -> None:
    now = app.ports.now()

    def added(tables: Tables, some: list[NewJob]) -> None:
        for job in some:
            tables.jobs.add(job, now)

    for first in range(0, len(jobs), _BATCH):
        await app.ports.store.write(lambda tables, some=jobs[first : first + _BATCH]: added(tables, some))


@asynccontextmanager
async def _outside() -> AsyncIterator[tuple[int, asyncio.Event]]:
    """A model that answers at once, and a provider; the event is set when the provider is given something."""
    was_given = asyncio.Event()
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    said = [{"index": 0, "delta": {"role": "assistant", "content": "At nine."}, "finish_reason": "stop"}]
    answer = b"data: " + json.dumps({**chunk, "choices": said}).encode() + b"\n\ndata: [DONE]\n\n"

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
                is_model = "/v1/" in head.split("\r\n")[0]
                if not is_model:
                    was_given.set()
                body, kind = (answer, b"text/event-stream") if is_model else (b"{}", b"application/json")
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b"
                    % (kind, len(body), body)
                )
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], was_given


def _settings(folder: Path, port: int) -> Settings:
    return Settings.read(_environment(folder, port))


def _environment(folder: Path, port: int) -> dict[str, str]:
    return {
        "VIVAVOCE_DATABASE": str(folder / "bench.db"),
        "VIVAVOCE_MODEL_URL": f"http://127.0.0.1:{port or 9}/v1",
        "VIVAVOCE_MODEL": "m",
        "VIVAVOCE_ALLOWED_ADDRESSES": f"127.0.0.1:{port or 9}",
    }


if __name__ == "__main__":
    asyncio.run(main())
