"""Asking a model: patience, repeats and the model to fall back to."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import count

from vivavoce.domain.models import Price
from vivavoce.errors import UpstreamFailed, VivavoceError
from vivavoce.ports import Again, Called, Delta, Piece, Prompt

from .failing import Failed, silent
from .speaking import Speakers
from .targets import Target

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character, as JSON can hold it and no store takes it."""


@dataclass(frozen=True)
class Patience:
    """How long a provider may take, and how often it is asked again."""

    first: float = 120.0
    """Seconds until the first sign of life. Models that think in silence are slow to begin."""
    between: float = 60.0
    """Seconds between two signs of life: words, thoughts or parts of a call."""
    whole: float = 600.0
    """Seconds for the answer, all repeats and the fallback together."""
    attempts: int = 3
    """How often each model is asked at most."""
    pause: float = 0.5
    """Seconds before the first repeat; each further one waits twice as long."""
    longest_pause: float = 20.0
    """A provider that wants a longer pause is not waited for."""
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, repr=False)

    def pause_after(self, failed: Failed, attempt: int) -> float | None:
        """Seconds to wait before the next attempt; None where there is no use in one."""
        if not failed.is_passing or attempt >= self.attempts:
            return None
        if failed.retry_after is not None and failed.retry_after > self.longest_pause:
            return None
        backing_off = self.pause * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.5)
        return min(max(backing_off, failed.retry_after or 0.0), self.longest_pause)


class AskedModel:
    """A model at its provider, and the one that answers in its place."""

    def __init__(self, targets: Sequence[Target], speakers: Speakers, patience: Patience) -> None:
        self._targets, self._speakers, self._patience = targets, speakers, patience

    @property
    def name(self) -> str:
        """What its provider calls it."""
        return self._targets[0].model

    @property
    def context(self) -> int:
        """How many tokens the smallest of them takes in."""
        return min(target.context for target in self._targets)

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where that is not known."""
        return self._targets[0].price

    @property
    def unpriced(self) -> str | None:
        """Which of the models that may answer has no known price."""
        return next((target.model for target in self._targets if target.price is None), None)

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece. Once a piece was heard, nothing is asked again."""
        clock = asyncio.get_running_loop().time
        until = clock() + self._patience.whole
        failures: list[VivavoceError] = []
        again: Again | None = None
        for target in self._targets:
            for attempt in count(1):
                if again is not None:
                    yield again
                again, has_begun = None, False
                try:
                    async with aclosing(self._asked(target, prompt, until)) as pieces:
                        async for piece in pieces:
                            has_begun = True
                            yield _whole(piece)
                    return
                except Failed as failed:
                    if has_begun and prompt.is_heard:
                        raise failed.error from None
                    again = Again(target.model, target.price) if has_begun else None
                    failures.append(failed.error)
                    pause = self._patience.pause_after(failed, attempt)
                if pause is None or clock() + pause > until:
                    break
                await self._patience.sleep(pause)
        raise _told(failures)

    async def _asked(self, target: Target, prompt: Prompt, until: float) -> AsyncGenerator[Piece, None]:
        """One attempt, in which every wait has an end."""
        clock, patience = asyncio.get_running_loop().time, self._patience.first
        async with aclosing(await self._speakers.pieces(target, prompt)) as pieces:
            while True:
                try:
                    async with asyncio.timeout_at(min(clock() + patience, until)):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise silent(target, patience if clock() < until else self._patience.whole) from None
                patience = self._patience.between
                if piece is not None:
                    yield piece


def _told(failures: Sequence[VivavoceError]) -> VivavoceError:
    """The first failure; as one that may pass, where that of any model may."""
    first = failures[0]
    if not first.retryable and any(each.retryable for each in failures):
        return UpstreamFailed(first.message, hint=first.hint)
    return first


def _whole(piece: Piece) -> Piece:
    """A piece in whole characters."""
    if isinstance(piece, Delta):
        return Delta(_HALF.sub("\ufffd", piece.text))
    if isinstance(piece, Called):
        return Called(*(_HALF.sub("\ufffd", text) for text in piece))
    return piece
