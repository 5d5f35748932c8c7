"""Events: what happened that others may want to be told."""

from __future__ import annotations

from typing import Any, Literal

from .entities import Entity

EventType = Literal[
    "CONVERSATION_OPENED",
    "CONVERSATION_RESOLVED",
    "CONVERSATION_REOPENED",
    "HUMAN_REQUESTED",
    "AI_SWITCHED",
    "APPROVAL_ASKED",
    "APPROVAL_ANSWERED",
    "CONVERSATION_ASSIGNED",
    "MESSAGE_SENT",
    "MESSAGE_NOTED",
    "CONVERSATION_RATED",
    "STEP_ENTERED",
    "SCENARIO_LEFT",
]


class Event(Entity):
    """One thing that happened in a conversation, stored with the change itself."""

    type: EventType
    conversation_id: str
    facts: dict[str, Any] = {}
    """What else is known of it; never a secret, never what people wrote."""
