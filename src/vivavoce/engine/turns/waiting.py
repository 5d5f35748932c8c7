"""Waiting for an answer that a job gives: as long as a call may take, then the caller gets a handle."""

from __future__ import annotations

import asyncio
from operator import itemgetter

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.jobs import Job, lane_of_conversation
from vivavoce.domain.turns import OPEN, Turn
from vivavoce.engine.conversations import check_visitor
from vivavoce.engine.handlers import Errand, Work, runs
from vivavoce.engine.references import message_named
from vivavoce.engine.time.jobs import spread
from vivavoce.errors import BudgetSpent, NotFound, UpstreamFailed, VivavoceError
from vivavoce.operations import Caller, Hear, Told
from vivavoce.operations.answers import (
    AgentAnswer,
    AnswerSource,
    ApprovalAsked,
    FetchedAnswer,
    GetAnswer,
    Usage,
)

from .lanes import LINE, is_set

_LOOK = 0.5
"""Seconds between two looks at what another process may have changed."""
_WAITS = (2.0, 10.0, 60.0, 300.0, 1_800.0)
"""Seconds before a turn whose model failed is tried again."""
_LATER = "The answer is not there yet. Fetch it with get_answer and this messageId."
_TOGETHER = "It is answered together with a message that came later."


@runs(GetAnswer)
async def get_answer(op: GetAnswer, errand: Errand) -> FetchedAnswer:
    conversation_id = await errand.read(lambda work: _asked_in(op, work))
    return FetchedAnswer(**dict(await answer_of(op.message_id, conversation_id, errand)))


async def answer_of(message_id: str, conversation_id: str, errand: Errand) -> AgentAnswer:
    """What became of a message that a job answers; once the patience is over, how to ask again.

    Where nobody works, what is due in the conversation is done here; it goes on when the patience is over.
    """
    clock = asyncio.get_running_loop().time
    ends = clock() + errand.patience
    attending: asyncio.Task[None] | None = None
    while True:
        move = LINE.next_move(conversation_id)  # before the look, so that none is missed
        if attending is None or attending.done():
            attending = attend(conversation_id, errand) or attending
        if attending is not None:
            await _first_of(move, attending, max(0.0, ends - clock()))
        told, is_over = await errand.read(lambda work: _told(message_id, work))
        left = ends - clock()
        if is_over or left <= 0:
            return told
        if attending is None or attending.done():
            await is_set(move, min(left, _LOOK))


def retell(answer: AgentAnswer, hear: Hear) -> None:
    """Tell who listens of an answer that a job gave as if it came now: its words, and what they rest on."""
    text, told = answer.answer or "", 0
    for number, place in sorted(answer.metadata.get("citations", ()), key=itemgetter(1)):
        if text[told:place]:
            hear(Told("answer", text[told:place]))
            told = place
        hear(Told("cite", str(number)))
    if text[told:]:
        hear(Told("answer", text[told:]))


def turn_of(message_id: str, work: Work) -> Turn | None:
    """The turn that answers a message, alone or with others."""
    if found := work.tables.turns.where(message_id=message_id):
        return found[-1]
    message = work.tables.messages.find(message_id)
    if message is None:
        return None
    turns = work.tables.turns.where(conversation_id=message.conversation_id)
    return next((turn for turn in turns if message_id in turn.joined), None)


def silent(conversation: Conversation, reason: str) -> AgentAnswer:
    """No answer, and why."""
    return AgentAnswer(
        conversation_id=conversation.id,
        visitor_id=conversation.visitor_id or "",
        metadata={"reason": reason},
    )


def later(conversation: Conversation, turn: Turn, reason: str = _LATER) -> AgentAnswer:
    """No answer yet, and with which message it is fetched."""
    return silent(conversation, reason).model_copy(update={"message_id": turn.message_id})


def kept(error: VivavoceError, turn: Turn, caller: Caller) -> VivavoceError:
    """An error after which the message is stored all the same: where, so that nobody sends it again."""
    message, talk = turn.message_id, turn.conversation_id
    hint = f"The message is kept as {message!r} in conversation {talk!r}."
    if not caller.is_anonymous:
        hint += " Have it answered with retry_answer instead of sending it again."
    return error.saying(hint, conversationId=talk, messageId=message)


