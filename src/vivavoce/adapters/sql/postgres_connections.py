"""Connections to Postgres: how they are made and asked, and what goes wrong with them in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from vivavoce.errors import StorageFailed

from .dialects import Postgres
from .rows import Values

CONNECT_WITHIN = 10
"""How many seconds a server has to take a connection."""
_DEFAULTS: dict[str, Any] = {
    "connect_timeout": CONNECT_WITHIN,
    "application_name": "vivavoce",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""What the address may say otherwise. A server that vanishes without a word is missed within a minute."""
_SETTINGS = (
    # What is acknowledged is on the disk, whatever the server's default is.
    "set synchronous_commit = on",
    # Who stops in the midst, or waits for one who did, must not hold everyone up for ever.
    "set lock_timeout = '10s'",
    "set idle_in_transaction_session_timeout = '60s'",
    "set standard_conforming_strings = on",
    "set client_min_messages = warning",
)
_LETTERS = ("pg_unicode_fast", "und-x-icu", "pg_c_utf8", "C.utf8", "C.UTF-8", "en_US.utf8")
"""Collations that know the small form of every letter, the best first."""
_KNOWN_LETTERS = (
    "select collname from pg_collation where collname = any(%s)"
    " and collencoding in (-1, pg_char_to_encoding(getdatabaseencoding()))"
)
_PIECES = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|::|:([A-Za-z_]\w*)|%""")
_REFUSED = (
    (r"the database system is starting up|recovery", "Postgres is starting."),
    (r"the database system is shutting down", "Postgres is shutting down."),
    (r"too many (clients|connections)|connection slots", "Postgres takes no more connections."),
    (r"authentication failed|no password supplied", "Postgres does not accept the name or the password."),
    (r"role \".*\" does not exist", "Postgres does not know the name of the user."),
    (r"no pg_hba.conf entry", "Postgres lets nobody in from here under that name."),
    (r"database \".*\" does not exist", "Postgres has no database of that name."),
)
"""What the server says when it takes no connection. It gives no code then, only words."""
_AWAY = "Postgres cannot be reached, or refuses the connection."
_PASSING = {_AWAY, *(says for _, says in _REFUSED[:3])}
_FAILURES = {
    "OperationalError": "The connection to Postgres broke.",
    "08": "The connection to Postgres broke.",
    "25006": "This Postgres server cannot be written: it is a standby, or set to read only.",
    "40": "Others changed the same things at the same time, again and again.",
    "53100": "The disk of Postgres is full.",
    "53300": "Postgres takes no more connections.",
    "55P03": "Postgres waited too long for a change that another process makes.",
    "57": "Postgres was shut down, or ended the connection.",
    "57014": "Postgres took too long, and was told to stop.",
}
"""What went wrong, by the code of Postgres or the first two letters of it."""
_CHECK_ADDRESS = "Check that it runs, and the address, name and password in VIVAVOCE_DATABASE."


class PostgresConnection:
    """An open connection, asked as the rows ask: parameters are named `:id`."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], dialect: Postgres) -> None:
        self.dialect, self._connection = dialect, connection

    def execute(self, sql: str, values: Values | None = None, /) -> Sequence[tuple[Any, ...]]:
        """Run one statement and give its rows."""
        cursor = self._connection.execute(in_psycopg(sql), values or {}, binary=True)
        return cursor.fetchall() if cursor.description is not None else ()

    def begin(self, how: str) -> None:
        """Open a transaction."""
        self._connection.execute(how)

    def commit(self) -> None:
        """Make it durable; an error where a statement had failed, for then Postgres rolls back in silence."""
        if self._connection.info.transaction_status == TransactionStatus.INERROR:
            raise psycopg.errors.InFailedSqlTransaction("a statement had failed")
        self._connection.execute("commit")

    def abandon(self) -> None:
        """Undo what is open; a connection that cannot even do that is closed."""
        try:
            if self._connection.info.transaction_status != TransactionStatus.IDLE:
                self._connection.execute("rollback")
        except psycopg.Error:
            self._connection.close()

    @property
    def is_closed(self) -> bool:
        """Whether it is of no use any more."""
        return self._connection.closed

    def close(self) -> None:
        """Let go of it."""
        self._connection.close()


def connected(url: str, dialect: Postgres | None = None) -> PostgresConnection:
    """A new connection; psycopg's error where there is none to be had."""
    connection = psycopg.connect(
        **{**_DEFAULTS, **conninfo_to_dict(url), "client_encoding": "utf8"}, autocommit=True
    )
    try:
        connection.execute("; ".join(_SETTINGS))
        return PostgresConnection(connection, dialect or _spoken_by(connection))
    except BaseException:
        connection.close()
        raise


@lru_cache(maxsize=4096)
def in_psycopg(sql: str) -> str:
    """SQL with the marks of psycopg: `:id` becomes `%(id)s`; texts, names and casts stay what they are."""

    def marked(found: re.Match[str]) -> str:
        return f"%({found[1]})s" if found[1] else found[0].replace("%", "%%")

    return _PIECES.sub(marked, sql)


def refusal(error: psycopg.Error) -> StorageFailed:
    """Why there is no connection, without names of people and hosts, and without the password."""
    return StorageFailed(_refusal_in(error), hint=f"Nothing was stored. {_CHECK_ADDRESS}")


def is_passing(error: psycopg.Error) -> bool:
    """Whether a connection that was refused now may be had in a moment."""
    return _refusal_in(error) in _PASSING


def is_broken(error: psycopg.Error) -> bool:
    """Whether the connection was lost, and not the work that failed."""
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate.startswith(("08", "57P"))


def failure(error: psycopg.Error) -> StorageFailed:
    """What went wrong with a statement, without the values that were in it."""
    code = error.sqlstate or type(error).__name__
    said = error.diag.message_primary
    if code in _FAILURES or code[:2] in _FAILURES:
        says = _FAILURES.get(code) or _FAILURES[code[:2]]
    elif said is None or code.startswith("22"):  # whose words may hold values
        says = f"The database failed with {code}."
    else:
        says = f"The database failed: {said}."
    return StorageFailed(says, hint="Nothing was stored. Try again, or run vivavoce doctor.")


def _refusal_in(error: psycopg.Error) -> str:
    if isinstance(error, psycopg.ProgrammingError):
        return "VIVAVOCE_DATABASE is not an address that Postgres can be reached at."
    return next((says for sign, says in _REFUSED if re.search(sign, str(error))), _AWAY)


def _spoken_by(connection: psycopg.Connection[tuple[Any, ...]]) -> Postgres:
    """The dialect of this server."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StorageFailed(
            f"The Postgres database keeps texts as {encoding}, not as UTF8.",
            hint="Make one with: create database NAME encoding 'UTF8' template template0.",
        )
    known = {name for (name,) in connection.execute(_KNOWN_LETTERS, [list(_LETTERS)])}
    return Postgres(next((name for name in _LETTERS if name in known), "default"))
