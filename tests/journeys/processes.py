"""Real processes: the served program and the stdio server, started, killed and always ended."""

from __future__ import annotations

import http.client
import json
import os
import queue
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.free_ports import free_port

PROGRAM = [sys.executable, "-m", "vivavoce"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a program whose workspace is in a folder."""
    return {**os.environ, "VIVAVOCE_DATABASE": str(folder / "workspace.db"), **more}


def started(folder: Path, *words: object, **settings: str) -> subprocess.Popen[bytes]:
    """A command on the workspace of a folder, while it runs."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        env=environment(folder, **settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def rows_of(folder: Path, sql: str) -> list[Any]:
    """Rows of the workspace of a folder; none while it is not there yet."""
    file = folder / "workspace.db"
    if not file.exists():
        return []
    with closing(sqlite3.connect(file)) as database:
        try:
            return database.execute(sql).fetchall()
        except sqlite3.OperationalError:  # not made yet
            return []


@dataclass
class Served:
    """A `vivavoce serve` that is up."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait(timeout=30)

    def terminate(self, within: float) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=within)

    def said(self) -> str:
        """What it wrote to stdout and stderr."""
        return self.log.read_text(encoding="utf-8")


@contextmanager
def serving(folder: Path, *options: str, **settings: str) -> Iterator[Served]:
    """`vivavoce serve` as a process of its own, up and answering."""
    port = free_port()
    log = folder / f"serve-{port}.log"
    command = [*PROGRAM, "serve", "--port", str(port), *options]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=environment(folder, **settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    served = Served(f"http://127.0.0.1:{port}", process, log)
    try:
        is_up = wait_until(lambda: _answers(served.address), process)
        assert is_up, f"It did not come up:\n{served.said()}"
        yield served
    finally:
        _end(process)


@asynccontextmanager
async def client_of(address: str, **options: Any):
    """An MCP client over HTTP, on connections of its own."""
    async with (
        httpx2.AsyncClient(timeout=30, trust_env=False) as wire,
        Client(streamable_http_client(f"{address}/mcp", http_client=wire), **options) as client,
    ):
        yield client


class Stdio:
    """A `vivavoce mcp` with which one speaks line by line."""

    def __init__(self, folder: Path, *words: str, **settings: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "mcp", *words],
            env=environment(folder, **settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []
        self.errors = b""
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Stdio:
        return self

    def __exit__(self, *_: object) -> None:
        _end(self.process)
        for thread in self._threads:
            thread.join(timeout=30)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):  # the other end is gone, and with it what was not sent
                pipe.close()

    def send(self, *messages: dict[str, Any]) -> None:
        """Write messages, one on each line."""
        text = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any] | None:
        """The next message; None when the process has closed its stdout."""
        line = self._answers.get(timeout=60)
        return None if line is None else json.loads(line)

    def initialize(self) -> dict[str, Any] | None:
        """Shake hands."""
        self.send({"id": "hello", "method": "initialize", "params": HELLO})
        answer = self.receive()
        self.send({"method": "notifications/initialized"})
        return answer

    def call(self, id: int, name: str, /, **arguments: Any) -> dict[str, Any] | None:
        """Call a tool and wait for the answer."""
        self.send({"id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        return self.receive()

    def leave(self) -> int:
        """Close stdin; the exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout=30)

    def _read_output(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)
            self._answers.put(line)
        self._answers.put(None)

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self.errors += line


def wait_until(is_so: Callable[[], bool], process: subprocess.Popen[bytes]) -> bool:
    """Whether something becomes so within a minute, while a process runs."""
    for _ in range(6_000):
        if is_so():
            return True
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.01)
            return is_so()
    return False


def _answers(address: str) -> bool:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with the children it may have left."""
    if os.getpgid(0) != _group(process):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait(timeout=30)


def _group(process: subprocess.Popen[bytes]) -> int:
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return process.pid
