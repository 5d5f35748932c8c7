"""Lines of a PDF page that stand apart: a blank line is put where the page shows one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .letters import LARGER, Letters

_LINE = re.compile(r"\S[^\r\n]*")
_WIDER, _WIDE, _FAR = 1.4, 1.5, 3.0
"""A gap between lines: against the usual one, against the letters, and where nothing is usual."""
_FULL, _RUNNING = 0.6, 40
"""The share of the longest line, and the letters, that a full one has: after it a sentence may go on."""
OPEN_ENDS = (",", "-", "\u0002", "\ufffe", "\u00ad", "\u2010", "\u2013", "\u2014")
"""After these a sentence goes on."""


def spaced(text: str, letters: Letters) -> str:
    """The text of a page as pdfium gives it, with a blank line before each line that is set apart."""
    lines = list(_LINE.finditer(text))
    starts = [found.start() for found in lines]
    longest = max((found.end() - found.start() for found in lines), default=0)
    sizes, heights = letters.at(starts)
    gaps = [above - below for above, below in pairwise(heights)]
    known = sorted(gap for gap in gaps if gap > 0)
    usual = known[(len(known) - 1) // 2] if known else 0.0
    apart = []
    for place, gap in enumerate(gaps):
        small, large = sorted(sizes[place : place + 2])
        is_wide, is_larger = gap > _WIDE * large > 0, large > LARGER * small > 0
        above, below = text[starts[place] : starts[place + 1]].rstrip(), text[starts[place + 1]]
        is_full = not is_larger and len(above) > max(_RUNNING, _FULL * longest)
        if not (is_wide or is_larger) or _runs_on(above, below, is_full=is_full):
            continue
        is_far = is_wide and (gap > _FAR * large or gap > _WIDER * max(usual, _beside(gaps, place)))
        if is_far or (is_larger and letters.differ(starts[place : place + 3])):
            apart.append(starts[place + 1])
    return "\r\n".join(text[start:end] for start, end in zip([0, *apart], [*apart, len(text)], strict=True))


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
