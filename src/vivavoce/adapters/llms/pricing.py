"""Pricing: what the tokens of a request cost."""

from __future__ import annotations

import asyncio

from .targets import Target

_MOST_TOKENS = 10**9


def counted(tokens: object) -> int | None:
    """A number of tokens as a provider tells it; None where no request could have so many."""
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        return None
    return tokens if 0 <= tokens <= _MOST_TOKENS else None


async def cost_of(target: Target, read: int, wrote: int) -> float | None:
    """In US dollars: by the catalogue, else by a public list of prices; None where no price is known."""
    if target.is_own or not read:
        return None
    if target.price is not None:
        return target.price.of(read, wrote)
    return await asyncio.to_thread(_listed, target, read, wrote)


def _listed(target: Target, read: int, wrote: int) -> float | None:
    from genai_prices import Usage, calc_price

    try:
        usage = Usage(input_tokens=read, output_tokens=wrote)
        return float(calc_price(usage, model_ref=target.model, provider_id=target.provider).total_price)
    except (LookupError, ValueError):
        return None
