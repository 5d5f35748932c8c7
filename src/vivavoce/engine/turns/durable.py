"""Durable turns: answered by a job, in whatever process, even if the one that took the message ends."""

from __future__ import annotations

from vivavoce.domain.conversations import Message
from vivavoce.domain.jobs import Job
from vivavoce.domain.turns import OPEN, Approval, Turn
from vivavoce.engine.approvals import decided_before
from vivavoce.engine.asking import run_turn
from vivavoce.engine.decisions import Decided, go_on
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.time.jobs import TIME, check_ours, does, finish
from vivavoce.errors import UpstreamFailed
from vivavoce.operations import STRANGER
from vivavoce.operations.answers import AgentQuery, Attachment

from .endings import tell_of_the_end
from .opening import LEASE, Opened
from .typing import Typist

_AT_ONCE = 128
"""How many answers are under way in a process; to wait for a model is no work, and work has its own pace."""
_GONE = "What it was to answer is not there any more."


def _given_up(job: Job, reason: str, work: Work) -> None:
    turn = work.tables.turns.find(job.facts["turn"])
    if turn is not None and turn.state in OPEN:
        changes = {"state": "failed", "reason": reason, "fence": turn.fence + 1, "lease_until": None}
        work.tables.turns.replace(turn.changed(work.now, **changes))
        tell_of_the_end(turn, "failed", reason, UpstreamFailed.wire, work)


@does("answer", gives_up=_given_up, at_once=_AT_ONCE)
async def answer(job: Job, errand: Errand) -> None:
    """Answer a message, or several that came together."""
    begun = await errand.write(lambda work: _begun(job, work))
    if begun is None:
        return
    op, opened, decided = begun
    caller = TIME if opened.turn.is_trusted else STRANGER
    async with Typist(opened.conversation.id, errand).shown():
        if decided is None:
            await run_turn(op, opened, errand.of(caller), job=job)
        else:
            await go_on(decided, errand.of(caller), job)


def _begun(job: Job, work: Work) -> tuple[AgentQuery, Opened, Decided | None] | None:
    """The turn, running under a new fence, with the decision that it goes on after; None where it is over."""
    check_ours(job, work)
    turn = work.tables.turns.find(job.facts["turn"])
    if turn is None or turn.state not in OPEN:
        finish(job, work)
        return None
    approval = _approval(job, work)
    agent = work.tables.agents.find(turn.agent_id if approval is None else approval.agent_id)
    conversation = work.tables.conversations.find(turn.conversation_id)
    message = work.tables.messages.find(turn.message_id)
    if agent is None or conversation is None or message is None:
        finish(job, work)
        _given_up(job, _GONE, work)
        return None
    state = "running" if not work.tables.turns.is_held_up(turn, work.now) else "waiting"
    turn = turn.changed(work.now, state=state, fence=turn.fence + 1, lease_until=work.now + LEASE)
    work.tables.turns.replace(turn)
    opened = Opened(agent, conversation, message, turn)
    if approval is None:
        return _query(turn, message, work), opened, None
    decided = decided_before(approval, opened, work)
    if decided is None:  # it waits for an operator again
        finish(job, work)
        return None
    return decided.query, opened, decided


def _approval(job: Job, work: Work) -> Approval | None:
    """The approval that the turn goes on after, if it was asking."""
    return work.tables.approvals.find(job.facts["approval"]) if "approval" in job.facts else None


def _query(turn: Turn, message: Message, work: Work) -> AgentQuery:
    """What is asked: all that came together, as one."""
    together = work.tables.messages.within("id", turn.joined) or [message]
    query = AgentQuery.model_validate({**turn.query, "id": turn.agent_id, "query": "."})
    files = [Attachment.model_validate(each) for one in together for each in one.attachments]
    text = "\n".join(one.text for one in together if one.text)
    return query.model_copy(update={"query": text, "attachments": files, "images": []})
