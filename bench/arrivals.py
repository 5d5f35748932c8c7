"""How quickly events are acknowledged over HTTP, once they are on the disk, and how many a second.

The peer is a bare Starlette route that inserts the body into SQLite with `synchronous = full`, in a process
of its own. Both are asked over the same kind of connection, one after the other.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from reporting import report, words

_PEER = Path(__file__).with_name("arrivals_peer.py")
_CONNECTIONS = 32


async def main() -> None:
    """Measure both at a fixed rate, then as fast as they go."""
    given = words(rate=100, seconds=10, database="")
    rows = []
    for name, serving in (("vivavoce", _ours(given.database)), ("bare route", _peer())):
        with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as port:
            target = await _target(port, is_ours=name == "vivavoce")
            await _paced(target, 50, 2)  # warm
            spent = await _paced(target, given.rate, given.seconds)
            most = await _as_fast_as_it_goes(target, given.seconds)
            rows.append({"server": name, **_figures(spent), "most events/s": most})
    rows.append({"server": "ratio", **{key: rows[0][key] / rows[1][key] for key in list(rows[0])[1:]}})
    report(f"Acknowledgement of an event at {given.rate}/s, fsync included", rows, given.json)


class _Target:
    """Where events are posted, over connections that are kept."""

    def __init__(self, port: int, path: str, head: str) -> None:
        self._port, self._path, self._head = port, path, head
        self._numbers = count(1)
        self._free: deque[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = deque()

    async def post(self) -> None:
        """One event, until it is acknowledged; the connections take turns, so that none is closed as idle."""
        number = next(self._numbers)
        event = {"id": f"e{number}", "chat": f"c{number % 5_000}", "text": "When do you open on Sundays?"}
        body = json.dumps({"events": [event]}).encode()
        kept = self._free.popleft() if self._free else await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = kept
        writer.write(
            f"POST {self._path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{self._head}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        await reader.readexactly(int(answer.split("content-length:")[1].split("\r\n")[0]))
        assert " 200 " in answer.split("\r\n")[0], answer
        self._free.append(kept)


async def _target(port: int, *, is_ours: bool) -> _Target:
    if not is_ours:
        return _Target(port, "/events", "")
    agent = _asked(port, "/agents", {"name": "Ana"})
    asked = {"agentId": agent["id"], "name": "Bench", "config": {"url": "https://provider.invalid/"}}
    channel = _asked(port, "/channels", asked)
    return _Target(port, channel["eventsPath"], f"X-Webhook-Token: {channel['token']}\r\n")


async def _paced(target: _Target, rate: int, seconds: int) -> list[float]:
    """Milliseconds from when each event was due to be posted until it was acknowledged."""
    begin = time.perf_counter()

    async def one(number: int) -> float:
        due = begin + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await target.post()
        return (time.perf_counter() - due) * 1000

    return list(await asyncio.gather(*(one(number) for number in range(rate * seconds))))


async def _as_fast_as_it_goes(target: _Target, seconds: int) -> float:
    """Events a second with many connections that each wait for the last acknowledgement."""
    end, number = time.perf_counter() + seconds, 0

    async def line() -> None:
        nonlocal number
        while time.perf_counter() < end:
            await target.post()
            number += 1

    await asyncio.gather(*(line() for _ in range(_CONNECTIONS)))
    return number / seconds


def _figures(spent: list[float]) -> dict[str, float]:
    ordered = sorted(spent)
    return {"p50 ms": ordered[len(ordered) // 2], "p99 ms": ordered[int(len(ordered) * 0.99)]}


def _ours(database: str) -> Callable[[Path], Any]:
    """`vivavoce serve --no-work`, on a file or on the database that is named."""

    @contextmanager
    def serving(folder: Path) -> Iterator[int]:
        port = _free_port()
        place = {"VIVAVOCE_DATABASE": database or str(folder / "bench.db")}
        settings = {**place, "VIVAVOCE_KEY_FILE": str(folder / "key"), "XDG_DATA_HOME": str(folder)}
        command = [sys.executable, "-m", "vivavoce", "serve", "--no-work", "--port", str(port)]
        with _running(command, port, settings):
            yield port

    return serving


def _peer() -> Callable[[Path], Any]:
    @contextmanager
    def serving(folder: Path) -> Iterator[int]:
        port = _free_port()
        with _running([sys.executable, str(_PEER), str(folder / "peer.db"), str(port)], port, {}):
            yield port

    return serving


@contextmanager
def _running(command: list[str], port: int, settings: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen(command, env={**os.environ, **settings}, stderr=subprocess.DEVNULL)
    try:
        while not _is_up(port):
            assert process.poll() is None, "It ended at once."
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def _is_up(port: int) -> bool:
    import httpx2

    try:
        return httpx2.get(f"http://127.0.0.1:{port}/health", trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False


def _asked(port: int, path: str, body: dict[str, Any]) -> Any:
    import httpx2

    return httpx2.post(f"http://127.0.0.1:{port}{path}", json=body, trust_env=False).json()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


if __name__ == "__main__":
    asyncio.run(main())
