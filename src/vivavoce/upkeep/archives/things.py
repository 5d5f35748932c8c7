"""The parts of an archive: which kinds of things are in it, and how each is written and taken in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from vivavoce.domain import inert as words
from vivavoce.domain.access import AccessEntry
from vivavoce.domain.agents import Agent
from vivavoce.domain.avatars import Answered, Avatar
from vivavoce.domain.channels import Account, Arrival
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message, Note, TagKind
from vivavoce.domain.crm import CrmLog, Scenario, Step
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.entities import Entity
from vivavoce.domain.events import Event
from vivavoce.domain.follow_ups import FollowUp
from vivavoce.domain.inert import Inert, inert, pause_of, veiled
from vivavoce.domain.integrations import Integration
from vivavoce.domain.knowledge import Datastore
from vivavoce.domain.tools import Tool, check_together
from vivavoce.domain.turns import Approval, Turn
from vivavoce.errors import Conflict
from vivavoce.ports import Table, Tables
from vivavoce.upkeep.reports import Outcome

from .files import Line

M = TypeVar("M", bound=BaseModel)

AT_ONCE = 1_000
"""Things that are read or written at a time."""
_LARGEST = 2**63


class Became(NamedTuple):
    """What became of a thing, and what must be known about it."""

    id: str
    outcome: Outcome
    said: tuple[str, ...] = ()


def fitting(read: M) -> M:
    """What was read; ValueError where one of its numbers is larger than the columns of a database."""
    for number in read.__dict__.values():
        if isinstance(number, int) and not -_LARGEST <= number < _LARGEST:
            raise ValueError("it holds a number that cannot be kept")
    return read


@dataclass(frozen=True)
class Part:
    """The things of one table."""

    name: str
    """As the table is called."""
    kind: type[Entity]
    parents: Mapping[str, str] | None = None
    """Which fields name things of which tables that must be there."""
    free: tuple[str, ...] = ()
    """Fields that must be unlike all others', and may be empty."""
    later: str | None = None
    """A field that names another thing of the same table, which may come later."""
    made_here: tuple[str, ...] = ()
    """Fields that a workspace fills in by itself."""
    check: Callable[[Any, Tables], None] | None = None
    """Refuses, with Conflict, what cannot stand beside what is here."""

    @property
    def is_whole(self) -> bool:
        """Whether all of it must be taken in at once."""
        return self.later is not None

    def number(self, tables: Tables) -> int:
        """How many things there are."""
        return self._table(tables).count()

    def lines(self, tables: Tables) -> Iterator[Line]:
        """Everything in the table, without secrets."""
        last = ""
        while some := self._table(tables).after(last, AT_ONCE):
            yield from map(_line, some)
            last = some[-1].id

    def read(self, line: Line) -> Entity:
        """The thing of a line; ValueError where it is none of this kind."""
        return fitting(self.kind.model_validate({**line, **dict.fromkeys(self.made_here)}, extra="ignore"))

    def look(self, things: Sequence[Entity], tables: Tables) -> list[Became]:
        """What would become of things."""
        here = {each.id: each for each in self._table(tables).within("id", [each.id for each in things])}
        became: list[Became] = []
        for each in things:
            own, said = inert(each)
            if own.id in here:
                became.append(self._met(own, here[own.id], said, tables))
            else:
                conflict = self._conflict(own, tables)
                became.append(conflict or Became(own.id, "added", said))
        return became

    def take(self, things: Sequence[Entity], now: datetime, tables: Tables) -> list[Became]:
        """Store those that are not there yet, inert; what became of each."""
        table, missing = self._table(tables), self._missing_parents(things, tables)
        became: list[Became] = []
        refused: list[Inert[Entity]] = []
        for thing in things:
            own, said = inert(thing.model_copy(update={"organization_id": tables.organization_id}))
            if own.id in missing:
                became.append(Became(own.id, "failed", (missing[own.id],)))
            elif (conflict := self._conflict(own, tables)) is not None:
                became.append(conflict)
            elif table.take(own if self.later is None else own.model_copy(update={self.later: None})):
                became.append(Became(own.id, "added", said))
                _pause(own, now, tables)
            else:
                refused.append(Inert(own, said))
        became += self._refused(refused, now, tables)
        if self.later is not None:
            self._complete(things, {each.id for each in became if each.outcome == "added"}, tables)
        return became

    def _table(self, tables: Tables) -> Table[Any]:
        table: Table[Any] = getattr(tables, self.name)
        return table

    def _missing_parents(self, things: Sequence[Entity], tables: Tables) -> dict[str, str]:
        """The things whose place is not there, with the reason."""
        missing: dict[str, str] = {}
        for field, parents in (self.parents or {}).items():
            named = {each.id: getattr(each, field) for each in things if getattr(each, field) is not None}
            there = getattr(tables, parents).counts("id", sorted(set(named.values())))
            missing |= {
                id: f"it belongs to one of the {parents} that is not here"
                for id, parent in named.items()
                if parent not in there
            }
        return missing

    def _conflict(self, thing: Entity, tables: Tables) -> Became | None:
        """What becomes of a thing that cannot stand beside what is here; one that is here stands there."""
        if self.check is None or self._table(tables).find(thing.id) is not None:
            return None
        try:
            self.check(thing, tables)
        except Conflict as error:
            return Became(thing.id, "kept", (error.message,))
        return None

    def _refused(self, things: Sequence[Inert[Entity]], now: datetime, tables: Tables) -> Iterator[Became]:
        """What becomes of things that the table did not take."""
        table = self._table(tables)
        here = {each.id: each for each in table.within("id", [each.thing.id for each in things])}
        for thing, lost in things:
            if thing.id in here:
                yield self._met(thing, here[thing.id], lost, tables)
                continue
            taken = [name for name in self.free if self._is_taken(name, thing, tables)]
            bare = thing.model_copy(update=dict.fromkeys(taken))
            if taken and table.take(bare):
                _pause(bare, now, tables)
                said = tuple(f"its {name} is taken by another one here, and left empty" for name in taken)
                yield Became(thing.id, "added", (*lost, *said))
            else:
                yield Became(thing.id, "kept", ("another one with its name or its place is here",))

    def _is_taken(self, name: str, thing: Entity, tables: Tables) -> bool:
        value = getattr(thing, name)
        return value is not None and self._table(tables).count(**{name: value}) > 0

    def _met(self, thing: Entity, here: Entity, lost: tuple[str, ...], tables: Tables) -> Became:
        """A thing that is there already: the same, with what is still to be done, or another by now."""
        passed_over = {"organization_id", "updated_at", *self.made_here}
        if thing.model_dump(exclude=passed_over) == here.model_dump(exclude=passed_over):
            return Became(thing.id, "unchanged", tuple(word for word in lost if _is_so(word, here, tables)))
        return Became(thing.id, "kept", ("it is here already and differs: it stays as it is here",))

    def _complete(self, things: Sequence[Entity], added: set[str], tables: Tables) -> None:
        """Let things that were added name each other."""
        assert self.later is not None
        table = self._table(tables)
        wanted = {each.id: getattr(each, self.later) for each in things if each.id in added}
        there = table.counts("id", sorted({id for id in wanted.values() if id is not None}))
        for own in table.within("id", [id for id, other in wanted.items() if other in there]):
            table.replace(own.model_copy(update={self.later: wanted[own.id]}))


