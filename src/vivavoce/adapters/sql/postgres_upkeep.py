"""Looking after a workspace on Postgres: whether it is there, what is wrong with it, a lost key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import psycopg

from vivavoce.domain.entities import written
from vivavoce.errors import StorageFailed
from vivavoce.ports import Vault

from .postgres_connections import PostgresConnection, connected, failure, refusal
from .workspaces import SEALED, fingerprint_of

_TABLES = "select table_name from information_schema.tables where table_schema = current_schema()"
_PROMISES = {
    "fsync": "What is acknowledged may be lost when its machine loses power.",
    "full_page_writes": "The database may be damaged when its machine loses power.",
}
"""Settings of a server without which nothing is safe."""


def is_new(url: str) -> bool:
    """Whether there is no workspace in the schema yet."""
    with _open(url) as connection:
        return "workspace" not in _tables_in(connection)


def described(url: str) -> str:
    """Which server it is, and how much it holds."""
    with _open(url) as connection:
        ((version, schema, size),) = connection.execute(
            "select current_setting('server_version'), current_schema(),"
            " coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c"
            " where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'",
            {},
        )
    return f"Postgres {str(version).split()[0]}, schema {schema}, {int(size) // 1024} KB"


def faults_in(url: str) -> list[str]:
    """What is wrong with the server; nothing when it can be relied on."""
    with _open(url) as connection:
        found = [
            f"{name} is off on the Postgres server. {so}"
            for name, so in _PROMISES.items()
            if list(connection.execute("select current_setting(:name)", {"name": name})) == [("off",)]
        ]
        if list(connection.execute("select current_schema()", {})) == [(None,)]:
            found.append("The schema that the search path names does not exist.")
        if list(connection.execute("select pg_is_in_recovery()", {})) == [(True,)]:
            found.append("The Postgres server is a standby, which cannot be written.")
    return found


def forget_secrets(url: str, vault: Vault, now: datetime) -> None:
    """Give up what another key has sealed: secrets become empty, API keys end. The vault's key counts now."""
    with _open(url) as connection:
        present = _tables_in(connection)
        if "workspace" not in present:
            raise StorageFailed("There is no workspace in the Postgres database.")
        connection.execute("begin", {})
        for name in sorted(SEALED & present):
            connection.execute(f"update {name} set secrets = null", {})
        for id, document in connection.execute("select id, document from keys", {}):
            ended = {**json.loads(document), "revoked_at": written(now)}
            connection.execute(
                "update keys set document = :document where id = :id",
                {"id": id, "document": json.dumps(ended, ensure_ascii=False)},
            )
        connection.execute(
            "update workspace set value = :key where name = 'key'", {"key": fingerprint_of(vault)}
        )
        connection.commit()


@contextmanager
def _open(url: str) -> Iterator[PostgresConnection]:
    """A connection for a moment; its faults in our own words."""
    try:
        connection = connected(url)
    except psycopg.Error as error:
        raise refusal(error) from None  # an address that cannot be read is quoted there, with its password
    try:
        yield connection
    except psycopg.Error as error:
        raise failure(error) from error
    finally:
        connection.close()


def _tables_in(connection: PostgresConnection) -> set[str]:
    return {str(name) for (name,) in connection.execute(_TABLES, {})}
