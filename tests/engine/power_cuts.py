"""A process that takes events as quickly as it can, and copies of its files as a power cut would leave them.

Run as `python -m tests.engine.power_cuts FOLDER`; what was found in each copy is printed as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

from vivavoce.adapters import identity
from vivavoce.adapters.sql.sqlite import SqliteStore
from vivavoce.adapters.vault import AesVault
from vivavoce.testing import CountedIds, open_test_engine

from .fault_points import accept, prepare

_CUTS = 40
_KEY = bytes(range(32))


def cuts(folder: Path, seed: int = 1) -> list[dict[str, Any]]:
    """For each copy: whether it is sound, and which of the acknowledged events it lacks."""
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    asyncio.run(prepare(folder))
    database = folder / "vivavoce.db"
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        asyncio.run(_take_events(database, writing))
    os.close(writing)
    try:
        told = _Told(reading)
        return [_cut(database, child, told, chance) for _ in range(_CUTS)]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _cut(database: Path, child: int, told: _Told, chance: random.Random) -> dict[str, Any]:
    """Stop the writer somewhere, copy what is there, tear what was not acknowledged, and open it."""
    for _ in range(chance.randint(1, 20)):
        told.hear()
    os.kill(child, signal.SIGSTOP)
    os.waitpid(child, os.WUNTRACED)
    number, size = told.last()
    copy = database.with_name("copy.db")
    shutil.copyfile(database, copy)
    journal = copy.with_name("copy.db-wal")
    shutil.copyfile(database.with_name("vivavoce.db-wal"), journal)
    os.kill(child, signal.SIGCONT)
    if journal.stat().st_size > size:  # what came after the acknowledgement may be there in part
        os.truncate(journal, chance.randint(size, journal.stat().st_size))
    else:
        with journal.open("ab") as file:
            file.write(chance.randbytes(chance.randint(1, 5_000)))
    store = SqliteStore(copy, AesVault(_KEY), new_id=CountedIds())
    kept = asyncio.run(store.read(lambda tables: {each.event_id for each in tables.arrivals.where()}))
    store.close()
    with closing(sqlite3.connect(copy)) as opened:
        sound = opened.execute("pragma integrity_check").fetchone()[0]
    for path in database.parent.glob("copy.db*"):
        path.unlink()
    return {
        "acknowledged": number,
        "sound": sound,
        "missing": [place for place in range(1, number + 1) if f"e{place}" not in kept],
    }


class _Told:
    """What the writer has acknowledged: a number each, and the size of its journal then."""

    def __init__(self, reading: int) -> None:
        self._reading, self._text = reading, b""

    def hear(self) -> None:
        """Wait for something new."""
        self._text = self._text[-100:] + os.read(self._reading, 200)

    def last(self) -> tuple[int, int]:
        """The last of all that was told."""
        os.set_blocking(self._reading, False)
        with suppress(BlockingIOError):
            while True:
                self.hear()
        os.set_blocking(self._reading, True)
        number, size = self._text.split(b"\n")[-2].split()
        return int(number), int(size)


async def _take_events(database: Path, writing: int) -> None:
    """Take one after the other, and tell of each once it is stored, with the size of the journal then."""
    journal = database.with_name("vivavoce.db-wal")
    with open_test_engine(database.parent, ids=identity.Ids()) as engine:
        for number in count(1):
            await accept(engine, f"e{number}")
            os.write(writing, f"{number} {journal.stat().st_size}\n".encode())


if __name__ == "__main__":
    print(json.dumps(cuts(Path(sys.argv[1]))))
