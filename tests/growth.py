"""Growth: that work takes longer as there is more of it, and no more than that."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import lru_cache
from time import process_time

_TRIES = 8
_LINEAR = 30
"""Ten times the work takes about ten times as long; a hundred times where it grows with the square."""
_Remembering = type(lru_cache(int))


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """A size takes about ten times as long as its tenth: the least of some tries, as machines may be busy."""
    work(size // 10)  # loads what is loaded once
    short = long = float("inf")
    for _ in range(_TRIES):
        short = min(short, _seconds(work, size // 10))
        long = min(long, _seconds(work, size))
        if long < _LINEAR * short:
            return
    raise AssertionError(f"Ten times as much took {long / max(short, 1e-9):.0f} times as long: {long:.4f} s.")


def _seconds(work: Callable[[int], object], size: int) -> float:
    """How long it takes when nothing of it is remembered."""
    for each in gc.get_objects():
        if isinstance(each, _Remembering) and each.__module__.startswith("vivavoce."):
            each.cache_clear()
    began = process_time()
    work(size)
    return process_time() - began
