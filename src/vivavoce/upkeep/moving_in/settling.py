"""Settling: each thing is stored once, followed where it changes, and left alone where someone changed it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from vivavoce.domain.access import AccessEntry
from vivavoce.domain.agents import Agent
from vivavoce.domain.contacts import Contact
from vivavoce.domain.imports import Imported, Kind, fingerprint
from vivavoce.domain.inert import pause_of
from vivavoce.domain.knowledge import Datasource
from vivavoce.domain.tools import Tool, check_together
from vivavoce.errors import Conflict
from vivavoce.ports import Ports, Tables
from vivavoce.upkeep.reports import Outcome, Report

from .binding import Missing, bound
from .ledger import Ledger, state_of, table_of
from .texts import store_datasource
from .things import Thing

T = TypeVar("T")

TAKEN = "something else has this id here, and stays"
GONE = "it was deleted here since it was copied, and stays deleted"
CHANGED = "it was changed there and here, and stays as it is here"

_LATER: dict[Kind, str] = {"steps": "auto_next_step_id"}
"""What refers to things that are stored together with it."""
_OF_HERE: dict[Kind, tuple[str, ...]] = {
    "datastores": ("embedder", "dimension"),
    "conversations": ("last_asked", "held_after", "taken_over", "tool_calls"),
}
"""What the workspace itself keeps of a thing."""
_NAMES = {"email": "e-mail address", "phone_number": "phone number", "external_id": "externalId"}


class Settled(NamedTuple):
    """What became of a thing."""

    outcome: Outcome
    said: list[str]


class Settler:
    """Stores what was read and puts into the report what became of it."""

    def __init__(self, ports: Ports, ledger: Ledger, report: Report) -> None:
        self.ports, self.ledger, self.report = ports, ledger, report
        self.people: dict[str, str] = {}
        """Contacts of the account, and who they are here."""
        self.met: set[tuple[Kind, str]] = set()
        """What was dealt with, whatever became of it."""
        self._coming: set[tuple[Kind, str]] = set()
        """What would be here by now, in a dry run."""

    async def done(self, kind: Kind) -> dict[str, Imported]:
        """The things of a kind that were dealt with before the copy was broken off."""
        return await self.ports.store.read(lambda tables: self.ledger.done(kind, tables))

    async def known(self, kind: Kind, ids: Iterable[str]) -> set[str]:
        """Those of some ids under which something is here, or was copied before."""
        every = list(ids)

        def read(tables: Tables) -> set[str]:
            found = (
                (id, table_of(kind, tables).find(id), self.ledger.find(kind, id, tables)) for id in every
            )
            return {id for id, known, noted in found if known is not None or noted is not None}

        return await self.ports.store.read(read)

    def pass_over(self, kind: Kind, id: str, noted: Imported) -> None:
        """Count a thing that was dealt with before."""
        self.met.add((kind, id))
        self.report.count(kind, "unchanged")
        self._say(kind, id, noted.said, noted.unread)

    async def settle(self, things: Sequence[Thing]) -> list[Outcome]:
        """What became of each thing; they are stored together."""
        if not things:
            return []
        settled = await self.in_store(lambda tables: self.settled(things, tables))
        self.tell(things, settled)
        return [each.outcome for each in settled]

    async def in_store(self, work: Callable[[Tables], T]) -> T:
        """Carry out a unit of work; in a dry run it reads alone."""
        store = self.ports.store
        return await (store.read(work) if self.report.is_dry else store.write(work))

    def tell(self, things: Iterable[Thing], settled: Iterable[Settled]) -> None:
        """Put into the report what became of things."""
        for thing, (outcome, said) in zip(things, settled, strict=True):
            self.met.add((thing.kind, thing.id))
            self.report.count(thing.kind, outcome)
            self._say(thing.kind, thing.id, said, thing.unread)
            if self.report.is_dry and outcome == "added":
                self._coming.add((thing.kind, thing.id))

    def _say(self, kind: Kind, id: str, said: Iterable[str], unread: Sequence[str]) -> None:
        """Note what must be known about a thing; one not read as a whole counts as failed, too."""
        self.report.say(kind, id, *said, *unread)
        if unread:
            self.report.count(kind, "failed")

    def settled(self, things: Sequence[Thing], tables: Tables, *, is_whole: bool = True) -> list[Settled]:
        """What becomes of things inside a transaction."""
        beside = {(thing.kind, thing.id) for thing in things}
        later: list[Thing] = []
        results = [self._settled(thing, tables, beside, later, is_whole) for thing in things]
        for thing in later:
            target = getattr(thing.entity, _LATER[thing.kind])
            if table_of(thing.kind, tables).find(target) is not None:
                table_of(thing.kind, tables).replace(thing.entity)
                self.ledger.note_change(thing.kind, thing.entity, tables)
        return results

    def _settled(
        self, thing: Thing, tables: Tables, beside: set[tuple[Kind, str]], later: list[Thing], is_whole: bool
    ) -> Settled:
        noted = self.ledger.find(thing.kind, thing.id, tables)
        known = table_of(thing.kind, tables).find(thing.id)
        if (noted is None) != (known is None):
            return Settled("kept", [TAKEN if noted is None else GONE])
        try:
            thing = self._fitting(thing, tables, beside)
        except Missing as error:
            return Settled("failed", [error.message])
        except Conflict as error:
            return Settled("kept", [error.message])
        if noted is not None and known is not None and noted.is_whole:
            if noted.there == thing.there:
                return self._looked_at(noted, thing, Settled("unchanged", []), tables)
            if noted.here != state_of(thing.kind, known, tables):
                said = [] if thing.keeps else [CHANGED]  # it is not known whether it was
                return self._looked_at(noted, thing, Settled("kept", said), tables)
        if not self.report.is_dry:
            stored = self._stored(thing, known, tables, later)
            noting = {"is_whole": is_whole, "unread": thing.unread}
            self.ledger.note_thing(thing.kind, stored, thing.there, thing.losses, tables, **noting)
        return Settled("added" if known is None else "updated", thing.losses)

    def _fitting(self, thing: Thing, tables: Tables, beside: set[tuple[Kind, str]]) -> Thing:
        """The thing with references to what is here alone; refused where it cannot stand beside others."""

        def is_coming(kind: Kind, id: str) -> bool:
            is_beside = (kind, id) in beside and (self.report.is_dry or kind == thing.kind)
            return is_beside or (kind, id) in self._coming

        def is_here(kind: Kind, id: str) -> bool:
            return is_coming(kind, id) or table_of(kind, tables).find(id) is not None

        def is_copied(kind: Kind, id: str) -> bool:
            is_noted = self.ledger.find(kind, id, tables) is not None
            return is_coming(kind, id) or (is_noted and is_here(kind, id))

        entity, losses = bound(thing.kind, thing.entity, is_here, is_copied, self.people)
        if isinstance(entity, Agent) and entity.handle is not None:
            holders = tables.agents.where(handle=entity.handle)
            if any(holder.id != entity.id for holder in holders):
                losses = [*losses, f"handle: another agent is called @{entity.handle} here"]
                entity = entity.model_copy(update={"handle": None})
        if isinstance(entity, Contact):
            self._check_person(entity, tables)
        if isinstance(entity, AccessEntry):
            same = tables.access.where(agent_id=entity.agent_id, kind=entity.kind, who=entity.who)
            if any(other.id != entity.id for other in same):
                raise Conflict(f"the {entity.kind} of the agent has them here already")
        if isinstance(entity, Tool):
            others = tables.tools.where(agent_id=entity.agent_id)
            check_together([*(other for other in others if other.id != entity.id), entity])
        there = fingerprint(thing.kind, {"there": thing.there, "lost": losses})
        return replace(thing, entity=entity, there=there, losses=[*thing.losses, *losses])

    def _check_person(self, contact: Contact, tables: Tables) -> None:
        """Refuse a contact who is here under another id; conversations are then with that one."""
        for name, what in _NAMES.items():
            value = getattr(contact, name)
            for other in [] if value is None else tables.contacts.known_by(**{name: value}):
                if other.id != contact.id:
                    if tables.contacts.find(contact.id) is None:
                        self.people[contact.id] = other.id
                    raise Conflict(f"contact {other.id} has the same {what} here, and stays as it is")

    def _looked_at(self, noted: Imported, thing: Thing, settled: Settled, tables: Tables) -> Settled:
        if not self.report.is_dry:
            self.ledger.touch(noted, settled.said, thing.unread, tables)
        return settled

    def _stored(self, thing: Thing, known: Any, tables: Tables, later: list[Thing]) -> Any:
        """The entity as it was stored."""
        entity, table = thing.entity, table_of(thing.kind, tables)
        if isinstance(entity, Datasource):
            return store_datasource(entity, known, thing.text, self.ports, tables)
        if known is not None:
            kept = {name: getattr(known, name) for name in (*_OF_HERE.get(thing.kind, ()), *thing.keeps)}
            entity = entity.model_copy(update=kept)
        field = _LATER.get(thing.kind)
        if field is not None and getattr(entity, field) is not None:
            later.append(replace(thing, entity=entity))
            entity = entity.model_copy(update={field: None})
        (table.add if known is None else table.replace)(entity)
        self._pause(entity, known, tables)
        return entity

    def _pause(self, entity: Any, known: Any, tables: Tables) -> None:
        """Keep a webhook quiet that is new here; one that was resumed goes on."""
        now = self.ledger.now
        pause = pause_of(entity, now)
        before = None if known is None else pause_of(known, now)
        is_new = pause is not None and (before is None or before.url != pause.url)
        if pause is not None and is_new and tables.endpoints.find(pause.id) is None:
            tables.endpoints.add(pause)
