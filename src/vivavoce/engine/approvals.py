"""Approvals: calls that wait for an operator, and turns that go on once they are decided on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.http_calls import shown_call
from vivavoce.domain.masking import covered
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import OPEN, Approval, Turn
from vivavoce.errors import BudgetSpent, Conflict, InvalidInput, NotFound
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.operations.approvals import (
    AnswerApproval,
    AnsweredApproval,
    ApprovalList,
    ApprovalShown,
    ListApprovals,
)
from vivavoce.ports import Called, Returned, Step

from .asking import GoingOn, run_turn
from .callbacks import call_back
from .handlers import Errand, Work, handles, runs
from .offering import config_of
from .opening import LEASE, Opened, why_silent
from .retrieval import Found, found_again
from .spending import check_budget
from .steps import read_steps
from .toolbox import USED_UP, Toolbox, may_be_called
from .turns import Stopped, check_nobody_took_over, current, interrupted

_REJECTED = "An operator did not allow this call: it was not made."
_PASSED_OVER = "Not called: another call waited for approval. Call it again if it is still needed."


@handles(ListApprovals)
def list_approvals(op: ListApprovals, work: Work) -> ApprovalList:
    wanted: dict[str, Any] = {"state": op.state, "conversation_id": op.conversation_id}
    given = {name: value for name, value in wanted.items() if value is not None}
    found = work.tables.approvals.where(limit=op.limit, **given)
    return ApprovalList(approvals=[_shown(each) for each in found])


@runs(AnswerApproval)
async def answer_approval(op: AnswerApproval, errand: Errand) -> AnsweredApproval:
    decided = await errand.write(lambda work: _decided(op, errand, work))
    url = decided.opened.turn.callback_url
    if url is None:
        answer = await _gone_on(decided, errand)
    else:
        errand.later.begin(call_back(url, lambda: _gone_on(decided, errand), decided.opened, errand))
        answer = _called_back(decided.opened.conversation)
    approval = await errand.read(lambda work: approval_named(op.id, work))
    return AnsweredApproval(approval=_shown(approval), answer=answer)


def approval_named(approval_id: str, work: Work) -> Approval:
    """The approval with this id."""
    approval = work.tables.approvals.find(approval_id)
    if approval is None:
        raise NotFound(f"No approval {approval_id!r}.", hint="List them with list_approvals.")
    return approval


@dataclass(frozen=True)
class _Decided:
    """An approval that was decided on, and all that its turn needs to go on."""

    approval: Approval
    opened: Opened
    query: AgentQuery
    tool: Tool | None
    """The tool as it was when the call was approved; None where it was rejected."""


def _decided(op: AnswerApproval, errand: Errand, work: Work) -> _Decided:
    """Store the decision, once, and let the turn run again."""
    approval = approval_named(op.id, work)
    if approval.state != "pending" and not _was_left(approval, work):
        raise Conflict(
            f"Approval {op.id!r} was decided on already: it is {approval.state}.",
            hint="See what became of it with list_approvals.",
        )
    opened = _opened(approval, work)
    if opened.turn.callback_url is not None:
        errand.later.check_room()
    tool = _approved_tool(approval, opened, work) if op.approved else None
    state = "approved" if op.approved else "rejected"
    by = {"decided_by": work.caller.name, "decided_at": work.now, "note": op.note}
    decided = approval.changed(work.now, state=state, **by)
    work.tables.approvals.replace(decided)
    work.tables.turns.replace(opened.turn)
    work.tell("APPROVAL_ANSWERED", approval.conversation_id, approvalId=approval.id, approved=op.approved)
    query = AgentQuery.model_validate(
        {**approval.query, "id": approval.agent_id, "query": opened.message.text}
    )
    return _Decided(decided, opened, query, tool)


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
        if other.lease_until is not None and other.lease_until > work.now:
            raise Conflict(
                "Another message of the conversation is being answered.", hint="Try again in a moment."
            )
        work.tables.turns.replace(interrupted(other, work.ports))
    lease = work.now + LEASE
    running = turn.changed(work.now, state="running", fence=turn.fence + 1, lease_until=lease, reason="")
    return Opened(agent, conversation, message, running)


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


async def _gone_on(decided: _Decided, errand: Errand) -> AgentAnswer:
    """What the turn comes to; where it ends before an approved call was begun, the call waits again."""
    going_on = _GoingOn(decided, errand)
    try:
        return await run_turn(decided.query, decided.opened, errand, going_on)
    finally:
        if decided.tool is not None and not going_on.has_begun:
            await asyncio.shield(errand.write(lambda work: _waits_again(decided, work)))


def _waits_again(decided: _Decided, work: Work) -> None:
    approval = work.tables.approvals.find(decided.approval.id)
    turn = work.tables.turns.find(decided.opened.turn.id)
    if approval is None or turn is None or turn.state in OPEN or approval != decided.approval:
        return
    undecided = {"state": "pending", "decided_by": None, "decided_at": None, "note": ""}
    work.tables.approvals.replace(approval.changed(work.now, **undecided))
    as_before = {"state": "asking", "reason": approval.reason, "trace": decided.opened.turn.trace}
    work.tables.turns.replace(turn.changed(work.now, fence=turn.fence + 1, lease_until=None, **as_before))
    work.tell("APPROVAL_ASKED", approval.conversation_id, approvalId=approval.id, tool=approval.tool_name)


def _called_back(conversation: Conversation) -> AgentAnswer:
    return AgentAnswer(
        conversation_id=conversation.id,
        visitor_id=conversation.visitor_id or "",
        metadata={"reason": "The answer is sent to callbackURL."},
    )


@dataclass
class _GoingOn(GoingOn):
    """Makes the call if it was approved, and tells the model what became of it."""

    decided: _Decided
    errand: Errand
    has_begun: bool = False
    """Whether it is stored that the call may have been sent."""

    @property
    def is_trusted(self) -> bool:
        return self.decided.approval.is_trusted

    async def steps(self, toolbox: Toolbox) -> tuple[tuple[Step, ...], list[dict[str, Any]]]:
        approval, tool = self.decided.approval, self.decided.tool
        so_far = read_steps(approval.so_far)
        toolbox.under_way += self.decided.opened.turn.trace.get("calls", ())
        toolbox.recall(toolbox.under_way)
        toolbox.numbered.add(await self.errand.read(self._searched))
        note = f" {approval.note}" if approval.note else ""
        if tool is None:
            text = _REJECTED + note
        else:
            text = await self._made(tool, toolbox) + (f"\nThe operator says:{note}" if note else "")
        returned = sum(isinstance(step, Returned) for step in so_far)
        asked, *later = [step for step in so_far if isinstance(step, Called)][returned:]
        passed_over = (Returned(call.id, call.name, _PASSED_OVER) for call in later)
        records = toolbox.under_way.copy()
        toolbox.under_way.clear()
        return (*so_far, Returned(asked.id, asked.name, text), *passed_over), records

    def _searched(self, work: Work) -> list[Found]:
        """The passages that searches had found before, as far as they are still there."""
        passages = self.decided.opened.turn.trace.get("passages", ())
        found = {int(each["chunkId"]): each["score"] for each in passages if each.get("isSearched")}
        return found_again(found, work.tables)

    async def _made(self, tool: Tool, toolbox: Toolbox) -> str:
        """Send what was approved; before that it is stored that it may have been sent."""
        approval = self.decided.approval
        await self.errand.write(lambda work: _sending(self.decided, tool, work))
        self.has_begun = True
        try:
            outcome = await toolbox.carry_out(tool, approval.arguments, approval.variables)
            text, record = outcome.text, outcome.record
        except InvalidInput as error:
            text, record = f"The call failed: {error.message}", {"isError": True}
        toolbox.under_way.append({"name": approval.tool_name, "approvalId": approval.id, **record})
        came = "uncertain" if record.get("isUncertain") else "failed" if record["isError"] else "sent"
        await self.errand.write(lambda work: _made(approval, came, work))
        return text


def _sending(decided: _Decided, tool: Tool, work: Work) -> None:
    """Store that the call may have been sent; Stopped where it must not be any more."""
    approval, turn = decided.approval, current(decided.opened.turn, work.tables)
    conversation = work.tables.conversations.find(approval.conversation_id)
    if conversation is None:
        raise Stopped("The conversation was deleted.")
    check_nobody_took_over(conversation, turn)
    if not may_be_called(tool, conversation):
        raise Stopped(USED_UP)
    work.tables.approvals.replace(approval.changed(work.now, outcome="uncertain"))


def _made(approval: Approval, outcome: str, work: Work) -> None:
    if work.tables.approvals.find(approval.id) is not None:
        work.tables.approvals.replace(approval.changed(work.now, state="done", outcome=outcome))


def _shown(approval: Approval) -> ApprovalShown:
    names = ApprovalShown.model_fields.keys() - {"tool", "arguments"}
    known = {name: getattr(approval, name) for name in names}
    return ApprovalShown(tool=approval.tool_name, arguments=covered(approval.arguments), **known)
