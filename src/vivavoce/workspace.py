"""The workspace that the settings name: its store, its key, and what keeps it whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from vivavoce.adapters import identity
from vivavoce.adapters.sql.sqlite import SqliteStore, back_up, faults_in, forget_secrets
from vivavoce.adapters.vault import AesVault, key_from, key_in
from vivavoce.errors import NotAvailable, StorageFailed
from vivavoce.settings import Settings

if TYPE_CHECKING:
    from vivavoce.adapters.sql.postgres import PostgresStore

_HEAD = b"SQLite format 3\0"
_NAME_ANOTHER = "Let VIVAVOCE_DATABASE name a database, or a file that does not exist yet."


def open_store(settings: Settings, vault: AesVault, new_id: Callable[[], str]) -> SqliteStore | PostgresStore:
    """The store that the settings name; the code for Postgres is loaded only if it is that one."""
    if not settings.database_url:
        return SqliteStore(settings.database, vault, new_id=new_id)
    with _psycopg():
        from vivavoce.adapters.sql.postgres import PostgresStore

        return PostgresStore(settings.database_url, vault, new_id=new_id)


def has_workspace(settings: Settings) -> bool:
    """Whether there is something to open; a Postgres database may still be empty."""
    return bool(settings.database_url) or settings.database.exists()


def is_new_workspace(settings: Settings) -> bool:
    """Whether there is nothing in the database yet; refused where it is not one."""
    if settings.database_url:
        return bool(_upkeep().is_new(settings.database_url))
    return not _check_database(settings.database)


def back_up_workspace(settings: Settings, copy: Path) -> None:
    """Write a consistent copy of the workspace's database."""
    if settings.database_url:
        raise NotAvailable(
            "vivavoce backup copies a workspace that is a file, and this one is in Postgres.",
            hint="Use pg_dump, or the backups of the Postgres server; keep the master key apart from them.",
        )
    _check_database(settings.database)
    try:
        back_up(settings.database, copy)
    except StorageFailed as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise StorageFailed(
            f"{copy} cannot be written: {error.__cause__.strerror}.",
            hint="Name a file in a folder that exists and that you may write to.",
        ) from error


def forget_workspace_secrets(settings: Settings) -> None:
    """Let a workspace whose key is lost go on with a new key and without its secrets."""
    if not settings.database_url:
        if not settings.database.exists():
            raise StorageFailed(f"There is no database at {settings.database}.")
        _check_database(settings.database)
    vault = AesVault(key_from(settings.master_key) if settings.master_key else key_in(settings.key_file))
    if settings.database_url:
        _upkeep().forget_secrets(settings.database_url, vault, identity.now())
    else:
        forget_secrets(settings.database, vault)


def faults_of_workspace(settings: Settings) -> list[str]:
    """What is wrong with the workspace's database: a damaged file, a server that cannot be relied on."""
    if settings.database_url:
        faults: list[str] = _upkeep().faults_in(settings.database_url)
        return faults
    _check_database(settings.database)
    return faults_in(settings.database)


def description_of_workspace(settings: Settings) -> str:
    """What and how large the workspace's database is."""
    if settings.database_url:
        return f"{settings.workspace}: {_upkeep().described(settings.database_url)}"
    return f"{settings.database}, {settings.database.stat().st_size // 1024} KB"


def check_master_key(settings: Settings) -> None:
    """Refuse a master key that cannot be one, or that is missing where the database needs it."""
    is_new = is_new_workspace(settings)
    if settings.master_key:
        AesVault(key_from(settings.master_key))
    elif settings.key_file.exists() or not is_new:
        AesVault(key_in(settings.key_file, may_make=False))


def vault_of(settings: Settings) -> AesVault:
    """What seals the secrets of the workspace; a new workspace gets a key of its own."""
    if not settings.database_url:
        _check_database(settings.database)
    if settings.master_key:
        return AesVault(key_from(settings.master_key))
    may_make = settings.key_file.exists() or is_new_workspace(settings)
    return AesVault(key_in(settings.key_file, may_make=may_make))


def _upkeep() -> ModuleType:
    """What looks after a workspace in Postgres."""
    with _psycopg():
        from vivavoce.adapters.sql import postgres_upkeep

        return postgres_upkeep


@contextmanager
def _psycopg() -> Iterator[None]:
    """Around what loads the code for Postgres, which needs a package that may be missing."""
    try:
        yield
    except ImportError as error:
        raise NotAvailable(
            "A workspace in Postgres needs psycopg.", hint="Install it: pip install 'vivavoce[postgres]'."
        ) from error


def _check_database(path: Path) -> bool:
    """Whether there is something in the database; refused where it is not one."""
    try:
        if path.is_dir():
            raise StorageFailed(f"{path} is a folder, not a database.", hint=_NAME_ANOTHER)
        if not path.exists():
            return False
        with path.open("rb") as file:
            head = file.read(len(_HEAD))
    except OSError as error:
        raise StorageFailed(f"The database {path} cannot be read: {error.strerror}.") from error
    if head not in (b"", _HEAD):
        raise StorageFailed(f"{path} is another kind of file, not a database.", hint=_NAME_ANOTHER)
    return head != b""
