"""Outcomes: what became of a corpus and of each of its sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

State = Literal["processed", "skipped", "missing", "failed", "waiting"]


@dataclass
class Outcome:
    """What became of one source."""

    id: str
    title: str
    file: str | None = None
    state: State = "missing"
    reason: str | None = None
    """Why it is missing, failed or waits, in words."""
    passages: int = 0
    tokens: int = 0


@dataclass
class Processed:
    """What became of a corpus."""

    avatar: str
    outcomes: list[Outcome] = field(default_factory=list)
    secondary: int = 0
    """How many sources were left out, since they are secondary and nobody named them."""
    unlisted: list[str] = field(default_factory=list)
    """Files in the folder of documents that no source lists."""
    left: list[str] = field(default_factory=list)
    """Sources that the list no longer has, while their datasources were still there."""
    mute: list[str] = field(default_factory=list)
    """Those of them that gave no passage, so that nothing is spoken from them."""
    is_pruned: bool = False
    """Whether these datasources were deleted."""
    seconds: float = 0.0

    def having(self, state: State) -> list[Outcome]:
        """The sources of which this became."""
        return [outcome for outcome in self.outcomes if outcome.state == state]

    @property
    def passages(self) -> int:
        """The passages of what was processed."""
        return sum(outcome.passages for outcome in self.having("processed"))

    @property
    def tokens(self) -> int:
        """The tokens of what was processed."""
        return sum(outcome.tokens for outcome in self.having("processed"))
