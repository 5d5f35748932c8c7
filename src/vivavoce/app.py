"""Where everything meets: settings in, a backend out. The only module that knows all adapters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from vivavoce.adapters import identity
from vivavoce.adapters.sql.sqlite import SqliteStore, back_up, faults_in, forget_secrets
from vivavoce.adapters.vault import AesVault, key_from, key_in
from vivavoce.engine import Engine
from vivavoce.engine.keys import Keyring
from vivavoce.errors import StorageFailed
from vivavoce.operations import Backend
from vivavoce.ports import Ports
from vivavoce.settings import Settings

__all__ = [
    "App",
    "back_up_workspace",
    "check_master_key",
    "faults_of_workspace",
    "forget_workspace_secrets",
    "open_app",
    "open_ports",
]

_HEAD = b"SQLite format 3\0"
_NAME_ANOTHER = "Let VIVAVOCE_DATABASE name a database, or a file that does not exist yet."


@dataclass(frozen=True)
class App:
    """What the surfaces serve."""

    backend: Backend
    keyring: Keyring
    request_state_key: bytes
    """Signs what a client carries between two rounds of one call; the same in every process."""


@asynccontextmanager
async def open_app(settings: Settings) -> AsyncIterator[App]:
    """The embedded engine on the workspace that the settings name."""
    vault = _vault(settings)
    with open_ports(settings, vault) as ports:
        yield App(Engine(ports), Keyring(ports), vault.derived("request-state"))


@contextmanager
def open_ports(settings: Settings, vault: AesVault) -> Iterator[Ports]:
    """The ports on real adapters."""
    new_id = identity.Ids()
    store = SqliteStore(settings.database, vault, new_id=new_id)
    try:
        yield Ports(store=store, vault=vault, now=identity.now, new_id=new_id, new_secret=identity.new_secret)
    finally:
        store.close()


def back_up_workspace(settings: Settings, copy: Path) -> None:
    """Write a consistent copy of the workspace's database."""
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
    if not settings.database.exists():
        raise StorageFailed(f"There is no database at {settings.database}.")
    _check_database(settings.database)
    key = key_from(settings.master_key) if settings.master_key else key_in(settings.key_file)
    forget_secrets(settings.database, AesVault(key))


def faults_of_workspace(settings: Settings) -> list[str]:
    """What is wrong with the workspace's database file."""
    _check_database(settings.database)
    return faults_in(settings.database)


def check_master_key(settings: Settings) -> None:
    """Refuse a master key that cannot be one, or that is missing where the database needs it."""
    is_new = not _check_database(settings.database)
    if settings.master_key:
        AesVault(key_from(settings.master_key))
    elif settings.key_file.exists() or not is_new:
        AesVault(key_in(settings.key_file, may_make=False))


def _vault(settings: Settings) -> AesVault:
    is_new = not _check_database(settings.database)
    if settings.master_key:
        return AesVault(key_from(settings.master_key))
    return AesVault(key_in(settings.key_file, may_make=is_new))


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
