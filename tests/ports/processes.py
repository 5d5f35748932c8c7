"""Real processes for what one process cannot show: many at once, one that is killed, a disk that is full.

Run as `python -m tests.ports.processes WHAT PATH`; what the processes saw is printed as JSON.
"""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vivavoce.adapters.sql.migrating import migrate
from vivavoce.adapters.sql.sqlite import SqliteStore
from vivavoce.adapters.sql.sqlite_connections import SqliteConnection, connected
from vivavoce.adapters.vault import AesVault, key_in
from vivavoce.errors import StorageFailed
from vivavoce.testing import CountedIds

from .entities import KEY, a_datastore, a_scenario

ROOT = Path(__file__).parents[2]


def seen_by(what: str, path: Path | str) -> Any:
    """Run one of the functions below in a process of its own and give what it saw."""
    command = [sys.executable, "-m", __name__, what, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def keys_made_at_once(path: Path) -> list[Any]:
    """The key that each of eight processes finds when all start at the same moment."""
    return _at_once(8, lambda _: key_in(path).hex())


def workspaces_opened_at_once(path: Path) -> list[Any]:
    """The organization that each of eight processes finds in a new file that all open at the same moment."""

    def opened(process: int) -> str:
        store = SqliteStore(path, AesVault(KEY), new_id=lambda: f"organization{process}")
        try:
            return asyncio.run(store.read(lambda tables: tables.organization_id))
        finally:
            store.close()

    return _at_once(8, opened)


def schemas_opened_at_once(url: str) -> list[Any]:
    """The organization that each of four processes finds in a new schema that all open at the same moment."""
    from vivavoce.adapters.sql.postgres import PostgresStore

    def opened(process: int) -> str:
        store = PostgresStore(url, AesVault(KEY), new_id=lambda: f"organization{process}")
        try:
            return asyncio.run(store.read(lambda tables: tables.organization_id))
        finally:
            store.close()

    return _at_once(4, opened)


def writes_at_once(path: Path) -> list[Any]:
    """How many writes each of four processes got through."""

    def read_then_written(tables: Any, id: str) -> None:
        tables.scenarios.add(a_scenario(id, description=str(tables.scenarios.count())))

    async def written(process: int, store: SqliteStore) -> int:
        for number in range(50):
            await store.write(lambda tables, id=f"p{process}n{number}": read_then_written(tables, id))
        return 50

    def opened(process: int) -> int:
        store = SqliteStore(path, AesVault(KEY), new_id=CountedIds())
        try:
            return asyncio.run(written(process, store))
        finally:
            store.close()

    return _at_once(4, opened)


def migrations_killed(folder: Path) -> int:
    """Kill a migration after each of its statements; how many there were to kill."""
    folder.mkdir()
    survived = False
    number = 0
    while not survived:
        number += 1
        path = folder / f"{number}.db"
        child = os.fork()
        if child == 0:
            connection = connected(path, SqliteConnection)
            connection.execute("begin immediate")
            migrate(_Killed(connection, after=number))
            os._exit(0)
        survived = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL
    return number - 1


def a_full_disk(path: Path) -> dict[str, Any]:
    """What happens to writes while no file may grow, and after that."""
    return asyncio.run(_on_a_full_disk(path))


async def _on_a_full_disk(path: Path) -> dict[str, Any]:
    store = SqliteStore(path, AesVault(KEY), new_id=CountedIds())
    await store.write(lambda tables: tables.scenarios.add(a_scenario("before")))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))

    def large(tables: Any) -> None:
        tables.scenarios.add(a_scenario("small"))
        tables.datastores.add(a_datastore("large", description="x" * 100_000))

    errors = []
    for _ in range(5):
        try:
            await store.write(lambda tables: [large(tables), tables.datastores.drop("large")])
            await store.write(lambda tables: tables.scenarios.drop("small"))
        except StorageFailed as error:
            errors.append(str(error))
    readable = await store.read(lambda tables: tables.scenarios.count(id="before"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await store.write(lambda tables: tables.scenarios.add(a_scenario("after")))
    kept = await store.read(lambda tables: sorted(row.id for row in tables.scenarios.where()))
    store.close()
    return {"errors": errors, "readable": readable, "kept": kept}


class _Killed:
    """A connection whose process is killed after a number of statements."""

    def __init__(self, connection: Any, *, after: int) -> None:
        self.connection, self.dialect, self.left = connection, connection.dialect, after

    def execute(self, sql: str, values: Any, /) -> Any:
        """Run the statement; the last one is followed by SIGKILL."""
        rows = self.connection.execute(sql, values).fetchall()
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return rows


def _at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work` gives in each of several processes that start at the same moment."""
    gate, opener = os.pipe()
    results = []
    for number in range(count):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.close(opener)
            os.read(gate, 1)  # returns when the parent closes the other end
            try:
                seen = work(number)
            except BaseException as error:
                seen = f"{type(error).__name__}: {error}"
            os.write(writing, json.dumps(seen).encode())
            os._exit(0)
        os.close(writing)
        results.append(reading)
    os.close(opener)
    seen_by_all = []
    for reading in results:
        with os.fdopen(reading) as pipe:
            seen_by_all.append(json.load(pipe))
    return seen_by_all


if __name__ == "__main__":
    place = sys.argv[2]
    print(json.dumps(globals()[sys.argv[1]](place if "://" in place else Path(place))))
