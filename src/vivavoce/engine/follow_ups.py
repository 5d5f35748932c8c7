"""How the engine plans messages for a moment, and sends them when it has come."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.conversations import FETCHED, KEPT, Conversation
from vivavoce.domain.follow_ups import MOST_PLANNED, FollowUp, FollowUpState
from vivavoce.domain.jobs import Job, NewJob
from vivavoce.domain.zones import planned_for
from vivavoce.errors import Conflict, NotAvailable, NotFound
from vivavoce.operations.follow_ups import (
    FollowUpMessageList,
    FollowUpMessageRemoved,
    FollowUpMessageSaved,
    FollowUpMessageShown,
    ListFollowUps,
    RemoveFollowUp,
    ScheduleFollowUp,
)

from .access import why_kept_out
from .handlers import Errand, Work, handles
from .references import conversation_named
from .time.announcing import announce
from .time.jobs import does, finish
from .time.silences import follow_up, is_reached

_LISTED = 500
_OURS: tuple[FollowUpState, ...] = ("planned", "cancelled", "blocked")
"""States that are no delivery's."""


@handles(ScheduleFollowUp)
def schedule_follow_up(op: ScheduleFollowUp, work: Work) -> FollowUpMessageSaved:
    conversation = conversation_named(op.conversation_id, work)
    _check_reachable(conversation)
    due_at = planned_for(op.dt_to_send, op.time_zone, work.now)
    replaced = _planned(conversation, work, tag=op.tag)
    if replaced is not None:
        _take_back(replaced, "Another one was planned in its place.", work)
    _check_room(conversation, work)
    planned = FollowUp(
        **work.identity(),
        conversation_id=conversation.id,
        tag=op.tag,
        message=op.msg,
        due_at=due_at,
        time_zone=op.time_zone.strip(),
    )
    work.tables.follow_ups.add(planned)
    facts = {"follow_up": planned.id}
    work.tables.jobs.add(NewJob(_job(planned), "follow_up", due_at, facts=facts), work.now)
    told = "Planned in place of an earlier one." if replaced is not None else "Planned."
    return FollowUpMessageSaved(message=told, follow_up=FollowUpMessageShown.of(planned))


@handles(RemoveFollowUp)
def remove_follow_up(op: RemoveFollowUp, work: Work) -> FollowUpMessageRemoved:
    conversation = conversation_named(op.conversation_id, work)
    found = _planned(conversation, work, tag=op.tag)
    if found is None:
        raise NotFound(
            f"No follow-up {op.tag!r} is planned for conversation {conversation.id!r}.",
            hint="List them with list_follow_ups.",
        )
    taken_back = _take_back(found, "It was taken back.", work)
    return FollowUpMessageRemoved(follow_up=FollowUpMessageShown.of(taken_back))


@handles(ListFollowUps)
def list_follow_ups(op: ListFollowUps, work: Work) -> FollowUpMessageList:
    conversation = conversation_named(op.conversation_id, work)
    only: dict[str, Any] = {} if op.state is None else {"state": op.state if op.state in _OURS else "sent"}
    equal = {"conversation_id": conversation.id, **only}
    found = work.tables.follow_ups.where(newest_first=True, limit=_LISTED, **equal)
    shown = [each for each in _delivered(found, work) if op.state in (None, each.state)]
    return FollowUpMessageList(follow_ups=[FollowUpMessageShown.of(each) for each in shown])


def _given_up(job: Job, reason: str, work: Work) -> None:
    planned = work.tables.follow_ups.find(job.facts["follow_up"])
    if planned is not None and planned.state == "planned":
        _settle(planned, "cancelled", work, reason=reason)


@does("follow_up", gives_up=_given_up)
async def send_planned(job: Job, errand: Errand) -> None:
    """Say what was planned for this moment, in one transaction."""
    await errand.write(lambda work: _said(job, work))


def _said(job: Job, work: Work) -> None:
    finish(job, work)
    planned = work.tables.follow_ups.find(job.facts["follow_up"])
    conversation = None if planned is None else work.tables.conversations.find(planned.conversation_id)
    if planned is None or conversation is None or planned.state != "planned":
        return
    if why_not := _why_not(conversation, work):
        _settle(planned, "cancelled", work, reason=why_not)
    elif not is_reached(conversation, work):
        _settle(planned, "blocked", work, reason="The channel's window for writing is closed.")
        announce("AGENT_MESSAGE_BLOCKED", conversation, work, agent_response=planned.message)
    else:
        message = follow_up(planned.message, conversation, conversation.agent_id, work, by_ai=False)
        _settle(planned, "sent", work, message_id=message.id)


def _why_not(conversation: Conversation, work: Work) -> str:
    """Why the person is not written to, whatever was planned; nothing where they are."""
    if conversation.blocked:
        return "The person is blocked."
    agent = work.tables.agents.find(conversation.agent_id or "")
    return "" if agent is None else why_kept_out(agent, conversation, work)


def _check_reachable(conversation: Conversation) -> None:
    """Refuse what could never arrive."""
    is_kept = conversation.channel in (*KEPT, *FETCHED) or conversation.is_test
    if not is_kept and conversation.channel_credentials_id is None:
        raise NotAvailable(
            f"Nothing can be sent on the channel {conversation.channel!r}: it is not connected.",
            hint="Write to the person there, then store what was said with register_message.",
        )


def _check_room(conversation: Conversation, work: Work) -> None:
    if work.tables.follow_ups.count(conversation_id=conversation.id, state="planned") >= MOST_PLANNED:
        raise Conflict(
            f"{MOST_PLANNED} follow-ups are planned for conversation {conversation.id!r}.",
            hint="Take one back with remove_follow_up.",
        )


def _planned(conversation: Conversation, work: Work, *, tag: str) -> FollowUp | None:
    found = work.tables.follow_ups.where(conversation_id=conversation.id, tag=tag, state="planned")
    return found[0] if found else None


def _delivered(follow_ups: list[FollowUp], work: Work) -> list[FollowUp]:
    """Follow-ups with what became of those that were said."""
    said = [each.message_id for each in follow_ups if each.message_id is not None]
    sent = {
        each.message_id: each
        for each in work.tables.deliveries.within("message_id", said)
        if each.kind == "message"
    }
    return [each.delivered(sent.get(each.message_id)) for each in follow_ups]


def _take_back(planned: FollowUp, reason: str, work: Work) -> FollowUp:
    work.tables.jobs.cancel(_job(planned))
    return _settle(planned, "cancelled", work, reason=reason)


def _settle(planned: FollowUp, state: FollowUpState, work: Work, **more: Any) -> FollowUp:
    settled = planned.changed(work.now, state=state, **more)
    work.tables.follow_ups.replace(settled)
    return settled


def _job(planned: FollowUp) -> str:
    return f"follow_up:{planned.id}"
