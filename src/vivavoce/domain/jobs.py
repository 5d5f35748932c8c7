"""Jobs: what is to be done later, as rows that outlive any process. Jobs of one lane are done in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class NewJob:
    """Something to do, not before its time."""

    key: str
    """Names the step that it is: there is never a second job of the same key."""
    kind: str
    """Which function does it."""
    due_at: datetime
    lane: str = ""
    """Jobs of a lane are done one at a time, in the order in which they were added; else it has its own."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What the function needs to know; ids rather than texts."""


@dataclass(frozen=True)
class Job:
    """A job that this process has claimed."""

    seq: int
    key: str
    lane: str
    kind: str
    created_at: datetime
    due_at: datetime
    attempts: int
    """How often it failed, and this time."""
    facts: dict[str, Any]
    fence: int
    """Rises with each claim of the lane: who holds a lower one has lost it."""
    claims: int = 1
    """How often it was claimed since someone last let go of it: more than once where processes ended."""


def lane_of_conversation(conversation_id: str) -> str:
    """The lane in which the turns of a conversation are answered."""
    return f"talk:{conversation_id}"


def lane_of_sendings(conversation_id: str) -> str:
    """The lane in which messages of a conversation go out."""
    return f"send:{conversation_id}"
