"""Parts made of blocks: paragraphs, headings, rows and lines, gathered until a part is full."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.domain.corpus.documents import Heading, Part

from .cleaning import cleaned, titled

FULL = 32_000
"""How many characters a part holds at most, so that a large document flows and never stands in memory."""


class Composer:
    """Takes blocks in reading order and gives the parts that they fill."""

    def __init__(self) -> None:
        self._page: int | None = None
        self._label: str | None = None
        self._pieces: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._is_first = True

    def add(self, text: str, *, level: int | None = None, close: bool = False) -> Iterator[Part]:
        """Add a block with lines of its own; `level` makes it a heading, `close` spares the blank line."""
        text = cleaned(text).strip("\n")
        if not text.strip():
            return
        if not close and not self._is_first:
            self._put("\n")
        # Room is left for the blank line that may follow.
        if self._length + len(text) + 2 > FULL:
            yield from self.rest()
        if level is not None:
            indent = len(text) - len(text.lstrip())
            self._headings.append(Heading(self._length + indent, level, titled(text)))
        self._put(text)
        self._put("\n")
        self._is_first = False

    def turn(self, page: int | None, label: str | None = None) -> Iterator[Part]:
        """What was gathered, with a blank line behind it, before the blocks of another page."""
        if self._length > 0:
            self._put("\n")
        yield from self.rest()
        self._page, self._label, self._is_first = page, label, True

    def rest(self) -> Iterator[Part]:
        """What was gathered and is not given yet."""
        if self._length > 0:
            text = "".join(self._pieces)
            yield Part(text, self._page, self._label, tuple(self._headings))
        self._pieces, self._length, self._headings = [], 0, []

    def _put(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)


def cut(part: Part) -> Iterator[Part]:
    """The part in pieces that are not too long, cut where a paragraph, a line or a word ends."""
    start = 0
    while len(part.text) - start > FULL:
        end = end_within(part.text, start)
        yield _between(part, start, end)
        start = end
    yield part if start == 0 else _between(part, start, len(part.text))


def end_within(text: str, start: int = 0) -> int:
    """Where to cut a text that is too long: after a blank line if one is near, else a line, else a word."""
    end = start + FULL
    for mark, nearest in (("\n\n", start + FULL // 2), ("\n", start), (" ", start + FULL // 2)):
        found = text.rfind(mark, nearest, end)
        if found != -1:
            return found + len(mark)
    return end


def _between(part: Part, start: int, end: int) -> Part:
    headings = (
        Heading(heading.start - start, heading.level, heading.title)
        for heading in part.headings
        if start <= heading.start < end
    )
    return part._replace(text=part.text[start:end], headings=tuple(headings))
