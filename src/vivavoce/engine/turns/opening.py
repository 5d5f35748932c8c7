"""Opening a turn: the conversation, the person and the message, stored before anything else happens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from vivavoce.domain.agents import Agent
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Channel, Conversation, Message
from vivavoce.domain.follow_ups import silence_of
from vivavoce.domain.hours import is_inactive
from vivavoce.domain.turns import Turn
from vivavoce.engine.access import why_kept_out
from vivavoce.engine.contacts import speaking_contact
from vivavoce.engine.handlers import Work
from vivavoce.engine.moving import enter_default
from vivavoce.engine.references import agent_named, contact_named
from vivavoce.engine.time.announcing import announce
from vivavoce.errors import Conflict, LimitReached, NotFound
from vivavoce.operations.answers import AgentQuery, Attachment, QueryContact

from .endings import say_why
from .holding import delay_of, promise
from .speakers import agent_of, step_of

LEASE = timedelta(seconds=20)
"""How long a turn is safe from being called stranded without a sign of life."""
MOST_OPEN = 20
"""How many messages of a conversation may wait for an answer."""

_NOT_KEPT = {"id", "query", "conversation_id", "callback_url", "attachments", "images", "streaming"}
"""What the query of a durable turn is known by elsewhere."""
_ASIDE = "aside-"
"""How the id of a conversation between two agents begins."""
_CLAIMED: tuple[Channel, ...] = ("form", "dashboard", "website")
"""Where a caller with a key may say that a message comes from; else it is the API."""


@dataclass(frozen=True)
class Opened:
    """What a message has begun."""

    agent: Agent
    conversation: Conversation
    message: Message
    turn: Turn


def open_turn(op: AgentQuery, work: Work) -> Opened:
    """Store the message and a turn for it; the turn is silent at once where the AI may not speak."""
    agent = agent_named(op.id, work)
    op = _beside(op, agent, work)
    conversation = _conversation(op, agent, _known(op, agent, work), work)
    message = work.tables.messages.append(
        Message(
            **work.identity(),
            conversation_id=conversation.id,
            from_="human",
            text=op.query,
            visitor_id=conversation.visitor_id,
            contact_id=conversation.contact_id,
            agent_id=agent.id,
            attachments=attachments_of(op),
            by_stranger=work.caller.is_anonymous,
        )
    )
    return begin_turn(agent, conversation, message, work, op)


def begin_turn(
    agent: Agent, conversation: Conversation, message: Message, work: Work, op: AgentQuery | None = None
) -> Opened:
    """Store what becomes of a message: silence, a turn that runs here, or one that a job answers.

    A job answers what nobody waits for, and what is held so that messages which follow are answered with it.
    """
    is_first = conversation.last_asked == 0
    conversation = conversation.asked(message.position, work.now)
    work.tables.conversations.replace(conversation)
    if is_first and not conversation.id.startswith(_ASIDE):
        conversation = enter_default(agent, conversation, work, lambda it: not why_silent(agent, it, work))
    work.tables.jobs.cancel(silence_of(conversation.id))
    turn = _turn(op, agent, conversation, message, work)
    speaker = agent_of(step_of(conversation, work), work) or agent
    delay = None if turn.state == "silent" else delay_of(speaker.id, work)
    if turn.state != "silent" and (op is None or op.callback_url is not None or delay is not None):
        turn = promise(turn, message, delay, work)
    else:
        work.tables.turns.add(turn)
    if turn.state == "silent":
        announce("USER_MESSAGE_RECEIVED", conversation, work, heard=message, agent=agent)
        say_why(turn.reason, "", conversation, turn, work)
    return Opened(agent, conversation, message, turn)


def _turn(
    op: AgentQuery | None, agent: Agent, conversation: Conversation, message: Message, work: Work
) -> Turn:
    """The turn of a message: silent, waiting for earlier ones, or running at once."""
    silence = why_silent(agent, conversation, work)
    turn = Turn(
        **work.identity(),
        conversation_id=conversation.id,
        message_id=message.id,
        position=message.position,
        agent_id=agent.id,
        state="silent" if silence else "waiting",
        reason=silence,
        lease_until=None if silence else work.now + LEASE,
        callback_url=None if op is None else op.callback_url,
        query={} if op is None else op.model_dump(mode="json", exclude=_NOT_KEPT, exclude_defaults=True),
        is_trusted=not work.caller.is_anonymous,
    )
    if silence or op is None or work.tables.turns.open_before(turn):
        return turn
    return turn.model_copy(update={"state": "running"})


def why_silent(agent: Agent, conversation: Conversation, work: Work) -> str:
    """Why the AI may not speak in a conversation, in words; nothing where it may."""
    if conversation.blocked:
        return "The person is blocked."
    if not conversation.is_ai_enabled:
        return "The AI is switched off in this conversation."
    if conversation.status == "HUMAN_REQUESTED":
        return "A person was asked for."
    if agent.enable_inactive_hours and is_inactive(
        agent.inactive_hours or {}, conversation.channel, work.now
    ):
        return "The agent keeps silent in its inactive hours."
    return why_kept_out(agent, conversation, work)


def attachments_of(op: AgentQuery) -> list[dict[str, Any]]:
    """The files and pictures that came with a message."""
    images = [
        Attachment(name=f"image-{number}", url=url, mime_type="image/*")
        for number, url in enumerate(op.images, start=1)
    ]
    return [each.model_dump(mode="json") for each in (*op.attachments, *images)]


def _beside(op: AgentQuery, agent: Agent, work: Work) -> AgentQuery:
    """The query of one agent to another: in a conversation of its own, always the same beside the first.

    The turn that asks is still running in the first one, so that the answer cannot be waited for there.
    """
    if not op.is_aside or op.conversation_id is None or work.caller.is_anonymous:
        return op
    named = work.tables.conversations.find(op.conversation_id)
    if named is None or named.agent_id in (None, agent.id):
        return op
    digest = hashlib.sha256(f"{named.id}/{agent.id}".encode()).hexdigest()
    contact_id = named.contact_id if op.contact_id is None and op.contact is None else op.contact_id
    changes = {"contact_id": contact_id, "is_test": named.is_test or op.is_test}
    return op.model_copy(update={"conversation_id": f"{_ASIDE}{digest[:24]}", **changes})


def _known(op: AgentQuery, agent: Agent, work: Work) -> Conversation | None:
    """The conversation that is to go on, if there is one and it may."""
    known = None if op.conversation_id is None else work.tables.conversations.find(op.conversation_id)
    if known is not None:
        _check_access(known, op, agent, work)
        _check_test(known, op)
        _check_line(known, work)
    return known


def _conversation(op: AgentQuery, agent: Agent, known: Conversation | None, work: Work) -> Conversation:
    """The conversation of a message, as it is once the message was heard."""
    contact = _contact(op, work)
    if known is not None:
        changes: dict[str, Any] = {} if contact is None or known.contact_id else {"contact_id": contact.id}
        if claims := _claims(op, work):
            changes["metadata"] = {**known.metadata, **claims}
        if known.status == "RESOLVED":
            work.tell("CONVERSATION_REOPENED", known.id)
        return known.heard(work.now).changed(work.now, **changes)
    new = Conversation(
        **{**work.identity(), **({} if op.conversation_id is None else {"id": op.conversation_id})},
        agent_id=agent.id,
        channel=_channel(op, work),
        visitor_id=op.visitor_id or work.ports.new_id(),
        contact_id=None if contact is None else contact.id,
        is_test=op.is_test,
        opened_by_stranger=work.caller.is_anonymous,
        metadata=_claims(op, work),
    ).heard(work.now)
    work.tables.conversations.add(new)
    work.tell("CONVERSATION_OPENED", new.id, channel=new.channel)
    return new


def _channel(op: AgentQuery, work: Work) -> Channel:
    """A key speaks for the API, except where it is a form; strangers come from a website."""
    if work.caller.is_anonymous:
        return "website"
    return op.channel if op.channel is not None and op.channel in _CLAIMED else "api"


def _check_access(known: Conversation, op: AgentQuery, agent: Agent, work: Work) -> None:
    """Who may go on with a conversation: who knows its visitor, where a stranger asks or has opened it."""
    is_visitor = known.is_with(op.visitor_id)
    if work.caller.is_anonymous and (known.agent_id is None or not is_visitor):
        raise NotFound(
            f"No conversation {known.id!r}.", hint="Send the visitorId of the first answer along with it."
        )
    if known.agent_id is not None and known.agent_id != agent.id:
        raise Conflict(
            f"Conversation {known.id!r} is one of another agent.",
            hint="Ask that agent, or leave conversationId out to begin another conversation.",
        )
    if known.opened_by_stranger and not is_visitor:
        raise Conflict(
            f"Conversation {known.id!r} was opened by a visitor without a key, who can read it.",
            hint="To go on with that visitor, send their visitorId along, as get_conversation shows it. "
            "Else choose another conversationId.",
        )


def _check_test(known: Conversation, op: AgentQuery) -> None:
    """Refuse a test in a conversation that can reach a person."""
    if op.is_test and not known.is_test:
        raise Conflict(
            f"Conversation {known.id!r} is no test: what is said there can reach a person.",
            hint="Nothing was stored. Leave conversationId out to begin a test conversation.",
        )


def _check_line(conversation: Conversation, work: Work) -> None:
    """Refuse a message where too many wait for an answer already."""
    if work.tables.turns.number_open(conversation.id, work.now) >= MOST_OPEN:
        raise LimitReached(
            f"{MOST_OPEN} messages of conversation {conversation.id!r} wait for an answer.",
            hint="Nothing was stored. Send the message again when they are answered.",
        )


def _contact(op: AgentQuery, work: Work) -> Contact | None:
    """The contact who is named, found by what is known of them, or made; what a key says of them counts."""
    if work.caller.is_anonymous:  # a stranger must not claim to be someone we know, now or later
        return None
    known = None if op.contact_id is None else contact_named(op.contact_id, work)
    given = {} if op.contact is None else _given(op.contact)
    is_known_by = any(given.get(name) for name in ("email", "phone_number", "external_id"))
    return speaking_contact(given, known, work) if known is not None or is_known_by else None


def _given(contact: QueryContact) -> dict[str, str]:
    """What a query says of a person, by the names of a contact's fields."""
    said = {
        "first_name": contact.first_name,
        "last_name": contact.last_name,
        "email": contact.email,
        "phone_number": contact.phone_number,
        "external_id": contact.user_id,
    }
    return {name: value for name, value in said.items() if value}


def _claims(op: AgentQuery, work: Work) -> dict[str, Any]:
    """What a stranger says of themselves: kept with the conversation, and never taken for true."""
    if not work.caller.is_anonymous or op.contact is None:
        return {}
    said = {name: value for name, value in op.contact.model_dump(mode="json").items() if value}
    return {"visitor": said} if said else {}
