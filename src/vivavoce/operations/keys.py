"""Operations on API keys. They are for the operator's command line alone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from vivavoce.domain.avatars import Slug
from vivavoce.domain.entities import Moment
from vivavoce.domain.keys import Scope
from vivavoce.domain.values import Id, Name

from .base import Effect, Listing, Operation, Result


class KeyShown(Result):
    """A key without its secret."""

    id: str
    name: str
    prefix: str
    scopes: list[Scope]
    created_at: Moment
    revoked_at: Moment | None = None
    avatar_id: str | None = None


class KeyCreated(Result):
    """A new key. It is shown this once."""

    id: str
    key: str
    name: str
    scopes: list[Scope]
    avatar_id: str | None = None


class KeyRevoked(KeyShown):
    """A key that is no longer valid."""


class KeyList(Listing):
    """The keys, newest first, revoked ones included."""

    keys: list[KeyShown]


class CreateKey(Operation[KeyCreated], effect=Effect.ADMIN, offer="never"):
    """Create an API key for the HTTP surfaces. It is shown this once and cannot be read again."""

    name: Annotated[Name, Field(description="Whose key it is.")]
    scopes: Annotated[
        list[Scope] | None,
        Field(
            min_length=1,
            description="What it allows: read, write, send, admin; for an avatar read and send alone. "
            "Left out, all of these but admin.",
        ),
    ] = None
    avatar_id: Annotated[
        Slug | None, Field(description="The one avatar that it is for; left out, it is for everything.")
    ] = None


class ListKeys(Operation[KeyList], effect=Effect.ADMIN, offer="never"):
    """List the API keys without their secrets."""


class RevokeKey(Operation[KeyRevoked], effect=Effect.ADMIN, offer="never"):
    """Revoke an API key at once. It stays in the list."""

    id: Annotated[Id, Field(description="The key's id, as keys list shows it.")]
