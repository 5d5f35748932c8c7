"""What the engine needs from the outside world. Adapters provide it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from .conversations import (
    ContactFilter,
    Contacts,
    ConversationFilter,
    Conversations,
    Messages,
    Spending,
    Turns,
    Usage,
)
from .library import Collections, Documents, Ingestions, Passages, Uploads
from .models import (
    Again,
    Called,
    Cut,
    Delta,
    Enclosed,
    Given,
    Model,
    Models,
    Offered,
    Outside,
    Picture,
    Piece,
    Prompt,
    Reply,
    Returned,
    Said,
    Spent,
    Step,
    Wrote,
)
from .retrieval import (
    Embedder,
    Embedders,
    Entry,
    Fetched,
    Hit,
    Index,
    Judge,
    Page,
    Question,
    Reader,
    Reading,
    Reranker,
    Web,
)
from .sharing import others_first
from .store import Datasources, Store, Tables
from .tables import Table
from .time import Channel, Channels, Jobs

if TYPE_CHECKING:
    from .retrieval import Vectors

__all__ = [
    "Again",
    "Called",
    "Channel",
    "Channels",
    "Collections",
    "ContactFilter",
    "Contacts",
    "ConversationFilter",
    "Conversations",
    "Cut",
    "Datasources",
    "Delta",
    "Documents",
    "Embedder",
    "Embedders",
    "Enclosed",
    "Entry",
    "Fetched",
    "Given",
    "Hit",
    "Index",
    "Ingestions",
    "Jobs",
    "Judge",
    "Messages",
    "Model",
    "Models",
    "Offered",
    "Outside",
    "Page",
    "Passages",
    "Picture",
    "Piece",
    "Ports",
    "Prompt",
    "Question",
    "Reader",
    "Reading",
    "Reply",
    "Reranker",
    "Returned",
    "Said",
    "Spending",
    "Spent",
    "Step",
    "Store",
    "Table",
    "Tables",
    "Turns",
    "Uploads",
    "Usage",
    "Vault",
    "Vectors",
    "Web",
    "Wrote",
    "others_first",
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

    def derived(self, use: str) -> bytes:
        """A key for one use, from which the vault's key cannot be found."""
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
    models: Models
    outside: Outside
    channels: Channels
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    new_secret: Callable[[], str]
