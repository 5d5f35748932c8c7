"""Approvals: calls that wait for an operator, who decides on each of them once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.http.http_calls import shown_call
from vivavoce.domain.http.masking import covered
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import OPEN, Approval, Turn
from vivavoce.errors import BudgetSpent, Conflict, InvalidInput, NotFound
from vivavoce.operations.approvals import (
    AnswerApproval,
    AnsweredApproval,
    ApprovalList,
    ApprovalShown,
    ListApprovals,
)

from .decisions import Decided, ask_again, go_on, query_of
from .handlers import Errand, Work, handles, runs
from .turns.holding import take_up
from .turns.lanes import Stopped, check_nobody_took_over, interrupt
from .turns.offering import config_of
from .turns.opening import LEASE, Opened, why_silent
from .turns.spending import check_budget
from .turns.toolbox import USED_UP, may_be_called
from .turns.waiting import answer_of


@handles(ListApprovals)
def list_approvals(op: ListApprovals, work: Work) -> ApprovalList:
    wanted: dict[str, Any] = {"state": op.state, "conversation_id": op.conversation_id}
    given = {name: value for name, value in wanted.items() if value is not None}
    found = work.tables.approvals.where(limit=op.limit, **given)
    return ApprovalList(approvals=[_shown(each) for each in found])


@runs(AnswerApproval)
async def answer_approval(op: AnswerApproval, errand: Errand) -> AnsweredApproval:
    decided = await errand.write(lambda work: _decided(op, work))
    message, turn = decided.opened.message, decided.opened.turn
    if turn.durable:  # a job goes on with it, whoever goes away
        answer = await answer_of(message.id, turn.conversation_id, errand)
    else:
        answer = await go_on(decided, errand)
    approval = await errand.read(lambda work: approval_named(op.id, work))
    return AnsweredApproval(approval=_shown(approval), answer=answer)


def approval_named(approval_id: str, work: Work) -> Approval:
    """The approval with this id."""
    approval = work.tables.approvals.find(approval_id)
    if approval is None:
        raise NotFound(f"No approval {approval_id!r}.", hint="List them with list_approvals.")
    return approval


def decided_before(approval: Approval, opened: Opened, work: Work) -> Decided | None:
    """A decision that a job goes on with; None, and it waits again, where the call cannot be made now."""
    tool = None
    if approval.state == "approved" and approval.outcome == "":
        try:
            tool = _approved_tool(approval, opened, work)
        except Conflict:
            ask_again(approval, opened.turn, work)
            return None
    return Decided(approval, opened, query_of(approval, opened, work), tool)


def _decided(op: AnswerApproval, work: Work) -> Decided:
    """Store the decision, once, and let the turn run again."""
    approval = approval_named(op.id, work)
    if approval.state != "pending" and not _was_left(approval, work):
        raise Conflict(
            f"Approval {op.id!r} was decided on already: it is {approval.state}.",
            hint="See what became of it with list_approvals.",
        )
    opened = _opened(approval, work)
    tool = _approved_tool(approval, opened, work) if op.approved else None
    state = "approved" if op.approved else "rejected"
    by = {"decided_by": work.caller.name, "decided_at": work.now, "note": op.note}
    decided = approval.changed(work.now, state=state, **by)
    work.tables.approvals.replace(decided)
    if opened.turn.durable:
        opened = replace(opened, turn=take_up(opened.turn, work, approval=approval.id))
    else:
        work.tables.turns.replace(opened.turn)
    work.tell("APPROVAL_ANSWERED", approval.conversation_id, approvalId=approval.id, approved=op.approved)
    return Decided(decided, opened, query_of(approval, opened, work), tool)


def _was_left(approval: Approval, work: Work) -> bool:
    """Whether a process ended after a call was approved and before it was begun."""
    turn = work.tables.turns.find(approval.turn_id)
    is_not_begun = approval.state == "approved" and approval.outcome == ""
    return is_not_begun and turn is not None and turn.state == "interrupted"


def _opened(approval: Approval, work: Work) -> Opened:
    """The turn of an approval, running again under a new fence; Conflict where another one is running."""
    turn = work.tables.turns.find(approval.turn_id)
    agent = work.tables.agents.find(approval.agent_id)
    conversation = work.tables.conversations.find(approval.conversation_id)
    message = None if turn is None else work.tables.messages.find(turn.message_id)
    if turn is None or agent is None or conversation is None or message is None or _is_over(turn, approval):
        raise Conflict("The turn that asked for this call is over.", hint="Nothing is left to decide.")
    for other in (each for state in OPEN for each in _turns(conversation, state, work)):
        if other.durable or (other.lease_until is not None and other.lease_until > work.now):
            raise Conflict(
                "Another message of the conversation is being answered.", hint="Try again in a moment."
            )
        interrupt(other, work.ports, work.tables)
    lease = work.now + LEASE
    changes = {"state": "running", "fence": turn.fence + 1, "lease_until": lease, "reason": ""}
    return Opened(agent, conversation, message, turn.changed(work.now, stranded=False, **changes))


def _is_over(turn: Turn, approval: Approval) -> bool:
    return turn.state != ("asking" if approval.state == "pending" else "interrupted")


def _turns(conversation: Conversation, state: str, work: Work) -> list[Turn]:
    return work.tables.turns.where(conversation_id=conversation.id, state=state)


def _approved_tool(approval: Approval, opened: Opened, work: Work) -> Tool:
    """The tool that will be called; Conflict where it would not be, or would not send what was shown."""
    try:
        check_nobody_took_over(opened.conversation, opened.turn)
    except Stopped as stopped:
        raise Conflict(
            f"{stopped.reason} The call is not made now.",
            hint="Reject it. Only where nobody took over can it be approved once the agent speaks again.",
        ) from None
    _check_may_go_on(opened, work)
    tool = work.tables.tools.find(approval.tool_id)
    config = None if tool is None else config_of(tool)
    if tool is None or config is None:
        raise Conflict("The tool is not there any more.", hint="Reject the call.")
    try:
        payload = shown_call(config, approval.arguments, approval.variables)
    except InvalidInput:
        payload = {}
    if payload != approval.payload:
        raise Conflict(
            "The tool was changed since: it would send something else than was shown.",
            hint="Reject the call; the agent can ask for it again.",
        )
    if not may_be_called(tool, opened.conversation):
        raise Conflict(USED_UP, hint="Reject the call.")
    return tool


def _check_may_go_on(opened: Opened, work: Work) -> None:
    """Conflict where the turn would end before the call: it stays to be decided on."""
    silence = why_silent(opened.agent, opened.conversation, work)
    if silence:
        raise Conflict(f"{silence} The call is not made now.", hint="Approve it later, or reject it.")
    try:
        check_budget(opened.agent, work.now, work.tables)
    except BudgetSpent as spent:
        raise Conflict(f"{spent.message} The call is not made now.", hint=spent.hint) from None


def _shown(approval: Approval) -> ApprovalShown:
    names = ApprovalShown.model_fields.keys() - {"tool", "arguments"}
    known = {name: getattr(approval, name) for name in names}
    return ApprovalShown(tool=approval.tool_name, arguments=covered(approval.arguments), **known)
