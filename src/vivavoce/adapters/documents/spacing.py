"""Lines of a PDF page that stand apart: a blank line is put where the page shows one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .letters import LARGER, Letters

_LINE = re.compile(r"\S[^\r\n]*")
_WIDER, _WIDE, _FAR = 1.4, 1.5, 3.0
"""A gap between lines: against the usual one, against the letters, and where nothing is usual."""
_FULL, _RUNNING = 0.6, 40
"""The share of the longest line, and the letters, that a full one has: after it a sentence may go on."""
OPEN_ENDS = (",", "-", "\u0002", "\ufffe", "\u00ad", "\u2010", "\u2013", "\u2014")
"""After these a sentence goes on."""


class Lines(NamedTuple):
    """The lines of a page as pdfium gives them: where each starts, how large it is and how high it stands."""

    starts: list[int]
    sizes: list[float]
    heights: list[float]
    usual: float
    """The gap between most of them; 0 where none is known."""
    apart: list[int]
    """The starts of those that stand apart from the line before."""


def lines_of(text: str, letters: Letters) -> Lines:
    """The lines of a page, measured once."""
    lines = list(_LINE.finditer(text))
    starts = [found.start() for found in lines]
    longest = max((found.end() - found.start() for found in lines), default=0)
    sizes, heights = letters.at(starts)
    gaps = [above - below for above, below in pairwise(heights)]
    known = sorted(gap for gap in gaps if gap > 0)
    usual = known[(len(known) - 1) // 2] if known else 0.0
    apart = []
    for place, gap in enumerate(gaps):
        if gap <= _WIDE * sizes[place] and sizes[place] == sizes[place + 1]:
            continue  # most lines are like the one before
        small, large = sorted(sizes[place : place + 2])
        is_wide, is_larger = gap > _WIDE * large > 0, large > LARGER * small > 0
        above, below = text[starts[place] : starts[place + 1]].rstrip(), text[starts[place + 1]]
        is_full = not is_larger and len(above) > max(_RUNNING, _FULL * longest)
        if not (is_wide or is_larger) or _runs_on(above, below, is_full=is_full):
            continue
        is_far = is_wide and (gap > _FAR * large or gap > _WIDER * max(usual, _beside(gaps, place)))
        if is_far or (is_larger and letters.differ(starts[place : place + 3])):
            apart.append(starts[place + 1])
    return Lines(starts, sizes, heights, usual, apart)


def spaced(text: str, apart: Sequence[int], start: int, end: int) -> str:
    """A stretch of a page with a blank line before each line in it that is set apart."""
    within = [place for place in apart if start < place < end]
    stretches = zip([start, *within], [*within, end], strict=True)
    return "\r\n".join(text[first:last] for first, last in stretches)


def _runs_on(above: str, below: str, *, is_full: bool) -> bool:
    """Whether a sentence seems to go on, as around a picture or after a large first letter.

    After a full line it does where that ends in a small letter, or in one of a script that has none.
    """
    is_open = is_full and above[-1:].isalpha() and not above[-1:].isupper()
    return is_open or below.islower() or above.endswith(OPEN_ENDS)


def _beside(gaps: Sequence[float], place: int) -> float:
    """The smaller one of the gaps before and after."""
    beside = (*gaps[max(0, place - 1) : place], *gaps[place + 1 : place + 2])
    return min((gap for gap in beside if gap > 0), default=0.0)
