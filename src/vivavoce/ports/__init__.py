"""What the engine needs from the outside world. Adapters provide it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from .library import Collections, Documents, Ingestions, Passages, Uploads
from .retrieval import (
    Embedder,
    Embedders,
    Entry,
    Hit,
    Index,
    Page,
    Question,
    Reader,
    Reranker,
    Web,
)
from .store import Datasources, Store, Table, Tables

if TYPE_CHECKING:
    from .retrieval import Vectors

__all__ = [
    "Collections",
    "Datasources",
    "Documents",
    "Embedder",
    "Embedders",
    "Entry",
    "Hit",
    "Index",
    "Ingestions",
    "Page",
    "Passages",
    "Ports",
    "Question",
    "Reader",
    "Reranker",
    "Store",
    "Table",
    "Tables",
    "Uploads",
    "Vault",
    "Vectors",
    "Web",
]


class Vault(Protocol):
    """Keeps secrets unreadable at rest."""

    def seal(self, plain: bytes, place: str) -> bytes:
        """Encrypted, and bound to the place where it is kept."""
        ...

    def unseal(self, sealed: bytes, place: str) -> bytes:
        """What was sealed for this place."""
        ...

    def digest(self, text: str) -> str:
        """A fingerprint that cannot be computed without the vault's key."""
        ...


@dataclass(frozen=True)
class Ports:
    """The outside world, as the engine sees it."""

    store: Store
    vault: Vault
    reader: Reader
    web: Web
    embedders: Embedders
    index: Index
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    new_secret: Callable[[], str]
