"""Connections to Postgres: kept while they work, made anew when the server has gone and come back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from vivavoce.errors import NotAvailable, UpstreamFailed, VivavoceError

if TYPE_CHECKING:
    from psycopg import AsyncConnection, Error

    Connection: TypeAlias = AsyncConnection[tuple[Any, ...]]

T = TypeVar("T")

AT_ONCE = 8
"""How many connections there are at most."""
CONNECT_WITHIN = 10
"""How many seconds a server has to take a connection."""


class NoSuchTable(Exception):
    """The tables were never made, or are gone."""


class Connections:
    """A few connections to one database. What runs on them must be harmless when it runs twice."""

    def __init__(self, url: str, within: float) -> None:
        self._url, self._within = url, within
        self._idle: list[Connection] = []
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def run(self, work: Callable[[Connection], Awaitable[T]], within: float | None = None) -> T:
        """What `work` gives on a connection; UpstreamFailed when the server is away, slow or refuses."""
        psycopg = _psycopg()
        try:
            async with asyncio.timeout(self._within if within is None else within), self._turns:
                return await self._run(work, psycopg)
        except TimeoutError as error:
            raise UpstreamFailed("Postgres took too long to answer.", hint="Try again later.") from error
        except psycopg.Error as error:
            # An address that cannot be read is quoted in the error, with its password.
            is_quoted = isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None
            raise _in_words(error, psycopg) from (None if is_quoted else error)

    async def close(self) -> None:
        """Let go of all."""
        while self._idle:
            await self._idle.pop().close()

    async def _run(self, work: Callable[[Connection], Awaitable[T]], psycopg: ModuleType) -> T:
        if self._idle:
            connection = self._idle.pop()
            try:
                return await self._run_on(connection, work)
            except psycopg.OperationalError as error:
                if not _is_away(error):
                    raise
                await self.close()  # the server has gone since; the other connections are no better
        connection = await psycopg.AsyncConnection.connect(
            self._url,
            autocommit=True,
            connect_timeout=CONNECT_WITHIN,
            prepare_threshold=None,  # so that each plan is made for its values, and poolers do not mind
        )
        return await self._run_on(connection, work)

    async def _run_on(self, connection: Connection, work: Callable[[Connection], Awaitable[T]]) -> T:
        try:
            result = await work(connection)
        except BaseException:
            await connection.close()
            raise
        self._idle.append(connection)
        return result


def _psycopg() -> ModuleType:
    try:
        import psycopg
    except ImportError as error:
        raise NotAvailable(
            "An index in Postgres needs psycopg.", hint="Install it: pip install 'vivavoce[postgres]'."
        ) from error
    return psycopg


def _in_words(error: Error, psycopg: ModuleType) -> VivavoceError | NoSuchTable:
    """What went wrong, without the words of the server: they may name people, hosts and values."""
    if isinstance(error, psycopg.errors.UndefinedTable):
        return NoSuchTable()
    if _is_away(error):
        return UpstreamFailed(
            "Postgres cannot be reached or refuses the connection.",
            hint="Check that it runs, and its address, name and password; then try again.",
        )
    return UpstreamFailed(
        f"Postgres failed with {error.sqlstate}.", hint="Look it up in the log of Postgres."
    )


def _is_away(error: Error) -> bool:
    """Whether it is the server that is away, shuts down or starts up, and not the work that failed."""
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))
