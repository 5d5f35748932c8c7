"""The letters of a PDF page: how large they are and where they stand."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from ctypes import byref, c_double
from typing import Any

import pypdfium2.raw as pdfium

LARGER = 1.2
"""How many times as large the letters of a heading are, at least."""
_WIDE_LETTER = re.compile("[\U00010000-\U0010ffff]")


class Letters:
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

    def width(self, start: int, end: int) -> float:
        """How wide a stretch of one line is, from its first letter to its last; 0 where nothing is known."""
        left, right, unused = c_double(), c_double(), c_double()
        first, last = (place if self._is_even else self._index(place) for place in (start, end - 1))
        rest = byref(unused), byref(unused)
        is_known = pdfium.FPDFText_GetCharBox(
            self._page, first, byref(left), byref(unused), *rest
        ) and pdfium.FPDFText_GetCharBox(self._page, last, byref(unused), byref(right), *rest)
        return max(0.0, right.value - left.value) if is_known else 0.0

    def differ(self, starts: Sequence[int]) -> bool:
        """Whether one of two lines is larger up to its last letter, which may be a raised number."""
        above, below, end = [*starts, len(self._text)][:3]
        ends = [
            start + len(self._text[start:until].rstrip()) - 1
            for start, until in ((above, below), (below, end))
        ]
        sizes, _ = self.at([above, ends[0], below, ends[1]])
        upper, lower = sizes[:2], sizes[2:]
        return min(upper) > LARGER * max(lower) or min(lower) > LARGER * max(upper)

    def _index(self, place: int) -> int:
        found: int = pdfium.FPDFText_GetCharIndexFromTextIndex(
            self._page, place + bisect_left(self._wide, place)
        )
        return found
