"""Copies of a workspace that was prepared once, for tests that spoil one after the other.

In a file, the workspace is copied with its folder. On Postgres each is a database of its own, made from the
prepared one by the server, which costs less than to migrate an empty one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from vivavoce.adapters import identity
from vivavoce.adapters.vault import AesVault

_PREPARED = "prepared"
_KEY = bytes(range(32))
_PATIENCE = 30.0


@contextmanager
def prepared(server: str) -> Iterator[str]:
    """The URL of an empty database; nothing where the workspace is a file."""
    if server:
        _ask(server, f"create database {_PREPARED}")
        yield _url(server, _PREPARED)
        wait_for_the_dead(_url(server, _PREPARED))
    else:
        yield ""


@contextmanager
def copied(server: str, number: int) -> Iterator[str]:
    """The URL of a copy of the prepared database; nothing where the workspace is a file."""
    if server:
        name = f"copy_{number}"
        _ask(server, f"create database {name} template {_PREPARED} strategy file_copy")
        yield _url(server, name)
        _ask(server, f"drop database {name} with (force)")
    else:
        yield ""


@contextmanager
def opened(url: str) -> Iterator[Any]:
    """The store on that database; None where the workspace is a file."""
    if url:
        from vivavoce.adapters.sql.postgres import PostgresStore

        with closing(PostgresStore(url, AesVault(_KEY), new_id=identity.Ids())) as store:
            yield store
    else:
        yield None


def wait_for_the_dead(url: str) -> None:
    """Wait until the server has missed a process that ended, and let go of the rows that it held.

    The clock of these tests does not go on while it has not, so that nobody would look at them again.
    """
    if not url:
        return
    import psycopg

    others = "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    end = time.monotonic() + _PATIENCE
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(f"{others} limit 1").fetchone() is not None:
            assert time.monotonic() < end, "The server does not miss a process that ended."
            time.sleep(0.005)


def _ask(url: str, statement: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description is not None else []


def _url(server: str, name: str) -> str:
    return f"{server.rpartition('/')[0]}/{name}"
