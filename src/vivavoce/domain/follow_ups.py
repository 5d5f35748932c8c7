"""Follow-ups: what is said into a silence, and messages that were planned for a moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Literal, NamedTuple, Self

from .conversations import Conversation
from .deliveries import Delivery, DeliveryState
from .entities import Entity, Moment, written
from .tools import Tool

FollowUpState = Literal[
    "planned", "sending", "sent", "uncertain", "failed", "withdrawn", "cancelled", "blocked"
]
"""`cancelled`: taken back, replaced, or the person is blocked. `blocked`: the channel's window was closed.

`sent` is stored once it is said. What became of its delivery is shown in its place: `sending` while it is on
its way, `uncertain`, `failed` or `withdrawn` where it came to that.
"""
MOST_PLANNED = 100
"""How many messages may be planned for a conversation at a time."""
_BETWEEN = "||"
_STATES: Mapping[DeliveryState, FollowUpState] = {
    "waiting": "sending",
    "sending": "sending",
    "sent": "sent",
    "uncertain": "uncertain",
    "failed": "failed",
    "withdrawn": "withdrawn",
    "held": "sending",
}


class FollowUp(Entity):
    """A message that was planned for a moment."""

    conversation_id: str
    tag: str
    state: FollowUpState = "planned"
    message: str
    due_at: Moment
    time_zone: str = "Etc/UTC"
    message_id: str | None = None
    """What was said, once it was."""
    reason: str = ""
    """Why it was not sent."""

    def delivered(self, delivery: Delivery | None) -> Self:
        """The same with what became of its delivery, where it has one."""
        if self.state != "sent" or delivery is None:
            return self
        changes = {"state": _STATES[delivery.state], "reason": delivery.reason}
        return self.model_copy(update=changes)


class Sequence(NamedTuple):
    """What an agent says into a silence: which words, how often, and how far apart."""

    parts: tuple[str, ...]
    most: int
    interval: timedelta

    def part(self, number: int) -> str:
        """What is said the n-th time, counted from 0; the last words are said again where there are fewer."""
        return self.parts[min(number, len(self.parts) - 1)]


def sequence_of(tools: Iterable[Tool]) -> Sequence | None:
    """What the tools of an agent say into a silence; None where they say nothing."""
    for tool in tools:
        config = tool.config or {}
        if tool.type == "follow_up_messages" and (parts := parts_of(str(config.get("messages", "")))):
            return Sequence(parts, int(config["max_sends"]), timedelta(hours=int(config["interval_hours"])))
    return None


def parts_of(messages: str) -> tuple[str, ...]:
    """The messages that stand in one text, with two bars between them; empty ones are none."""
    return tuple(part.strip() for part in messages.split(_BETWEEN) if part.strip())


def silence_of(conversation_id: str) -> str:
    """The key of the job that speaks into the silence of a conversation."""
    return f"follow:{conversation_id}"


def is_silence(conversation: Conversation) -> bool:
    """Whether an agent may speak into the silence of a conversation."""
    may_speak = conversation.is_ai_enabled and not conversation.blocked and not conversation.is_test
    return may_speak and conversation.status == "UNRESOLVED"


def mark_of(conversation: Conversation) -> str:
    """Changes when the person says something, and when someone of the team takes over."""
    heard = conversation.last_human_interaction_at
    return f"{conversation.taken_over} {'' if heard is None else written(heard)}"
