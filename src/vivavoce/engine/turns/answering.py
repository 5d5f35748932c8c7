"""Answering: the model speaks and calls tools until it is done; what it says is checked on the way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from vivavoce.domain.claims.citing import Citing, Invented, Mark
from vivavoce.domain.claims.sifting import Rejected, Sifting
from vivavoce.errors import UpstreamFailed
from vivavoce.operations import Hear, Told
from vivavoce.ports import Again, Called, Cut, Delta, Prompt, Returned, Spent, Step, Wrote

from .extractive import found_nothing
from .guarding import GuardedModel
from .offering import SEARCH
from .outcomes import Asked
from .sources import Bearing, own_numbers
from .toolbox import Toolbox

MOST_ROUNDS = 8
"""How often a model may call tools before it must answer."""
MOST_CALLS = 16
"""How many calls a turn may have."""
MOST_ANSWER = 100_000
"""Characters of an answer; what comes after them is cut."""
LONGEST = 900.0
"""Seconds that a turn may take with all its calls."""
_TOO_MANY = "Not called: too many calls in one turn."
_BETWEEN = "\n\n"
"""Between what was said before a call and after it."""


@dataclass
class Drafted:
    """What came of the model's work."""

    text: str = ""
    cites: list[Mark] = field(default_factory=list)
    """Which source each place of the text rests on, as the model says."""
    rejected: list[Rejected] = field(default_factory=list)
    """What of that did not hold while it spoke."""
    spent: list[Spent] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    """What was called and what it gave, for the trace; secrets are markers."""
    asked: Asked | None = None
    """A call that waits for an operator; there is no answer then."""
    steps: tuple[Step, ...] = ()
    is_cut: bool = False
    """Whether the answer ends before its end: the provider or this program let it grow no longer."""
    milliseconds: int = 0


async def answered(
    model: GuardedModel, prompt: Prompt, toolbox: Toolbox, hear: Hear, drafted: Drafted
) -> None:
    """Let the model speak until it is done; `drafted` holds how far it has come, whatever happens.

    From an agent that is held to its knowledge no sentence is heard whose citations all fail gravely, until a
    tool was called.
    """
    started = time.monotonic()
    speaking = _Speaking(model, prompt, toolbox, hear, drafted)
    try:
        async with asyncio.timeout(LONGEST):
            await speaking.until_done()
    except TimeoutError:
        raise UpstreamFailed(f"The turn took longer than {LONGEST:g} seconds.") from None
    finally:
        drafted.milliseconds = round_ms(started)
    if drafted.asked is not None or drafted.text.strip():
        return
    if not drafted.rejected or has_acted(drafted):
        raise UpstreamFailed("The model said nothing.", hint="Ask again, or choose another model.")
    drafted.text = found_nothing(prompt)
    hear(Told("answer", drafted.text))


def has_acted(drafted: Drafted) -> bool:
    """Whether tools were called for more than knowledge: what is said then may rest on what they returned."""
    return any(isinstance(step, Called) and step.name != SEARCH for step in drafted.steps)


