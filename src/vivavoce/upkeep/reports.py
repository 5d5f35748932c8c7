"""Reports: what became of each thing that was to move into a workspace."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Outcome = Literal["added", "updated", "unchanged", "kept", "failed"]
"""`kept`: something else or something newer is here, which stays. `failed`: it could not be read or kept."""

OUTCOMES: tuple[Outcome, ...] = ("added", "updated", "unchanged", "kept", "failed")
_NAMED = 5


class Remark(NamedTuple):
    """Why a thing did not move in, or not as a whole."""

    kind: str
    id: str
    reason: str


class Reason(NamedTuple):
    """A reason, how many things of a kind it holds for, and some of them."""

    kind: str
    reason: str
    number: int
    ids: list[str]


@dataclass
class Report:
    """What became of the things that were to move in, by kind, and what must be known about them."""

    source: str
    is_dry: bool = False
    """Whether nothing was written: it says what would have become of them."""
    counts: dict[str, Counter[Outcome]] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    seconds: float = 0.0

    def count(self, kind: str, outcome: Outcome, number: int = 1) -> None:
        """Count things of a kind."""
        self.counts.setdefault(kind, Counter())[outcome] += number

    def say(self, kind: str, id: str, *reasons: str) -> None:
        """Note what must be known about a thing."""
        self.remarks += [Remark(kind, id, reason) for reason in reasons]

    def fail(self, kind: str, id: str, reason: str) -> None:
        """Count a thing that could not be read or stored, and note why."""
        self.count(kind, "failed")
        self.say(kind, id, reason)

    def number(self, outcome: Outcome) -> int:
        """How many things of all kinds came to this."""
        return sum(counted[outcome] for counted in self.counts.values())

    def reasons(self) -> list[Reason]:
        """The remarks, those with the same words together."""
        together: dict[tuple[str, str], list[str]] = {}
        for kind, id, reason in self.remarks:
            together.setdefault((kind, reason), []).append(id)
        return [Reason(kind, reason, len(ids), ids[:_NAMED]) for (kind, reason), ids in together.items()]
