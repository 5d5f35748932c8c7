"""The processes that are killed: `vivavoce serve` and `vivavoce work`, started again whenever they end."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

PROFILES = "VIVAVOCE_CRASH_PROFILES"
"""Names a folder where each process leaves a profile of its main thread; then none is killed."""
_EARLY = 0.05
"""How often one is killed that may not have come up yet."""
_LOOK = 0.2


class Program:
    """One process, and how often it was killed."""

    def __init__(self, words: list[str], environment: Mapping[str, str], log: Path) -> None:
        self.words, self.environment, self.log = words, environment, log
        self.kills = 0
        self._begins, self._started_at = 0, 0.0
        self._up_at: float | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it comes up by itself."""
        self._begins = self.log.stat().st_size if self.log.exists() else 0
        self._started_at, self._up_at = time.monotonic(), None
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, *self._how(), *self.words],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def has_worked(self) -> bool:
        """Whether it has been up for as long as it took to come up; to be asked now and then."""
        now = time.monotonic()
        if self._up_at is None and b"vivavoce " in self.log.read_bytes()[self._begins :]:
            self._up_at = now
        return self._up_at is not None and now - self._up_at >= self._up_at - self._started_at

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError(f"It ended by itself:\n{self.said()}")
        self._process.kill()
        self._process.wait()
        self.kills += 1

    def end(self, within: float = 30.0) -> int:
        """Ask it to end; its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(within)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def abandon(self) -> None:
        """Leave nothing running, whatever happened."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def said(self) -> str:
        """The last of what it wrote."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-4_000:]

    def _how(self) -> list[str]:
        folder = os.environ.get(PROFILES)
        if not folder:
            return ["-m", "vivavoce"]
        name = f"{'-'.join(self.words[:1])}-{time.monotonic_ns()}.prof"
        return ["-m", "cProfile", "-o", str(Path(folder) / name), "-m", "vivavoce"]


class Killer:
    """Kills one of the processes every 1 to 5 seconds, and starts it again at once.

    Mostly one that has come up: on a busy machine nothing would ever be done between two kills.
    """

    def __init__(self, programs: list[Program], chance: random.Random) -> None:
        self.programs, self._chance = programs, chance

    async def run(self) -> None:
        """Go on until it is cancelled."""
        while True:
            until = time.monotonic() + self._chance.uniform(1, 5)
            while time.monotonic() < until:
                await asyncio.sleep(_LOOK)
                ripe = [each for each in self.programs if each.has_worked()]
            early = [each for each in self.programs if self._chance.random() < _EARLY]
            if ripe or early:
                program = self._chance.choice(ripe + early)
                program.kill()
                program.start()
