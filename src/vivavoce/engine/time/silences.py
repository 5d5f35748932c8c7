"""Silences: when a person does not answer an agent, its follow-up messages go out, one after the other."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from vivavoce.domain.agents import Agent
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.entities import written
from vivavoce.domain.follow_ups import Sequence, is_silence, mark_of, sequence_of, silence_of
from vivavoce.domain.hours import active_from
from vivavoce.domain.jobs import Job, NewJob
from vivavoce.engine.access import why_kept_out
from vivavoce.engine.conversations import store_conversation
from vivavoce.engine.handlers import Errand, Work

from .announcing import announce
from .jobs import does, finish
from .outgoing import may_write, say


def expect_answer(conversation: Conversation, agent: Agent, work: Work) -> None:
    """The agent has spoken: from now on its follow-up messages wait for a silence, from the first one on."""
    work.tables.jobs.cancel(silence_of(conversation.id))
    sequence = _sequence(agent, work)
    is_answered = work.tables.turns.number_open(conversation.id, work.now) == 0
    if sequence is not None and is_silence(conversation) and is_answered:
        _wait(conversation, agent, 0, work.now, work.now + sequence.interval, work)


def is_reached(conversation: Conversation, work: Work) -> bool:
    """Whether the channel lets us write to the person now."""
    account = work.tables.accounts.find(conversation.channel_credentials_id or "")
    return may_write(conversation, account, work)


def follow_up(
    text: str, conversation: Conversation, agent_id: str | None, work: Work, *, by_ai: bool
) -> Message:
    """Say something to a person who did not ask for it now; not `by_ai` where someone planned it."""
    message = work.tables.messages.append(
        Message(
            **work.identity(),
            conversation_id=conversation.id,
            from_="agent",
            text=text,
            agent_id=agent_id,
            metadata={"isFollowUp": True},
        )
    )
    conversation = conversation.changed(work.now)
    store_conversation(conversation, work)
    say(conversation, message, work, by_ai=by_ai)
    announce("AGENT_MESSAGE_FOLLOW_UP", conversation, work, message=message)
    return message


def _given_up(job: Job, reason: str, work: Work) -> None:
    """Nothing is left to do: a silence stays one."""


@does("follow", gives_up=_given_up)
async def follow(job: Job, errand: Errand) -> None:
    """Speak into a silence, in one transaction, if it is still one."""
    await errand.write(lambda work: _followed(job, work))


def _followed(job: Job, work: Work) -> None:
    finish(job, work)
    conversation = work.tables.conversations.find(job.facts["conversation"])
    agent = work.tables.agents.find(job.facts["agent"])
    if conversation is None or agent is None or not is_silence(conversation):
        return
    sequence = _sequence(agent, work)
    number = int(job.facts["sent"])
    if sequence is None or number >= sequence.most or job.facts["mark"] != mark_of(conversation):
        return
    since = datetime.fromisoformat(job.facts["since"])
    due = _not_before(since + sequence.interval, agent, conversation, work)
    if due is None or why_kept_out(agent, conversation, work):
        return
    if due > work.now:
        _wait(conversation, agent, number, since, due, work)
    elif not is_reached(conversation, work):
        announce("AGENT_MESSAGE_BLOCKED", conversation, work, agent_response=sequence.part(number))
    else:
        _speak(sequence, number, conversation, agent, work)


def _not_before(due: datetime, agent: Agent, conversation: Conversation, work: Work) -> datetime | None:
    """When it may be said: after so long a silence as the settings ask for now, and not in inactive hours."""
    due = max(due, work.now)
    if not agent.enable_inactive_hours:
        return due
    return active_from(agent.inactive_hours or {}, conversation.channel, due)


def _speak(sequence: Sequence, number: int, conversation: Conversation, agent: Agent, work: Work) -> None:
    follow_up(sequence.part(number), conversation, agent.id, work, by_ai=True)
    if number + 1 < sequence.most:
        _wait(conversation, agent, number + 1, work.now, work.now + sequence.interval, work)


def _sequence(agent: Agent, work: Work) -> Sequence | None:
    return sequence_of(work.tables.tools.where(agent_id=agent.id))


def _wait(
    conversation: Conversation, agent: Agent, sent: int, since: datetime, due_at: datetime, work: Work
) -> None:
    facts: dict[str, Any] = {
        "conversation": conversation.id,
        "agent": agent.id,
        "sent": sent,
        "since": written(since),
        "mark": mark_of(conversation),
    }
    work.tables.jobs.add(NewJob(silence_of(conversation.id), "follow", due_at, facts=facts), work.now)
