"""Where entities live: the tables of a store, and the store itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from vivavoce.domain.access import AccessEntry
from vivavoce.domain.agents import Agent
from vivavoce.domain.avatars import Answered, Avatar
from vivavoce.domain.channels import Account
from vivavoce.domain.conversations import Note, TagKind
from vivavoce.domain.crm import CrmLog, Scenario, Step
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.endpoints import Endpoint
from vivavoce.domain.events import Event
from vivavoce.domain.follow_ups import FollowUp
from vivavoce.domain.imports import Imported
from vivavoce.domain.integrations import Integration
from vivavoce.domain.keys import Key
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.domain.providers import Provider
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import Approval

from .conversations import Contacts, Conversations, Messages, Turns, Usage
from .library import Collections, Documents, Ingestions, Passages, Uploads
from .tables import Table
from .time import Arrivals, Jobs

T = TypeVar("T")


class Datasources(Table[Datasource], Protocol):
    """The datasources, which can be searched by name and filtered by what their settings say."""

    def search(
        self,
        datastore_id: str,
        words: str | None,
        *,
        also: Sequence[str] = (),
        limit: int,
        offset: int,
        **equal: str | bool | None,
    ) -> list[Datasource]:
        """Those that `also` names, or whose name or text not indexed yet has the words; newest first."""
        ...

    def tagged(self, datastore_id: str, tags: Sequence[str], custom_ids: Sequence[str]) -> list[str]:
        """The ids of those that have all of the tags and one of the ids of the user's own."""
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
    def documents(self) -> Documents: ...
    @property
    def passages(self) -> Passages: ...
    @property
    def uploads(self) -> Uploads: ...
    @property
    def ingestions(self) -> Ingestions: ...
    @property
    def collections(self) -> Collections: ...
    @property
    def contacts(self) -> Contacts: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def messages(self) -> Messages: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def approvals(self) -> Table[Approval]: ...
    @property
    def notes(self) -> Table[Note]: ...
    @property
    def tags(self) -> Table[TagKind]: ...
    @property
    def events(self) -> Table[Event]: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def providers(self) -> Table[Provider]: ...
    @property
    def avatars(self) -> Table[Avatar]: ...
    @property
    def answered(self) -> Table[Answered]: ...
    @property
    def avatar_usage(self) -> Usage: ...
    @property
    def keys(self) -> Table[Key]: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def accounts(self) -> Table[Account]: ...
    @property
    def arrivals(self) -> Arrivals: ...
    @property
    def deliveries(self) -> Table[Delivery]: ...
    @property
    def endpoints(self) -> Table[Endpoint]: ...
    @property
    def follow_ups(self) -> Table[FollowUp]: ...
    @property
    def crm_logs(self) -> Table[CrmLog]: ...
    @property
    def imported(self) -> Table[Imported]: ...
    @property
    def access(self) -> Table[AccessEntry]: ...


class Store(Protocol):
    """Where entities live. A unit of work is a plain function: it cannot await inside a transaction."""

    async def read(self, work: Callable[[Tables], T], *, is_long: bool = False) -> T:
        """Run `work` on one unchanging view of the store.

        It may be run again from its beginning: what it does beside reading must be harmless then. What is
        known to be long, for it reads without end or writes to files meanwhile, says so: nobody waits for it.
        """
        ...

    async def write(self, work: Callable[[Tables], T], *, alone: bool = False) -> T:
        """Run `work` in one transaction; it is durable when this returns, or nothing happened.

        It may be run again from its beginning where another transaction came first: what it does beside
        changing the tables must be harmless then. Units of work that change the same row come after each
        other; those that are to be `alone` come after each other whatever they do, on every machine.
        """
        ...
