"""The parts of an archive that are figures: what models cost, and how scores were calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from vivavoce.ports import Spending, Table, Tables, Usage

from .coming import Coming
from .files import Line
from .rows import AT_ONCE, Became, fitting

_NOTHING = Spending(0, 0, 0, 0.0)


class Spent(BaseModel):
    """What an agent or an avatar spent in a month."""

    model_config = ConfigDict(frozen=True)

    owner_id: str
    month: str
    turns: int
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def id(self) -> str:
        """What a report calls it."""
        return f"{self.owner_id} {self.month}"

    @property
    def spending(self) -> Spending:
        """As it is counted."""
        return Spending(self.turns, self.prompt_tokens, self.completion_tokens, self.cost)


class Calibrated(BaseModel):
    """How the scores of an embedder were calibrated."""

    model_config = ConfigDict(frozen=True)

    embedder: str
    found: dict[str, Any]


@dataclass(frozen=True)
class UsagePart:
    """What agents, or avatars, spent, month by month."""

    name: str
    """As the table is called."""
    owners: str
    """And that of those who spent it."""
    field: str
    """What a line calls one of them."""
    is_whole: ClassVar[bool] = False

    def number(self, tables: Tables) -> int:
        """How many months of theirs there are."""
        return sum(1 for _ in self.lines(tables))

    def lines(self, tables: Tables) -> Iterator[Line]:
        """A line for each month of each of them."""
        last = ""
        while some := self._owners(tables).after(last, AT_ONCE):
            for owner in some:
                for month, spent in self._usage(tables).months(owner.id).items():
                    if spent != _NOTHING:
                        yield {self.field: owner.id, "month": month, **spent._asdict()}
            last = some[-1].id

    def read(self, line: Line) -> Spent:
        """The figures of a line."""
        return fitting(Spent.model_validate({**line, "owner_id": line.get(self.field)}))

    def look(self, things: Sequence[Spent], tables: Tables, coming: Coming) -> list[Became]:
        """What would become of figures."""
        there = self._owners(tables).counts("id", sorted({each.owner_id for each in things}))
        return [
            self._met(each, tables) or Became(each.id, "added")
            if each.owner_id in there or coming.has(self.owners, {"id": each.owner_id})
            else self._lost(each)
            for each in things
        ]

    def take(self, things: Sequence[Spent], now: datetime, tables: Tables) -> list[Became]:
        """Count what is not counted yet."""
        there = self._owners(tables).counts("id", sorted({each.owner_id for each in things}))
        became: list[Became] = []
        for each in things:
            met = self._met(each, tables)
            if each.owner_id not in there:
                became.append(self._lost(each))
            elif met is not None:
                became.append(met)
            else:
                self._usage(tables).add(each.owner_id, each.month, each.spending)
                became.append(Became(each.id, "added"))
        return became

    def _owners(self, tables: Tables) -> Table[Any]:
        table: Table[Any] = getattr(tables, self.owners)
        return table

    def _usage(self, tables: Tables) -> Usage:
        usage: Usage = getattr(tables, self.name)
        return usage

    def _lost(self, spent: Spent) -> Became:
        return Became(spent.id, "failed", (f"it belongs to one of the {self.owners} that is not here",))

    def _met(self, spent: Spent, tables: Tables) -> Became | None:
        """What becomes of a month in which something was spent here already."""
        here = self._usage(tables).of(spent.owner_id, spent.month)
        if here == _NOTHING:
            return None
        is_same = here == spent.spending
        said = () if is_same else ("more was spent here in that month: what was spent there is not added",)
        return Became(spent.id, "unchanged" if is_same else "kept", said)


USAGE = (UsagePart("usage", "agents", "agent_id"), UsagePart("avatar_usage", "avatars", "avatar_id"))


class CalibrationsPart:
    """How the scores of embedders were calibrated."""

    name = "calibrations"
    is_whole = False

    def number(self, tables: Tables) -> int:
        """How many embedders are calibrated."""
        return sum(1 for _ in self.lines(tables))

    def lines(self, tables: Tables) -> Iterator[Line]:
        """A line for each embedder that a datastore has."""
        embedders = {each.embedder for each in tables.datastores.where() if each.embedder is not None}
        for embedder in sorted(embedders):
            found = tables.collections.calibration(embedder)
            if found is not None:
                yield {"embedder": embedder, "found": found}

    def read(self, line: Line) -> Calibrated:
        """The calibration of a line."""
        return Calibrated.model_validate(line)

    def look(self, things: Sequence[Calibrated], tables: Tables, coming: Coming) -> list[Became]:
        """What would become of calibrations."""
        return [_known(each, tables) or Became(each.embedder, "added") for each in things]

    def take(self, things: Sequence[Calibrated], now: datetime, tables: Tables) -> list[Became]:
        """Keep those of embedders that have none here."""
        became = self.look(things, tables, Coming())
        for each, outcome in zip(things, became, strict=True):
            if outcome.outcome == "added":
                tables.collections.calibrate(each.embedder, each.found)
        return became


def _known(calibrated: Calibrated, tables: Tables) -> Became | None:
    here = tables.collections.calibration(calibrated.embedder)
    if here is None:
        return None
    is_same = here == calibrated.found
    return Became(
        calibrated.embedder,
        "unchanged" if is_same else "kept",
        () if is_same else ("scores were calibrated here, too",),
    )
