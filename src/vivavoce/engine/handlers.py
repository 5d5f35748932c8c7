"""Which function carries out which operation, and what it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from vivavoce.domain.events import Event, EventType
from vivavoce.operations import Caller, Hear, Operation
from vivavoce.operations.base import R
from vivavoce.ports import Ports, Tables

from .later import Later
from .pacing import Pace

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


@dataclass(frozen=True)
class Errand:
    """An operation that needs the outside world too: it goes there between units of work, never inside."""

    caller: Caller
    ports: Ports
    hear: Hear = lambda told: None
    """Is told what happens meanwhile."""
    later: Later = field(default_factory=Later)
    """Holds what goes on after the caller was answered."""
    pace: Pace = field(default_factory=Pace)
    """Lets a few turns work at once."""

    async def read(self, look: Callable[[Work], T]) -> T:
        """What `look` finds in one unchanging view of the store."""
        return await self.ports.store.read(lambda tables: look(self._work(tables)))

    async def write(self, change: Callable[[Work], T]) -> T:
        """What `change` gives; it is durable, or nothing happened."""
        afterwards: list[Callable[[], None]] = []
        result = await self.ports.store.write(lambda tables: change(self._work(tables, afterwards)))
        for each in afterwards:
            each()
        return result

    def _work(self, tables: Tables, afterwards: list[Callable[[], None]] | None = None) -> Work:
        moment = self.ports.now()
        return Work(self.caller, moment, self.ports, tables, [] if afterwards is None else afterwards)


Handler = Callable[[Any, Work], Any]
HANDLERS: dict[type[Operation[Any]], Handler] = {}
RUNNERS: dict[type[Operation[Any]], Callable[[Any, Errand], Awaitable[Any]]] = {}


def handles(
    *kinds: Callable[..., Operation[R]],
) -> Callable[[Callable[[Op, Work], R]], Callable[[Op, Work], R]]:
    """Mark a function as the handler of `kinds`. The type checker holds it to their result."""

    def register(function: Callable[[Op, Work], R]) -> Callable[[Op, Work], R]:
        for kind in kinds:
            assert isinstance(kind, type)
            if kind in HANDLERS:
                raise TypeError(f"{kind.__name__} already has a handler")
            HANDLERS[kind] = function
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
