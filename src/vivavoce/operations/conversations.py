"""Operations on conversations: find them, read them, and say who looks after them."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from vivavoce.domain.conversations import Address
from vivavoce.domain.crm import ConversationStatus, Priority
from vivavoce.domain.values import Id, JsonObject, Line, unlisted

from .base import LEFT_OUT, Effect, Operation
from .conversation_filters import Filtered
from .conversation_results import (
    ConversationChanged,
    ConversationDeleted,
    ConversationExported,
    ConversationExportedList,
    ConversationFollowed,
    ConversationList,
    ConversationShown,
)

ConversationId = Annotated[Id, Field(description="The conversation's id, as list_conversations shows it.")]
VisitorId = Annotated[
    Annotated[Line, Field(max_length=200)] | None,
    unlisted("Who asks, where no key is sent: the visitorId that the first answer had."),
]


def _switch(given: Any) -> Any:
    """The words that clients write for a switch."""
    return {"true": True, "false": False}.get(given, given) if isinstance(given, str) else given


Switch = Annotated[bool, BeforeValidator(_switch)]


class ListConversations(
    Filtered[ConversationList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversation",
    offer="extra",
):
    """List conversations, newest first, with filters that add up.

    For the next page, repeat the call with cursor made from the last row of this one. Messages are read
    with list_messages.
    """


class GetConversation(
    Operation[ConversationShown],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversation/{conversationId}",
    offer="extra",
):
    """Show a conversation: its state, contact, variables, tags and who looks after it."""

    conversation_id: ConversationId


class FollowConversation(
    Operation[ConversationFollowed],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversations/{conversationId}",
    offer="never",
    anonymous=True,
):
    """Show a conversation with its last 50 messages, newest first, as a chat window does.

    Without a key it needs the visitorId of a conversation with a public agent, and shows less.
    """

    conversation_id: ConversationId
    cursor: Annotated[Id | None, Field(description="Messages before this one: its id.")] = None
    visitor_id: VisitorId = None


class UpdateConversation(
    Operation[ConversationShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="PATCH /conversations/{conversationId}",
    offer="never",
    anonymous=True,
):
    """Change a conversation's status, its metadata, whether the AI answers or the person is blocked.

    Without a key it needs the visitorId of a conversation with a public agent, and changes less: the status
    unless a person was asked for, the AI off, and what the visitor says of themselves in metadata.
    """

    conversation_id: ConversationId
    status: Annotated[ConversationStatus, Field(description="The new status.")] = LEFT_OUT
    is_ai_enabled: Annotated[Switch, Field(description="Whether the AI answers.")] = LEFT_OUT
    blocked: Annotated[Switch, Field(description="Whether the person is blocked: never answered.")] = LEFT_OUT
    metadata: Annotated[JsonObject, Field(description="What your system keeps, in place of it.")] = LEFT_OUT
    visitor_id: VisitorId = None


class ExportConversations(
    Filtered[ConversationExportedList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversations/export",
    offer="never",
):
    """Show conversations with what was said in them, newest first, with the filters of list_conversations.

    Of each, the last 1,000 messages are shown; export_conversation shows more of one. An answer has at most
    5,000 messages, so it may have fewer conversations than limit: go on with cursor until one has none.
    """


class ExportConversation(
    Operation[ConversationExported],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversations/{conversationId}/export",
    offer="never",
):
    """Show a conversation with what was said in it, oldest first: the last 5,000 messages.

    For those before them, repeat the call with cursor: the id of the first message of this answer.
    """

    conversation_id: ConversationId
    cursor: Annotated[Id | None, Field(description="Messages before this one: its id.")] = None


class DeleteConversation(
    Operation[ConversationDeleted],
    effect=Effect.DELETE,
    toolset="conversations",
    route="DELETE /conversation/{conversationId}",
    offer="extra",
    takes_along="its messages, notes, traces and approvals",
):
    """Delete a conversation with all its messages. The contact stays. This cannot be undone."""

    conversation_id: ConversationId


class SetAiEnabled(
    Operation[ConversationChanged],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/set-ai-enabled",
    offer="extra",
):
    """Switch the AI on or off in one conversation.

    Off: messages are stored and a person answers them; an answer that the AI is still writing is not given.
    On again: the next message is answered, those that came meanwhile are not.
    """

    conversation_id: ConversationId
    enabled: Annotated[Switch, Field(description="Whether the AI answers.")]


class SetConversationStatus(
    Operation[ConversationChanged],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/set-status",
    offer="extra",
):
    """Change the status of a conversation. A new message of the person opens a resolved one again.

    The AI keeps silent while the status is HUMAN_REQUESTED; its own switch is not touched.
    """

    conversation_id: ConversationId
    status: Annotated[ConversationStatus, Field(description="The new status.")]


class SetConversationPriority(
    Operation[ConversationChanged],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/set-priority",
    offer="extra",
):
    """Change the priority of a conversation."""

    conversation_id: ConversationId
    priority: Annotated[Priority, Field(description="The new priority.")]


class SetConversationBlocked(
    Operation[ConversationChanged],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/set-blocked",
    offer="extra",
):
    """Block the person of a conversation, or let them in again.

    Messages of a blocked person are stored and the AI never answers them; an answer that it is still writing
    is not given. It counts for this conversation alone. Once unblocked, the next message is answered.
    """

    conversation_id: ConversationId
    blocked: Annotated[Switch, Field(description="Whether the person is blocked.")]


class AssignConversation(
    Operation[ConversationChanged],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/assign",
    offer="extra",
):
    """Put a conversation into the hands of someone of the team: give exactly one of email, id, membershipId.

    Where someone else has it, this is refused unless force is true. Nobody is notified.
    """

    conversation_id: ConversationId
    email: Annotated[Address | None, Field(description="Their e-mail address.")] = None
    id: Annotated[Id | None, Field(description="Their id.")] = None
    membership_id: Annotated[Id | None, Field(description="The id of their membership.")] = None
    force: Annotated[bool, Field(description="Take it from whoever has it.")] = False

    @model_validator(mode="after")
    def _one_person(self) -> Self:
        if len([one for one in (self.email, self.id, self.membership_id) if one is not None]) != 1:
            raise ValueError("give exactly one of email, id and membershipId")
        return self

    @property
    def assignee(self) -> str:
        """Who is named."""
        return self.email or self.id or self.membership_id or ""


class UnassignConversation(
    Operation[ConversationChanged],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/unassign",
    offer="extra",
):
    """Take a conversation out of the hands of whoever looks after it."""

    conversation_id: ConversationId
