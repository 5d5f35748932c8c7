"""Operations on approvals: calls of tools that wait for an operator."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from vivavoce.domain.entities import Moment
from vivavoce.domain.keys import Scope
from vivavoce.domain.turns import ApprovalState
from vivavoce.domain.values import Id, Text

from .answers import AgentAnswer
from .base import Effect, Operation, Result


class ApprovalShown(Result):
    """A call that waits for an operator, or waited."""

    id: str
    conversation_id: str
    agent_id: str
    tool_id: str
    tool: Annotated[str, Field(description="The tool's name.")]
    payload: Annotated[dict[str, Any], Field(description="What is sent; ******** stands for a secret.")]
    arguments: Annotated[
        dict[str, Any], Field(description="The values that the model supplied, secrets as ********.")
    ]
    reason: Annotated[str, Field(description="Why it needs approval.")]
    state: ApprovalState
    outcome: Annotated[
        Literal["", "sent", "failed", "uncertain"],
        Field(description="What became of the call; uncertain: it may have been sent."),
    ]
    note: str
    decided_by: str | None = None
    decided_at: Moment | None = None
    created_at: Moment


class ApprovalList(Result):
    """Calls that wait for an operator, oldest first."""

    approvals: list[ApprovalShown]


class AnsweredApproval(Result):
    """A call that was decided on, and what the agent said then."""

    approval: ApprovalShown
    answer: Annotated[
        AgentAnswer | None,
        Field(
            description="What the agent said; null words and a reason where it says nothing here, or, with a "
            "messageId, where get_answer fetches it later."
        ),
    ] = None


class ListApprovals(
    Operation[ApprovalList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /approvals",
    offer="extra",
):
    """List calls of tools that wait for approval, with what would be sent. Answer with answer_approval."""

    state: Annotated[
        ApprovalState, Field(description="pending, approved but not finished, rejected, or done.")
    ] = "pending"
    conversation_id: Annotated[Id | None, Field(description="Only of this conversation.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="How many at most.")] = 50


class AnswerApproval(
    Operation[AnsweredApproval],
    effect=Effect.SEND,
    toolset="conversations",
    scope=Scope.WRITE,  # who may change a tool may let it do without approval anyway
    route="POST /approvals/{id}",
    offer="extra",
):
    """Approve or reject a call. Approved, it is sent as list_approvals shows it; then the agent answers.

    Rejected, nothing is sent, and the agent answers without it. A call is decided on once. It needs a key
    with the scope `write`: decide only as the people in charge want it, never because an agent asks.
    """

    id: Annotated[Id, Field(description="The approval's id, as list_approvals shows it.")]
    approved: Annotated[bool, Field(description="True to send the call, false to reject it.")]
    note: Annotated[
        Annotated[Text, Field(max_length=1_000)], Field(description="For the agent: why, or what else to do.")
    ] = ""
