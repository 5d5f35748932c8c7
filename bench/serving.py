"""Servers that are measured as processes of their own, and connections to them that are kept."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ELSEWHERE = ("nice", "-n", "19")


class Lines:
    """Connections to a server on loopback, which take turns."""

    def __init__(self, port: int, head: str = "") -> None:
        self._port, self._head = port, head
        self._free: deque[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = deque()

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What the server answers, which must be a success."""
        sent = b"" if body is None else json.dumps(body).encode()
        line = reader, writer = await self._line()
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{self._head}"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n".encode()
            + sent
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        answer = await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
        assert " 20" in head.split("\r\n")[0], (head, answer)
        self._free.append(line)
        return json.loads(answer) if answer else None

    async def _line(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._free:
            reader, writer = self._free.popleft()
            if not reader.at_eof():
                return reader, writer
            writer.close()  # nobody asked for a while, so the server has hung up
        return await asyncio.open_connection("127.0.0.1", self._port)


async def shop(lines: Lines, model: str, passages: int) -> str:
    """An agent whose datastore says when shoes may come back, among many passages that do not; its id."""
    store = await lines.ask("POST", "/datastores", {"name": "Help", "type": "qdrant"})
    filling = "\n\n".join(f"Rule {number}. " + f"word{number % 97} " * 300 for number in range(passages))
    for name, text in (("Rules", filling), ("Returns", "Shoes may come back within 30 days.")):
        asked = {"datastoreId": store["id"], "name": name, "type": "file", "text": text}
        await lines.ask("POST", "/datasources", asked)
    for _ in range(3_000):
        held = await lines.ask("GET", f"/datastores/{store['id']}")
        if {each["status"] for each in held["datasources"]} == {"synched"}:
            break
        await asyncio.sleep(0.2)
    else:
        raise AssertionError("The datastore was not ready in time.")
    tools = [{"type": "datastore", "datastoreId": store["id"]}]
    asked = {
        "name": "Ana",
        "description": "",
        "modelName": model,
        "systemPrompt": "You are Ana.",
    }
    return str((await lines.ask("POST", "/agents", {**asked, "tools": tools}))["id"])


def keep_apart() -> int | None:
    """A core for what is measured: this process, and those that it starts, leave it alone from now on.

    None where there is but one, or the system lets nobody choose.
    """
    if not hasattr(os, "sched_setaffinity") or len(cores := sorted(os.sched_getaffinity(0))) == 1:
        return None
    os.sched_setaffinity(0, cores[1:])
    return cores[0]


@contextmanager
def vivavoce(folder: Path, *words: str, core: int | None = None, **settings: str) -> Iterator[int]:
    """`vivavoce serve` with these words and settings, on a database in this folder; its port."""
    with vivavoce_process(folder, *words, core=core, **settings) as (port, _):
        yield port


@contextmanager
def vivavoce_process(
    folder: Path, *words: str, core: int | None = None, **settings: str
) -> Iterator[tuple[int, int]]:
    """The same; its port and the id of its process."""
    port = _free_port()
    own = {
        "VIVAVOCE_DATABASE": str(folder / "bench.db"),
        "VIVAVOCE_KEY_FILE": str(folder / "key"),
        "XDG_DATA_HOME": str(folder),
        **settings,
    }
    command = [sys.executable, "-m", "vivavoce", "serve", *words, "--port", str(port)]
    with running(command, port, own, core) as process:
        yield port, process


@contextmanager
def program(path: Path, *words: str, is_elsewhere: bool = False) -> Iterator[int]:
    """A server in Python that is given its port as the last word; its port.

    One that is elsewhere in life takes the processors only while nobody else wants them.
    """
    port = _free_port()
    with running([*(ELSEWHERE if is_elsewhere else ()), sys.executable, str(path), *words, str(port)], port):
        yield port


@contextmanager
def running(
    command: Sequence[str], port: int, settings: Mapping[str, str] | None = None, core: int | None = None
) -> Iterator[int]:
    """A process that listens on this port while the block lasts, on one core if that is named; its id."""
    environment = {**os.environ, **(settings or {})}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
    try:
        if core is not None:
            os.sched_setaffinity(process.pid, {core})  # before it has threads, which keep to it as well
        while not _is_up(port):
            assert process.poll() is None, "It ended at once."
            time.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)


def _is_up(port: int) -> bool:
    import httpx2

    try:
        return httpx2.get(f"http://127.0.0.1:{port}/health", trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
