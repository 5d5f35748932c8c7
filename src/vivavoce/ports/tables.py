"""What every table of entities can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from vivavoce.domain.entities import Entity

E = TypeVar("E", bound=Entity)


class Table(Protocol[E]):
    """All the entities of one kind. Conditions name columns: `steps.where(scenario_id=…)`."""

    def find(self, id: str) -> E | None:
        """The entity with this id, if there is one."""
        ...

    def where(
        self,
        *,
        newest_first: bool = False,
        limit: int | None = None,
        offset: int = 0,
        **equal: str | bool | None,
    ) -> list[E]:
        """The entities that match, in the order of their table."""
        ...

    def page(self, limit: int, before: tuple[datetime, str] | None, /, **equal: str | bool | None) -> list[E]:
        """The entities that match, newest first; `before` is the creation and the id of the last one seen."""
        ...

    def after(self, id: str, limit: int) -> list[E]:
        """The next entities in the order of their ids: those after this one; all come after the empty id."""
        ...

    def within(self, column: str, values: Sequence[str]) -> list[E]:
        """The entities whose column has one of the values."""
        ...

    def count(self, **equal: str | bool | None) -> int:
        """How many match."""
        ...

    def counts(self, column: str, values: Sequence[str]) -> dict[str, int]:
        """How many there are for each of the values of a column."""
        ...

    def add(self, entity: E) -> None:
        """Insert it."""
        ...

    def take(self, entity: E) -> bool:
        """Insert it; False, and nothing is changed, where its id or another name that it needs is taken."""
        ...

    def replace(self, entity: E) -> None:
        """Write it over the one with the same id."""
        ...

    def drop(self, id: str) -> None:
        """Remove it, and what belongs to it."""
        ...

    def clear(self, before: datetime, limit: int, /, **equal: str | bool | None) -> int:
        """Remove the oldest of those that match and were not changed since then; how many those were."""
        ...