def _check_tool(tool: Tool, tables: Tables) -> None:
    check_together([*tables.tools.where(agent_id=tool.agent_id), tool])


_OF_AGENT = {"agent_id": "agents"}
_OF_CONVERSATION = {"conversation_id": "conversations"}

BEFORE_LIBRARY = (
    Part("tags", TagKind),
    Part("scenarios", Scenario),
    Part("datastores", Datastore, made_here=("embedder", "dimension")),
    Part("agents", Agent, free=("handle",)),
    Part("tools", Tool, {**_OF_AGENT, "datastore_id": "datastores"}, check=_check_tool),
    Part("integrations", Integration, _OF_AGENT),
    Part("access", AccessEntry, _OF_AGENT),
    Part("steps", Step, {"scenario_id": "scenarios", **_OF_AGENT}, later="auto_next_step_id"),
    Part("avatars", Avatar, {"datastore_id": "datastores"}),
    Part("answered", Answered, {"avatar_id": "avatars"}),
)
AFTER_LIBRARY = (
    Part("accounts", Account, _OF_AGENT),
    Part("arrivals", Arrival, {"account_id": "accounts"}),
    Part("contacts", Contact, free=("email", "phone_number", "external_id")),
    Part("conversations", Conversation, {**_OF_AGENT, "contact_id": "contacts"}),
    Part("messages", Message, _OF_CONVERSATION),
    Part("turns", Turn, _OF_CONVERSATION),
    Part("approvals", Approval, {**_OF_CONVERSATION, "turn_id": "turns"}),
    Part("notes", Note, _OF_CONVERSATION),
    Part("events", Event, _OF_CONVERSATION),
    Part("follow_ups", FollowUp, _OF_CONVERSATION),
    Part("crm_logs", CrmLog, {**_OF_CONVERSATION, "scenario_id": "scenarios", "step_id": "steps"}),
    Part("deliveries", Delivery, {**_OF_CONVERSATION, **_OF_AGENT}),
)

LEFT_OUT = {
    "workspace": "a workspace has an identity and a key of its own",
    "keys": "keys of the API are secrets: make new ones with vivavoce keys create",
    "providers": "keys of providers are secrets: set them again with vivavoce set-provider",
    "endpoints": "how webhooks behave is seen anew; they come in paused",
    "jobs": "what was still to be done is done where it was begun",
    "lanes": "the order of jobs",
    "ingestions": "texts are indexed anew",
    "passages": "made again from the texts",
    "vectors": "made again from the texts",
    "collections": "the index is made anew",
    "gone": "the index is made anew",
    "imported": "what an import of a hosted account remembers of that account",
}
"""The tables that are in no archive, and why."""


def _line(thing: Entity) -> Line:
    """A thing as it is written; of its fields only the secrets are left out."""
    shown = veiled(thing)
    fields: Line = shown.model_dump(mode="json", by_alias=False)
    hidden = {name for name, field in type(thing).model_fields.items() if field.exclude} - {"secrets"}
    return fields | {name: getattr(shown, name) for name in hidden}


def _is_so(word: str, here: Entity, tables: Tables) -> bool:
    """Whether what an import said of a thing must still be seen to."""
    match word:
        case words.SECRETS:
            return not getattr(here, "secrets", None)
        case words.OFF:
            return not getattr(here, "enabled", False)
        case words.TOKEN:
            return not getattr(here, "token_digest", "")
        case words.PAUSED:
            endpoint = tables.endpoints.find(here.id)
            return endpoint is not None and endpoint.paused_at is not None
    return word == words.PRIVATE


def _pause(thing: Entity, now: datetime, tables: Tables) -> None:
    pause = pause_of(thing, now)
    if pause is not None:
        tables.endpoints.take(pause)
