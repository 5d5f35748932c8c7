"""A part of an archive: the things of one table, how they are written, looked at and taken in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from vivavoce.domain import inert as words
from vivavoce.domain.entities import Entity
from vivavoce.domain.inert import Inert, inert, pause_of, veiled
from vivavoce.errors import Conflict
from vivavoce.ports import Table, Tables
from vivavoce.upkeep.reports import Outcome

from .coming import Coming
from .files import Line

M = TypeVar("M", bound=BaseModel)

AT_ONCE = 1_000
"""Things that are read or written at a time."""
_LARGEST = 2**63
_TAKEN = "its {} is taken by another one here, and left empty"
_IS_HERE = "another one with its name or its place is here"


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


class Alone(NamedTuple):
    """Fields that no two things have alike, of those things that are in a certain state."""

    fields: tuple[str, ...]
    only: tuple[str, str] | None = None
    """A field and the value that it must have; else it does not count."""

    def names(self, thing: Entity) -> dict[str, Any] | None:
        """What nothing else may have together; None where that does not count for this thing."""
        if self.only is not None and getattr(thing, self.only[0]) != self.only[1]:
            return None
        return {name: getattr(thing, name) for name in self.fields} | dict([self.only] if self.only else [])


@dataclass(frozen=True)
class Part:
    """The things of one table."""

    name: str
    """As the table is called."""
    kind: type[Entity]
    parents: Mapping[str, str] | None = None
    """Which fields name things of which tables that must be there."""
    holds: bool = False
    """Whether others belong to its things."""
    free: tuple[str, ...] = ()
    """Fields that must be unlike all others', and may be empty."""
    alone: tuple[Alone, ...] = ()
    """What no two may have alike. Such a thing does not come in."""
    later: str | None = None
    """A field that names another thing of the same table, which may come later."""
    made_here: tuple[str, ...] = ()
    """Fields that a workspace fills in by itself."""
    beside: str | None = None
    """The field that those have alike which must fit together."""
    check: Callable[[list[Any]], None] | None = None
    """Refuses, with Conflict, those that do not fit together."""

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

    def look(self, things: Sequence[Entity], tables: Tables, coming: Coming) -> list[Became]:
        """What would become of things; those that would come in are remembered."""
        here = {each.id: each for each in self._table(tables).within("id", [each.id for each in things])}
        missing = self._missing_parents(things, tables, coming)
        became: list[Became] = []
        for thing in things:
            own, said = inert(thing)
            if own.id in missing:
                became.append(Became(own.id, "failed", (missing[own.id],)))
            elif (conflict := self._conflict(own, tables, coming)) is not None:
                became.append(conflict)
            elif own.id in here:
                became.append(self._met(own, here[own.id], said, tables))
            else:
                became.append(self._looked_at(own, said, tables, coming))
        return became

    def take(self, things: Sequence[Entity], now: datetime, tables: Tables) -> list[Became]:
        """Store those that are not there yet, inert; what became of each."""
        table, missing = self._table(tables), self._missing_parents(things, tables, Coming())
        became: list[Became] = []
        refused: list[Inert[Entity]] = []
        for thing in things:
            own, said = inert(thing.model_copy(update={"organization_id": tables.organization_id}))
            if own.id in missing:
                became.append(Became(own.id, "failed", (missing[own.id],)))
            elif (conflict := self._conflict(own, tables, Coming())) is not None:
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

    def _missing_parents(self, things: Sequence[Entity], tables: Tables, coming: Coming) -> dict[str, str]:
        """The things whose place is not there, with the reason."""
        missing: dict[str, str] = {}
        for field, parents in (self.parents or {}).items():
            named = {each.id: getattr(each, field) for each in things if getattr(each, field) is not None}
            there = getattr(tables, parents).counts("id", sorted(set(named.values())))
            missing |= {
                id: f"it belongs to one of the {parents} that is not here"
                for id, parent in named.items()
                if parent not in there and not coming.has(parents, {"id": parent})
            }
        return missing

    def _conflict(self, thing: Entity, tables: Tables, coming: Coming) -> Became | None:
        """What becomes of a thing that cannot stand beside what is here; one that is here stands there."""
        table = self._table(tables)
        if self.check is None or self.beside is None or table.find(thing.id) is not None:
            return None
        place = getattr(thing, self.beside)
        try:
            self.check([*table.where(**{self.beside: place}), *coming.beside(self.name, place), thing])
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
            taken = [name for name in self.free if self._is_taken({name: getattr(thing, name)}, tables)]
            bare = thing.model_copy(update=dict.fromkeys(taken))
            if taken and table.take(bare):
                _pause(bare, now, tables)
                yield Became(thing.id, "added", (*lost, *map(_TAKEN.format, taken)))
            else:
                yield Became(thing.id, "kept", (_IS_HERE,))

    def _looked_at(self, thing: Entity, said: tuple[str, ...], tables: Tables, coming: Coming) -> Became:
        """What would become of a thing that is not here, as `take` and `_refused` would find."""
        wanted = [{name: getattr(thing, name)} for name in self.free]
        alone = [names for each in self.alone if (names := each.names(thing)) is not None]
        if any(coming.has(self.name, names) or self._is_taken(names, tables, coming) for names in alone):
            return Became(thing.id, "kept", (_IS_HERE,))
        taken = [
            names for names in wanted if coming.has(self.name, names) or self._is_taken(names, tables, coming)
        ]
        for names in (
            *alone,
            *(names for names in wanted if names not in taken and None not in names.values()),
        ):
            coming.add(self.name, names)
        if self.holds:
            coming.add(self.name, {"id": thing.id})
        if self.beside is not None:
            coming.put_beside(self.name, getattr(thing, self.beside), thing)
        return Became(thing.id, "added", (*said, *(_TAKEN.format(*names) for names in taken)))

    def _is_taken(self, names: Mapping[str, Any], tables: Tables, coming: Coming | None = None) -> bool:
        """Whether something here has these names together; what belongs to what comes is not here yet."""
        if None in names.values():
            return False
        parents = self.parents or {}
        if coming is not None and any(
            coming.has(parents[name], {"id": value}) for name, value in names.items() if name in parents
        ):
            return False
        return self._table(tables).count(**names) > 0

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
