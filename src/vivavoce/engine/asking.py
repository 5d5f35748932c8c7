"""Asking an agent: from a message to an answer, stored step by step, so that nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
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
from .handlers import Errand, Work, runs
from .opening import Opened, open_turn, why_silent
from .sources import checked
from .toolbox import Toolbox
from .turns import Stopped, Taken, check_nobody_took_over, taken

_GONE = "The caller went away."


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
        mine = Taken((await opening).turn, errand.ports)
        await errand.write(lambda work: ended(None, mine, "interrupted", _GONE, work))
        raise


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
    try:
        async with taken(mine, errand.hear):
            return await turn.answer()
    except Stopped as stopped:
        await turn.end("silent", stopped.reason)
        return _silent(opened, stopped.reason)
    except VivavoceError as error:
        await turn.end("failed", str(error))
        raise
    except asyncio.CancelledError:
        await asyncio.shield(turn.end("interrupted", _GONE))
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
        started = time.monotonic()
        known, model = await self.errand.read(self._known)
        found = await knowledge_for(known, self.errand.ports)
        retrieved = round_ms(started)
        prompt = prompt_for(known, found, model.context)
        confirming = Confirming(known, model)
        toolbox = Toolbox(known, self.errand.ports, confirming.trust_in(prompt), confirming)
        drafted = Drafted(spent=confirming.spent)
        done = self._done = Done(known, found[: len(prompt.passages)], prompt, toolbox, drafted)
        if self.going_on is not None:
            drafted.steps, drafted.calls = await self.going_on.steps(toolbox)
        await answered(model, prompt, toolbox, self.errand.hear, drafted)
        done.milliseconds.update(retrieval=retrieved, model=drafted.milliseconds, total=round_ms(started))
        borne_out = await asyncio.to_thread(checked, drafted.text, drafted.cites, done.found)
        done = self._done = replace(done, checked=borne_out)
        answer = await self.errand.write(lambda work: finished(done, self.mine, self.opened.message, work))
        self.is_over = True
        return answer

    async def end(self, state: TurnState, reason: str) -> None:
        """End without an answer."""
        self.is_over = True
        await self.errand.write(lambda work: ended(self._done, self.mine, state, reason, work))

    def _known(self, work: Work) -> tuple[Scene, Model]:
        known = scene(self.opened, self.op, work)
        if self.going_on is not None:
            known = replace(known, is_trusted=self.going_on.is_trusted)
        silence = why_silent(known.agent, known.conversation, work)
        if silence:
            raise Stopped(silence)
        check_nobody_took_over(known.conversation, self.mine.turn)
        return known, model_for(known, work)


def _silent(opened: Opened, reason: str) -> AgentAnswer:
    return AgentAnswer(
        conversation_id=opened.conversation.id,
        visitor_id=opened.conversation.visitor_id or "",
        metadata={"reason": reason},
    )
