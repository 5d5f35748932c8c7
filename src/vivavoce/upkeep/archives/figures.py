"""The parts of an archive that are figures: what agents spent, and how scores were calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from vivavoce.ports import Spending, Tables

from .files import Line
from .things import AT_ONCE, Became, fitting

_NOTHING = Spending(0, 0, 0, 0.0)


class Spent(BaseModel):
    """What an agent spent in a month."""

    model_config = ConfigDict(frozen=True)

    agent_id: str
    month: str
    turns: int
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def id(self) -> str:
        """What a report calls it."""
        return f"{self.agent_id} {self.month}"


class Calibrated(BaseModel):
    """How the scores of an embedder were calibrated."""

    model_config = ConfigDict(frozen=True)

    embedder: str
    found: dict[str, Any]


class UsagePart:
    """What agents spent, month by month."""

    name = "usage"
    is_whole = False

    def number(self, tables: Tables) -> int:
        """How many months of agents there are."""
        return sum(1 for _ in self.lines(tables))

    def lines(self, tables: Tables) -> Iterator[Line]:
        """A line for each month of each agent."""
        last = ""
        while some := tables.agents.after(last, AT_ONCE):
            for agent in some:
                for month, spent in tables.usage.months(agent.id).items():
                    if spent != _NOTHING:
                        yield {"agent_id": agent.id, "month": month, **spent._asdict()}
            last = some[-1].id

    def read(self, line: Line) -> Spent:
        """The figures of a line."""
        return fitting(Spent.model_validate(line))

    def look(self, things: Sequence[Spent], tables: Tables) -> list[Became]:
        """What would become of figures."""
        return [_met(each, tables) or Became(each.id, "added") for each in things]

    def take(self, things: Sequence[Spent], now: datetime, tables: Tables) -> list[Became]:
        """Count what is not counted yet."""
        there = tables.agents.counts("id", sorted({each.agent_id for each in things}))
        became: list[Became] = []
        for each in things:
            met = _met(each, tables)
            if each.agent_id not in there:
                became.append(Became(each.id, "failed", ("it belongs to an agent that is not here",)))
            elif met is not None:
                became.append(met)
            else:
                tables.usage.add(each.agent_id, each.month, _spending(each))
                became.append(Became(each.id, "added"))
        return became


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

    def look(self, things: Sequence[Calibrated], tables: Tables) -> list[Became]:
        """What would become of calibrations."""
        return [_known(each, tables) or Became(each.embedder, "added") for each in things]

    def take(self, things: Sequence[Calibrated], now: datetime, tables: Tables) -> list[Became]:
        """Keep those of embedders that have none here."""
        became = self.look(things, tables)
        for each, outcome in zip(things, became, strict=True):
            if outcome.outcome == "added":
                tables.collections.calibrate(each.embedder, each.found)
        return became


def _spending(spent: Spent) -> Spending:
    return Spending(spent.turns, spent.prompt_tokens, spent.completion_tokens, spent.cost)


def _met(spent: Spent, tables: Tables) -> Became | None:
    """What becomes of a month in which something was spent here already."""
    here = tables.usage.of(spent.agent_id, spent.month)
    if here == _NOTHING:
        return None
    is_same = here == _spending(spent)
    said = () if is_same else ("more was spent here in that month: what was spent there is not added",)
    return Became(spent.id, "unchanged" if is_same else "kept", said)


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
