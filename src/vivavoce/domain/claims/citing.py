"""Citing: finds the numbers of sources in a text that comes in pieces, and takes them out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

MOST = 99
"""Higher numbers are years and counts, never sources."""


class Cite(NamedTuple):
    """A source that the words before a place rest on."""

    number: int
    at: int
    """The place in the text without the marks."""


class Invented(NamedTuple):
    """A number in brackets after a word that no source has."""

    number: int
    at: int


Mark = Cite | Invented


class Citing:
    """Reads a text once, in bounded memory and in a time that grows with its length alone.

    A mark is a number, a list or a range in brackets: [1], [1, 2], [1-3], and the same in 【】. The blanks
    before it go with it, and a comma between two. Links, code, words in brackets and high numbers stay.
    """

    def __init__(self, *, known: int) -> None:
        self.known = known
        """Sources are numbered from 1 to this; other small numbers after a word are taken out as well."""
        self.cites: list[Cite] = []
        self._rest = ""  # what cannot be decided yet: blanks, and what may become a mark
        self._at = 0  # how much was given out
        self._last = "\n"  # and its last character
        self._here: set[int] = set()  # what is cited at this place already
        self._follows_mark = False
        self._begins_line = False  # a mark began the line, so what follows begins it without a blank
        self._code = _Code()
        self._out: list[str | Mark] = []

    def feed(self, piece: str) -> Sequence[str | Mark]:
        """The text that is certain now, and the marks in it."""
        return self._read(self._rest + piece, is_end=False)

    def end(self) -> Sequence[str | Mark]:
        """What was held back."""
        return self._read(self._rest, is_end=True)

    def _read(self, text: str, *, is_end: bool) -> Sequence[str | Mark]:
        plain = text if text.isascii() else text.translate(_SAME)
        begin = 0
        close = plain.find("]") if self.known > 0 else -1
        while close >= 0 and (is_end or close + 1 < len(text)):
            start = plain.rfind("[", max(begin, close - _LONGEST), close)
            if start >= 0 and not plain[start + 1 : close].strip(_INSIDE):
                gap = self._gap(plain, begin, start)
                self._give(text[begin:gap])
                begin = gap
                numbers = self._numbers(plain, gap, start, close)
                if numbers is not None:
                    self._take_out(numbers)
                    begin = close + 1
            close = plain.find("]", close + 1)
        held = len(text) if is_end or self.known <= 0 else self._held(plain, begin)
        self._give(text[begin:held])
        self._rest = text[held:]
        out, self._out = self._out, []
        return out

    def _gap(self, plain: str, begin: int, end: int) -> int:
        """Where the blanks begin that stand before a place, or all that stands between two marks."""
        first = max(begin, end - _LONGEST)
        before = plain[first:end]
        if self._follows_mark and first == begin and before.strip(_BLANKS) in _BETWEEN:
            return begin
        return first + len(before.rstrip(_BLANKS))

    def _held(self, plain: str, begin: int) -> int:
        """Where the text begins that is kept until more of it is known."""
        opened = plain.rfind("[", max(begin, len(plain) - _LONGEST - 1))
        inside = plain[opened + 1 :]
        is_open = opened >= 0 and not (inside[:-1] if inside.endswith("]") else inside).strip(_INSIDE)
        return self._gap(plain, begin, opened if is_open else len(plain))

    def _numbers(self, plain: str, gap: int, start: int, close: int) -> Sequence[int] | None:
        """What brackets around numbers cite, seen with what stands around them; None where they do not."""
        inside, follower = plain[start + 1 : close], plain[close + 1 : close + 2]
        numbers = _numbers_in(inside)
        begins_line = self._last == "\n" and not self._follows_mark
        is_reference = begins_line and follower == ":"
        is_doubled = self._last == "[" and gap == start and follower == "]"
        if numbers is None or follower == "(" or is_reference or is_doubled or self._code.is_open():
            return None
        is_attached = gap == start and not self._follows_mark and (self._last.isalnum() or self._last == "_")
        is_invented = inside.isdigit() and not begins_line and not is_attached
        return numbers if min(numbers) <= self.known or is_invented else None

    def _take_out(self, numbers: Sequence[int]) -> None:
        self._follows_mark = True
        self._begins_line = self._last == "\n"
        for number in numbers:
            if number in self._here:
                continue
            self._here.add(number)
            if number <= self.known:
                self.cites.append(Cite(number, self._at))
                self._out.append(self.cites[-1])
            else:
                self._out.append(Invented(number, self._at))

    def _give(self, text: str) -> None:
        if not text:
            return
        self._follows_mark = False
        text = text.lstrip(_BLANKS) if self._begins_line else text
        if text:
            self._begins_line = False
            self._here.clear()
            self._code.read(text)
            self._at += len(text)
            self._last = text[-1]
            self._out.append(text)


class _Code:
    """Whether a text stands inside backticks, where brackets are never marks."""

    def __init__(self) -> None:
        self._ticks = 0  # how many were just read
        self._until = 0  # how many end the code that we are in

    def is_open(self) -> bool:
        self._turn()
        return self._until > 0

    def read(self, text: str) -> None:
        place = 0
        while place < len(text):
            tick = text.find("`", place)
            end = len(text) if tick < 0 else tick
            if end > place:
                self._turn()
                if 0 < self._until < _FENCE and text.find("\n", place, end) >= 0:
                    self._until = 0  # code inside a line ends with it, closed or not
            if tick >= 0:
                self._ticks += 1
            place = end + 1

    def _turn(self) -> None:
        """The backticks have ended: they open code or close it."""
        ticks, self._ticks = self._ticks, 0
        if ticks and self._until == 0:
            self._until = ticks
        elif ticks == self._until or (ticks > self._until and self._until >= _FENCE):
            self._until = 0


_SAME = str.maketrans("\u3010\u3011\u3001\uff0c\u2013\u2014", "[],,--")
_BLANKS = " \t\u00a0\u2009\u202f\u3000"
_BETWEEN = frozenset(("", ",", ";"))
_INSIDE = "0123456789,;- "
_FENCE = 3
"""So many backticks begin code that goes over lines."""
_LONGEST = 40
"""Longer marks and blanks are text."""


@lru_cache(maxsize=1_000)
def _numbers_in(inside: str) -> Sequence[int] | None:
    """The numbers of a list such as `1, 3-5`; None where it is no list of small numbers."""
    numbers: list[int] = []
    for part in inside.replace(";", ",").split(","):
        ends = [end.strip(" ") for end in part.split("-")]
        if len(ends) > 2 or not all(_is_small(end) for end in ends) or int(ends[0]) > int(ends[-1]):
            return None
        numbers += range(int(ends[0]), int(ends[-1]) + 1)
    return numbers


def _is_small(written: str) -> bool:
    return written.isdigit() and written[0] != "0" and len(written) <= len(str(MOST))
