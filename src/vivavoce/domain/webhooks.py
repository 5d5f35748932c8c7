"""Webhooks: what is told of a conversation, when it is tried again, and what an answer to it means."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic.alias_generators import to_camel

from .agents import Agent
from .attributions import told_of
from .contacts import Contact
from .conversations import Conversation, Message
from .crm import Scenario, Step
from .deliveries import DeliveryKind
from .entities import written

WebhookEvent = Literal[
    "AGENT_USER_MESSAGE",
    "USER_MESSAGE_RECEIVED",
    "AGENT_MESSAGE_SENDED",
    "AGENT_MESSAGE_FOLLOW_UP",
    "AGENT_MESSAGE_BLOCKED",
    "AGENT_MESSAGE_NOTED",
    "GROUP_MESSAGE_RECEIVED",
    "STEP_ENTERED",
    "NPS_INTERACTION",
]
WAITS: Mapping[DeliveryKind, tuple[float, ...]] = {
    "webhook": (5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 36_000.0),
    "callback": (1.0, 4.0, 15.0, 40.0, 300.0, 1_800.0),
}
"""Seconds before each further try."""
Verdict = Literal["taken", "later", "refused", "gone"]
"""What an answer means: it is told, it is told again later, or never; `gone`: nothing is told there."""

_AT_ONCE = 4
"""How many calls to one host are made at a time."""
_PASSING = (408, 425, 429)
"""Refusals that may be none later."""


def payload_of(
    event: WebhookEvent,
    conversation: Conversation,
    agent: Agent | None,
    at: datetime,
    *,
    heard: Message | None = None,
    message: Message | None = None,
    contact: Contact | None = None,
    facts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What is told: `heard` is what the person said, `message` what was said to them, `at` when it happened.

    What is not known is left out.
    """
    about = message or heard
    optional: dict[str, Any] = {
        "messageId": None if about is None else about.id,
        "userMessage": None if heard is None else heard.text,
        "agentResponse": None if message is None else message.text,
        "userName": None if contact is None else contact.name or None,
        "userEmail": None if contact is None else contact.email,
        "userPhoneNumber": None if contact is None else contact.phone_number,
        "tags": conversation.tags or None,
        "summary": conversation.summary,
        "frustration": conversation.frustration,
        "conversation_variables": {name: kept.value for name, kept in conversation.variables.items()} or None,
        "attachments": [file for said in (heard, message) if said for file in _files(said)] or None,
        "ctwaAttributions": told_of(conversation.ctwa_attributions) or None,
        **_facts(facts or {}),
    }
    return {
        "eventType": event,
        "conversationId": conversation.id,
        "agentId": conversation.agent_id,
        "agentName": None if agent is None else agent.name,
        "channel": conversation.channel,
        "conversationStatus": conversation.status,
        "conversationPriority": conversation.priority,
        "isAiEnabled": conversation.is_ai_enabled,
        "organizationId": conversation.organization_id,
        "createdAt": written(at if about is None else about.created_at),
        **{name: value for name, value in optional.items() if value is not None},
    }


def verdict_on(kind: DeliveryKind, status: int) -> Verdict:
    """What a status means. A webhook is there to stay, so that a refusal may pass; a callback is one call."""
    if 200 <= status < 300:
        return "taken"
    if kind == "webhook":
        return "gone" if status == 410 else "later"
    return "later" if status in _PASSING or status >= 500 else "refused"


def lane_of_posts(url: str, conversation_id: str | None, *, is_failing: bool = False) -> str:
    """The lane of a call: a few for each host, and one for its addresses that fail, which hold up no others.

    What is told of one conversation goes the same way, one after the other.
    """
    number = zlib.crc32((conversation_id or "").encode()) % _AT_ONCE
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    return f"post:{host}:{'failing' if is_failing else number}"


def _files(message: Message) -> Iterator[dict[str, Any]]:
    for number, file in enumerate(message.attachments, start=1):
        yield {
            "id": file.get("id") or f"{message.id}-{number}",
            "url": file.get("url"),
            "mimeType": file.get("mimeType"),
            "size": file.get("size"),
        }


def _facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Further facts by the names of the wire."""
    told: dict[str, Any] = {}
    for name, fact in facts.items():
        if isinstance(fact, Step | Scenario):
            told |= {f"{name}Id": fact.id, f"{name}Name": fact.name}
        else:
            told[to_camel(name)] = written(fact) if isinstance(fact, datetime) else fact
    step = facts.get("step")
    return {"scenarioId": step.scenario_id, **told} if isinstance(step, Step) else told
