"""Page breaks of a PDF: whether a sentence may go on over one, as the lines on both sides of it show."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from typing import NamedTuple

from vivavoce.domain.language.languages import language_of, small_words

from .cleaning import cleaned
from .letters import LARGER, Letters
from .spacing import OPEN_ENDS, Lines, spaced


class Page:
    """The text of a page, and what its lines look like: measured where it matters, while the page is open."""

    def __init__(
        self,
        given: str,
        letters: Letters,
        lines: Lines,
        label: str | None = None,
        start: int = 0,
        end: int | None = None,
    ) -> None:
        """A page as pdfium gives it, or the stretch of it that is shown, and what the file calls it."""
        self.given, self.letters, self.lines, self.label = given, letters, lines, label
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
        return Page(self.given, self.letters, self.lines, self.label, starts[head] if head > 0 else 0, end)

    def goes_on_in(self, below: Page) -> bool:
        """Whether a sentence is seen to go on from here in the next page, as prose does and a table does not.

        The last line is full, is no row of numbers, and asks for more words or is followed by a small letter.
        """
        above, start = self.text.rstrip(), below.text.lstrip(_OPENERS)
        if not above or not start or above.rstrip(_CLOSERS).endswith(_STOPS):
            return False
        has_rows = self._has_rows or start[0].isdigit()
        if has_rows or not (_is_open(above, start) or _ends_in_small_word(above, start)):
            return False
        last, first = self._places[-1], below._places[0]
        smaller, larger = sorted((self.lines.sizes[last], below.lines.sizes[first]))
        return 0 < larger <= LARGER * smaller and self._is_full(below, self._width(last))

    def ends_a_paragraph(self, below: Page) -> bool:
        """Whether the last line stands apart from the next page, as a title alone on its page does.

        A line that goes on is as large as what follows, and full: the next word had no room in it.
        """
        above, start = self.text.rstrip(), below.text.lstrip(_OPENERS)
        if _is_open(above, start) or above.rstrip(_CLOSERS).endswith(_ENDS):
            return False
        last, first = self._last, below._first
        if last is None or first is None:
            return False
        if first.is_larger(last) or (last.is_larger(first) and last.is_larger(below._body or first)):
            return True
        return not (self._is_full(below, last.width) or _ends_in_small_word(above, start))

    def _is_full(self, below: Page, last: float) -> bool:
        """Whether the last line has no room for the next word, or is as wide as those above it."""
        full = max(self._full, below._full)
        room = _NEARLY * full - last
        return room <= 0 or room <= min(below._word, _LONG_WORD * full) or self._has_column(last)

    @property
    def _has_rows(self) -> bool:
        """Whether the last line begins with a number, or all of the last few have one, as in tables."""
        rows = [self.given[slice(*self._span(place))] for place in self._places[-_COLUMN:]]
        return rows[-1][0].isdigit() or all(any(map(str.isdigit, row)) for row in rows)

    @property
    def _first(self) -> Line | None:
        """The first line; None where there is none, or where its writing is not level."""
        return self._line(self._places[0]) if self._places else None

    @property
    def _last(self) -> Line | None:
        return self._line(self._places[-1]) if self._places else None

    @property
    def _body(self) -> Line | None:
        """One of its longer lines: the first may be a running head, in small letters."""
        return self._line(self._long[0]) if self._long else None

    @property
    def _word(self) -> float:
        """How wide the first word is."""
        start, end = self._span(self._places[0])
        return self.letters.width(start, start + len(self.given[start:end].split(None, 1)[0]))

    def _has_column(self, last: float) -> bool:
        """Whether the lines above the last one are just as wide: they are set to that width."""
        above = self._places[-1 - _COLUMN : -1]
        return len(above) == _COLUMN and all(abs(self._width(line) - last) <= _ALIKE * last for line in above)

    @cached_property
    def _full(self) -> float:
        """How wide a line is that fills its width."""
        return max(map(self._width, self._long), default=0.0)

    @cached_property
    def _long(self) -> list[int]:
        """Few of the longer lines: a page has many, and those with most letters may be in another size."""
        ends = [*self.lines.starts[1:], len(self.given)]
        lengths = [end - start for start, end in zip(self.lines.starts, ends, strict=True)]
        ordered = sorted(self._places, key=lengths.__getitem__)
        return ordered[len(ordered) * 3 // 4 :][:_MEASURED]

    @cached_property
    def _places(self) -> range:
        """Which of the lines are shown."""
        starts = self.lines.starts
        return range(bisect_left(starts, self._start), bisect_left(starts, self._end))

    def _line(self, place: int) -> Line | None:
        return _line(self.given, *self._span(place), self.letters)

    def _width(self, place: int) -> float:
        return self.letters.width(*self._span(place))

    def _span(self, place: int) -> tuple[int, int]:
        start = self.lines.starts[place]
        return start, start + len(self.line(place))


class Line(NamedTuple):
    """A line at an end of a page, in points."""

    width: float
    smallest: float
    largest: float

    def is_larger(self, other: Line) -> bool:
        """Whether it is in larger letters up to its last one, as titles are."""
        return self.smallest > LARGER * other.largest


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
    if min(sizes) <= 0:
        return None
    return Line(letters.width(start, end), min(sizes), max(sizes))


def _is_open(above: str, start: str) -> bool:
    return start[:1].islower() or above.endswith(OPEN_ENDS)


def _ends_in_small_word(above: str, start: str) -> bool:
    """Whether it ends in a word that asks for another, as "of" and "the" do."""
    word = above.rsplit(None, 1)[-1]
    return word.islower() and word in small_words(language_of(f"{start[:_TOLD]}\n{above[-_TOLD:]}"))
