"""Spending: what models cost, and the money that an agent or an avatar may spend in a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from vivavoce.domain.agents import Agent
from vivavoce.domain.avatars import Avatar
from vivavoce.domain.models import Price
from vivavoce.domain.prompting import tokens_of
from vivavoce.engine.handlers import Work
from vivavoce.errors import BudgetSpent, StorageFailed
from vivavoce.operations.answers import Usage
from vivavoce.ports import Called, Ports, Prompt, Spending, Spent, Step, Tables
from vivavoce.ports import Usage as Counted

Payer = Agent | Avatar
"""Who has money of its own."""

_ANSWER = 1_000
"""Tokens that an answer has, where nobody says how many it may have."""
_PICTURE = 1_000
"""Tokens that a picture counts for, about, with most providers."""
_LONG_ANSWER = 4_000
"""And at the most: few answers are as long as they may be."""


@dataclass
class Meter:
    """Counts what a turn costs while it runs, so that turns at the same time do not spend the same money.

    Before each request, what it will cost, roughly, is set aside in the month's count. When the turn is
    over, what it did cost takes the place of that. A process that dies leaves the estimate counted.
    """

    payer: Payer
    ports: Ports
    spent: list[Spent]
    """What the requests of the turn cost so far."""
    reserved: float = 0.0
    month: str = ""
    """Where it is set aside."""

    async def reserve(self, prompt: Prompt, price: Price | None) -> None:
        """Set aside what a request will cost; BudgetSpent where the month's money is gone."""
        if self.payer.monthly_budget is None:
            return
        before = self.reserved, self.month

        def set_aside(tables: Tables) -> None:
            self.reserved, self.month = before  # it may be run again
            self._set_aside(prompt, price, tables)

        try:
            await self.ports.store.write(set_aside)
        except (BudgetSpent, StorageFailed):
            self.reserved, self.month = before
            raise

    def give_back(self, tables: Tables) -> None:
        """Take out of the count what was set aside; in the transaction that counts what was spent."""
        if self.reserved:
            counted_for(self.payer, tables).add(self.payer.id, self.month, Spending(0, 0, 0, -self.reserved))

    def _set_aside(self, prompt: Prompt, price: Price | None, tables: Tables) -> None:
        self.give_back(tables)
        so_far = usage_of(self.spent).cost or 0.0
        now = self.ports.now()
        check_budget(self.payer, now, tables, so_far)
        longest = min(prompt.sampling.get("max_tokens", _ANSWER), _LONG_ANSWER)
        estimate = 0.0 if price is None else price.of(tokens_in(prompt), int(longest))
        self.reserved, self.month = so_far + estimate, _month(now)
        counted_for(self.payer, tables).add(self.payer.id, self.month, Spending(0, 0, 0, self.reserved))


def counted_for(payer: Payer, tables: Tables) -> Counted:
    """Where what someone spends is counted."""
    return tables.avatar_usage if isinstance(payer, Avatar) else tables.usage


def check_budget(payer: Payer, now: datetime, tables: Tables, more: float = 0.0) -> None:
    """Refuse to ask a model for someone who has spent the month's money; `more` is not counted yet."""
    if payer.monthly_budget is None:
        return
    if counted_for(payer, tables).of(payer.id, _month(now)).cost + more >= payer.monthly_budget:
        raise BudgetSpent(
            f"{_named(payer)} has spent its budget of this month.",
            hint=f"Raise monthlyBudget with {_change(payer)}, or wait for next month. What is being answered "
            "now counts with what it will cost, roughly.",
        )


def check_may_be_free(payer: Payer, model: str) -> None:
    """Refuse a model of which nobody knows what it costs to who has a budget: nothing would stop it."""
    if payer.monthly_budget is not None:
        raise BudgetSpent(
            f"{_named(payer)} has a budget, and nobody knows what the model {model!r} costs.",
            hint=f"An operator can say so in VIVAVOCE_MODEL_PRICES, as {model}=0/0 where it costs nothing. "
            f"Or choose another model, or take monthlyBudget away with {_change(payer)}.",
        )


def usage_of(spent: Sequence[Spent]) -> Usage:
    """What the requests of a turn cost together."""
    prompt = sum(each.prompt_tokens for each in spent)
    completion = sum(each.completion_tokens for each in spent)
    costs = [each.cost for each in spent if each.cost is not None]
    return Usage(
        completion_tokens=completion,
        prompt_tokens=prompt,
        total_tokens=prompt + completion,
        cost=round(sum(costs), 8) if costs else None,
    )


def spend(meter: Meter, work: Work, turns: int = 1) -> Usage:
    """Count what a turn has cost, in place of what was set aside for it."""
    usage = usage_of(meter.spent)
    meter.give_back(work.tables)
    more = Spending(turns, usage.prompt_tokens, usage.completion_tokens, usage.cost or 0.0)
    is_free = meter.payer.monthly_budget is None  # then nobody must see what others spend at this moment
    counted_for(meter.payer, work.tables).add(meter.payer.id, _month(work.now), more, apart=is_free)
    return usage


def tokens_in(prompt: Prompt) -> int:
    """How many tokens a prompt has, roughly."""
    given = [
        *(each.text for each in prompt.passages),
        *(each.text for each in prompt.enclosed),
        *(each.text for each in prompt.history),
    ]
    texts = (prompt.instructions, prompt.question, *prompt.files, *given, *map(_text_of, prompt.steps))
    return int(sum(map(tokens_of, texts))) + _PICTURE * len(prompt.pictures)


def _text_of(step: Step) -> str:
    return step.arguments if isinstance(step, Called) else step.text


def _named(payer: Payer) -> str:
    return f"Avatar {payer.id!r}" if isinstance(payer, Avatar) else f"Agent {payer.name!r}"


def _change(payer: Payer) -> str:
    return "update_avatar" if isinstance(payer, Avatar) else "update_agent"


def _month(at: datetime) -> str:
    return f"{at:%Y-%m}"
