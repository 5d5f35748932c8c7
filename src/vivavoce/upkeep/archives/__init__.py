"""Archives: a whole workspace as one file, written out of one store and read into another."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from vivavoce.errors import Unreadable
from vivavoce.ports import Ports, Tables
from vivavoce.upkeep.reports import Report

from .checking import CHECKING, Archive, opened
from .coming import Coming
from .figures import USAGE, CalibrationsPart
from .files import Line, Told, file_of, new_archive, nobody
from .library import LibraryPart
from .rows import AT_ONCE, Became
from .things import AFTER_LIBRARY, BEFORE_LIBRARY, LEFT_OUT

__all__ = ["CHECKING", "LEFT_OUT", "Saved", "Told", "checked", "load", "parts", "save", "take_in"]

_MANY_BYTES = 4 * 2**20
"""How much of an archive is stored in one transaction, where its lines are long."""


class Saved(NamedTuple):
    """An archive that was written."""

    things: dict[str, int]
    """How many things each part has."""
    size: int
    """Bytes."""


class _Part(Protocol):
    """One kind of things."""

    @property
    def name(self) -> str: ...
    @property
    def is_whole(self) -> bool: ...
    def number(self, tables: Tables) -> int: ...
    def lines(self, tables: Tables) -> Iterator[Line]: ...
    def read(self, line: Line) -> Any: ...
    def look(self, things: Sequence[Any], tables: Tables, coming: Coming) -> list[Became]: ...
    def take(self, things: Sequence[Any], now: datetime, tables: Tables) -> list[Became]: ...


def parts() -> tuple[_Part, ...]:
    """The parts of an archive, in the order in which they are taken in: what others belong to comes first."""
    return (*BEFORE_LIBRARY, *USAGE, CalibrationsPart(), LibraryPart(), *AFTER_LIBRARY)


async def save(ports: Ports, path: Path, *, told: Told = nobody) -> Saved:
    """Write the workspace into a new file, as it is at one moment, also while it is in use.

    There is no secret in it. The file has its name only once it is whole: StorageFailed or Conflict where it
    cannot be written, and then there is none. `told` hears of each part, how many things of the workspace
    are written and of how many.
    """
    stop = threading.Event()
    try:
        things = await ports.store.read(partial(_written, path, ports.now(), told, stop), is_long=True)
    except asyncio.CancelledError:
        stop.set()  # the thread that writes would go on to the end
        raise
    return Saved(things, path.stat().st_size)


async def load(ports: Ports, path: Path, *, is_dry: bool = False, told: Told = nobody) -> Report:
    """Read an archive into the store: `checked`, then `take_in`."""
    async with checked(path, told=told) as archive:
        return await take_in(ports, archive, is_dry=is_dry, told=told)


@asynccontextmanager
async def checked(path: Path, *, told: Told = nobody) -> AsyncIterator[Archive]:
    """An archive all of which was looked at, before there need be a store to read it into.

    Unreadable where it is none, is cut off or was changed, NotAvailable where a newer program made it.
    `told` hears of CHECKING, how many bytes are checked and of how many.
    """
    with opened(path, {part.name for part in parts()}) as archive:
        await asyncio.to_thread(archive.check, told)
        yield archive


async def take_in(ports: Ports, archive: Archive, *, is_dry: bool = False, told: Told = nobody) -> Report:
    """Read an archive that was checked into the store, empty or not; what became of each thing.

    Ids are kept, and what is there already stays as it is. All that comes in is inert. A dry one only looks.
    It may be ended at any time and called again. `told` hears of each part, how many lines of it are done
    and of how many.
    """
    began = time.monotonic()
    report = Report(archive.path.name, is_dry=is_dry)
    loading = _Loading(archive, ports, report, told)
    for part in parts():
        await loading.take_in(part)
    report.seconds = time.monotonic() - began
    return report


def _written(path: Path, at: datetime, told: Told, stop: threading.Event, tables: Tables) -> dict[str, int]:
    """Write an archive out of one view of the store; where that is run again, it is written anew."""
    things = {part.name: part.number(tables) for part in parts()}
    total, done = sum(things.values()), 0
    with new_archive(path, at) as archive:
        for part in parts():
            telling = partial(_tell, told, part.name, done, things[part.name], total)
            archive.add(part.name, _watched(part.lines(tables), telling, stop))
            done += things[part.name]
        archive.close(LEFT_OUT.items())
    told("", total, total)
    return things


def _watched(lines: Iterator[Line], telling: Callable[[int], None], stop: threading.Event) -> Iterator[Line]:
    """The lines, until nobody waits for them any more."""
    for number, line in enumerate(lines, start=1):
        if stop.is_set():
            raise _Stopped
        if number % AT_ONCE == 0:
            telling(number)
        yield line


def _tell(told: Told, part: str, before: int, most: int, total: int, lines: int) -> None:
    """Tell how many things are written; one of them may have several lines."""
    told(part, before + min(lines, most), total)


class _Stopped(Exception):
    """Nobody waits for the archive any more."""


class _Loading:
    """An archive on its way into a store."""

    def __init__(self, archive: Archive, ports: Ports, report: Report, told: Told) -> None:
        self.archive, self.ports, self.report, self.told = archive, ports, report, told
        self.coming = Coming()

    async def take_in(self, part: _Part) -> None:
        """Take a part in, some things at a time, each time whole or not at all."""
        total, done = self.archive.number(part.name), 0
        with closing(self.archive.read(part.name, part.read)) as things:
            while some := _some(things, is_all=part.is_whole):
                for id, outcome, said in await self._became(part, some):
                    self.report.count(part.name, outcome)
                    self.report.say(part.name, id, *said)
                done += len(some)
                self.told(part.name, done, total)

    async def _became(self, part: _Part, things: Sequence[Any]) -> list[Became]:
        if self.report.is_dry:
            return await self._looked_at(part, things)
        try:
            return await self.ports.store.write(partial(part.take, things, self.ports.now()))
        except OverflowError as error:
            raise Unreadable(f"{file_of(part.name)} holds a number that cannot be kept.") from error

    async def _looked_at(self, part: _Part, things: Sequence[Any]) -> list[Became]:
        """What would become of things, now that all those before them would be here."""

        def look(tables: Tables) -> tuple[list[Became], Coming]:
            fresh = Coming(self.coming)  # it may be run again
            return part.look(things, tables, fresh), fresh

        became, fresh = await self.ports.store.read(look, is_long=True)
        self.coming.join(fresh)
        return became


def _some(things: Iterator[tuple[Any, int]], *, is_all: bool) -> list[Any]:
    """The next things, as many as fit into one transaction."""
    some: list[Any] = []
    size = 0
    for thing, length in things:
        some.append(thing)
        size += length
        if not is_all and (len(some) == AT_ONCE or size >= _MANY_BYTES):
            break
    return some
