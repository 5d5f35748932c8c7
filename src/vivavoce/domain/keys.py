"""API keys: who may call, and what they may do."""

from __future__ import annotations

from enum import StrEnum

from .entities import Entity, Moment
from .values import Name


class Scope(StrEnum):
    """What a key allows."""

    READ = "read"
    WRITE = "write"
    SEND = "send"
    ADMIN = "admin"


class Key(Entity):
    """A key that was handed out. The key itself is not kept, only its digest."""

    name: Name
    prefix: str
    digest: str
    scopes: frozenset[Scope]
    revoked_at: Moment | None = None
    avatar_id: str | None = None
    """The one avatar that it is for; None where it is for everything."""
