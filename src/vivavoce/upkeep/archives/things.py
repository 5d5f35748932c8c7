"""The things of an archive: which tables are in it, which are not, and what belongs to what."""

from __future__ import annotations

from vivavoce.domain.access import AccessEntry
from vivavoce.domain.agents import Agent
from vivavoce.domain.avatars import Answered, Avatar
from vivavoce.domain.channels import Account, Arrival
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message, Note, TagKind
from vivavoce.domain.crm import CrmLog, Scenario, Step
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.events import Event
from vivavoce.domain.follow_ups import FollowUp
from vivavoce.domain.integrations import Integration
from vivavoce.domain.knowledge import Datastore
from vivavoce.domain.tools import Tool, check_together
from vivavoce.domain.turns import Approval, Turn

from .rows import Alone, Part

_OF_AGENT = {"agent_id": "agents"}
_OF_CONVERSATION = {"conversation_id": "conversations"}

BEFORE_LIBRARY = (
    Part("tags", TagKind, alone=(Alone(("name",)),)),
    Part("scenarios", Scenario, holds=True),
    Part("datastores", Datastore, made_here=("embedder", "dimension"), holds=True),
    Part("agents", Agent, free=("handle",), holds=True),
    Part(
        "tools",
        Tool,
        {**_OF_AGENT, "datastore_id": "datastores"},
        beside="agent_id",
        check=check_together,
    ),
    Part("integrations", Integration, _OF_AGENT, alone=(Alone(("agent_id", "type")),)),
    Part("access", AccessEntry, _OF_AGENT, alone=(Alone(("agent_id", "kind", "who")),)),
    Part("steps", Step, {"scenario_id": "scenarios", **_OF_AGENT}, later="auto_next_step_id", holds=True),
    Part("avatars", Avatar, {"datastore_id": "datastores"}, holds=True),
    Part("answered", Answered, {"avatar_id": "avatars"}),
)
AFTER_LIBRARY = (
    Part("accounts", Account, _OF_AGENT, holds=True),
    Part("arrivals", Arrival, {"account_id": "accounts"}, alone=(Alone(("account_id", "event_id")),)),
    Part("contacts", Contact, free=("email", "phone_number", "external_id"), holds=True),
    Part("conversations", Conversation, {**_OF_AGENT, "contact_id": "contacts"}, holds=True),
    Part("messages", Message, _OF_CONVERSATION, alone=(Alone(("conversation_id", "position")),)),
    Part("turns", Turn, _OF_CONVERSATION, holds=True),
    Part("approvals", Approval, {**_OF_CONVERSATION, "turn_id": "turns"}),
    Part("notes", Note, _OF_CONVERSATION),
    Part("events", Event, _OF_CONVERSATION),
    Part(
        "follow_ups",
        FollowUp,
        _OF_CONVERSATION,
        alone=(Alone(("conversation_id", "tag"), ("state", "planned")),),
    ),
    Part(
        "crm_logs",
        CrmLog,
        {**_OF_CONVERSATION, "scenario_id": "scenarios", "step_id": "steps"},
        alone=(Alone(("conversation_id",), ("status", "active")),),
    ),
    Part("deliveries", Delivery, {**_OF_CONVERSATION, **_OF_AGENT}),
)

LEFT_OUT = {
    "workspace": "a workspace has an identity and a key of its own",
    "keys": "keys of the API are secrets: make new ones with vivavoce keys create",
    "providers": "keys of providers are secrets: set them again with vivavoce set-provider",
    "endpoints": "how webhooks behave is seen anew; they come in paused",
    "jobs": "what was still to be done is done where it was begun",
    "lanes": "the order of jobs",
    "ingestions": "texts are indexed anew",
    "passages": "made again from the texts",
    "vectors": "made again from the texts",
    "collections": "the index is made anew",
    "gone": "the index is made anew",
    "imported": "what an import of a hosted account remembers of that account",
}
"""The tables that are in no archive, and why."""
