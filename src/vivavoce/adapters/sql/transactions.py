"""The tables of one open transaction, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property

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
from vivavoce.domain.knowledge import Datastore
from vivavoce.domain.providers import Provider
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import Approval

from . import tables
from .arrivals import ArrivalRows
from .conversations import ContactRows, ConversationRows, MessageRows, TurnRows, UsageRows
from .indexing import CollectionRows, IngestionRows
from .jobs import JobRows
from .library import DocumentRows, UploadRows
from .passages import PassageRows
from .rows import Connection, DatasourceRows, Rows
from .scribe import Scribe


class SqlTables:
    """The tables of one open transaction."""

    def __init__(self, connection: Connection, scribe: Scribe, organization_id: str) -> None:
        self.connection, self.scribe, self.organization_id = connection, scribe, organization_id

    @cached_property
    def agents(self) -> Rows[Agent]:
        """Agents."""
        return Rows(self.connection, tables.AGENTS, self.scribe)

    @cached_property
    def tools(self) -> Rows[Tool]:
        """Tools of agents."""
        return Rows(self.connection, tables.TOOLS, self.scribe)

    @cached_property
    def integrations(self) -> Rows[Integration]:
        """Integrations of agents."""
        return Rows(self.connection, tables.INTEGRATIONS, self.scribe)

    @cached_property
    def scenarios(self) -> Rows[Scenario]:
        """Scenarios."""
        return Rows(self.connection, tables.SCENARIOS, self.scribe)

    @cached_property
    def steps(self) -> Rows[Step]:
        """Steps of scenarios."""
        return Rows(self.connection, tables.STEPS, self.scribe)

    @cached_property
    def datastores(self) -> Rows[Datastore]:
        """Datastores."""
        return Rows(self.connection, tables.DATASTORES, self.scribe)

    @cached_property
    def datasources(self) -> DatasourceRows:
        """Datasources of datastores."""
        return DatasourceRows(self.connection, tables.DATASOURCES, self.scribe)

    @cached_property
    def documents(self) -> DocumentRows:
        """Versions of the texts of datasources."""
        return DocumentRows(self.connection)

    @cached_property
    def passages(self) -> PassageRows:
        """Passages of documents."""
        return PassageRows(self.connection)

    @cached_property
    def uploads(self) -> UploadRows:
        """Files that wait to be read."""
        return UploadRows(self.connection)

    @cached_property
    def ingestions(self) -> IngestionRows:
        """What is left to do for datasources."""
        return IngestionRows(self.connection)

    @cached_property
    def collections(self) -> CollectionRows:
        """What the index holds."""
        return CollectionRows(self.connection)

    @cached_property
    def contacts(self) -> ContactRows:
        """Contacts."""
        return ContactRows(self.connection, tables.CONTACTS, self.scribe)

    @cached_property
    def conversations(self) -> ConversationRows:
        """Conversations."""
        return ConversationRows(self.connection, tables.CONVERSATIONS, self.scribe)

    @cached_property
    def messages(self) -> MessageRows:
        """Messages of conversations."""
        return MessageRows(self.connection, tables.MESSAGES, self.scribe)

    @cached_property
    def turns(self) -> TurnRows:
        """Turns of conversations."""
        return TurnRows(self.connection, tables.TURNS, self.scribe)

    @cached_property
    def approvals(self) -> Rows[Approval]:
        """Calls that wait for an operator, or did."""
        return Rows(self.connection, tables.APPROVALS, self.scribe)

    @cached_property
    def notes(self) -> Rows[Note]:
        """Notes about conversations."""
        return Rows(self.connection, tables.NOTES, self.scribe)

    @cached_property
    def tags(self) -> Rows[TagKind]:
        """Tags that conversations can have."""
        return Rows(self.connection, tables.TAGS, self.scribe)

    @cached_property
    def events(self) -> Rows[Event]:
        """What happened."""
        return Rows(self.connection, tables.EVENTS, self.scribe)

    @cached_property
    def usage(self) -> UsageRows:
        """What agents spend."""
        return UsageRows(self.connection)

    @cached_property
    def avatar_usage(self) -> UsageRows:
        """What avatars spend."""
        return UsageRows(self.connection, "avatar_usage", "avatar_id")

    @cached_property
    def providers(self) -> Rows[Provider]:
        """Providers of models."""
        return Rows(self.connection, tables.PROVIDERS, self.scribe)

    @cached_property
    def avatars(self) -> Rows[Avatar]:
        """Avatars."""
        return Rows(self.connection, tables.AVATARS, self.scribe)

    @cached_property
    def answered(self) -> Rows[Answered]:
        """What avatars were asked and answered."""
        return Rows(self.connection, tables.ANSWERED, self.scribe)

    @cached_property
    def keys(self) -> Rows[Key]:
        """API keys."""
        return Rows(self.connection, tables.KEYS, self.scribe)

    @cached_property
    def jobs(self) -> JobRows:
        """What is to be done later."""
        return JobRows(self.connection)

    @cached_property
    def accounts(self) -> Rows[Account]:
        """Accounts with providers of channels."""
        return Rows(self.connection, tables.ACCOUNTS, self.scribe)

    @cached_property
    def arrivals(self) -> ArrivalRows:
        """What arrived from providers."""
        return ArrivalRows(self.connection, tables.ARRIVALS, self.scribe)

    @cached_property
    def deliveries(self) -> Rows[Delivery]:
        """What goes out, or did."""
        return Rows(self.connection, tables.DELIVERIES, self.scribe)

    @cached_property
    def endpoints(self) -> Rows[Endpoint]:
        """Addresses that are told of events."""
        return Rows(self.connection, tables.ENDPOINTS, self.scribe)

    @cached_property
    def follow_ups(self) -> Rows[FollowUp]:
        """Messages that were planned for a moment."""
        return Rows(self.connection, tables.FOLLOW_UPS, self.scribe)

    @cached_property
    def crm_logs(self) -> Rows[CrmLog]:
        """Which steps conversations went through."""
        return Rows(self.connection, tables.CRM_LOGS, self.scribe)

    @cached_property
    def access(self) -> Rows[AccessEntry]:
        """Who is on the access lists of agents."""
        return Rows(self.connection, tables.ACCESS, self.scribe)

    @cached_property
    def imported(self) -> Rows[Imported]:
        """What was copied from a hosted account."""
        return Rows(self.connection, tables.IMPORTED, self.scribe)
