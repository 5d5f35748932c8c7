"""Asking an agent: from a message to an answer, stored step by step, so that nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from vivavoce.domain.turns import TurnState
from vivavoce.errors import VivavoceError
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.ports import Model, Step

from .answering import Drafted, answered, round_ms
from .assembling import Scene, knowledge_for, prompt_for, scene
from .callbacks import call_back, check_callback
from .choosing import model_for
from .confirming import Confirming
from .drafting import draft
from .finishing import Done, ended, finished
from .guarding import GuardedModel
from .handlers import Errand, Work, runs
from .numbering import Numbered
from .opening import Opened, open_turn, why_silent
from .retrieval import Found
from .sources import Checked, checked
from .spending import Meter
from .toolbox import Toolbox
from .turns import Stopped, Taken, alive, check_nobody_took_over, its_time

_GONE = "The caller went away."
_AT_ONCE = 10_000
"""Characters of an answer times those of its passages: so many are checked in a millisecond or two."""


@runs(AgentQuery)
async def agent_query(op: AgentQuery, errand: Errand) -> AgentAnswer:
    if op.is_draft:
        return await draft(op, errand)
    if op.callback_url is not None:
        check_callback(errand)
    opened = await _opened(op, errand)
    if op.callback_url is None:
        return await _answer(op, opened, errand)
    errand.later.begin(call_back(op.callback_url, lambda: _answer(op, opened, errand), opened, errand))
    return _silent(opened, "The answer is sent to callbackURL.")


async def _opened(op: AgentQuery, errand: Errand) -> Opened:
    """The turn of a message; a caller who goes away while it is stored leaves none behind."""
    opening = asyncio.ensure_future(errand.write(lambda work: open_turn(op, work)))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        await _to_its_end(_left(opening, errand))
        raise


async def _left(opening: Awaitable[Opened], errand: Errand) -> None:
    """End the turn of a caller who went away before it was opened."""
    mine = Taken((await opening).turn, errand.ports)
    await errand.write(lambda work: ended(None, mine, "interrupted", _GONE, work))


async def _answer(op: AgentQuery, opened: Opened, errand: Errand) -> AgentAnswer:
    if opened.turn.state == "silent":
        return _silent(opened, opened.turn.reason)
    return await run_turn(op, opened, errand)


class GoingOn(Protocol):
    """How a turn that was asking an operator goes on."""

    @property
    def is_trusted(self) -> bool:
        """Whether who asked had a key, whoever answers now."""
        ...

    async def steps(self, toolbox: Toolbox) -> tuple[tuple[Step, ...], list[dict[str, Any]]]:
        """What happened so far, and the calls of the trace."""
        ...


async def run_turn(
    op: AgentQuery, opened: Opened, errand: Errand, going_on: GoingOn | None = None
) -> AgentAnswer:
    """Answer a message that is stored, when it is its turn; or go on where it was asking."""
    mine = Taken(opened.turn, errand.ports)
    turn = _Turn(op, opened, mine, errand, going_on)
    async with alive(mine):  # until what became of the turn is stored
        try:
            await its_time(mine, errand.hear)
            return await turn.answer()
        except Stopped as stopped:
            await turn.end("silent", stopped.reason)
            return _silent(opened, stopped.reason)
        except VivavoceError as error:
            await turn.end("failed", str(error))
            raise
        except asyncio.CancelledError:
            await turn.end("interrupted", _GONE)
            raise
        finally:
            if not turn.is_over:  # what nobody foresaw must not hold up the conversation
                await turn.end("failed", "Something broke here.")


@dataclass
class _Turn:
    """One turn at work."""

    op: AgentQuery
    opened: Opened
    mine: Taken
    errand: Errand
    going_on: GoingOn | None = None
    is_over: bool = False
    _done: Done | None = None

    async def answer(self) -> AgentAnswer:
        """What the agent says, once it is stored."""
        async with self.errand.pace.work():
            started = time.monotonic()
            known, model = await self.errand.read(self._known)
        found = await knowledge_for(known, self.errand.ports, self.errand.pace)
        retrieved = round_ms(started)
        prompt = prompt_for(known, found, model.context)
        drafted = Drafted()
        meter = Meter(known.agent, self.errand.ports, drafted.spent)
        guarded = GuardedModel(model, meter, self.mine.waiting)
        confirming = Confirming(known, guarded, drafted.spent)
        numbered = Numbered(found[: len(prompt.passages)])
        toolbox = Toolbox(known, self.errand.ports, confirming.trust_in(prompt), confirming, numbered)
        done = self._done = Done(known, prompt, toolbox, drafted, meter)
        if self.going_on is not None:
            drafted.steps, drafted.calls = await self.going_on.steps(toolbox)
        await answered(guarded, prompt, toolbox, self.errand.hear, drafted)
        done.milliseconds.update(retrieval=retrieved, model=drafted.milliseconds, total=round_ms(started))
        async with self.errand.pace.work():
            return await self._finished(replace(done, checked=await _checked(drafted, numbered.found)))

    async def _finished(self, done: Done) -> AgentAnswer:
        self._done = done
        answer = await self.errand.write(lambda work: finished(done, self.mine, self.opened.message, work))
        self.is_over = True
        return answer

    async def end(self, state: TurnState, reason: str) -> None:
        """End without an answer, whoever goes away meanwhile."""
        await _to_its_end(self._end(state, reason))

    async def _end(self, state: TurnState, reason: str) -> None:
        try:
            await self._store_end(self._done, state, reason)
        finally:
            if not self.is_over:  # what it came to cannot be stored; that it is over can
                await self._store_end(None, state, reason)

    async def _store_end(self, done: Done | None, state: TurnState, reason: str) -> None:
        await self.errand.write(lambda work: ended(done, self.mine, state, reason, work))
        self.is_over = True

    def _known(self, work: Work) -> tuple[Scene, Model]:
        known = scene(self.opened, self.op, work)
        if self.going_on is not None:
            known = replace(known, is_trusted=self.going_on.is_trusted)
        silence = why_silent(known.agent, known.conversation, work)
        if silence:
            raise Stopped(silence)
        check_nobody_took_over(known.conversation, self.mine.turn)
        return known, model_for(known, work)


async def _checked(drafted: Drafted, found: Sequence[Found]) -> Checked:
    """What of an answer is borne out; where that takes long, it is found out beside the others' work."""
    checking = partial(checked, drafted.text, drafted.cites, found)
    characters = sum(len(each.cited.text) for each in found)
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


def _silent(opened: Opened, reason: str) -> AgentAnswer:
    return AgentAnswer(
        conversation_id=opened.conversation.id,
        visitor_id=opened.conversation.visitor_id or "",
        metadata={"reason": reason},
    )
