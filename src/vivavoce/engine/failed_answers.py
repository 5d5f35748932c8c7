"""Answers that failed, or whose process ended in their midst: shown, and tried again by hand."""

from __future__ import annotations

from vivavoce.domain.turns import OPEN, Turn
from vivavoce.errors import Conflict, NotFound
from vivavoce.operations.answers import (
    AgentAnswer,
    FailedAnswer,
    FailedAnswerList,
    ListFailedAnswers,
    RetryAnswer,
)
from vivavoce.operations.cursors import place_of

from .handlers import Work, handles
from .references import message_named
from .turns.holding import take_up
from .turns.waiting import silent, turn_of

_LATER = "It is tried again. Fetch the answer with get_answer and this messageId."


@handles(ListFailedAnswers)
def list_failed_answers(op: ListFailedAnswers, work: Work) -> FailedAnswerList:
    before = None if op.cursor is None else place_of(op.cursor)
    found = work.tables.turns.failed(op.limit, before)
    return FailedAnswerList(answers=[_shown(turn) for turn in found])


@handles(RetryAnswer)
def retry_answer(op: RetryAnswer, work: Work) -> AgentAnswer:
    turn = turn_of(message_named(op.message_id, work).id, work)
    conversation = None if turn is None else work.tables.conversations.find(turn.conversation_id)
    if turn is None or conversation is None or turn.state not in ("failed", "interrupted"):
        raise NotFound(
            f"No answer to message {op.message_id!r} failed.", hint="List them with list_failed_answers."
        )
    if any(work.tables.turns.where(conversation_id=conversation.id, state=state) for state in OPEN):
        raise Conflict(
            "Another message of the conversation is being answered.", hint="Try again in a moment."
        )
    take_up(turn, work, **_decision_in(turn, work))
    return silent(conversation, _LATER).model_copy(update={"message_id": turn.message_id})


def _decision_in(turn: Turn, work: Work) -> dict[str, str]:
    """The decision of an operator that the turn had gone on after, so that it goes on there."""
    decided = work.tables.approvals.where(turn_id=turn.id)
    return {"approval": decided[-1].id} if decided else {}


def _shown(turn: Turn) -> FailedAnswer:
    return FailedAnswer(
        id=turn.id,
        message_id=turn.message_id,
        conversation_id=turn.conversation_id,
        agent_id=turn.agent_id,
        reason=turn.reason,
        created_at=turn.created_at,
        failed_at=turn.updated_at,
    )
