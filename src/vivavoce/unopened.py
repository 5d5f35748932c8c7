"""A workspace that nobody may need: its key and its store are opened, and made, when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from vivavoce.adapters.vault import AesVault
from vivavoce.ports import Tables

if TYPE_CHECKING:
    from vivavoce.adapters.sql.postgres import PostgresStore
    from vivavoce.adapters.sql.sqlite import SqliteStore

T = TypeVar("T")


class LateVault:
    """A vault whose key is looked for when it is first needed."""

    def __init__(self, find: Callable[[], AesVault]) -> None:
        self._find = find
        self._found: AesVault | None = None

    def seal(self, plain: bytes, place: str) -> bytes:
        """Encrypted, and bound to the place where it is kept."""
        return self.opened().seal(plain, place)

    def unseal(self, sealed: bytes, place: str) -> bytes:
        """What was sealed for this place."""
        return self.opened().unseal(sealed, place)

    def digest(self, text: str) -> str:
        """A fingerprint that cannot be computed without the vault's key."""
        return self.opened().digest(text)

    def derived(self, use: str) -> bytes:
        """A key for one use, from which the vault's key cannot be found."""
        return self.opened().derived(use)

    def opened(self) -> AesVault:
        """The vault itself."""
        if self._found is None:
            self._found = self._find()
        return self._found


class LateStore:
    """A store that is opened when it is first read or written."""

    def __init__(self, open: Callable[[], SqliteStore | PostgresStore]) -> None:
        self._open = open
        self._opened: SqliteStore | PostgresStore | None = None

    async def read(self, work: Callable[[Tables], T], *, is_long: bool = False) -> T:
        """Run `work` on one unchanging view of the store."""
        return await self._store().read(work, is_long=is_long)

    async def write(self, work: Callable[[Tables], T], *, alone: bool = False) -> T:
        """Run `work` in one transaction; it is durable when this returns, or nothing happened."""
        return await self._store().write(work, alone=alone)

    def close(self) -> None:
        """Let go of it, if it was opened."""
        if self._opened is not None:
            self._opened.close()

    def _store(self) -> SqliteStore | PostgresStore:
        if self._opened is None:
            self._opened = self._open()
        return self._opened
