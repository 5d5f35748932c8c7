"""Hearing: what arrived from a provider becomes a message of a conversation, once, in order."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from vivavoce.domain.agents import Agent
from vivavoce.domain.attributions import with_clicks
from vivavoce.domain.channels import Account, Arrival, ArrivalState, Heard
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.entities import written
from vivavoce.domain.faults import faults_of, in_words
from vivavoce.domain.jobs import Job, NewJob
from vivavoce.domain.turns import Turn
from vivavoce.engine.contacts import kept_contact, known_contact
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.turns.opening import begin_turn
from vivavoce.engine.turns.typing import Typist
from vivavoce.errors import Conflict, InvalidInput
from vivavoce.ports import ConversationFilter

from .announcing import announce
from .jobs import check_ours, does, finish, wait
from .statuses import apply_status

_PATIENCE = timedelta(minutes=1)
"""How long a status waits for what it is about: it may overtake our own note that the message was sent."""
_AGAIN = 5.0


def lane_of_chat(account_id: str, chat: str) -> str:
    """The lane in which events of a chat are heard."""
    return f"hear:{account_id}:{chat}"


def job_of(arrival: Arrival, now: datetime) -> NewJob:
    """The job that hears an arrival: messages of a chat in order, statuses of a message likewise."""
    heard, lane = arrival.heard, ""
    if heard.get("kind", "message") == "message":
        lane = lane_of_chat(arrival.account_id, heard["chat"])
    elif heard["kind"] == "status":
        lane = f"status:{arrival.account_id}:{heard.get('delivery_id', '')}"
    return NewJob(f"hear:{arrival.id}", "hear", now, lane, {"arrival": arrival.id})


def _given_up(job: Job, reason: str, work: Work) -> None:
    arrival = work.tables.arrivals.find(job.facts["arrival"])
    if arrival is not None:
        _settle(arrival, "failed", work, reason=f"{reason} {arrival.reason}".strip())


@does("hear", gives_up=_given_up)
async def hear(job: Job, errand: Errand) -> None:
    """Take an event in, in one transaction; where that fails, people see why while it is tried again."""
    try:
        held = await errand.write(lambda work: _heard(job, work))
    except (InvalidInput, Conflict, ValidationError) as error:
        reason = in_words(faults_of(error)) if isinstance(error, ValidationError) else error.message
        await errand.write(lambda work: _note(job, reason, work))
        raise
    if held is not None:
        Typist(held.conversation_id, errand).show_until_answered(held.id)


def _heard(job: Job, work: Work) -> Turn | None:
    """Store what came of an event; the turn, where its answer is held and the person may see that."""
    arrival = work.tables.arrivals.find(job.facts["arrival"])
    if arrival is None or arrival.state != "waiting":
        finish(job, work)
        return None
    account = work.tables.accounts.find(arrival.account_id)
    agent = None if account is None else work.tables.agents.find(account.agent_id)
    heard = Heard(**{"event_id": arrival.event_id, **arrival.heard, "sent_at": arrival.sent_at})
    if heard.kind == "status" and account is not None:
        _take_status(arrival, heard, account, job, work)
        return None
    finish(job, work)
    if account is None or agent is None:
        _settle(arrival, "failed", work, reason="The account or its agent is not there any more.")
    elif heard.kind == "other":
        _settle(arrival, "passed_over", work, reason="Nothing to answer.")
    elif not heard.text.strip() and not heard.attachments:
        _settle(arrival, "passed_over", work, reason="Nothing was said.")
    else:
        message, turn = _taken_in(heard, account, agent, work)
        _settle(arrival, "done", work, conversation_id=message.conversation_id, message_id=message.id)
        is_new = turn is not None and turn.held_since is not None and not turn.joined
        return turn if is_new and account.config.get("typing") is True else None
    return None


def _take_status(arrival: Arrival, heard: Heard, account: Account, job: Job, work: Work) -> None:
    """Keep what is told of a message; a message that is not known yet may be in a moment."""
    delivery = apply_status(heard, account, work)
    if delivery is None and work.now < arrival.created_at + _PATIENCE:
        wait(job, _AGAIN, work)
        return
    finish(job, work)
    if delivery is None:
        _settle(arrival, "passed_over", work, reason="No message of ours.")
    else:
        ids: dict[str, Any] = {
            "conversation_id": delivery.conversation_id,
            "message_id": delivery.message_id,
        }
        _settle(arrival, "done", work, **ids)


def _taken_in(heard: Heard, account: Account, agent: Agent, work: Work) -> tuple[Message, Turn | None]:
    """Store what a person said, and begin the turn that answers it."""
    conversation = _conversation(heard, account, agent, work)
    if heard.ctwa_attributions:
        named = {"id": work.ports.new_id(), "at": written(heard.sent_at or work.now)}
        ads = with_clicks(conversation.ctwa_attributions, heard.ctwa_attributions, **named)
        conversation = conversation.changed(work.now, ctwa_attributions=ads)
    message = work.tables.messages.append(
        Message(
            **work.identity(),
            conversation_id=conversation.id,
            from_="human",
            text=heard.text,
            external_id=heard.event_id,
            contact_id=conversation.contact_id,
            visitor_id=conversation.visitor_id,
            agent_id=agent.id,
            attachments=list(heard.attachments),
        )
    )
    if heard.is_group and not heard.is_mention:
        work.tables.conversations.replace(conversation)
        announce("GROUP_MESSAGE_RECEIVED", conversation, work, heard=message, agent=agent)
        return message, None
    return message, begin_turn(agent, conversation, message, work).turn


def _conversation(heard: Heard, account: Account, agent: Agent, work: Work) -> Conversation:
    """The conversation of a chat, as it is once the message was heard."""
    equal = {
        "channel_external_id": heard.chat,
        "channel_credentials_id": account.id,
        "agent_id": agent.id,
    }
    for known in work.tables.conversations.listed(ConversationFilter(equal=equal), 1):
        if known.status == "RESOLVED":
            work.tell("CONVERSATION_REOPENED", known.id)
        return known.heard(work.now)
    new = Conversation(
        **work.identity(),
        agent_id=agent.id,
        channel=channel_of(account),
        visitor_id=work.ports.new_id(),
        contact_id=None if heard.is_group else _contact_id(heard, account, work),
        channel_external_id=heard.chat,
        channel_credentials_id=account.id,
        is_group=heard.is_group,
    ).heard(work.now)
    work.tables.conversations.add(new)
    work.tell("CONVERSATION_OPENED", new.id, channel=new.channel)
    return new


def channel_of(account: Account) -> Any:
    """What the wire calls the channel of an account."""
    return account.config.get("channel") or "api"


def _contact_id(heard: Heard, account: Account, work: Work) -> str | None:
    """The contact of a chat. What is known of them stays; None where two people are known by it."""
    first, _, last = heard.name.partition(" ")
    said = {
        "first_name": first,
        "last_name": last,
        "email": heard.email,
        "phone_number": heard.phone_number,
        "external_id": f"{account.id}:{heard.chat}",
    }
    given = {name: value for name, value in said.items() if value}
    known = known_contact(given, work)
    if known is not None:
        given = {name: value for name, value in given.items() if getattr(known, name) is None}
    try:
        return kept_contact(given, known, work).id
    except Conflict:
        return None


def _note(job: Job, reason: str, work: Work) -> None:
    """Keep why an event could not be heard this time."""
    check_ours(job, work)
    arrival = work.tables.arrivals.find(job.facts["arrival"])
    if arrival is not None and arrival.state == "waiting":
        _settle(arrival, "waiting", work, reason=reason)


def _settle(arrival: Arrival, state: ArrivalState, work: Work, *, reason: str = "", **more: Any) -> None:
    work.tables.arrivals.replace(arrival.changed(work.now, state=state, reason=reason, **more))
