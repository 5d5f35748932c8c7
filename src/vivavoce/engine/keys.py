"""How the engine carries out operations on API keys."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.avatars import Avatar
from vivavoce.domain.keys import Key, check_scopes_for_avatar, usual_scopes
from vivavoce.errors import NotFound
from vivavoce.operations import Caller
from vivavoce.operations.keys import (
    CreateKey,
    KeyCreated,
    KeyList,
    KeyRevoked,
    KeyShown,
    ListKeys,
    RevokeKey,
)
from vivavoce.ports import Ports, Tables

from .handlers import Work, handles
from .references import avatar_named

PREFIX = "vv_"
_SHOWN = len(PREFIX) + 6


@handles(CreateKey)
def create_key(op: CreateKey, work: Work) -> KeyCreated:
    scopes = usual_scopes(for_avatar=op.avatar_id is not None) if op.scopes is None else op.scopes
    if op.avatar_id is not None:
        check_scopes_for_avatar(scopes)
        # Written as it is, so that who deletes it at this moment comes before or after, and ends the key.
        work.tables.avatars.replace(avatar_named(op.avatar_id, work))
    secret = PREFIX + work.ports.new_secret()
    key = Key(
        **work.identity(),
        name=op.name,
        prefix=secret[:_SHOWN],
        digest=work.ports.vault.digest(secret),
        scopes=frozenset(scopes),
        avatar_id=op.avatar_id,
    )
    work.tables.keys.add(key)
    return KeyCreated(
        id=key.id, key=secret, name=key.name, scopes=sorted(key.scopes), avatar_id=key.avatar_id
    )


@handles(ListKeys)
def list_keys(op: ListKeys, work: Work) -> KeyList:
    return KeyList(keys=[KeyShown(**_shown(key)) for key in work.tables.keys.where(newest_first=True)])


@handles(RevokeKey)
def revoke_key(op: RevokeKey, work: Work) -> KeyRevoked:
    key = work.tables.keys.find(op.id)
    if key is None:
        raise NotFound(f"No key {op.id!r}.", hint="List them with vivavoce keys list.")
    return KeyRevoked(**_shown(_ended(key, work)))


def end_keys_of(avatar: Avatar, work: Work) -> None:
    """Revoke the keys that are for an avatar alone: another one may have its id one day."""
    for key in work.tables.keys.where():
        if key.avatar_id == avatar.id:
            _ended(key, work)


class Keyring:
    """Who a bearer token belongs to."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports

    async def caller(self, token: str) -> Caller | None:
        """The caller that this token stands for, or None when it is not valid (any more)."""
        digest = self.ports.vault.digest(token)

        def look_up(tables: Tables) -> Caller | None:
            for key in tables.keys.where(digest=digest):
                if key.revoked_at is None:
                    return Caller(id=key.id, name=key.name, scopes=key.scopes, avatar_id=key.avatar_id)
            return None

        return await self.ports.store.read(look_up)

    async def is_empty(self) -> bool:
        """Whether no key was ever handed out."""
        return await self.ports.store.read(lambda tables: tables.keys.count()) == 0


def _ended(key: Key, work: Work) -> Key:
    if key.revoked_at is None:
        key = key.changed(work.now, revoked_at=work.now)
        work.tables.keys.replace(key)
    return key


def _shown(key: Key) -> dict[str, Any]:
    names = ("id", "name", "prefix", "created_at", "revoked_at", "avatar_id")
    values = {name: getattr(key, name) for name in names}
    return {**values, "scopes": sorted(key.scopes)}
