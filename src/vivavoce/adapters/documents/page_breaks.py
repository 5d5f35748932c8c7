"""Page breaks of a PDF: whether a sentence may go on over one, as the lines on both sides of it show."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from vivavoce.domain.language.languages import language_of, small_words

from .cleaning import cleaned
from .letters import LARGER, Letters
from .spacing import OPEN_ENDS, Lines, spaced


class Page:
    """The text of a page, and what its lines look like: measured where it matters, while the page is open."""

    def __init__(
        self, given: str, letters: Letters, lines: Lines, start: int = 0, end: int | None = None
    ) -> None:
        """A page as pdfium gives it, or the stretch of it that is shown."""
        self.given, self.letters, self.lines = given, letters, lines
        self._start, self._end = start, len(given) if end is None else end

    @cached_property
    def text(self) -> str:
        """Its text as it is kept, with one line end behind it."""
        text = spaced(self.given, self.lines.apart, self._start, self._end)
        if not text.isascii() or "\u0002" in text:
            text = _DIVIDED.sub("-\n", text)
        return cleaned(text).rstrip() + "\n"

    def line(self, place: int) -> str:
        """One of its lines."""
        starts = self.lines.starts
        end = starts[place + 1] if place + 1 < len(starts) else None
        return self.given[starts[place] : end].strip()

    def without(self, head: int, foot: int) -> Page:
        """The page without so many of its first and last lines."""
        if head == foot == 0:
            return self
        starts = self.lines.starts
        end = starts[-foot] if foot > 0 else None
        return Page(self.given, self.letters, self.lines, starts[head] if head > 0 else 0, end)

    def goes_on_in(self, below: Page) -> bool:
        """Whether a sentence may go on from here in the next page."""
        above, start = self.text.rstrip(), below.text.lstrip(_OPENERS)
        if not above or not start:
            return False
        is_over = above.rstrip(_CLOSERS).endswith(_STOPS) and not start[:1].islower()
        return not is_over and not self.ends_a_paragraph(below)

    def ends_a_paragraph(self, below: Page) -> bool:
        """Whether the last line stands apart from the next page, as a title alone on its page does.

        A line that goes on is as large as what follows, and full: the next word had no room in it.
        """
        above, start = self.text.rstrip(), below.text.lstrip(_OPENERS)
        if _is_open(above, start) or above.rstrip(_CLOSERS).endswith(_ENDS):
            return False
        last, first = self._line(self._last), below._line(below._first)
        if last is None or first is None:
            return False
        if first.is_larger(last) or (last.is_larger(first) and last.is_larger(below._body or first)):
            return True
        full = max(self._full, below._full)
        has_room = last.width + min(first.word, _LONG_WORD * full) < _NEARLY * full
        return has_room and not self._has_column(last) and not _ends_in_small_word(above, start)

    def _line(self, place: tuple[int, int] | None) -> Line | None:
        """A line; None where there is none, or where its writing is not level."""
        return None if place is None else _line(self.given, *place, self.letters)

    @property
    def _first(self) -> tuple[int, int] | None:
        return self._lines[0] if self._lines else None

    @property
    def _last(self) -> tuple[int, int] | None:
        return self._lines[-1] if self._lines else None

    @property
    def _body(self) -> Line | None:
        """One of its longer lines: the first may be a running head, in small letters."""
        return self._line(next(iter(self._long), None))

    def _has_column(self, last: Line) -> bool:
        """Whether the lines above the last one are just as wide: they are set to that width."""
        above = [self._width(line) for line in self._lines[-1 - _COLUMN : -1]]
        return len(above) == _COLUMN and all(map(last.is_as_wide, above))

    @cached_property
    def _full(self) -> float:
        """How wide a line is that fills its width."""
        return max(map(self._width, self._long), default=0.0)

    @cached_property
    def _long(self) -> list[tuple[int, int]]:
        """Few of the longer lines: a page has many, and those with most letters may be in another size."""
        ordered = sorted(self._lines, key=lambda line: line[1] - line[0])
        return ordered[len(ordered) * 3 // 4 :][:_MEASURED]

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        return [found.span() for found in _LINE.finditer(self.given, self._start, self._end)]

    def _width(self, line: tuple[int, int]) -> float:
        return self.letters.width(*line)


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


_LINE = re.compile(r"\S(?:[^\r\n]*[^\s])?")
_WORD = re.compile(r"\S+")
_OPENERS = "\"'\u201c\u2018\u00ab\u2039([{\u00bf\u00a1*_ \t\n"
_CLOSERS = "\"'\u201d\u2019\u00bb\u203a)]*_"
_STOPS = tuple(".!?\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964")
_ENDS = (*_STOPS, ":", ";")
_DIVIDED = re.compile("[\u0002\ufffe](?:\r\n)?|\u00ad\r\n")
"""How pdfium marks a word that is divided at the end of a line, in place of hyphen and line end."""
_NEARLY, _LONG_WORD = 0.95, 0.4
"""The shares of a full line that a line and the next word leave free, and that a word takes at the most."""
_ALIKE, _COLUMN = 0.01, 3
"""Lines that are as wide as each other up to this share, and so many above the last one, are a column."""
_TOLD = 400
"""By so many characters on both sides the language is told."""
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
    return word.islower() and word in small_words(language_of(f"{start[:_TOLD]}\n{above[-_TOLD:]}"))
