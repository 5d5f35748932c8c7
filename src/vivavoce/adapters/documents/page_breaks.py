"""Page breaks of a PDF: whether a sentence may go on over one, as the lines on both sides of it show."""

from __future__ import annotations

import re
from typing import NamedTuple

from vivavoce.domain.language.languages import language_of, small_words

from .letters import LARGER, Letters
from .spacing import OPEN_ENDS


class Page(NamedTuple):
    """The text of a page, and how wide and how large the lines at its ends are."""

    text: str
    first: Line | None = None
    last: Line | None = None
    body: Line | None = None
    """One of its longer lines: the first may be a running head, in small letters."""
    full: float = 0.0
    """How wide a line is that fills its width."""
    has_column: bool = False
    """Whether the lines above the last one are just as wide: they are set to that width."""

    def ends_a_paragraph(self, below: Page) -> bool:
        """Whether the last line stands apart from the next page, as a title alone on its page does.

        A line that goes on is as large as what follows, and full: the next word had no room in it.
        """
        above, start = self.text.rstrip(), below.text.lstrip(_OPENERS)
        last, first = self.last, below.first
        if last is None or first is None or _is_open(above, start) or above.rstrip(_CLOSERS).endswith(_ENDS):
            return False
        if first.is_larger(last) or (last.is_larger(first) and last.is_larger(below.body or first)):
            return True
        if self.has_column or _ends_in_small_word(above, start):
            return False
        full = max(self.full, below.full)
        return last.width + min(first.word, _LONG_WORD * full) < _NEARLY * full


class Line(NamedTuple):
    """A line at an end of a page, in points."""

    width: float
    word: float
    """How wide its first word is."""
    smallest: float
    largest: float

    def is_larger(self, other: Line) -> bool:
        """Whether it is in larger letters up to its last one, as titles are."""
        return self.smallest > LARGER * other.largest

    def is_as_wide(self, width: float) -> bool:
        """Whether it ends where a line of this width does."""
        return abs(width - self.width) <= _ALIKE * self.width


def page_of(text: str, given: str, letters: Letters) -> Page:
    """A page with its text as it is kept; `given` is what the letters were counted in."""
    lines = [found.span() for found in _LINE.finditer(given)]
    if not lines:
        return Page(text)
    first, last = _line(given, *lines[0], letters), _line(given, *lines[-1], letters)
    # Few are measured, because a page has many; those with most letters may be in another size.
    long = sorted(lines, key=lambda line: line[1] - line[0])[len(lines) * 3 // 4 :]
    full = max(letters.width(*line) for line in long[:_MEASURED])
    above = [letters.width(*line) for line in lines[-1 - _COLUMN : -1]]
    has_column = len(above) == _COLUMN and last is not None and all(map(last.is_as_wide, above))
    return Page(text, first, last, _line(given, *long[0], letters), full, has_column)


_LINE = re.compile(r"\S(?:[^\r\n]*[^\s])?")
_WORD = re.compile(r"\S+")
_OPENERS = "\"'\u201c\u2018\u00ab\u2039([{\u00bf\u00a1*_ \t\n"
_CLOSERS = "\"'\u201d\u2019\u00bb\u203a)]*_"
_ENDS = tuple(".!?\u2026:;\u3002\uff01\uff1f\u061f\u06d4\u0964")
_NEARLY, _LONG_WORD = 0.95, 0.4
"""The shares of a full line that a line and the next word leave free, and that a word takes at the most."""
_ALIKE, _COLUMN = 0.01, 3
"""Lines that are as wide as each other up to this share, and so many above the last one, are a column."""
_MEASURED = 3
"""Lines that are measured to know how wide a full one is."""


def _line(given: str, start: int, end: int, letters: Letters) -> Line | None:
    """What is known of a line; None where its writing is not level."""
    sizes, _ = letters.at([start, end - 1])
    word = _WORD.match(given, start, end)
    if min(sizes) <= 0 or word is None:
        return None
    return Line(letters.width(start, end), letters.width(*word.span()), min(sizes), max(sizes))


def _is_open(above: str, start: str) -> bool:
    return start[:1].islower() or above.endswith(OPEN_ENDS)


def _ends_in_small_word(above: str, start: str) -> bool:
    """Whether it ends in a word that asks for another, as "of" and "the" do."""
    word = above.rsplit(None, 1)[-1]
    return word.islower() and word in small_words(language_of(f"{start}\n{above}"))
