"""Guarding: a model is asked only while the turn is ours and the agent may pay for it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, aclosing, nullcontext
from dataclasses import dataclass

from vivavoce.domain.models import Price
from vivavoce.domain.prompting import tokens_of
from vivavoce.errors import VivavoceError
from vivavoce.ports import Again, Called, Delta, Model, Piece, Prompt, Spent
from vivavoce.ports.models import Priced

from .extractive import ExtractiveModel
from .spending import Meter, check_may_be_free, tokens_in


@dataclass(frozen=True)
class GuardedModel:
    """The model of a turn. Every request counts before it is made, and ends when the turn must stop."""

    model: Model
    meter: Meter
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered around each wait for the model; raises where the turn must stop."""

    @property
    def name(self) -> str:
        """What its provider calls it."""
        return self.model.name

    @property
    def context(self) -> int:
        """How many tokens it takes in, roughly."""
        return self.model.context

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where it does not say so beforehand."""
        return self.model.price if isinstance(self.model, Priced) else None

    @property
    def has_words_of_its_own(self) -> bool:
        """Whether it says more than sentences of the passages, and costs something."""
        return not isinstance(self.model, ExtractiveModel)

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece; BudgetSpent before the first where there is no money left to count on.

        Where it does not say what it cost, because it is left before its end or does not count, that is
        estimated.
        """
        if self.has_words_of_its_own:
            self._check_price()
            await self.meter.reserve(prompt, self.price)
        is_asked = has_begun = is_counted = False
        wrote = 0.0
        try:
            async with aclosing(self.model.answer(prompt)) as pieces:
                while True:
                    with self.waiting():
                        is_asked = True
                        piece = await anext(pieces, None)
                    if piece is None:
                        return
                    has_begun, is_counted = True, is_counted or isinstance(piece, Spent)
                    wrote += tokens_of(_written(piece))
                    if isinstance(piece, Again):
                        self.meter.spent.append(_estimated(prompt, int(wrote), piece.model, piece.price))
                        has_begun, wrote = False, 0.0
                        await self.meter.reserve(prompt, self.price)  # for the next request
                    yield piece
        except VivavoceError:
            is_asked = has_begun  # who fails before the first word is not paid
            raise
        finally:
            if is_asked and not is_counted:
                self.meter.spent.append(_estimated(prompt, int(wrote), self.name, self.price))

    def _check_price(self) -> None:
        """Refuse a model that no budget could stop."""
        if isinstance(self.model, Priced) and self.model.unpriced is not None:
            check_may_be_free(self.meter.payer, self.model.unpriced)


def _estimated(prompt: Prompt, wrote: int, model: str, price: Price | None) -> Spent:
    read = tokens_in(prompt)
    return Spent(model, read, wrote, None if price is None else price.of(read, wrote))


def _written(piece: Piece) -> str:
    return piece.text if isinstance(piece, Delta) else piece.arguments if isinstance(piece, Called) else ""
