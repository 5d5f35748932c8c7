"""How the engine carries out operations on conversations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from vivavoce.domain.agents import Agent
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.crm import ConversationStatus
from vivavoce.domain.follow_ups import is_silence, silence_of
from vivavoce.errors import NotAllowed, NotAuthenticated, NotFound
from vivavoce.operations.conversation_results import (
    AgentFace,
    ConversationChanged,
    ConversationDeleted,
    ConversationFollowed,
    ConversationList,
    ConversationShown,
    MessageShown,
)
from vivavoce.operations.conversations import (
    AssignConversation,
    DeleteConversation,
    ExportConversation,
    FollowConversation,
    GetConversation,
    ListConversations,
    SetAiEnabled,
    SetConversationBlocked,
    SetConversationPriority,
    SetConversationStatus,
    UnassignConversation,
    UpdateConversation,
)

from .crm_moves import links_of
from .finding import listed_by
from .handlers import Work, handles
from .references import conversation_named
from .turns.lanes import LINE

_FOLLOWED = 50
"""How many messages a chat window is given at once."""
_PUBLIC = ("id", "channel", "status", "priority", "is_ai_enabled", "visitor_id", "created_at", "updated_at")
"""What a visitor sees of a conversation."""


@handles(ListConversations)
def list_conversations(op: ListConversations, work: Work) -> ConversationList:
    found = listed_by(op, work)
    contacts, links = contacts_of(found, work), links_of(found, work)
    return ConversationList.model_construct(
        conversations=[
            ConversationShown.showing(each, contacts, crm_scenario_conversations=links.get(each.id, []))
            for each in found
        ]
    )


@handles(GetConversation)
def get_conversation(op: GetConversation, work: Work) -> ConversationShown:
    return _shown(conversation_named(op.conversation_id, work), work)


@handles(FollowConversation)
def follow_conversation(op: FollowConversation, work: Work) -> ConversationFollowed:
    is_stranger = work.caller.is_anonymous
    if is_stranger:
        check_visitor(op.conversation_id, op.visitor_id, work)
    conversation = conversation_named(op.conversation_id, work)
    agent = work.tables.agents.find(conversation.agent_id) if conversation.agent_id else None
    messages = work.tables.messages.last(conversation.id, _FOLLOWED, before=position_of(op, work))[::-1]
    more: dict[str, Any] = {
        "agent": None if agent is None else AgentFace(id=agent.id, name=agent.name, icon_url=agent.icon_url),
        "messages": [MessageShown.of(each) for each in messages],
        "is_typing": conversation.is_for_ai and work.tables.turns.number_open(conversation.id, work.now) > 0,
    }
    if not is_stranger:
        return ConversationFollowed.showing(conversation, contacts_of([conversation], work), **more)
    more["messages"] = [seen_by_visitor(each, agent) for each in messages if not _is_noted(each)]
    return ConversationFollowed(**_public(conversation), **more)


@handles(UpdateConversation)
def update_conversation(op: UpdateConversation, work: Work) -> ConversationShown:
    is_stranger = work.caller.is_anonymous
    if is_stranger:
        check_visitor(op.conversation_id, op.visitor_id, work)
    conversation = conversation_named(op.conversation_id, work)
    if is_stranger:
        _check_may_change(op, conversation)
    given = op.given()
    if "status" in given:
        conversation = _in_status(conversation, op.status, work)
    if "is_ai_enabled" in given:
        conversation = _with_ai(conversation, op.is_ai_enabled, work)
    if "blocked" in given:
        conversation = conversation.with_block(work.now, blocked=op.blocked)
    if "metadata" in given:
        metadata = {**conversation.metadata, "visitor": op.metadata} if is_stranger else op.metadata
        conversation = conversation.changed(work.now, metadata=metadata)
    store_conversation(conversation, work)
    return ConversationShown(**_public(conversation)) if is_stranger else _shown(conversation, work)


@handles(DeleteConversation)
def delete_conversation(op: DeleteConversation, work: Work) -> ConversationDeleted:
    conversation = conversation_named(op.conversation_id, work)
    counts = {
        "messages": work.tables.messages.count(conversation_id=conversation.id),
        "notes": work.tables.notes.count(conversation_id=conversation.id),
    }
    work.tables.conversations.drop(conversation.id)
    _stir(conversation.id, work)
    return ConversationDeleted(also_removed=counts)


@handles(SetAiEnabled)
def set_ai_enabled(op: SetAiEnabled, work: Work) -> ConversationChanged:
    conversation = conversation_named(op.conversation_id, work)
    store_conversation(_with_ai(conversation, op.enabled, work), work)
    return ConversationChanged(message=f"AI is {'On' if op.enabled else 'Off'}.")


@handles(SetConversationStatus)
def set_conversation_status(op: SetConversationStatus, work: Work) -> ConversationChanged:
    conversation = conversation_named(op.conversation_id, work)
    store_conversation(_in_status(conversation, op.status, work), work)
    return ConversationChanged(message="Conversation Status changed.")


@handles(SetConversationPriority)
def set_conversation_priority(op: SetConversationPriority, work: Work) -> ConversationChanged:
    conversation = conversation_named(op.conversation_id, work)
    store_conversation(conversation.changed(work.now, priority=op.priority), work)
    return ConversationChanged(message="Conversation Priority changed.")


@handles(SetConversationBlocked)
def set_conversation_blocked(op: SetConversationBlocked, work: Work) -> ConversationChanged:
    conversation = conversation_named(op.conversation_id, work)
    store_conversation(conversation.with_block(work.now, blocked=op.blocked), work)
    return ConversationChanged(message=f"Conversation {'' if op.blocked else 'un'}blocked.")


@handles(AssignConversation)
def assign_conversation(op: AssignConversation, work: Work) -> ConversationChanged:
    known = conversation_named(op.conversation_id, work)
    conversation = known.assigned(op.assignee, work.now, is_forced=op.force)
    _hand_over(known, conversation, work)
    return ConversationChanged(message="Conversation Assigned.")


@handles(UnassignConversation)
def unassign_conversation(op: UnassignConversation, work: Work) -> ConversationChanged:
    known = conversation_named(op.conversation_id, work)
    _hand_over(known, known.changed(work.now, assignee=None), work)
    return ConversationChanged(message="Conversation unassigned.")


def store_conversation(conversation: Conversation, work: Work) -> None:
    """Store a conversation as it is now; who answers in it here looks at it again at once."""
    work.tables.conversations.replace(conversation)
    if not is_silence(conversation):
        work.tables.jobs.cancel(silence_of(conversation.id))
    _stir(conversation.id, work)


def check_visitor(conversation_id: str | None, visitor_id: str | None, work: Work) -> None:
    """Let a stranger see a conversation of a public agent only with the visitor's id.

    Whether the conversation is missing, private or someone else's is not told.
    """
    found = None if conversation_id is None else work.tables.conversations.find(conversation_id)
    agent = work.tables.agents.find(found.agent_id) if found is not None and found.agent_id else None
    is_public = agent is not None and agent.visibility == "public"
    if found is None or not is_public or not found.is_with(visitor_id):
        raise NotAuthenticated(
            "This conversation is not yours.",
            hint="Send the visitorId of its first answer, or an API key as a bearer token.",
        )


def seen_by_visitor(message: Message, agent: Agent | None) -> MessageShown:
    """A message without what is the team's: ids of people, costs, models, what a tool noted."""
    sources = message.sources if agent is not None and agent.include_sources else None
    hidden = {"usage": None, "user_id": None, "contact_id": None, "metadata": None, "agent_model": None}
    return MessageShown.of(message.model_copy(update={**hidden, "sources": sources, "external_id": None}))


