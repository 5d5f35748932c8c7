"""Which function carries out which operation, and what it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from vivavoce.domain.events import Event, EventType
from vivavoce.operations import Caller, Hear, Operation, Told
from vivavoce.operations.base import R
from vivavoce.ports import Ports, Tables

from .time.backlog import Backlog
from .time.gates import Gates
from .time.later import Later
from .time.pacing import FilePace, Pace

_FIRST = timedelta(milliseconds=1)
"""The least that makes one moment earlier than another where it is stored."""

Op = TypeVar("Op", bound=Operation[Any])
T = TypeVar("T")


@dataclass(frozen=True)
class Work:
    """One unit of work: who asks, the moment it happens at, and the tables of its transaction."""

    caller: Caller
    now: datetime
    ports: Ports
    tables: Tables
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    """What is done once the change is stored."""
    since: datetime | None = None
    """When the job was due that this is part of, where it is one."""

    @property
    def at_once(self) -> datetime:
        """When a job is due that is to follow at once: a little before what it follows from.

        So what was begun is brought to its end before more is begun, however much waits.
        """
        return self.now if self.since is None else min(self.since, self.now) - _FIRST

    def identity(self) -> dict[str, Any]:
        """The fields that every new entity begins with."""
        return {
            "id": self.ports.new_id(),
            "organization_id": self.tables.organization_id,
            "created_at": self.now,
            "updated_at": self.now,
        }

    def tell(self, type: EventType, conversation_id: str, **facts: Any) -> None:
        """Store an event with the change that it tells of."""
        event = Event(**self.identity(), type=type, conversation_id=conversation_id, facts=facts)
        self.tables.events.add(event)


async def _nobody(lane: str) -> None:
    """Nobody works."""


def unheard(told: Told) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Errand:
    """An operation that needs the outside world too: it goes there between units of work, never inside."""

    caller: Caller
    ports: Ports
    hear: Hear = unheard
    """Is told what happens meanwhile."""
    later: Later = field(default_factory=Later)
    """Holds what goes on after the caller was answered."""
    pace: Pace = field(default_factory=Pace)
    """Lets a few turns work at once."""
    files: FilePace = field(default_factory=FilePace)
    """Lets a few files of messages be read at once."""
    has_worker: bool = False
    """Whether what is due is done without being asked for, by this process or another one."""
    attend: Callable[[str], Awaitable[Any]] = _nobody
    """Does what is due in a lane."""
    gates: Gates = field(default_factory=Gates)
    """The ways to providers of channels."""
    backlog: Backlog = field(default_factory=Backlog)
    """Refuses messages that would wait too long for a job."""
    patience: float = 45.0
    """Seconds that a call waits for an answer which a job gives, or for a model where the caller is hurried.

    Most clients wait for a minute.
    """
    since: datetime | None = None
    """When the job was due that this is, where it is one."""
    keeps: timedelta | None = None
    """How long records of finished work are kept; None for ever."""

    @property
    def is_heard(self) -> bool:
        """Whether someone listens, so that what was told cannot be taken back."""
        return self.hear is not unheard

    def of(self, caller: Caller) -> Errand:
        """The same for another caller."""
        return replace(self, caller=caller)

    async def read(self, look: Callable[[Work], T], *, is_long: bool = False) -> T:
        """What `look` finds in one unchanging view of the store; it may be run again."""
        return await self.ports.store.read(lambda tables: look(self._work(tables)), is_long=is_long)

    async def write(self, change: Callable[[Work], T], *, alone: bool = False) -> T:
        """What `change` gives; it is durable, or nothing happened."""
        afterwards: list[Callable[[], None]] = []

        def changed(tables: Tables) -> T:
            afterwards.clear()  # it may be run again
            return change(self._work(tables, afterwards))

        result = await self.ports.store.write(changed, alone=alone)
        for each in afterwards:
            each()
        return result

    def _work(self, tables: Tables, afterwards: list[Callable[[], None]] | None = None) -> Work:
        moment = self.ports.now()
        told = [] if afterwards is None else afterwards
        return Work(self.caller, moment, self.ports, tables, told, self.since)


Handler = Callable[[Any, Work], Any]
HANDLERS: dict[type[Operation[Any]], Handler] = {}
LONG: set[type[Operation[Any]]] = set()
"""Those that hold up everything else where they are not run aside."""
RUNNERS: dict[type[Operation[Any]], Callable[[Any, Errand], Awaitable[Any]]] = {}


def handles(
    *kinds: Callable[..., Operation[R]], is_long: bool = False
) -> Callable[[Callable[[Op, Work], R]], Callable[[Op, Work], R]]:
    """Mark a function as the handler of `kinds`. The type checker holds it to their result.

    One that reads and `is_long` computes for milliseconds or more between two statements.
    """

    def register(function: Callable[[Op, Work], R]) -> Callable[[Op, Work], R]:
        for kind in kinds:
            assert isinstance(kind, type)
            if kind in HANDLERS:
                raise TypeError(f"{kind.__name__} already has a handler")
            HANDLERS[kind] = function
            if is_long:
                LONG.add(kind)
        return function

    return register


def runs(
    kind: Callable[..., Operation[R]],
) -> Callable[[Callable[[Op, Errand], Awaitable[R]]], Callable[[Op, Errand], Awaitable[R]]]:
    """Mark a coroutine as what carries out `kind`, an operation that needs the outside world."""

    def register(function: Callable[[Op, Errand], Awaitable[R]]) -> Callable[[Op, Errand], Awaitable[R]]:
        assert isinstance(kind, type)
        if kind in HANDLERS or kind in RUNNERS:
            raise TypeError(f"{kind.__name__} already has a handler")
        RUNNERS[kind] = function
        return function

    return register
