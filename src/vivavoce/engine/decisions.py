"""Decisions on calls: the call is made if it was approved, once, and its turn goes on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from vivavoce.domain.http.masking import covered
from vivavoce.domain.jobs import Job
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import OPEN, Approval, Turn
from vivavoce.errors import InvalidInput
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.ports import Called, Returned, Step

from .asking import GoingOn, run_turn
from .handlers import Errand, Work
from .library.retrieval import Found, found_again
from .turns.endings import said_together
from .turns.lanes import Stopped, check_nobody_took_over, current
from .turns.opening import Opened
from .turns.steps import read_steps
from .turns.toolbox import USED_UP, Toolbox, may_be_called

_REJECTED = "An operator did not allow this call: it was not made."
_UNKNOWN = (
    "This call was approved and begun, and the process that made it ended. Whether it took effect is not "
    "known: do not repeat it, say so."
)
_PASSED_OVER = "Not called: another call waited for approval. Call it again if it is still needed."


@dataclass(frozen=True)
class Decided:
    """An approval that was decided on, and all that its turn needs to go on."""

    approval: Approval
    opened: Opened
    query: AgentQuery
    tool: Tool | None
    """The tool of a call that is to be made; None where it was rejected, or made in an earlier attempt."""


async def go_on(decided: Decided, errand: Errand, job: Job | None = None) -> AgentAnswer:
    """What the turn comes to; where it ends before an approved call was begun, the call waits again."""
    going_on = _GoingOn(decided, errand)
    try:
        return await run_turn(decided.query, decided.opened, errand, going_on, job)
    finally:
        if decided.tool is not None and not going_on.has_begun:
            await asyncio.shield(errand.write(lambda work: _waits_again(decided, work)))


def query_of(approval: Approval, opened: Opened, work: Work) -> AgentQuery:
    """What was asked: all that came together, as one."""
    query = AgentQuery.model_validate({**approval.query, "id": approval.agent_id, "query": "."})
    return query.model_copy(update={"query": said_together(opened.turn, opened.message, work).text})


def ask_again(approval: Approval, turn: Turn, work: Work) -> None:
    """Let a call that was not made wait for an operator again."""
    undecided = {"state": "pending", "decided_by": None, "decided_at": None, "note": ""}
    work.tables.approvals.replace(approval.changed(work.now, **undecided))
    as_before = {"state": "asking", "reason": approval.reason, "fence": turn.fence + 1, "lease_until": None}
    work.tables.turns.replace(turn.changed(work.now, **as_before))
    work.tell("APPROVAL_ASKED", approval.conversation_id, approvalId=approval.id, tool=approval.tool_name)


def _waits_again(decided: Decided, work: Work) -> None:
    approval = work.tables.approvals.find(decided.approval.id)
    turn = work.tables.turns.find(decided.opened.turn.id)
    if approval is None or turn is None or turn.state in OPEN or approval != decided.approval:
        return
    ask_again(approval, turn.model_copy(update={"trace": decided.opened.turn.trace}), work)


@dataclass
class _GoingOn(GoingOn):
    """Makes the call if it was approved, and tells the model what became of it."""

    decided: Decided
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
        if approval.state == "rejected":
            text = _REJECTED + note
        else:
            made = await (self._made_before(toolbox) if tool is None else self._made(tool, toolbox))
            text = made + (f"\nThe operator says:{note}" if note else "")
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

    async def _made_before(self, toolbox: Toolbox) -> str:
        """What the call gave in an earlier attempt of the turn, as far as that is known."""
        approval = self.decided.approval
        if all(each.get("approvalId") != approval.id for each in toolbox.under_way):
            toolbox.under_way.append({**approval.record, "isEarlier": True})
            toolbox.recall(toolbox.under_way)
            if approval.outcome != "failed":
                toolbox.counted[approval.tool_id] = toolbox.counted.get(approval.tool_id, 0) + 1
        if approval.state == "approved":  # that is all that will be known of it
            await self.errand.write(lambda work: _made(approval, "uncertain", "", approval.record, work))
        return approval.returned or _UNKNOWN

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
        record = {"name": approval.tool_name, "approvalId": approval.id, **record}
        toolbox.under_way.append(record)
        came = "uncertain" if record.get("isUncertain") else "failed" if record["isError"] else "sent"
        await self.errand.write(lambda work: _made(approval, came, text, record, work))
        return text


def _sending(decided: Decided, tool: Tool, work: Work) -> None:
    """Store that the call may have been sent; Stopped where it must not be any more."""
    approval, turn = decided.approval, current(decided.opened.turn, work.tables)
    conversation = work.tables.conversations.find(approval.conversation_id)
    if conversation is None:
        raise Stopped("The conversation was deleted.")
    check_nobody_took_over(conversation, turn)
    if not may_be_called(tool, conversation):
        raise Stopped(USED_UP)
    work.tables.turns.replace(turn.changed(work.now))  # who takes it up meanwhile collides, on Postgres too
    record = {
        "name": approval.tool_name,
        "approvalId": approval.id,
        "tool": approval.tool_id,
        "arguments": covered(approval.arguments),
        "request": approval.payload,
        "status": None,
        "isError": True,
        "isUncertain": True,
    }
    work.tables.approvals.replace(approval.changed(work.now, outcome="uncertain", record=record))


def _made(approval: Approval, outcome: str, text: str, record: dict[str, Any], work: Work) -> None:
    if work.tables.approvals.find(approval.id) is not None:
        changes = {"state": "done", "outcome": outcome, "returned": text, "record": record}
        work.tables.approvals.replace(approval.changed(work.now, **changes))
