"""Where conversations live: what their tables can be asked beside what every table can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.turns import Turn

from .tables import Table


@dataclass(frozen=True)
class ConversationFilter:
    """Which conversations are wanted; None asks nothing."""

    equal: Mapping[str, str | bool | None]
    """Columns and what they have: agent_id, channel, status, priority, assignee, is_ai_enabled, …"""
    created_from: datetime | None = None
    created_to: datetime | None = None
    is_unread: bool | None = None
    tag: str | None = None
    ad: str | None = None
    """The sourceId of an ad through which the person came."""
    scenario_id: str | None = None
    step_id: str | None = None
    frustration_from: float | None = None
    frustration_to: float | None = None
    rating_from: float | None = None
    rating_to: float | None = None
    is_rated: bool | None = None
    before: tuple[datetime, str] | None = None
    """Only those that come after this one in the list: the creation and the id of the last one seen."""


@dataclass(frozen=True)
class ContactFilter:
    """Which contacts are wanted; None asks nothing."""

    words: str | None = None
    """Stand in the name, the address, the number or the id of the user's own."""
    has_email: bool | None = None
    has_phone: bool | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    conversation: Mapping[str, str] = field(default_factory=dict)
    """They have a conversation with all of this: agent_id, channel, status, priority, scenario_id, …"""
    tags: Sequence[str] = ()
    """And that conversation has one of these tags."""


class Conversations(Table[Conversation], Protocol):
    """The conversations."""

    def hold(self, id: str) -> Conversation | None:
        """The conversation with this id, which nobody else changes until the transaction ends."""
        ...

    def listed(self, wanted: ConversationFilter, limit: int) -> list[Conversation]:
        """Those that are wanted, newest first."""
        ...


class Messages(Table[Message], Protocol):
    """The messages of conversations, in order."""

    def last(
        self, conversation_id: str, limit: int, *, before: int | None = None, is_brief: bool = False
    ) -> list[Message]:
        """The last ones, in order; `before` a position; `is_brief` without sources, and what they cost."""
        ...

    def append(self, message: Message) -> Message:
        """Insert it at the end of its conversation; it comes back with its position."""
        ...


class Turns(Table[Turn], Protocol):
    """The turns of conversations."""

    def open_before(self, turn: Turn) -> list[Turn]:
        """Turns of the same conversation that come first and are not finished, in order."""
        ...

    def is_held_up(self, turn: Turn, now: datetime) -> bool:
        """Whether someone works on an earlier turn of the same conversation, or waits to."""
        ...

    def number_open(self, conversation_id: str, now: datetime) -> int:
        """How many turns of a conversation someone works on, or waits to."""
        ...

    def failed(self, limit: int, before: tuple[datetime, str] | None) -> list[Turn]:
        """Turns that failed or were stranded, newest first; `before`: creation and id of the last seen."""
        ...

    def number_promised(self, most: int) -> int:
        """How many turns jobs have yet to answer, counted up to `most`."""
        ...

    def extend(self, turns: Sequence[Turn], until: datetime) -> None:
        """Let the leases of turns run on, as far as they are not finished and nobody else has taken them."""
        ...

    def stranded(self, now: datetime, limit: int) -> list[Turn]:
        """Turns that are not finished although nobody works on them any more."""
        ...


class Contacts(Table[Contact], Protocol):
    """The contacts."""

    def known_by(self, **ids: str) -> list[Contact]:
        """Those with one of these: email, phone_number, external_id.

        A number is known in any spelling, an address in small and capital letters; who has the very
        spelling comes first.
        """
        ...

    def search(self, wanted: ContactFilter, *, limit: int, offset: int) -> tuple[list[Contact], int]:
        """Those that are wanted, newest first, and how many there are."""
        ...


class Spending(NamedTuple):
    """What an agent or an avatar has spent in a month."""

    turns: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


class Usage(Protocol):
    """What agents, or avatars, spend, month by month."""

    def of(self, id: str, month: str) -> Spending:
        """What one of them has spent in a month, `2026-11`."""
        ...

    def months(self, id: str) -> dict[str, Spending]:
        """What one of them has spent in each month."""
        ...

    def add(self, id: str, month: str, more: Spending, *, apart: bool = False) -> None:
        """Count more; `apart` from others who count for the same one now, where none must see the others."""
        ...
