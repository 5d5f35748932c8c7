"""Operations on access lists: whom an agent never answers, and whom alone it answers on WhatsApp."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from vivavoce.domain.access import Person, Phone
from vivavoce.domain.values import Id

from .agents import AgentRef
from .base import Effect, Listing, Operation, Result, SchemaOf
from .conversation_results import AgentFace

_AT_ONCE = 1_000
People = Person | Annotated[list[Person], Field(min_length=1, max_length=_AT_ONCE)]
Phones = Phone | Annotated[list[Phone], Field(min_length=1, max_length=_AT_ONCE)]


class BlacklistEntry(Result):
    """Someone whom an agent never answers."""

    id: str
    agent_id: str
    user_identify: str
    organization_id: str
    agent: AgentFace


class Blacklist(Listing):
    """Those on a blacklist, oldest first."""

    entries: list[BlacklistEntry]


class RemovedFromBlacklist(Result):
    """Someone is off a blacklist."""

    id: str

    def wire(self) -> Any:
        """Nothing: the status says it."""
        return None

    @classmethod
    def wire_schema(cls, named: SchemaOf) -> dict[str, Any]:
        """Nothing."""
        return {"type": "null"}


class WhitelistEntry(Result):
    """A number that an agent answers on WhatsApp."""

    agent_id: str
    whatsapp_number: str


class Whitelist(Listing):
    """The numbers on a whitelist, oldest first."""

    entries: list[WhitelistEntry]


class RemovedFromWhitelist(Result):
    """A number is off a whitelist."""

    message: str = "WhatsApp number removed from the whitelist."


class ListBlacklist(
    Operation[Blacklist], effect=Effect.READ, toolset="agents", route="GET /agent-blacklist", offer="extra"
):
    """List whom agents never answer, for all agents."""


class ListAgentBlacklist(
    Operation[Blacklist],
    effect=Effect.READ,
    toolset="agents",
    route="GET /agent-blacklist/{agentId}",
    offer="extra",
):
    """List whom one agent never answers."""

    agent_id: AgentRef


class AddToBlacklist(
    Operation[Blacklist],
    effect=Effect.CREATE,
    toolset="agents",
    route="POST /agent-blacklist",
    offer="extra",
):
    """Let an agent never answer someone. What they write is kept for the team.

    Those who are on the list already stay on it.
    """

    agent_id: AgentRef
    user_identify: Annotated[
        People,
        Field(
            description="Who, or a list of them: an e-mail address, a phone number, the externalId of a "
            "contact or a visitorId."
        ),
    ]


class RemoveFromBlacklist(
    Operation[RemovedFromBlacklist],
    effect=Effect.DELETE,
    toolset="agents",
    route="DELETE /agent-blacklist/{agentId} 204",
    arguments="query",
    offer="extra",
    takes_along="nothing else; the agent answers them again",
):
    """Take someone off the blacklist of an agent."""

    agent_id: AgentRef
    id: Annotated[Id, Field(description="The entry's id, as list_agent_blacklist shows it.")]


class ListAgentWhitelist(
    Operation[Whitelist],
    effect=Effect.READ,
    toolset="agents",
    route="GET /agent-whitelist-whatsapp/{agentId}",
    offer="extra",
):
    """List the only numbers that an agent answers on WhatsApp. Where there are none, it answers everyone."""

    agent_id: AgentRef


class AddToWhitelist(
    Operation[Whitelist],
    effect=Effect.CREATE,
    toolset="agents",
    route="POST /agent-whitelist-whatsapp",
    offer="extra",
):
    """Let an agent answer a number on WhatsApp. From the first one on, it answers nobody else there."""

    agent_id: AgentRef
    whatsapp_number: Annotated[
        Phones, Field(description="The number with its country code, or a list of numbers.")
    ]


class ReplaceInWhitelist(
    Operation[WhitelistEntry],
    effect=Effect.CHANGE,
    toolset="agents",
    route="PATCH /agent-whitelist-whatsapp/{agentId}",
    offer="extra",
):
    """Put another number in the place of one on the whitelist of an agent."""

    agent_id: AgentRef
    old_whatsapp_number: Annotated[Phone, Field(description="The number, as list_agent_whitelist shows it.")]
    new_whatsapp_number: Annotated[Phone, Field(description="The number that takes its place.")]


class RemoveFromWhitelist(
    Operation[RemovedFromWhitelist],
    effect=Effect.DELETE,
    toolset="agents",
    route="DELETE /agent-whitelist-whatsapp/{agentId}",
    offer="extra",
    takes_along="nothing else; without any number left, the agent answers everyone",
):
    """Take a number off the whitelist of an agent."""

    agent_id: AgentRef
    whatsapp_number: Annotated[Phone, Field(description="The number, as list_agent_whitelist shows it.")]
