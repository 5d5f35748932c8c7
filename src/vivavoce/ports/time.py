"""What is to be done later, and the channels on which messages come and go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from vivavoce.domain.channels import Account, Arrival, Heard
from vivavoce.domain.jobs import Job, NewJob

from .tables import Table


class Jobs(Protocol):
    """What is to be done later. A claim is a lease: who does not renew it in time has lost it."""

    def add(self, job: NewJob, now: datetime) -> bool:
        """Store a job; False, and nothing is changed, where there is one of its key."""
        ...

    def claim(
        self,
        now: datetime,
        until: datetime,
        limit: int,
        lane: str | None = None,
        kind: str | None = None,
    ) -> list[Job]:
        """Take the first job of each lane that is due, those that wait longest first; of a kind, if named."""
        ...

    def hold(self, jobs: Sequence[Job], until: datetime) -> set[int]:
        """Keep jobs for longer; the `seq` of those that are still ours."""
        ...

    def seems_ours(self, job: Job) -> bool:
        """Whether nobody has taken the job yet, or cancelled it: a look, after which someone may."""
        ...

    def is_ours(self, job: Job) -> bool:
        """Whether nobody else took the job, and nobody cancelled it; it stays so until this is stored."""
        ...

    def finish(self, job: Job) -> bool:
        """It is done: the next one of its lane may begin. False where it is not ours any more."""
        ...

    def postpone(
        self, job: Job, due_at: datetime, facts: Mapping[str, Any] | None = None, *, has_failed: bool = True
    ) -> bool:
        """Let go of it until a later time; False where it is not ours any more. Failures are counted."""
        ...

    def move(self, key: str, due_at: datetime, *, even_failed: bool = False) -> bool:
        """Make a job that nobody works on yet due at another time; False where there is none.

        One that failed is not brought forward, since its next try is as late as it was put off; `even_failed`
        where someone wants it now.
        """
        ...

    def cancel(self, key: str) -> bool:
        """Forget a job, also one that is worked on: whoever does is refused. False where there is none."""
        ...

    def due(self, key: str) -> datetime | None:
        """When a job is to be done; None where there is none."""
        ...

    def next_of_kinds(self) -> dict[str, datetime]:
        """When the next lane of each kind is due; a lane is of the kind of its first job."""
        ...

    def number(self, kind: str | None = None) -> int:
        """How many jobs there are."""
        ...


class Arrivals(Table[Arrival], Protocol):
    """What arrived from providers."""

    def take(self, arrival: Arrival) -> bool:
        """Store it; False, and nothing is changed, where the account has one of that event already."""
        ...


@dataclass(frozen=True)
class Sending:
    """A message on its way to a channel."""

    id: str
    """Ours, the same each time that it is tried."""
    chat: str
    text: str
    attachments: tuple[dict[str, Any], ...] = ()
    left: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)
    """What a channel calls as soon as all of it is sent, before the provider answers, if it knows that."""


@dataclass(frozen=True)
class Sent:
    """The channel took it."""

    external_id: str | None = None


@dataclass(frozen=True)
class TryLater:
    """It did not reach the channel, or the channel wants it later: it may be tried again."""

    reason: str
    seconds: float | None = None
    """Not before so many, where the channel says so."""


@dataclass(frozen=True)
class Refused:
    """The channel does not take it, now or later."""

    reason: str


@dataclass(frozen=True)
class Unsure:
    """Whether the channel took it is not known."""

    reason: str


Outcome = Sent | TryLater | Refused | Unsure


class Channel(Protocol):
    """One kind of provider."""

    @property
    def repeats_safely(self) -> bool:
        """Whether a message that is sent twice with the same id arrives once."""
        ...

    def heard(self, account: Account, headers: Mapping[str, str], body: bytes, now: datetime) -> list[Heard]:
        """The events of a request; NotAuthenticated where it is not the provider's, InvalidInput for junk."""
        ...

    async def send(self, account: Account, sending: Sending) -> Outcome:
        """Send a message; never raises for what a provider does."""
        ...

    async def show_typing(self, account: Account, chat: str) -> None:
        """Show the person that an answer is being written; failures do not matter."""
        ...


class Channels(Protocol):
    """All kinds of providers."""

    def of(self, type: str) -> Channel:
        """The one of a type."""
        ...
