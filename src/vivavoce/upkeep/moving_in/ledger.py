"""The ledger: which things were copied, how they looked there and here, and in which copy."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.entities import Entity
from vivavoce.domain.imports import ROUND, Imported, Kind, fingerprint, imported_id
from vivavoce.domain.knowledge import Datasource
from vivavoce.ports import Store, Table, Tables

_AGES = timedelta(days=1)


def table_of(kind: Kind, tables: Tables) -> Table[Any]:
    """The table of a kind."""
    table: Table[Any] = getattr(tables, kind)
    return table


def state_of(kind: Kind, entity: Entity, tables: Tables) -> str:
    """The fingerprint of a thing that is here, by which it is known whether someone changed it."""
    more = sorted(getattr(entity, "secrets", ()))  # where they stand: who wrote one has changed the thing
    if isinstance(entity, Datasource):
        more.append(entity.hash or "")
    elif isinstance(entity, Conversation):
        last = tables.messages.last(entity.id, 1, is_brief=True)
        more = [str(tables.messages.count(conversation_id=entity.id)), *(message.id for message in last)]
    return fingerprint(kind, entity.model_dump(mode="json"), *more)


class Ledger:
    """What is noted about one copy. A copy that was broken off is gone on with."""

    def __init__(self, organization_id: str, now: datetime, round: int) -> None:
        self.organization_id, self.now, self.round = organization_id, now, round

    @classmethod
    async def opened(cls, store: Store, now: datetime) -> Ledger:
        """The ledger of the copy that is under way, else of the next one. Nothing is written yet.

        One that was broken off long ago is not gone on with: what it has seen may have changed since.
        """

        def read(tables: Tables) -> Ledger:
            last = tables.imported.find(ROUND)
            if last is None:
                return cls(tables.organization_id, now, 1)
            is_over = last.is_whole or now - last.updated_at > _AGES
            return cls(tables.organization_id, now, last.round + is_over)

        return await store.read(read)

    def begin(self, tables: Tables) -> None:
        """Note that the copy is under way."""
        self.note(ROUND, tables, kind="round", is_whole=False)

    def finish(self, tables: Tables) -> None:
        """Note that the copy came to its end: the next one looks at everything again."""
        self.note(ROUND, tables, kind="round", is_whole=True)

    def done(self, kind: Kind, tables: Tables) -> dict[str, Imported]:
        """The things of a kind that this copy has dealt with already."""
        return {
            each.id.partition(":")[2]: each
            for each in tables.imported.where(kind=kind)
            if each.round == self.round and each.is_whole
        }

    def find(self, kind: Kind, id: str, tables: Tables) -> Imported | None:
        """What is noted about a thing."""
        return tables.imported.find(imported_id(kind, id))

    def note(self, id: str, tables: Tables, *, kind: str, **values: Any) -> None:
        """Note something under an id."""
        known = tables.imported.find(id)
        if known is not None:
            tables.imported.replace(known.changed(self.now, round=self.round, **values))
            return
        fields = {
            **{"id": id, "kind": kind, "round": self.round, "organization_id": self.organization_id},
            **{"created_at": self.now, "updated_at": self.now, **values},
        }
        tables.imported.add(Imported.model_validate(fields))

    def note_thing(
        self,
        kind: Kind,
        entity: Entity,
        there: str,
        said: list[str],
        tables: Tables,
        **values: Any,
    ) -> None:
        """Note that a thing is here now, and how it looks; as a whole, unless `values` say otherwise."""
        here = state_of(kind, entity, tables)
        known: dict[str, Any] = {"there": there, "here": here, "said": said, "is_whole": True}
        self.note(imported_id(kind, entity.id), tables, kind=kind, **known | values)

    def note_change(self, kind: Kind, entity: Entity, tables: Tables, **values: Any) -> None:
        """Note how a thing looks after the copy itself changed it, if the copy made it."""
        if self.find(kind, entity.id, tables) is not None:
            here = state_of(kind, entity, tables)
            self.note(imported_id(kind, entity.id), tables, kind=kind, here=here, **values)

    def touch(self, noted: Imported, said: list[str], unread: list[str], tables: Tables) -> None:
        """Note that a thing was looked at in this copy, and what was said of it."""
        tables.imported.replace(noted.changed(self.now, round=self.round, said=said, unread=unread))
