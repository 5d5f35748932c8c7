"""Moving: a conversation enters a step, with all that comes of it, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.domain.agents import Agent
from vivavoce.domain.channels import is_open, window_of
from vivavoce.domain.conversations import FETCHED, KEPT, Conversation, Message
from vivavoce.domain.crm import Cause, CrmLog, LogStatus, Step
from vivavoce.domain.follow_ups import is_silence, silence_of
from vivavoce.domain.jobs import NewJob
from vivavoce.domain.moving import assignee_in, entered, off_the_board, placed, pool_of, wait_in
from vivavoce.domain.prompting import filled

from .handlers import Work
from .time.announcing import announce
from .time.outgoing import say
from .turns.prompt_variables import prompt_variables

MaySay = Callable[[Conversation], bool]
"""Whether the initial message of a step may be said, asked of a conversation before and after it enters."""

_CLOSED = "The channel's window for writing is closed."
_NOT_TO_BE_SAID = "Nothing may be said in this conversation now."


@dataclass(frozen=True)
class Entered:
    """What came of entering a step."""

    conversation: Conversation
    step: Step
    message: Message | None = None
    """The initial message, where it was said."""
    why_not: str = ""
    """Why it was not, where there is one and it was wanted."""
    is_blocked: bool = False
    """Whether the channel's window was closed."""


def enter(
    conversation: Conversation,
    step: Step,
    work: Work,
    *,
    cause: Cause,
    may_say: MaySay,
    turn_id: str | None = None,
) -> Entered:
    """Let a conversation enter a step: stored with its log, its effects, its message and its timer."""
    log = _stay(conversation, step, cause, work, turn_id=turn_id)
    after = entered(conversation, step, work.now)
    after = after.changed(work.now, assignee=_assignee(conversation, step, log, work))
    work.tables.conversations.replace(after)
    if not is_silence(after):
        work.tables.jobs.cancel(silence_of(after.id))
    came = Entered(after, step)
    if step.initial_message and any(may_say(each) for each in (conversation, after)):
        came = _said(after, step, work, by_ai=cause != "call")
    elif step.initial_message:
        came = Entered(after, step, why_not=_NOT_TO_BE_SAID)
    _tell(conversation, after, step, work)
    scenario = work.tables.scenarios.find(step.scenario_id)
    announce("STEP_ENTERED", after, work, message=came.message, step=step, scenario=scenario)
    return came


def place(conversation: Conversation, step: Step, work: Work, log: CrmLog | None = None) -> CrmLog:
    """Note that a conversation is in a step: nothing is said and nothing set, but time runs.

    `log` is its stay where there is one already.
    """
    stay = _stay(conversation, step, "record", work, log)
    work.tables.conversations.replace(placed(conversation, step, work.now))
    return stay


def leave(conversation: Conversation, work: Work) -> Conversation:
    """Take a conversation off the board: its stay is over, and it does not move by itself any more."""
    _end_stays(conversation.id, work)
    after = off_the_board(conversation, work.now)
    work.tables.conversations.replace(after)
    work.tell("SCENARIO_LEFT", after.id, scenarioId=conversation.scenario_id, stepId=conversation.step_id)
    return after


def clear(logs: Sequence[CrmLog], work: Work) -> None:
    """Let every conversation of these stays leave, since its step or scenario is about to go."""
    for log in logs:
        conversation = work.tables.conversations.find(log.conversation_id)
        if conversation is not None:
            leave(conversation, work)


def enter_default(agent: Agent, conversation: Conversation, work: Work, may_say: MaySay) -> Conversation:
    """The conversation in the step in which new ones of its agent begin; as it was where there is none."""
    if agent.crm_scenario_id is None or conversation.scenario_id is not None:
        return conversation
    steps = work.tables.steps.where(scenario_id=agent.crm_scenario_id)
    named = (step for step in steps if step.id == agent.crm_step_id)
    step = next(named, steps[0] if steps else None)
    if step is None:
        return conversation
    return enter(conversation, step, work, cause="opening", may_say=may_say).conversation


def current_stay(conversation: Conversation, work: Work) -> CrmLog | None:
    """The stay that a conversation is in."""
    active = work.tables.crm_logs.where(conversation_id=conversation.id, status="active")
    return active[-1] if active else None


def timer_of(conversation_id: str) -> str:
    """The key of the job that moves a conversation to the next step."""
    return f"step:{conversation_id}"


