"""Operations on follow-ups: messages that are planned for a moment."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from vivavoce.domain.follow_ups import FollowUp, FollowUpState
from vivavoce.domain.values import Line, Name, Text, not_blank, unlisted

from .base import Effect, Listing, Operation, Result
from .conversations import ConversationId

FollowUpTag = Annotated[
    Annotated[Name, Field(max_length=100)],
    Field(description="What it is called in this conversation, such as appointment."),
]
_NAMES = {"conversation_id": "conversationId", "dt_to_send": "dtToSend", "time_zone": "timeZone"}


class FollowUpMessageShown(FollowUp, Result):
    """A message that is planned for a moment, and what became of it."""


class FollowUpMessageList(Listing):
    """Messages that are or were planned for a conversation, newest first."""

    follow_ups: list[FollowUpMessageShown]


class FollowUpMessageSaved(Result):
    """A message was planned."""

    success: bool = True
    message: str
    follow_up: FollowUpMessageShown


class FollowUpMessageRemoved(Result):
    """A message that was planned is not sent any more."""

    success: bool = True
    message: str = "Follow-up removed."
    follow_up: FollowUpMessageShown


class ScheduleFollowUp(
    Operation[FollowUpMessageSaved],
    effect=Effect.SEND,
    toolset="conversations",
    route="POST /custom-follow-up/add",
    offer="extra",
    rest_names=_NAMES,
):
    """Plan a message to a person for a moment, in the time of a place. It goes out in the agent's name.

    Planned again under the same tag, it replaces the one that is still planned. It is sent even if the person
    or the team has written meanwhile, and even if the AI is switched off; not to a person who is blocked, and
    not outside the channel's window for writing.
    """

    conversation_id: ConversationId
    tag: FollowUpTag
    msg: Annotated[
        Text, Field(min_length=1, max_length=10_000, description="What to write."), AfterValidator(not_blank)
    ]
    dt_to_send: Annotated[
        Line,
        Field(description="When, as 2026-01-31 09:30:00, in the time of timeZone; within a year."),
    ]
    time_zone: Annotated[
        Line, Field(description="Whose time that is, such as America/Sao_Paulo or Etc/UTC.")
    ] = "Etc/UTC"
    channel: Annotated[
        Line | None, unlisted("Passed over: it goes out where the conversation takes place.")
    ] = None


class RemoveFollowUp(
    Operation[FollowUpMessageRemoved],
    effect=Effect.DELETE,
    toolset="conversations",
    route="DELETE /custom-follow-up/remove",
    arguments="query",
    offer="extra",
    takes_along="nothing else",
    rest_names={"conversation_id": "conversationId"},
):
    """Take back a message that is planned for a conversation. What was sent already stays."""

    conversation_id: ConversationId
    tag: FollowUpTag


class ListFollowUps(
    Operation[FollowUpMessageList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /custom-follow-up",
    offer="extra",
    rest_names={"conversation_id": "conversationId"},
):
    """List the messages that are or were planned for a conversation, newest first."""

    conversation_id: ConversationId
    state: Annotated[
        FollowUpState | None,
        Field(description="Only those in this state. blocked: by the channel's window."),
    ] = None
