"""The tables: what is looked up by is a column, the rest of an entity is a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from vivavoce.domain.access import AccessEntry
from vivavoce.domain.agents import Agent
from vivavoce.domain.avatars import Answered, Avatar
from vivavoce.domain.channels import Account, Arrival
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message, Note, TagKind
from vivavoce.domain.crm import CrmLog, Scenario, Step
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.endpoints import Endpoint
from vivavoce.domain.entities import Entity
from vivavoce.domain.events import Event
from vivavoce.domain.follow_ups import FollowUp
from vivavoce.domain.imports import Imported
from vivavoce.domain.integrations import Integration
from vivavoce.domain.keys import Key
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.domain.providers import Provider
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import Approval, Turn

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, eq=False)
class Table(Generic[E]):
    """One kind of entity in one table. Fields that are no columns go into the document."""

    name: str
    kind: type[E]
    lookups: tuple[str, ...] = ()
    order: str = "created_at"
    has_secrets: bool = False

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that are fields of the entity."""
        return ("id", "created_at", *self.lookups)

    @cached_property
    def all_columns(self) -> tuple[str, ...]:
        """Every column, in the order in which rows are read."""
        return (*self.columns, "document", *(("secrets",) if self.has_secrets else ()))

    @cached_property
    def listed(self) -> str:
        """The columns, to be read or written."""
        return ", ".join(f'"{name}"' for name in self.all_columns)

    @cached_property
    def reading(self) -> str:
        """The statement that reads rows, up to which ones."""
        return f"select {self.listed} from {self.name}"

    @cached_property
    def inserting(self) -> str:
        """The statement that adds a row."""
        marks = ", ".join(f":{name}" for name in self.all_columns)
        return f"insert into {self.name} ({self.listed}) values ({marks})"

    @cached_property
    def replacing(self) -> str:
        """The statement that writes over the row with the same id."""
        changes = ", ".join(f'"{name}" = :{name}' for name in self.all_columns if name != "id")
        return f"update {self.name} set {changes} where id = :id"


AGENTS = Table("agents", Agent, ("handle", "hidden"), has_secrets=True)
DATASTORES = Table("datastores", Datastore)
TOOLS = Table("tools", Tool, ("agent_id", "datastore_id", "position"), order="position", has_secrets=True)
INTEGRATIONS = Table("integrations", Integration, ("agent_id", "type"))
SCENARIOS = Table("scenarios", Scenario)
STEPS = Table(
    "steps", Step, ("scenario_id", "agent_id", "auto_next_step_id", "index"), order="index", has_secrets=True
)
DATASOURCES = Table(
    "datasources",
    Datasource,
    ("datastore_id", "name", "type", "status", "group_id"),
    has_secrets=True,
)
KEYS = Table("keys", Key, ("digest",))
CONTACTS = Table("contacts", Contact, ("email", "phone_number", "external_id"))
CONVERSATIONS = Table(
    "conversations",
    Conversation,
    (
        *("agent_id", "contact_id", "channel", "status", "priority", "assignee"),
        *("is_ai_enabled", "visitor_id", "channel_external_id", "channel_credentials_id"),
    ),
)
MESSAGES = Table("messages", Message, ("conversation_id", "position"), order="position")
TURNS = Table(
    "turns",
    Turn,
    (
        *("conversation_id", "message_id", "position", "state", "lease_until", "fence", "answer_id"),
        *("durable", "stranded"),
    ),
    order="position",
)
APPROVALS = Table("approvals", Approval, ("conversation_id", "turn_id", "state"))
NOTES = Table("notes", Note, ("conversation_id",))
TAGS = Table("tags", TagKind, ("name",))
PROVIDERS = Table("providers", Provider, ("name",), has_secrets=True)
EVENTS = Table("events", Event, ("type", "conversation_id"))
AVATARS = Table("avatars", Avatar, ("datastore_id",))
ANSWERED = Table("answered", Answered, ("avatar_id",))
ACCOUNTS = Table("accounts", Account, ("agent_id", "type"), has_secrets=True)
ARRIVALS = Table("arrivals", Arrival, ("account_id", "event_id", "state"))
DELIVERIES = Table(
    "deliveries",
    Delivery,
    ("kind", "state", "conversation_id", "agent_id", "message_id", "step_id", "account_id", "external_id"),
)
ENDPOINTS = Table("endpoints", Endpoint, ("agent_id", "step_id"))
FOLLOW_UPS = Table("follow_ups", FollowUp, ("conversation_id", "tag", "state"))
CRM_LOGS = Table("crm_logs", CrmLog, ("conversation_id", "scenario_id", "step_id", "status"))
ACCESS = Table("access", AccessEntry, ("agent_id", "kind", "who"))
IMPORTED = Table("imported", Imported, ("kind",))
