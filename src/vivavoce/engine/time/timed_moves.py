"""Timed moves: a conversation that stayed long enough in a step moves on by itself."""

from __future__ import annotations

from functools import partial

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.crm import CrmLog
from vivavoce.domain.jobs import Job
from vivavoce.domain.moving import MOST_IN_A_ROW, is_going_round, is_hasty, wait_in
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.moving import current_stay, enter
from vivavoce.engine.turns.lanes import LINE
from vivavoce.engine.turns.opening import why_silent

from .jobs import does, finish, wait

_A_MINUTE = 60.0


def _given_up(job: Job, reason: str, work: Work) -> None:
    """Let the logs say that a move was wanted and not made; the conversation stays where it is."""
    conversation = work.tables.conversations.find(job.facts["conversation"])
    step = work.tables.steps.find(job.facts["step"])
    to = None if step is None else work.tables.steps.find(step.auto_next_step_id or "")
    if conversation is not None and to is not None:
        failed = CrmLog(
            **work.identity(),
            conversation_id=conversation.id,
            scenario_id=to.scenario_id,
            step_id=to.id,
            status="error",
            cause="time",
        )
        work.tables.crm_logs.add(failed)


@does("next_step", gives_up=_given_up)
async def next_step(job: Job, errand: Errand) -> None:
    """Move a conversation on, in one transaction."""
    await errand.write(lambda work: _moved_on(job, work))


def _moved_on(job: Job, work: Work) -> None:
    """Enter the next step, if the conversation is still in the very stay that the timer was set for."""
    conversation = work.tables.conversations.find(job.facts["conversation"])
    stay = None if conversation is None else current_stay(conversation, work)
    step = work.tables.steps.find(job.facts["step"])
    stays = None if step is None else wait_in(step)
    if conversation is None or stay is None or step is None or stays is None or stay.id != job.facts["log"]:
        finish(job, work)
        return
    early = (stay.created_at + stays - work.now).total_seconds()  # the step was told to wait longer meanwhile
    logs = work.tables.crm_logs.where(conversation_id=conversation.id, newest_first=True, limit=MOST_IN_A_ROW)
    if early > 0 or is_hasty(logs, work.now):
        wait(job, max(early, _A_MINUTE) if is_hasty(logs, work.now) else early, work)
        return
    finish(job, work)
    to = work.tables.steps.find(step.auto_next_step_id or "")
    if to is None or is_going_round(logs, conversation.last_human_interaction_at):
        return
    enter(conversation, to, work, cause="time", may_say=partial(_may_speak, work))
    work.afterwards.append(partial(LINE.moved, conversation.id))


def _may_speak(work: Work, conversation: Conversation) -> bool:
    agent = None if conversation.agent_id is None else work.tables.agents.find(conversation.agent_id)
    return agent is not None and not why_silent(agent, conversation, work)
