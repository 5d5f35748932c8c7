"""Which function carries out which operation, and what it works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from vivavoce.operations import Caller, Operation
from vivavoce.operations.base import R
from vivavoce.ports import Ports, Tables

Op = TypeVar("Op", bound=Operation[Any])


@dataclass(frozen=True)
class Work:
    """One unit of work: who asks, the moment it happens at, and the tables of its transaction."""

    caller: Caller
    now: datetime
    ports: Ports
    tables: Tables

    def identity(self) -> dict[str, Any]:
        """The fields that every new entity begins with."""
        return {
            "id": self.ports.new_id(),
            "organization_id": self.tables.organization_id,
            "created_at": self.now,
            "updated_at": self.now,
        }


Handler = Callable[[Any, Work], Any]
HANDLERS: dict[type[Operation[Any]], Handler] = {}


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
