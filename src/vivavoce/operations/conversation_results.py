"""What is shown of conversations and of what was said in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field

from vivavoce.domain.attributions import shown_of
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Channel, Conversation, Message, Rating, Variable
from vivavoce.domain.crm import ConversationStatus, Priority
from vivavoce.domain.entities import Moment
from vivavoce.domain.turns import TurnState
from vivavoce.domain.values import Unlisted, Value

from .base import Listing, Result
from .contacts import ContactShown

_UNLESS_NONE = Field(exclude_if=lambda value: value is None)
"""A field that some clients cannot read as null: it is left out."""


class Participant(ContactShown):
    """A contact who takes part in a conversation."""

    first_name: str = ""


class VariableShown(Result):
    """A fact that is kept about a conversation."""

    conversation_id: str
    var_name: str
    var_value: str
    created_at: Moment
    updated_at: Moment

    @classmethod
    def showing(cls, conversation_id: str, name: str, variable: Variable) -> Self:
        """What is shown of a variable."""
        return cls(
            conversation_id=conversation_id,
            var_name=name,
            var_value=variable.value,
            created_at=variable.created_at,
            updated_at=variable.updated_at,
        )


class Summary(Value):
    """What the conversation was about so far."""

    context: str
    updated_at: Moment


class User(Value):
    """Someone of the team."""

    id: str
    name: str
    email: str | None


class Assignee(Value):
    """Who looks after a conversation."""

    user: User


class TagOn(Value):
    """A tag of a conversation."""

    tag: str


class ConversationShown(Result):
    """A conversation and the state it is in."""

    id: str
    title: str | None = None
    agent_id: str | None = None
    channel: Channel
    status: ConversationStatus
    priority: Priority
    is_ai_enabled: bool
    unread_messages_count: int = 0
    participants_contacts: list[Participant] = []
    conversation_variables: list[VariableShown] = []
    conversation_contexts: Annotated[list[Summary], Unlisted] = []
    assignees: list[Assignee] = []
    tags: list[TagOn] = []
    metadata: dict[str, Any] | None = None
    is_test: bool = False
    blocked: bool = False
    is_group: Annotated[bool, Unlisted] = False
    frustration: Annotated[float | None, _UNLESS_NONE, Unlisted] = None
    rating: Annotated[Rating | None, _UNLESS_NONE, Unlisted] = None
    nps_rating: Annotated[int | None, Unlisted] = None
    nps_comment: Annotated[str | None, Unlisted] = None
    nps_started_at: Annotated[Moment | None, Unlisted] = None
    nps_completed_at: Annotated[Moment | None, Unlisted] = None
    channel_external_id: Annotated[str | None, _UNLESS_NONE, Unlisted] = None
    channel_credentials_id: Annotated[str | None, Unlisted] = None
    organization_id: Annotated[str, Unlisted] = ""
    mail_inbox_id: Annotated[str | None, Unlisted] = None
    form_id: Annotated[str | None, Unlisted] = None
    user_id: Annotated[str | None, Unlisted] = None
    visitor_id: str | None = None
    ai_user_identifier: Annotated[str | None, Unlisted] = None
    whatsapp_chat_lid: Annotated[str | None, Unlisted] = None
    ctwa_attributions: Annotated[list[dict[str, Any]], Unlisted] = []
    crm_scenario_conversations: Annotated[list[dict[str, Any]], Unlisted] = []
    created_at: Moment
    updated_at: Moment
    last_human_interaction_at: Moment | None = None

    @classmethod
    def showing(cls, conversation: Conversation, contacts: Mapping[str, Contact], **more: Any) -> Self:
        """What is shown of a conversation, with the contact among those that were read for it."""
        fields = conversation.fields()
        known = {name: fields[name] for name in ConversationShown.model_fields if name in fields}
        contact = contacts.get(conversation.contact_id or "")
        known |= {
            "participants_contacts": [_participant(contact)] if contact is not None else [],
            "conversation_variables": [
                VariableShown.showing(conversation.id, name, variable)
                for name, variable in conversation.variables.items()
            ],
            "conversation_contexts": _summaries(conversation),
            "assignees": _assignees(conversation.assignee),
            "tags": [TagOn(tag=tag) for tag in conversation.tags],
            "ctwa_attributions": _ads(conversation),
            **_nps(conversation.rating),
        }
        return cls.model_construct(None, **{**known, **more})


def _ads(conversation: Conversation) -> list[dict[str, Any]]:
    return shown_of(
        conversation.ctwa_attributions,
        conversationId=conversation.id,
        contactId=conversation.contact_id,
        organizationId=conversation.organization_id,
    )


def _nps(rating: Rating | None) -> dict[str, Any]:
    """How the wire shows a rating."""
    if rating is None:
        return {}
    return {
        "nps_rating": rating.rating,
        "nps_comment": rating.comment,
        "nps_completed_at": rating.completed_at,
    }


def _participant(contact: Contact) -> Participant:
    return Participant.showing(contact, first_name=contact.first_name or "")


def _summaries(conversation: Conversation) -> list[Summary]:
    if conversation.summary is None:
        return []
    return [Summary(context=conversation.summary, updated_at=conversation.updated_at)]


def _assignees(assignee: str | None) -> list[Assignee]:
    if assignee is None:
        return []
    email = assignee if "@" in assignee else None
    return [Assignee(user=User(id=assignee, name=assignee, email=email))]


class ConversationList(Listing):
    """Conversations, newest first."""

    conversations: list[ConversationShown]


class ConversationChanged(Result):
    """A conversation was changed."""

    success: bool = True
    message: str


class ConversationDeleted(ConversationChanged):
    """A conversation is gone, and what went with it."""

    message: str = "Conversation deleted."
    also_removed: Annotated[dict[str, int], Field(description="What went with it.")]


class MessageShown(Message, Result):
    """One message of a conversation."""

    by_stranger: Annotated[bool, Field(exclude=True), Unlisted] = False


class MessageStored(Result):
    """A message that was stored."""

    success: bool = True
    message: MessageShown


class MessagePage(Result):
    """The last messages of a conversation, oldest first, and the state it is in."""

    status: ConversationStatus
    is_ai_enabled: bool
    user_id: Annotated[str | None, Unlisted] = None
    organization_id: Annotated[str, Unlisted]
    messages: list[MessageShown]


class AgentFace(Value):
    """What a visitor sees of an agent."""

    id: str
    name: str
    icon_url: str | None = None


class ConversationFollowed(ConversationShown):
    """A conversation as a chat window shows it: with its last messages, newest first."""

    agent: AgentFace | None = None
    lead: dict[str, Any] | None = None
    participants_visitors: list[dict[str, Any]] = []
    attachments: list[dict[str, Any]] = []
    messages: list[MessageShown] = []
    is_typing: Annotated[bool, Field(description="Whether an answer is being written, or held.")] = False


class ConversationExported(ConversationShown):
    """A conversation with what was said in it, oldest first."""

    messages: list[MessageShown] = []


class ConversationExportedList(Listing):
    """Conversations with what was said in them, newest first."""

    conversations: list[ConversationExported]


class TurnTrace(Result):
    """What happened between a message and its answer."""

    id: str
    conversation_id: str
    message_id: Annotated[str, Field(description="The message of the person.")]
    answer_id: Annotated[str | None, Field(description="The message of the agent, if there is one.")]
    agent_id: str
    state: TurnState
    reason: Annotated[str, Field(description="Why there is no answer, in words.")]
    created_at: Moment
    updated_at: Moment
    model: Annotated[str | None, Field(description="The model that answered.")] = None
    instructions: Annotated[str | None, Field(description="The system prompt as it was sent.")] = None
    history: Annotated[int | None, Field(description="How many earlier messages were sent along.")] = None
    messages: Annotated[
        list[dict[str, Any]],
        Field(description="These messages as they were sent, then the question; cut where isCut says so."),
    ] = []
    files: Annotated[
        list[dict[str, Any]], Field(description="Files of the message, and what became of each.")
    ] = []
    passages: Annotated[
        list[dict[str, Any]],
        Field(description="Passages that the model was given, with their scores; cut where isCut says so."),
    ] = []
    rejected: Annotated[
        list[dict[str, Any]],
        Field(description="Citations that did not hold, each with the reason and whether it was left out."),
    ] = []
    tools: Annotated[list[str], Field(description="Tools that the model could call.")] = []
    calls: Annotated[list[dict[str, Any]], Field(description="Calls that it made, secrets as markers.")] = []
    usage: Annotated[dict[str, Any] | None, Field(description="Tokens, and the cost in US dollars.")] = None
    milliseconds: Annotated[dict[str, int], Field(description="How long each part took.")] = {}
    callback: Annotated[
        dict[str, Any] | None,
        Field(description="How the sending to callbackURL went: tries, and the status or the error."),
    ] = None