def contacts_of(conversations: Sequence[Conversation], work: Work) -> dict[str, Contact]:
    """The contacts of conversations, by their ids."""
    named = sorted({each.contact_id for each in conversations if each.contact_id is not None})
    return {contact.id: contact for contact in work.tables.contacts.within("id", named)}


def position_of(op: FollowConversation | ExportConversation, work: Work) -> int | None:
    """Where the message stands that a cursor names."""
    if op.cursor is None:
        return None
    message = work.tables.messages.find(op.cursor)
    if message is None or message.conversation_id != op.conversation_id:
        raise NotFound(
            f"Conversation {op.conversation_id!r} has no message {op.cursor!r}.",
            hint="Name one that list_messages shows.",
        )
    return message.position


def _stir(conversation_id: str, work: Work) -> None:
    work.afterwards.append(partial(LINE.moved, conversation_id))


def _is_noted(message: Message) -> bool:
    return bool((message.metadata or {}).get("isNoted"))


def _public(conversation: Conversation) -> dict[str, Any]:
    return {name: getattr(conversation, name) for name in _PUBLIC}


def _check_may_change(op: UpdateConversation, conversation: Conversation) -> None:
    """Refuse what only the team decides: whom to block, and when the AI speaks again."""
    given = op.given()
    if (
        conversation.status == "HUMAN_REQUESTED"
        and given.get("status", conversation.status) != conversation.status
    ):
        raise NotAllowed(
            "A person of the team was asked for: what comes of it is the team's to say.",
            hint="Wait for their answer, or send an API key as a bearer token.",
        )
    if "blocked" in given or given.get("is_ai_enabled"):
        raise NotAllowed(
            "A visitor may switch the AI off; the team switches it on, and blocks.",
            hint="Send an API key as a bearer token.",
        )


def _shown(conversation: Conversation, work: Work) -> ConversationShown:
    links = links_of([conversation], work).get(conversation.id, [])
    contacts = contacts_of([conversation], work)
    return ConversationShown.showing(conversation, contacts, crm_scenario_conversations=links)


def _with_ai(conversation: Conversation, enabled: bool, work: Work) -> Conversation:
    if conversation.is_ai_enabled != enabled:
        work.tell("AI_SWITCHED", conversation.id, enabled=enabled)
    return conversation.with_ai(work.now, enabled=enabled)


def _in_status(conversation: Conversation, status: ConversationStatus, work: Work) -> Conversation:
    if conversation.status != status:
        if status == "RESOLVED":
            work.tell("CONVERSATION_RESOLVED", conversation.id)
        elif status == "HUMAN_REQUESTED":
            work.tell("HUMAN_REQUESTED", conversation.id)
        elif conversation.status == "RESOLVED":
            work.tell("CONVERSATION_REOPENED", conversation.id)
    return conversation.in_status(status, work.now)


def _hand_over(before: Conversation, after: Conversation, work: Work) -> None:
    store_conversation(after, work)
    if before.assignee != after.assignee:
        work.tell("CONVERSATION_ASSIGNED", after.id, assignee=after.assignee, before=before.assignee)