def _stay(
    conversation: Conversation,
    step: Step,
    cause: Cause,
    work: Work,
    log: CrmLog | None = None,
    *,
    turn_id: str | None = None,
) -> CrmLog:
    """A stay in a step with its timer, the only active one of a conversation; over at once in a last step."""
    _end_stays(conversation.id, work)
    status: LogStatus = "inactive" if step.is_conversation_removal_step else "active"
    if log is None:
        stay = CrmLog(
            **work.identity(),
            conversation_id=conversation.id,
            scenario_id=step.scenario_id,
            step_id=step.id,
            status=status,
            cause=cause,
            turn_id=turn_id,
        )
        work.tables.crm_logs.add(stay)
    else:
        stay = log.changed(work.now, status=status)
        work.tables.crm_logs.replace(stay)
    wait = wait_in(step)
    if wait is not None:
        facts = {"conversation": conversation.id, "step": step.id, "log": stay.id}
        timer = NewJob(timer_of(conversation.id), "next_step", work.now + wait, facts=facts)
        work.tables.jobs.add(timer, work.now)
    return stay


def _end_stays(conversation_id: str, work: Work) -> None:
    work.tables.jobs.cancel(timer_of(conversation_id))
    for log in work.tables.crm_logs.where(conversation_id=conversation_id, status="active"):
        work.tables.crm_logs.replace(log.changed(work.now, status="inactive"))


def _assignee(conversation: Conversation, step: Step, log: CrmLog, work: Work) -> str | None:
    loads = {}
    if step.assignee_logic_type == "fair_distribution_selected":
        loads = {member: _load(member, conversation, work) for member in pool_of(step)}
    return assignee_in(step, conversation.assignee, loads, seed=f"{conversation.id}/{log.id}")


def _load(member: str, conversation: Conversation, work: Work) -> int:
    """How many other conversations that are not resolved someone looks after."""
    count = work.tables.conversations.count
    is_theirs = conversation.assignee == member and conversation.status != "RESOLVED"
    open_ = count(assignee=member, status="UNRESOLVED") + count(assignee=member, status="HUMAN_REQUESTED")
    return open_ - int(is_theirs)


def _said(conversation: Conversation, step: Step, work: Work, *, by_ai: bool) -> Entered:
    """Say the initial message of a step, where the person can be written to."""
    account_id = conversation.channel_credentials_id
    account = None if account_id is None else work.tables.accounts.find(account_id)
    reaches = account is not None or conversation.channel in (*KEPT, *FETCHED) or conversation.is_test
    if not reaches:
        why_not = f"Nothing can be sent on the channel {conversation.channel!r}: it is not connected."
        return Entered(conversation, step, why_not=why_not)
    window = window_of(conversation.channel, None if account is None else account.window_hours)
    if not is_open(window, conversation.last_human_interaction_at, work.now):
        not_said = _text(conversation, step, work)
        announce("AGENT_MESSAGE_BLOCKED", conversation, work, agent_response=not_said)
        return Entered(conversation, step, why_not=_CLOSED, is_blocked=True)
    text = _text(conversation, step, work)
    if not text.strip():
        return Entered(conversation, step, why_not="Nothing is left of it: its variables are empty.")
    message = work.tables.messages.append(
        Message(
            **work.identity(),
            conversation_id=conversation.id,
            from_="agent",
            text=text,
            agent_id=step.agent_id or conversation.agent_id,
            metadata={"isInitialMessage": True, "stepId": step.id},
        )
    )
    say(conversation, message, work, by_ai=by_ai)
    return Entered(conversation, step, message)


def _text(conversation: Conversation, step: Step, work: Work) -> str:
    last = work.tables.messages.last(conversation.id, 1)
    contact = None if conversation.contact_id is None else work.tables.contacts.find(conversation.contact_id)
    position = last[-1].position if last else 0
    return filled(step.initial_message or "", prompt_variables(conversation, contact, position, step, work))


def _tell(before: Conversation, after: Conversation, step: Step, work: Work) -> None:
    """Store what happened: the step, and what it changed."""
    not_sent = [name for name in ("zapi", "whatsapp") if getattr(step, name) is not None]
    facts: dict[str, Any] = {"scenarioId": step.scenario_id, "stepId": step.id}
    work.tell("STEP_ENTERED", after.id, **facts, **({"notSent": not_sent} if not_sent else {}))
    if after.step_id is None:
        work.tell("SCENARIO_LEFT", after.id, **facts)
    if before.is_ai_enabled != after.is_ai_enabled:
        work.tell("AI_SWITCHED", after.id, enabled=after.is_ai_enabled)
    if before.assignee != after.assignee:
        work.tell("CONVERSATION_ASSIGNED", after.id, assignee=after.assignee, before=before.assignee)
    if before.status == after.status:
        return
    if after.status == "RESOLVED":
        work.tell("CONVERSATION_RESOLVED", after.id)
    elif after.status == "HUMAN_REQUESTED":
        work.tell("HUMAN_REQUESTED", after.id)
    elif before.status == "RESOLVED":
        work.tell("CONVERSATION_REOPENED", after.id)
