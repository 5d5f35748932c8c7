"""A worker that stands still for longer than its lease has lost its job, and says nothing when it goes on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from processes import environment, serving

_HASTY = """
import sys
from datetime import timedelta
from vivavoce.engine.time import worker
worker.LEASE, worker._BEAT = timedelta(seconds=1), 0.25
from vivavoce.surfaces.cli import main
sys.argv = ["vivavoce", "work"]
main()
"""
"""A worker whose lease ends after a second, so that nobody has to wait for ten."""
_PATIENCE = 120


class Outside:
    """A model whose first answer takes until it is told, and a provider that notes what it is given."""

    def __init__(self) -> None:
        self.asked, self.may_answer = asyncio.Semaphore(0), asyncio.Event()
        self.taken: list[tuple[str, str]] = []
        self.was_taken = asyncio.Condition()
        self._calls = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = int(head.split("content-length:")[1].split("\r\n")[0])
                asked = json.loads(await reader.readexactly(length))
                body = await (self._said() if "/v1/" in head else self._took(asked))
                kind = b"text/event-stream" if "/v1/" in head else b"application/json"
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b"
                    % (kind, len(body), body)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _said(self) -> bytes:
        self._calls += 1
        text = "Too late." if self._calls == 1 else "In time."
        self.asked.release()
        if self._calls == 1:
            await self.may_answer.wait()
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        said = [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}]
        return b"data: " + json.dumps({**chunk, "choices": said}).encode() + b"\n\ndata: [DONE]\n\n"

    async def _took(self, message: dict[str, Any]) -> bytes:
        async with self.was_taken:
            self.taken.append((message["chat"], message["text"]))
            self.was_taken.notify_all()
        return b'{"id": "p1"}'


@pytest.fixture
async def outside() -> AsyncIterator[tuple[Outside, int]]:
    seen = Outside()
    async with await asyncio.start_server(seen.talk, "127.0.0.1", 0) as server:
        yield seen, server.sockets[0].getsockname()[1]
        seen.may_answer.set()
        server.close()


@contextmanager
def working(folder: Path, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with a short lease, as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HASTY], env=environment(folder, **settings), stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(timeout=_PATIENCE)


async def test_a_worker_that_was_stopped_past_its_lease_says_nothing_when_it_goes_on(tmp_path, outside):
    seen, port = outside
    settings = {
        "VIVAVOCE_MODEL_URL": f"http://127.0.0.1:{port}/v1",
        "VIVAVOCE_MODEL": "m",
        "VIVAVOCE_ALLOWED_ADDRESSES": f"127.0.0.1:{port}",
    }
    with serving(tmp_path, "--no-work", **settings) as served:
        async with httpx2.AsyncClient(base_url=served.address, timeout=30, trust_env=False) as client:
            agent = (await client.post("/agents", json={"name": "Ana", "modelName": "m"})).json()
            asked = {"agentId": agent["id"], "name": "Test", "config": {"url": f"http://127.0.0.1:{port}/"}}
            channel = (await client.post("/channels", json=asked)).json()

            async def say(event: str, chat: str) -> None:
                answer = await client.post(
                    channel["eventsPath"],
                    json={"id": event, "chat": chat, "text": "Are you there?"},
                    headers={"X-Webhook-Token": channel["token"]},
                )
                assert answer.json() == {"accepted": 1, "duplicates": 0}

            async def taken(number: int) -> None:
                async with seen.was_taken, asyncio.timeout(_PATIENCE):
                    await seen.was_taken.wait_for(lambda: len(seen.taken) >= number)

            with working(tmp_path, **settings) as first:
                await say("e1", "chat1")
                async with asyncio.timeout(_PATIENCE):
                    await seen.asked.acquire()
                os.kill(first.pid, signal.SIGSTOP)
                with working(tmp_path, **settings):
                    await taken(1)  # the second worker has taken it over and answered
                os.kill(first.pid, signal.SIGCONT)
                seen.may_answer.set()
                await say("e2", "chat2")
                await taken(2)  # the first one goes on, with what is new

            arrived = (await client.get(f"/channels/{channel['id']}/arrivals")).json()
            (talk,) = [each["conversationId"] for each in arrived if each["eventId"] == "e1"]
            said = (await client.get(f"/conversation/{talk}/messages/10")).json()["messages"]

    assert seen.taken == [("chat1", "In time."), ("chat2", "In time.")]
    assert sorted(each["text"] for each in said) == ["Are you there?", "In time."]
