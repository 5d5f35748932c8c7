"""Pricing: what the tokens of a request cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from vivavoce.domain.models import Price

from .targets import Target

_MOST_TOKENS = 10**9
_SAMPLE = 1_000
"""Tokens whose price is looked up in the public list: few enough for the price of a usual request."""


def counted(tokens: object) -> int | None:
    """A number of tokens as a provider tells it; None where no request could have so many."""
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        return None
    return tokens if 0 <= tokens <= _MOST_TOKENS else None


def priced(target: Target, name: str, prices: Mapping[str, Price]) -> Target:
    """The same with its price: the operator's own, that of the catalogue, or that of a public list.

    `name` is what the agent calls the model. One at an endpoint of the operator's own is in no list.
    """
    own = prices.get(target.model, prices.get(name))
    if own is not None:
        return replace(target, price=own)
    if target.price is not None or target.is_own:
        return target
    return replace(target, price=_listed(target.provider, target.model))


def cost_of(target: Target, read: int, wrote: int) -> float | None:
    """In US dollars; None where no price is known."""
    return None if target.price is None else target.price.of(read, wrote)


@lru_cache(maxsize=1_000)
def _listed(provider: str, model: str) -> Price | None:
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=_SAMPLE, output_tokens=_SAMPLE)
    try:
        found = calc_price(usage, model_ref=model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    million = 1_000_000 / _SAMPLE
    return Price(float(found.input_price) * million, float(found.output_price) * million)
