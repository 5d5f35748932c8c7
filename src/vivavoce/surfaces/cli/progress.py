"""Progress on stderr: bars at a terminal, a line now and then elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Step = Callable[[float, int, str], None]
"""Told how much is done, of how much, and a word about it; what is under way counts as a share of one."""
Begin = Callable[[str, str], Step]
"""Begins a piece of work: its title, and what is counted."""

_SELDOM, _UNDER_WAY = 5.0, 15.0
"""Seconds between two lines: where more is done than before, and where it is only under way."""


@contextmanager
def progress() -> Iterator[Begin]:
    """Shows how far pieces of work have come; one is shown once there is something to do in it."""
    if not sys.stderr.isatty():
        yield _Lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[noun]}{task.fields[says]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:

        def begin(title: str, noun: str) -> Step:
            task = bars.add_task(title, visible=False, start=False, noun=noun, says="")

            def step(done: float, total: int, says: str = "") -> None:
                if total:
                    bars.start_task(task)
                    bars.update(
                        task, completed=done, total=total, says=f", {says}" if says else "", visible=True
                    )

            return step

        yield begin


class Bars:
    """How far files have come, as bars: first they are looked at, then indexed."""

    def __init__(
        self, begin: Begin, title: str = "Storing", noun: str = "files", indexed: str = "datasources"
    ) -> None:
        self._storing, self._indexing = begin(title, noun), begin("Indexing", indexed)
        self._began: float | None = None

    def stored(self, done: int, total: int) -> None:
        """Show how many files were looked at."""
        self._storing(done, total, "")

    def indexed(self, done: float, total: int, passages: int) -> None:
        """Show how many datasources are indexed, how many passages there are, and how fast they come."""
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        rate = passages / max(now - self._began, 0.1)
        came = f"{passages:,} {'passage' if passages == 1 else 'passages'}, {rate:.1f} a second"
        self._indexing(done, total, came if passages else "")


class _Lines:
    """Writes a line at the end, and now and then before it."""

    def __init__(self, title: str, noun: str) -> None:
        self.title, self.noun = title, noun
        self.written = time.monotonic()
        self.last: tuple[float, int, str] | None = None

    def __call__(self, done: float, total: int, says: str = "") -> None:
        """Say so where it is time, or where all is done."""
        now = time.monotonic()
        if total == 0 or self.last == (done, total, says) or now - self.written < self._pause(done, total):
            return
        share = "" if done == int(done) else f" ({int(100 * done / total)}%)"
        line = f"{self.title}: {int(done)} of {total} {self.noun}{share}"
        click.echo(f"{line}{f', {says}' if says else ''}", err=True)
        self.written, self.last = now, (done, total, says)

    def _pause(self, done: float, total: int) -> float:
        """How long to wait after the last line."""
        if self.last is None or (int(self.last[0]), self.last[1]) != (int(done), total):
            return 0 if done >= total else _SELDOM
        return math.inf if done >= total else _UNDER_WAY
