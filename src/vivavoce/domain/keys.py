"""API keys: who may call, and what they may do."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from vivavoce.errors import InvalidInput

from .entities import Entity, Moment
from .values import Name


class Scope(StrEnum):
    """What a key allows."""

    READ = "read"
    WRITE = "write"
    SEND = "send"
    ADMIN = "admin"


FOR_AVATAR = frozenset((Scope.READ, Scope.SEND))
"""All that a key for one avatar can do: find passages, and ask."""


class Key(Entity):
    """A key that was handed out. The key itself is not kept, only its digest."""

    name: Name
    prefix: str
    digest: str
    scopes: frozenset[Scope]
    revoked_at: Moment | None = None
    avatar_id: str | None = None
    """The one avatar that it is for; None where it is for everything."""


def usual_scopes(*, for_avatar: bool) -> list[Scope]:
    """What a key allows where nothing else is said."""
    return [Scope.READ, Scope.SEND] if for_avatar else [Scope.READ, Scope.WRITE, Scope.SEND]


def check_scopes_for_avatar(scopes: Iterable[Scope]) -> None:
    """Refuse scopes that a key for one avatar cannot use."""
    beyond = sorted(set(scopes) - FOR_AVATAR)
    if beyond:
        raise InvalidInput(
            f"A key for one avatar cannot have {', '.join(beyond)} among its scopes.",
            hint="Give it read, send or both, or make a key without an avatar.",
        )