@dataclass
class _Speaking:
    """A model at work, round by round. What it says before a call is part of its answer."""

    model: GuardedModel
    prompt: Prompt
    toolbox: Toolbox
    hear: Hear
    drafted: Drafted

    async def until_done(self) -> None:
        for number in range(MOST_ROUNDS + 1):
            drafted = self.drafted
            may_call = number < MOST_ROUNDS and len(drafted.calls) < MOST_CALLS
            tools = self.toolbox.offered() if may_call else ()
            begins = len(drafted.text)
            calls = await self._round(replace(self.prompt, tools=tools, steps=drafted.steps))
            if not calls or not may_call:
                return
            said = drafted.text[begins:].strip()
            drafted.steps = (*drafted.steps, *((Wrote(said),) if said else ()), *calls)
            if not await _carry_out(calls, self.toolbox, drafted, self.hear):
                return

    async def _round(self, prompt: Prompt) -> list[Called]:
        """What the model calls when it is asked once; what it says is told on the way."""
        reading = self._reading()
        calls: list[Called] = []
        before = len(self.drafted.text), len(self.drafted.cites)
        begins = self._next_paragraph()
        self.drafted.is_cut = False
        async with aclosing(self.model.answer(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Delta):
                    self._take(reading.feed(piece.text), begins)
                elif isinstance(piece, Called):
                    calls.append(piece)
                elif isinstance(piece, Cut):
                    self.drafted.is_cut = True
                elif isinstance(piece, Again):
                    reading, calls = self._reading(), []
                    self._take_back(*before)
                else:
                    self.drafted.spent.append(piece)
                if len(self.drafted.text) >= MOST_ANSWER:
                    self.drafted.is_cut = True
                    self.drafted.rejected += reading.rejected
                    return []
        self._take(reading.end(), begins)
        self.drafted.rejected += reading.rejected
        return calls

    def _reading(self) -> _Reading:
        found = self.toolbox.numbered.found
        is_held = self.toolbox.scene.agent.restrict_knowledge and self.model.has_words_of_its_own
        is_sifted = is_held and bool(found) and not has_acted(self.drafted)
        sifting = Sifting(Bearing(found, own_numbers(self.prompt))) if is_sifted else None
        return _Reading(Citing(known=len(found)), sifting)

    def _take_back(self, text: int, cites: int) -> None:
        """Forget what was said since: nobody has heard it."""
        del self.drafted.cites[cites:]
        self.drafted.text, self.drafted.is_cut = self.drafted.text[:text], False

    def _next_paragraph(self) -> int:
        """Where the next words stand: after a blank line, where something was said before."""
        return len(self.drafted.text) + (len(_BETWEEN) if self.drafted.text else 0)

    def _take(self, pieces: Sequence[str | Mark], begins: int) -> None:
        for piece in pieces:
            if not isinstance(piece, str):
                self.drafted.cites.append(piece._replace(at=max(begins, len(self.drafted.text))))
                if not isinstance(piece, Invented):
                    self.hear(Told("cite", str(piece.number)))
            elif piece:
                between = _BETWEEN if len(self.drafted.text) < begins else ""
                piece = (between + piece)[: MOST_ANSWER - len(self.drafted.text)]
                self.drafted.text += piece
                self.hear(Told("answer", piece))


@dataclass
class _Reading:
    """Reads what a model says: takes the marks out and, where it is sifted, what they do not bear out."""

    citing: Citing
    sifting: Sifting | None

    @property
    def rejected(self) -> Sequence[Rejected]:
        return () if self.sifting is None else self.sifting.rejected

    def feed(self, text: str) -> Sequence[str | Mark]:
        pieces = self.citing.feed(text)
        return pieces if self.sifting is None else self.sifting.feed(pieces)

    def end(self) -> Sequence[str | Mark]:
        pieces = self.citing.end()
        return pieces if self.sifting is None else [*self.sifting.feed(pieces), *self.sifting.end()]


async def _carry_out(calls: Sequence[Called], toolbox: Toolbox, drafted: Drafted, hear: Hear) -> bool:
    """Call the tools one after the other; whether the model goes on."""
    for place, call in enumerate(calls):
        if len(drafted.calls) >= MOST_CALLS:
            refused = (Returned(each.id, each.name, _TOO_MANY) for each in calls[place:])
            drafted.steps = (*drafted.steps, *refused)
            return True
        hear(Told("tool_call", toolbox.shown(call)))
        outcome = await toolbox.call(call)
        drafted.calls.append(outcome.record)
        if isinstance(outcome.asked, Asked):
            drafted.asked = outcome.asked
            return False
        drafted.steps = (*drafted.steps, Returned(call.id, call.name, outcome.text))
    return True


def round_ms(started: float) -> int:
    """Milliseconds since a moment of the monotonic clock."""
    return round((time.monotonic() - started) * 1000)