def attend(conversation_id: str, errand: Errand) -> asyncio.Task[None] | None:
    """Where nobody works, do what is due in a conversation, also after the call; None where that is left."""
    if errand.has_worker or not errand.later.has_room:
        return None
    return errand.later.begun(_attended(conversation_id, errand))


def wait_for_model(error: VivavoceError, job: Job | None) -> float | None:
    """Seconds before a job tries a turn again that failed so; None where trying again does not help."""
    may_help = error.retryable and not isinstance(error, BudgetSpent)
    if job is None or not may_help or job.attempts > len(_WAITS):
        return None
    return max(spread(_WAITS[job.attempts - 1]), min(error.retry_after or 0.0, _WAITS[-1]))


async def _attended(conversation_id: str, errand: Errand) -> None:
    await errand.attend(lane_of_conversation(conversation_id))


async def _first_of(move: asyncio.Event, attending: asyncio.Task[None], seconds: float) -> None:
    """Wait until something moves, what is due is done, or the time is over."""
    moving = asyncio.create_task(move.wait())
    try:
        await asyncio.wait([moving, attending], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        moving.cancel()


def _asked_in(op: GetAnswer, work: Work) -> str:
    """The conversation of a message that an agent answers, or answered, where the caller may see it."""
    message = work.tables.messages.find(op.message_id)
    if work.caller.is_anonymous:
        check_visitor(None if message is None else message.conversation_id, op.visitor_id, work)
    message = message_named(op.message_id, work)
    if message.from_ == "human" and turn_of(message.id, work) is None:
        raise NotFound(
            f"No agent was asked to answer message {op.message_id!r}.",
            hint="Name the messageId that agent_query gave.",
        )
    return message.conversation_id


def _told(message_id: str, work: Work) -> tuple[AgentAnswer, bool]:
    """What can be told of a message now, and whether there is no more to come."""
    message = work.tables.messages.find(message_id)
    conversation = None if message is None else work.tables.conversations.find(message.conversation_id)
    if message is None or conversation is None:
        raise UpstreamFailed("The conversation was deleted meanwhile.")
    turn = turn_of(message_id, work)
    if turn is None:
        return _said(message, conversation, work), True
    if turn.message_id != message_id:
        return later(conversation, turn, _TOGETHER), True
    if turn.state in OPEN:
        return later(conversation, turn), False
    return _ended(turn, conversation, work), True


def _ended(turn: Turn, conversation: Conversation, work: Work) -> AgentAnswer:
    if turn.state == "asking":
        asked = work.tables.approvals.where(turn_id=turn.id, state="pending")
        shows = not work.caller.is_anonymous
        approvals = [
            ApprovalAsked(id=each.id, tool=each.tool_name, payload=each.payload if shows else {})
            for each in asked
        ]
        return silent(conversation, turn.reason).model_copy(update={"answer": "", "approvals": approvals})
    if turn.state == "failed":
        raise kept(UpstreamFailed(turn.reason), turn, work.caller)
    answer = None if turn.answer_id is None else work.tables.messages.find(turn.answer_id)
    return silent(conversation, turn.reason) if answer is None else _said(answer, conversation, work)


def _said(answer: Message, conversation: Conversation, work: Work) -> AgentAnswer:
    """An answer that is stored, as who asked is told it."""
    agent = None if answer.agent_id is None else work.tables.agents.find(answer.agent_id)
    usage = None if answer.usage is None else Usage.model_validate(answer.usage)
    shows = agent is None or agent.include_sources
    sources = [AnswerSource.model_validate(each) for each in answer.sources or ()] if shows else []
    return AgentAnswer(
        answer=answer.text,
        conversation_id=conversation.id,
        visitor_id=conversation.visitor_id or "",
        message_id=answer.id,
        sources=sources,
        metadata=answer.metadata or {},
        usage=usage.model_copy(update={"cost": None}) if usage and work.caller.is_anonymous else usage,
    )
