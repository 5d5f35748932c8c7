"""How the engine carries out operations on messages."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.conversations import FETCHED, KEPT, Conversation, Message
from vivavoce.domain.follow_ups import silence_of
from vivavoce.domain.turns import Turn
from vivavoce.errors import Conflict, InvalidInput, NotAvailable, NotFound, WindowClosed
from vivavoce.operations.conversation_results import MessagePage, MessageShown, MessageStored, TurnTrace
from vivavoce.operations.messages import (
    GetMessage,
    GetTurnTrace,
    ListMessages,
    RateAnswer,
    ReceiveMessage,
    RegisterMessage,
    SendMessage,
)
from vivavoce.ports import ConversationFilter

from .conversations import check_visitor, seen_by_visitor, store_conversation
from .handlers import Work, handles
from .references import agent_named, contact_named, conversation_named, message_named
from .time.announcing import WebhookEvent, announce
from .time.outgoing import may_write, say

_TRACED = (
    "model",
    "instructions",
    "history",
    "messages",
    "files",
    "passages",
    "rejected",
    "tools",
    "calls",
    "usage",
    "milliseconds",
    "callback",
)


@handles(ListMessages)
def list_messages(op: ListMessages, work: Work) -> MessagePage:
    conversation = conversation_named(op.conversation_id, work)
    return MessagePage(
        status=conversation.status,
        is_ai_enabled=conversation.is_ai_enabled,
        user_id=conversation.user_id,
        organization_id=conversation.organization_id,
        messages=[MessageShown.of(each) for each in work.tables.messages.last(conversation.id, op.count)],
    )


@handles(GetMessage)
def get_message(op: GetMessage, work: Work) -> MessageShown:
    message = message_named(op.message_id, work)
    return MessageShown.of(message if op.include_sources else message.model_copy(update={"sources": None}))


@handles(GetTurnTrace)
def get_turn_trace(op: GetTurnTrace, work: Work) -> TurnTrace:
    message = message_named(op.message_id, work)
    is_answer = message.from_ == "agent"
    turns = work.tables.turns
    found = turns.where(answer_id=message.id) if is_answer else turns.where(message_id=message.id)
    if not found:
        raise NotFound(
            f"Message {op.message_id!r} belongs to no turn of an agent.",
            hint="Name a message that agent_query stored or answered, as list_messages shows it.",
        )
    return _trace(found[0])


@handles(SendMessage)
def send_message(op: SendMessage, work: Work) -> MessageStored:
    conversation = _addressed(op, work)
    has_account = conversation.channel_credentials_id is not None and not conversation.is_test
    is_noted = conversation.is_test or (conversation.channel in KEPT and not has_account)
    if not is_noted and not has_account and conversation.channel not in FETCHED:
        raise NotAvailable(
            f"Nothing can be sent on the channel {conversation.channel!r}: it is not connected.",
            hint="Write to the person there, then store what was said with register_message.",
        )
    if has_account:
        _check_goes_out(conversation, work)
    if op.contact_id is not None:
        contact_named(op.contact_id, work)
    message = _appended(
        conversation,
        work,
        from_="human",
        text=op.message,
        user_id=work.caller.id,
        visitor_id=op.visitor_id,
        contact_id=op.contact_id,
        attachments=[each.model_dump(mode="json") for each in op.attachments],
        metadata={"isNoted": True} if is_noted else None,
        read=True,
    )
    conversation = conversation.answered_by_team(work.now)
    store_conversation(conversation, work)
    say(conversation, message, work, by_ai=False)
    work.tell("MESSAGE_NOTED" if is_noted else "MESSAGE_SENT", conversation.id, messageId=message.id)
    told: WebhookEvent = "AGENT_MESSAGE_NOTED" if is_noted else "AGENT_MESSAGE_SENDED"
    announce(told, conversation, work, message=message)
    return MessageStored(message=MessageShown.of(message))


@handles(RegisterMessage)
def register_message(op: RegisterMessage, work: Work) -> MessageStored:
    conversation = conversation_named(op.conversation_id, work)
    if op.author == "human":
        return MessageStored(message=MessageShown.of(_heard(conversation, work, text=op.message)))
    agent = {"from_": "agent", "agent_id": conversation.agent_id}
    message = _appended(conversation, work, text=op.message, **agent)
    store_conversation(conversation.changed(work.now), work)
    return MessageStored(message=MessageShown.of(message))


@handles(ReceiveMessage)
def receive_message(op: ReceiveMessage, work: Work) -> MessageShown:
    is_stranger = work.caller.is_anonymous
    if is_stranger:
        check_visitor(op.conversation_id, op.visitor_id, work)
    conversation = conversation_named(op.conversation_id, work)
    fields: dict[str, Any] = {"attachments": [each.model_dump(mode="json") for each in op.attachments]}
    if op.contact_id is not None and not is_stranger:
        fields["contact_id"] = contact_named(op.contact_id, work).id
    message = _heard(conversation, work, text=op.message, by_stranger=is_stranger, **fields)
    announce("USER_MESSAGE_RECEIVED", conversation.heard(work.now), work, heard=message)
    return seen_by_visitor(message, None) if is_stranger else MessageShown.of(message)


@handles(RateAnswer)
def rate_answer(op: RateAnswer, work: Work) -> MessageShown:
    is_stranger = work.caller.is_anonymous
    if is_stranger:
        found = work.tables.messages.find(op.message_id)
        check_visitor(None if found is None else found.conversation_id, op.visitor_id, work)
    message = message_named(op.message_id, work)
    if message.from_ != "agent":
        raise InvalidInput(
            f"Message {message.id!r} is not an answer of an agent.",
            hint="Name one whose from is agent, as list_messages shows it.",
            details={"messageId": "must be an answer of an agent"},
        )
    rated = message.changed(work.now, eval=op.eval)
    work.tables.messages.replace(rated)
    return seen_by_visitor(rated, None) if is_stranger else MessageShown.of(rated)


def _trace(turn: Turn) -> TurnTrace:
    known = {name: getattr(turn, name) for name in TurnTrace.model_fields if name in type(turn).model_fields}
    return TurnTrace(**known, **{name: turn.trace[name] for name in _TRACED if name in turn.trace})


def _check_goes_out(conversation: Conversation, work: Work) -> None:
    """Refuse what would not be sent."""
    account = work.tables.accounts.find(conversation.channel_credentials_id or "")
    if account is None:
        raise NotAvailable(
            f"The channel of conversation {conversation.id!r} is not there any more.",
            hint="Write to the person elsewhere, then store what was said with register_message.",
        )
    if not account.enabled:
        raise Conflict(
            f"Channel {account.id!r} is switched off.", hint="Switch it on with update_channel, enabled true."
        )
    if not may_write(conversation, account, work):
        raise WindowClosed(
            "The person's last message is too long ago: the channel takes nothing for them now.",
            hint="Wait until they write again.",
        )


def _addressed(op: SendMessage, work: Work) -> Conversation:
    """The conversation that a message is for: by its id, or the newest one with a person on a channel."""
    agent = None if op.agent_id is None else agent_named(op.agent_id, work)
    if agent is None or op.type == "conversationId":
        conversation = conversation_named(op.value, work)
        if agent is None or conversation.agent_id == agent.id:
            return conversation
        raise NotFound(
            f"Conversation {op.value!r} is not one of agent {agent.id!r}.",
            hint="Leave agentId out, or list the agent's conversations with list_conversations.",
        )
    ids = {"email" if op.type == "email" else "phone_number": op.value}
    for contact in work.tables.contacts.known_by(**ids):
        equal = {"agent_id": agent.id, "channel": op.channel, "contact_id": contact.id}
        if found := work.tables.conversations.listed(ConversationFilter(equal=equal), 1):
            return found[0]
    raise NotFound(
        f"No conversation of agent {agent.id!r} on the channel {op.channel!r} with {op.value!r}.",
        hint="List them with list_conversations, and name one by conversationId.",
    )


def _heard(conversation: Conversation, work: Work, **fields: Any) -> Message:
    """A message of the person, stored; a resolved conversation is open again."""
    known = {"from_": "human", "visitor_id": conversation.visitor_id, "contact_id": conversation.contact_id}
    message = _appended(conversation, work, **{**known, **fields})
    if conversation.status == "RESOLVED":
        work.tell("CONVERSATION_REOPENED", conversation.id)
    store_conversation(conversation.heard(work.now), work)
    work.tables.jobs.cancel(silence_of(conversation.id))
    return message


def _appended(conversation: Conversation, work: Work, **fields: Any) -> Message:
    message = Message(**work.identity(), conversation_id=conversation.id, **fields)
    return work.tables.messages.append(message)
