"""Finishing a turn: what it came to is stored in one go, or nothing of it is said."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.turns import OPEN, Approval, TurnState
from vivavoce.engine.handlers import Work
from vivavoce.engine.time.announcing import announce
from vivavoce.engine.time.outgoing import say
from vivavoce.engine.time.silences import expect_answer
from vivavoce.operations.answers import AgentAnswer, ApprovalAsked, Usage

from .assembling import Scene
from .endings import answer_back, said_together, tell_of_the_end
from .holding import let_others_pass, take_up
from .lanes import Stopped, Taken, check_nobody_took_over, current
from .outcomes import Asked
from .spending import spend
from .steps import written_steps
from .toolbox import Toolbox
from .tracing import Done, model_in, trace_of


def finished(done: Done, mine: Taken, message: Message, work: Work) -> AgentAnswer:
    """Store what the turn came to; Stopped when a person took over meanwhile."""
    conversation = work.tables.conversations.find(done.scene.conversation.id)
    if conversation is None:
        raise Stopped("The conversation was deleted.")
    current(mine.turn, work.tables)
    check_nobody_took_over(conversation, mine.turn)
    conversation = _counted(conversation, done.toolbox, work)
    usage = spend(done.meter, work)
    if done.drafted.asked is not None:
        return _asked(done, done.drafted.asked, conversation, mine, usage, work)
    sources = done.checked.sources
    answer = work.tables.messages.append(
        Message(
            **work.identity(),
            conversation_id=conversation.id,
            from_="agent",
            text=done.drafted.text,
            sources=[source.model_dump(mode="json") for source in sources],
            usage=usage.model_dump(mode="json"),
            agent_id=done.scene.agent.id,
            input_id=message.id,
            agent_model=model_in(done.drafted.spent),
            metadata={
                "citations": [list(cite) for cite in done.checked.cites],
                **({"isCut": True} if done.drafted.is_cut else {}),
                **({"isStepAgentResponse": True} if done.scene.is_step_agent else {}),
            },
        )
    )
    mine.finish(work.tables, "answered", answer=answer, trace=trace_of(done, sources, usage))
    conversation = _moved(conversation, done.toolbox, work)
    say(conversation, answer, work, by_ai=True)
    heard = said_together(mine.turn, message, work)
    announce("AGENT_USER_MESSAGE", conversation, work, heard=heard, message=answer, **_by_step(done.scene))
    expect_answer(conversation, done.scene.agent, work)
    told = AgentAnswer(
        answer=answer.text,
        conversation_id=conversation.id,
        visitor_id=conversation.visitor_id or "",
        message_id=answer.id,
        sources=sources if done.scene.agent.include_sources else [],
        metadata=answer.metadata or {},
        usage=_shown(usage, done),
    )
    answer_back(told.wire(), conversation, mine.turn, work)
    return told


def _by_step(scene: Scene) -> dict[str, Any]:
    """That the agent of a CRM step answered, and which it was."""
    if not scene.is_step_agent:
        return {"agent": scene.agent}
    return {"isStepAgentResponse": True, "stepAgentId": scene.agent.id, "stepAgentName": scene.agent.name}


def _asked(
    done: Done, asked: Asked, conversation: Conversation, mine: Taken, usage: Usage, work: Work
) -> AgentAnswer:
    """Store a call that waits for an operator, and how far the turn has come."""
    approval = Approval(
        **work.identity(),
        conversation_id=conversation.id,
        turn_id=mine.turn.id,
        agent_id=done.scene.agent.id,
        tool_id=asked.tool.id,
        tool_name=asked.tool.name,
        payload=asked.payload,
        arguments=asked.arguments,
        variables=asked.variables,
        query=done.scene.query.model_dump(mode="json", exclude={"id", "query"}, exclude_defaults=True),
        is_trusted=done.scene.is_trusted,
        reason=asked.reason,
        so_far=written_steps(done.drafted.steps),
    )
    work.tables.approvals.add(approval)
    work.tables.conversations.replace(conversation)
    work.tell("APPROVAL_ASKED", conversation.id, approvalId=approval.id, tool=asked.tool.name)
    mine.finish(work.tables, "asking", reason=asked.reason, trace=trace_of(done, (), usage))
    told = AgentAnswer(
        answer="",
        conversation_id=conversation.id,
        visitor_id=conversation.visitor_id or "",
        usage=_shown(usage, done),
        approvals=[_asked_of(approval, is_trusted=done.scene.is_trusted)],
    )
    answer_back(told.wire(), conversation, mine.turn, work)
    return told


def _asked_of(approval: Approval, *, is_trusted: bool) -> ApprovalAsked:
    """An approval as the caller may see it: to strangers the settings of a tool are no business."""
    payload = approval.payload if is_trusted else {}
    return ApprovalAsked(id=approval.id, tool=approval.tool_name, payload=payload)


def _shown(usage: Usage, done: Done) -> Usage:
    """What a turn cost, without the money for strangers."""
    return usage if done.scene.is_trusted else usage.model_copy(update={"cost": None})


def _counted(conversation: Conversation, toolbox: Toolbox, work: Work) -> Conversation:
    counts = dict(conversation.tool_calls)
    for tool_id, number in toolbox.counted.items():
        counts[tool_id] = counts.get(tool_id, 0) + number
    return conversation.changed(work.now, tool_calls=counts)


def _moved(conversation: Conversation, toolbox: Toolbox, work: Work) -> Conversation:
    """Store the conversation as its tools left it."""
    if toolbox.wants_human:
        conversation = conversation.with_ai(work.now, enabled=False).changed(
            work.now, status="HUMAN_REQUESTED"
        )
        work.tell("HUMAN_REQUESTED", conversation.id)
    elif toolbox.is_resolved:
        conversation = conversation.changed(work.now, status="RESOLVED", unread_messages_count=0)
        work.tell("CONVERSATION_RESOLVED", conversation.id)
    work.tables.conversations.replace(conversation)
    return conversation


def put_off(
    done: Done | None, mine: Taken, seconds: float, reason: str, work: Work, *, has_failed: bool
) -> None:
    """Let a job answer a turn later; what was spent counts all the same, where the turn is still ours."""
    with suppress(Stopped):
        mine.put_off(work.tables, work.now + timedelta(seconds=seconds), reason, has_failed=has_failed)
        if done is not None and work.tables.agents.find(done.scene.agent.id) is not None:
            spend(done.meter, work)


def left(mine: Taken, work: Work) -> None:
    """Let a job answer a turn whose time has not come: a new one, or the same behind others."""
    turn = mine.stored(work.tables)
    if mine.job is None:
        take_up(turn, work)
    else:
        let_others_pass(turn, mine.job, work)


def ended(done: Done | None, mine: Taken, state: TurnState, reason: str, work: Work, error: str = "") -> None:
    """End a turn without an answer; what was called, spent and wished for counts all the same.

    Where it is ended already, that stands. `error` is its code, where it failed.
    """
    stored = work.tables.turns.find(mine.turn.id)
    if stored is not None and stored.fence == mine.turn.fence and stored.state not in OPEN:
        return  # whoever waited for this to be stored went away meanwhile, and it was
    usage = Usage()
    if done is not None and work.tables.agents.find(done.scene.agent.id) is not None:
        usage = spend(done.meter, work)
    with suppress(Stopped):
        trace = mine.turn.trace if done is None else trace_of(done, (), usage)
        mine.finish(work.tables, state, reason=reason, trace=trace)
        conversation = None if done is None else work.tables.conversations.find(done.scene.conversation.id)
        if done is not None and conversation is not None:
            _moved(_counted(conversation, done.toolbox, work), done.toolbox, work)
        tell_of_the_end(mine.turn, state, reason, error, work)
