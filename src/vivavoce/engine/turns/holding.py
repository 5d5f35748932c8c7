"""Holding: turns that a job answers, at once or after a while, together with messages that follow."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from vivavoce.domain.conversations import Message
from vivavoce.domain.holding import held_until
from vivavoce.domain.jobs import Job, NewJob, lane_of_conversation
from vivavoce.domain.turns import Turn
from vivavoce.engine.handlers import Work
from vivavoce.engine.time.jobs import finish

_MOST = 50
"""How many messages are answered together."""
_PASSING = timedelta(seconds=1)
"""How long a job that let others pass is not begun again."""


def promise(turn: Turn, message: Message, delay: int | None, work: Work) -> Turn:
    """Store a turn that a job answers; or let an earlier one, which is held still, answer its message too."""
    if delay is None:
        return _new(turn, work.at_once, work)
    held = _held(turn, work)
    if held is not None and work.tables.jobs.move(_job(held), _due(held, delay, work)):
        return _joined(held, turn, message, work)
    return _new(turn.model_copy(update={"held_since": work.now}), held_until(work.now, work.now, delay), work)


def take_up(turn: Turn, work: Work, **facts: str) -> Turn:
    """Let a job answer a turn from now on, under a new fence; no message joins it any more."""
    changes = {"state": "waiting", "reason": "", "fence": turn.fence + 1, "held_since": None}
    waiting = turn.changed(work.now, durable=True, stranded=False, lease_until=None, **changes)
    work.tables.turns.replace(waiting)
    _begin(waiting, work.at_once, work, **facts)
    return waiting


def let_others_pass(turn: Turn, job: Job, work: Work) -> None:
    """Let the jobs that stand behind that of a turn be done first."""
    finish(job, work)
    work.tables.turns.replace(turn.changed(work.now, state="waiting", lease_until=None))
    facts = {name: str(fact) for name, fact in job.facts.items() if name != "turn"}
    _begin(turn, work.now + _PASSING, work, **facts)


def delay_of(agent_id: str, work: Work) -> int | None:
    """How many seconds the answers of an agent are held; None where they are not."""
    tools = work.tables.tools.where(agent_id=agent_id)
    found = (tool.config or {} for tool in tools if tool.type == "delayed_responses")
    return next((int(config["delay"]) for config in found if "delay" in config), None)


def _held(turn: Turn, work: Work) -> Turn | None:
    """The last turn of the conversation, if it is held and asks for the same."""
    waiting = work.tables.turns.where(conversation_id=turn.conversation_id, state="waiting")
    last = waiting[-1] if waiting else None
    if last is None or last.held_since is None or len(last.joined) >= _MOST:
        return None
    conversation = work.tables.conversations.find(turn.conversation_id)
    if conversation is None or last.position <= conversation.held_after:
        return None  # a person took it over: it must not come back with what follows
    is_alike = (last.agent_id, last.callback_url, last.is_trusted) == (
        turn.agent_id,
        turn.callback_url,
        turn.is_trusted,
    )
    return last if is_alike else None


def _due(held: Turn, delay: int, work: Work) -> datetime:
    """When a held turn is answered after one more message; one whose model failed is not hurried by it."""
    until = held_until(held.held_since or work.now, work.now, delay)
    put_off_to = work.tables.jobs.due(_job(held)) if held.reason else None
    return until if put_off_to is None else max(until, put_off_to)


def _joined(held: Turn, turn: Turn, message: Message, work: Work) -> Turn:
    changes: dict[str, Any] = {
        "message_id": message.id,
        "position": message.position,
        "joined": [*(held.joined or [held.message_id]), message.id],
        "query": turn.query,
    }
    together = held.changed(work.now, **changes)
    work.tables.turns.replace(together)
    return together


def _new(turn: Turn, due_at: datetime, work: Work) -> Turn:
    durable = turn.model_copy(update={"durable": True, "state": "waiting", "lease_until": None})
    work.tables.turns.add(durable)
    _begin(durable, due_at, work)
    return durable


def _begin(turn: Turn, due_at: datetime, work: Work, **facts: str) -> None:
    lane = lane_of_conversation(turn.conversation_id)
    work.tables.jobs.add(NewJob(_job(turn), "answer", due_at, lane, {"turn": turn.id, **facts}), work.now)


def _job(turn: Turn) -> str:
    return f"turn:{turn.id}"
