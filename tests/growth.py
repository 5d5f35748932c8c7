"""Growth: that work takes longer as there is more of it, and no more than that."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

_TRIES = 8
_LINEAR = 30
"""Ten times the work takes about ten times as long; a hundred times where it grows with the square."""


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """A size takes about ten times as long as its tenth: the least of some tries, as machines may be busy."""
    short = long = float("inf")
    for _ in range(_TRIES):
        short = min(short, _seconds(work, size // 10))
        long = min(long, _seconds(work, size))
        if long < _LINEAR * short:
            return
    raise AssertionError(f"Ten times as much took {long / short:.0f} times as long: {long:.4f} s.")


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = process_time()
    work(size)
    return process_time() - began
