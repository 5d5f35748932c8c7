"""A client that speaks MCP over stdio as plainly as possible, so that it measures the server alone."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Spoken:
    """One server process and its clock."""

    def __init__(self, words: list[str], **environment: str) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )
        self.requests = 0

    def ask(self, method: str, **params: Any) -> tuple[dict[str, Any], bytes]:
        """The answer to a request, and its line."""
        self.requests += 1
        self._write({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params})
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        answer = json.loads(line)
        assert answer["id"] == self.requests, answer
        return answer, line

    def tell(self, method: str) -> None:
        """A notification."""
        self._write({"jsonrpc": "2.0", "method": method})

    def since_start(self) -> float:
        """Milliseconds since the process was started."""
        return (time.perf_counter() - self.began) * 1000

    def cpu(self) -> float:
        """Seconds of CPU that the process has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Megabytes of resident memory."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        raise AssertionError("no VmRSS")

    def close(self) -> None:
        """Close stdin and wait for the end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
