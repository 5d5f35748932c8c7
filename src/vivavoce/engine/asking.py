"""Asking an agent: from a message to an answer, stored step by step, so that nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from vivavoce.domain.jobs import Job
from vivavoce.domain.turns import TurnState
from vivavoce.errors import VivavoceError
from vivavoce.operations import Told
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.ports import Model, Step, others_first

from .handlers import Errand, Work, runs
from .library.retrieval import Found
from .time.callbacks import begin_at_once, check_callback
from .triggers import follow_trigger
from .turns.ahead import Ahead
from .turns.answering import Drafted, answered, round_ms
from .turns.assembling import Scene, prompt_for
from .turns.confirming import Confirming
from .turns.drafting import draft
from .turns.finishing import ended, finished, left, put_off
from .turns.guarding import GuardedModel
from .turns.journal import Journal
from .turns.knowing import Earlier, Known, check_filters, known_at_once, known_of
from .turns.lanes import Stopped, Taken, its_time
from .turns.looks import alive
from .turns.numbering import Numbered
from .turns.opening import Opened, open_turn
from .turns.sources import Checked, checked, own_numbers
from .turns.spending import Meter
from .turns.toolbox import Toolbox
from .turns.tracing import Done
from .turns.waiting import answer_of, attend, kept, later, retell, silent, wait_for_model

_GONE = "The caller went away."
_AT_ONCE = 10_000
"""Characters of an answer times those of its passages: so many are checked in a millisecond or two."""


@runs(AgentQuery)
async def agent_query(op: AgentQuery, errand: Errand) -> AgentAnswer:
    if op.is_draft:
        return await draft(op, errand)
    if op.callback_url is not None:
        check_callback(errand)
    await others_first()
    ahead = Ahead(errand)
    opened, known = await _opened(op, errand, ahead)
    if op.callback_url is not None:
        begin_at_once(opened, errand)
        return silent(opened.conversation, opened.turn.reason or "The answer is sent to callbackURL.")
    if opened.turn.state == "silent":
        return silent(opened.conversation, opened.turn.reason)
    if not opened.turn.durable:
        try:
            return await run_turn(op, opened, errand, begun=Begun(known, ahead))
        except VivavoceError as error:
            raise kept(error, opened.turn, errand.caller) from error
    errand.hear(Told("queued", opened.turn.id))
    answer = await answer_of(opened.message.id, opened.conversation.id, errand)
    retell(answer, errand.hear)
    return answer


async def _opened(op: AgentQuery, errand: Errand, ahead: Ahead) -> tuple[Opened, Known | None]:
    """The turn of a message, and what is known where it runs at once.

    A caller who goes away while it is stored leaves none behind.
    """

    def begun(work: Work) -> tuple[Opened, Known | None]:
        opened = open_turn(op, work)
        check_filters(op, opened, work)
        if opened.turn.durable:
            errand.backlog.take(work.tables)
        known = known_at_once(op, opened, work)
        if known is not None:
            ahead.begin(known.looks)
        return opened, known

    opening = asyncio.ensure_future(errand.write(begun))
    try:
        return await asyncio.shield(opening)
    except BaseException as error:
        try:
            if isinstance(error, asyncio.CancelledError):
                await _to_its_end(_left(opening, errand))
        finally:
            ahead.drop()
        raise


async def _left(opening: Awaitable[tuple[Opened, Known | None]], errand: Errand) -> None:
    """End the turn of a caller who went away before it was opened."""
    turn = (await opening)[0].turn
    if not turn.durable:
        mine = Taken(turn, errand.ports)
        await errand.write(lambda work: ended(None, mine, "interrupted", _GONE, work))


class GoingOn(Earlier, Protocol):
    """How a turn that was asking an operator goes on."""

    async def steps(self, toolbox: Toolbox) -> tuple[tuple[Step, ...], list[dict[str, Any]]]:
        """What happened so far, and the calls of the trace."""
        ...


class Begun(NamedTuple):
    """What was known, and is being looked for already, when a turn was opened."""

    known: Known | None
    ahead: Ahead


async def run_turn(
    op: AgentQuery,
    opened: Opened,
    errand: Errand,
    going_on: GoingOn | None = None,
    job: Job | None = None,
    begun: Begun | None = None,
) -> AgentAnswer:
    """Answer a message that is stored, when it is its turn; or go on where it was asking.

    Where that takes longer than a call may, a job answers it. Then what fails for now is put off, and so is
    what this process cannot end any more; what nobody foresaw is left to the worker, who begins it again.
    """
    mine = Taken(opened.turn, errand.ports, job)
    known, ahead = begun or Begun(None, Ahead(errand))
    turn = _Turn(op, opened, mine, errand, ahead, known, going_on)
    async with alive(mine):  # until what became of the turn is stored
        try:
            if not await its_time(mine, errand.hear, errand.patience):
                await turn.leave()
                return later(opened.conversation, mine.turn)
            return await turn.answer()
        except Stopped as stopped:
            await turn.end("silent", stopped.reason)
            return silent(opened.conversation, stopped.reason)
        except VivavoceError as error:
            seconds = wait_for_model(error, mine.job)
            if seconds is not None:
                await turn.put_off(seconds, str(error))
                return silent(opened.conversation, str(error))
            await turn.end("failed", str(error), error.wire)
            raise
        except asyncio.CancelledError:
            if mine.job is not None:
                await turn.put_off(0.0, "The process that worked on it ended.", has_failed=False)
            else:
                await turn.end("interrupted", _GONE)
            raise
        finally:
            ahead.drop()
            if not turn.is_over and mine.job is None:  # it must not hold up the conversation
                await turn.end("failed", "Something broke here.")


@dataclass
class _Turn:
    """One turn at work."""

    op: AgentQuery
    opened: Opened
    mine: Taken
    errand: Errand
    ahead: Ahead
    known: Known | None = None
    """What was read when the turn was opened."""
    going_on: GoingOn | None = None
    is_over: bool = False
    _done: Done | None = None

    async def answer(self) -> AgentAnswer:
        """What the agent says, once it is stored."""
        started = time.monotonic()
        known, model, looks = self.known or await self._read()
        if self.going_on is None and await follow_trigger(known, model, self.mine, self.errand):
            known, model, looks = await self._read()
        if known.query.attachments or known.query.images:
            known = await self._with_files(known, model)
        looked = time.monotonic()
        found = await self.ahead.found(looks)
        retrieved = round_ms(looked)
        await others_first()
        prompt = replace(prompt_for(known, looks, found, model.context), is_heard=self.errand.is_heard)
        drafted = Drafted()
        meter = Meter(known.agent, self.errand.ports, drafted.spent)
        guarded = GuardedModel(model, meter, self.mine.waiting)
        confirming = Confirming(known, guarded, drafted.spent)
        numbered = Numbered(found[: len(prompt.passages)])
        toolbox = Toolbox(
            known,
            self.errand.ports,
            confirming.trust_in(prompt),
            confirming,
            numbered,
            journal=Journal(self.mine, self.errand.ports),
        )
        done = self._done = Done(known, prompt, toolbox, drafted, meter)
        if self.going_on is not None:
            drafted.steps, drafted.calls = await self.going_on.steps(toolbox)
        await others_first()
        await answered(guarded, prompt, toolbox, self.errand.hear, drafted)
        done.milliseconds.update(retrieval=retrieved, model=drafted.milliseconds, total=round_ms(started))
        async with self.errand.pace.work():
            return await self._finished(replace(done, checked=await _checked(done, numbered.found)))

    async def _finished(self, done: Done) -> AgentAnswer:
        self._done = done
        answer = await self.errand.write(lambda work: finished(done, self.mine, self.opened.message, work))
        self.is_over = True
        return answer

    async def _with_files(self, known: Scene, model: Model) -> Scene:
        from .turns.enclosures import with_files  # few messages have any

        with self.mine.waiting():
            return await with_files(known, model, self.errand)

    async def leave(self) -> None:
        """Leave it to a job, whose turn comes when those before it are over."""
        await _to_its_end(self._leave())

    async def end(self, state: TurnState, reason: str, error: str = "") -> None:
        """End without an answer, whoever goes away meanwhile."""
        await _to_its_end(self._end(state, reason, error))

    async def put_off(self, seconds: float, reason: str, *, has_failed: bool = True) -> None:
        """Let a job go on later, whoever goes away meanwhile."""
        await _to_its_end(self._put_off(seconds, reason, has_failed))

    async def _leave(self) -> None:
        await self.errand.write(lambda work: left(self.mine, work))
        self.is_over = True
        if self.mine.job is None:
            attend(self.opened.conversation.id, self.errand)

    async def _put_off(self, seconds: float, reason: str, has_failed: bool) -> None:
        await self.errand.write(
            lambda work: put_off(self._done, self.mine, seconds, reason, work, has_failed=has_failed)
        )
        self.is_over = True

    async def _end(self, state: TurnState, reason: str, error: str) -> None:
        try:
            await self._store_end(self._done, state, reason, error)
        finally:
            if not self.is_over:  # what it came to cannot be stored; that it is over can
                await self._store_end(None, state, reason, error)

    async def _store_end(self, done: Done | None, state: TurnState, reason: str, error: str) -> None:
        await self.errand.write(lambda work: ended(done, self.mine, state, reason, work, error))
        self.is_over = True

    async def _read(self) -> Known:
        async with self.errand.pace.work():
            return await self.errand.read(
                lambda work: known_of(self.op, self.opened, self.mine.turn, work, self.going_on), is_long=True
            )


async def _checked(done: Done, found: Sequence[Found]) -> Checked:
    """What of an answer is borne out; where that takes long, it is found out beside the others' work."""
    drafted = done.drafted
    checking = partial(checked, drafted.text, drafted.cites, found, own_numbers(done.prompt))
    compared = [found[cite.number - 1] for cite in drafted.cites if cite.number <= len(found)] or found
    characters = sum(len(each.cited.text) for each in compared)
    is_little = len(drafted.text) * (1 + characters) <= _AT_ONCE
    return checking() if is_little else await asyncio.to_thread(checking)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Do what must not be left half done; a caller who goes away meanwhile is let go after it."""
    task = asyncio.ensure_future(work)
    gone: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            gone = error
    if gone is not None:
        raise gone
