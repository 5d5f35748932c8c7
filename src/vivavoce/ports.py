"""What the engine needs from the outside world. Adapters provide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from vivavoce.domain.agents import Agent
from vivavoce.domain.crm import Scenario, Step
from vivavoce.domain.entities import Entity
from vivavoce.domain.integrations import Integration
from vivavoce.domain.keys import Key
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.domain.tools import Tool

E = TypeVar("E", bound=Entity)
T = TypeVar("T")


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

    def replace(self, entity: E) -> None:
        """Write it over the one with the same id."""
        ...

    def drop(self, id: str) -> None:
        """Remove it, and what belongs to it."""
        ...


class Texts(Protocol):
    """The texts of datasources, kept apart because they are large."""

    def put(self, datasource_id: str, text: str) -> None:
        """Keep a text."""
        ...

    def find(self, datasource_id: str) -> str | None:
        """The text, if there is one."""
        ...


class Datasources(Table[Datasource], Protocol):
    """The datasources, which can be searched."""

    def search(
        self, datastore_id: str, words: str | None, *, limit: int, offset: int, **equal: str | bool | None
    ) -> list[Datasource]:
        """Those of a datastore whose name or text has the words, newest first."""
        ...


class Tables(Protocol):
    """The tables of one open transaction."""

    @property
    def organization_id(self) -> str: ...
    @property
    def agents(self) -> Table[Agent]: ...
    @property
    def tools(self) -> Table[Tool]: ...
    @property
    def integrations(self) -> Table[Integration]: ...
    @property
    def scenarios(self) -> Table[Scenario]: ...
    @property
    def steps(self) -> Table[Step]: ...
    @property
    def datastores(self) -> Table[Datastore]: ...
    @property
    def datasources(self) -> Datasources: ...
    @property
    def texts(self) -> Texts: ...
    @property
    def keys(self) -> Table[Key]: ...


class Store(Protocol):
    """Where entities live. A unit of work is a plain function: it cannot await inside a transaction."""

    async def read(self, work: Callable[[Tables], T]) -> T:
        """Run `work` on one unchanging view of the store."""
        ...

    async def write(self, work: Callable[[Tables], T]) -> T:
        """Run `work` in one transaction; it is durable when this returns, or nothing happened."""
        ...


class Vault(Protocol):
    """Keeps secrets unreadable at rest."""

    def seal(self, plain: bytes, place: str) -> bytes:
        """Encrypted, and bound to the place where it is kept."""
        ...

    def unseal(self, sealed: bytes, place: str) -> bytes:
        """What was sealed for this place."""
        ...

    def digest(self, text: str) -> str:
        """A fingerprint that cannot be computed without the vault's key."""
        ...


@dataclass(frozen=True)
class Ports:
    """The outside world, as the engine sees it."""

    store: Store
    vault: Vault
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    new_secret: Callable[[], str]
