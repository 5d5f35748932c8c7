"""Lines of a PDF page that stand apart: a blank line is put where the page shows one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pypdfium2.raw as pdfium

_LINE = re.compile(r"\S[^\r\n]*")
_WIDE_LETTER = re.compile("[\U00010000-\U0010ffff]")
_LARGER = 1.2
"""How many times as large the letters of a heading are, at least."""
_WIDER, _WIDE, _FAR = 1.4, 1.5, 3.0
"""A gap between lines: against the usual one, against the letters, and where nothing is usual."""
_FULL, _RUNNING = 0.6, 40
"""The share of the longest line, and the letters, that a full one has: after it a sentence may go on."""
_OPEN_ENDS = (",", "-", "\u0002", "\ufffe", "\u00ad", "\u2010", "\u2013", "\u2014")


def spaced(text: str, text_page: Any) -> str:
    """The text of a page as pdfium gives it, with a blank line before each line that is set apart."""
    lines = list(_LINE.finditer(text))
    starts = [found.start() for found in lines]
    longest = max((found.end() - found.start() for found in lines), default=0)
    letters = _Letters(text, text_page.raw)
    sizes, heights = letters.at(starts)
    gaps = [above - below for above, below in pairwise(heights)]
    known = sorted(gap for gap in gaps if gap > 0)
    usual = known[(len(known) - 1) // 2] if known else 0.0
    apart = []
    for place, gap in enumerate(gaps):
        small, large = sorted(sizes[place : place + 2])
        is_wide, is_larger = gap > _WIDE * large > 0, large > _LARGER * small > 0
        above, below = text[starts[place] : starts[place + 1]].rstrip(), text[starts[place + 1]]
        is_full = not is_larger and len(above) > max(_RUNNING, _FULL * longest)
        if not (is_wide or is_larger) or _runs_on(above, below, is_full=is_full):
            continue
        is_far = is_wide and (gap > _FAR * large or gap > _WIDER * max(usual, _beside(gaps, place)))
        if is_far or (is_larger and letters.differ(starts[place : place + 3])):
            apart.append(starts[place + 1])
    return "\r\n".join(text[start:end] for start, end in zip([0, *apart], [*apart, len(text)], strict=True))


class _Letters:
    """The sizes of letters and how high they stand; pdfium counts UTF-16, and some that it does not give."""

    def __init__(self, text: str, page: Any) -> None:
        self._text, self._page = text, page
        self._wide = [] if text.isascii() else [found.start() for found in _WIDE_LETTER.finditer(text)]
        self._is_even = not self._wide and pdfium.FPDFText_CountChars(page) == len(text)

    def at(self, places: Sequence[int]) -> tuple[list[float], list[float]]:
        """The sizes and heights at places; size 0 where nothing is known or the writing is not level."""
        page, matrix, sizes, heights = self._page, pdfium.FS_MATRIX(), [], []
        for index in places if self._is_even else map(self._index, places):
            is_known = pdfium.FPDFText_GetMatrix(page, index, matrix) and not matrix.b
            sizes.append(pdfium.FPDFText_GetFontSize(page, index) * abs(matrix.d) if is_known else 0.0)
            heights.append(matrix.f)
        return sizes, heights

    def differ(self, starts: Sequence[int]) -> bool:
        """Whether one of two lines is larger up to its last letter, which may be a raised number."""
        above, below, end = [*starts, len(self._text)][:3]
        ends = [
            start + len(self._text[start:until].rstrip()) - 1
            for start, until in ((above, below), (below, end))
        ]
        sizes, _ = self.at([above, ends[0], below, ends[1]])
        upper, lower = sizes[:2], sizes[2:]
        return min(upper) > _LARGER * max(lower) or min(lower) > _LARGER * max(upper)

    def _index(self, place: int) -> int:
        found: int = pdfium.FPDFText_GetCharIndexFromTextIndex(
            self._page, place + bisect_left(self._wide, place)
        )
        return found


def _runs_on(above: str, below: str, *, is_full: bool) -> bool:
    """Whether a sentence seems to go on, as around a picture or after a large first letter.

    After a full line it does where that ends in a small letter, or in one of a script that has none.
    """
    is_open = is_full and above[-1:].isalpha() and not above[-1:].isupper()
    return is_open or below.islower() or above.endswith(_OPEN_ENDS)


def _beside(gaps: Sequence[float], place: int) -> float:
    """The smaller one of the gaps before and after."""
    beside = (*gaps[max(0, place - 1) : place], *gaps[place + 1 : place + 2])
    return min((gap for gap in beside if gap > 0), default=0.0)
