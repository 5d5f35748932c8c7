"""Migrations: numbered SQL files, each applied once, whole or not at all."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from vivavoce.errors import StorageFailed

from .rows import Connection


def migrate(connection: Connection) -> None:
    """Bring the schema up to date inside the caller's transaction, which others wait for."""
    connection.execute("create table if not exists schema_version (version integer not null)", {})
    done = current(connection)
    known = migrations()
    if done > len(known):
        raise StorageFailed(
            f"The database is at schema {done} and this program knows {len(known)}.",
            hint="It was used by a newer vivavoce: update the program.",
        )
    for number, script in enumerate(known[done:], start=done + 1):
        for statement in _statements(script):
            declared = connection.dialect.declared(statement)
            if declared is not None:
                connection.execute(declared, {})
        connection.execute("delete from schema_version", {})
        connection.execute("insert into schema_version values (:number)", {"number": number})


def current(connection: Connection) -> int:
    """The number of the migration that was applied last."""
    ((version,),) = connection.execute("select coalesce(max(version), 0) from schema_version", {})
    return int(version)


@cache
def migrations() -> tuple[str, ...]:
    """The scripts in order. Their numbers have no gap: the n-th file is migration n."""
    folder = files(__package__) / "migrations"
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name
    )
    for number, file in enumerate(found, start=1):
        if not file.name.startswith(f"{number:04d}_"):
            raise ValueError(f"migration {file.name} is out of order")
    return tuple(file.read_text(encoding="utf-8") for file in found)


def _statements(script: str) -> list[str]:
    return [statement for part in re.split(r";[ \t]*\n", script) if (statement := part.strip())]
