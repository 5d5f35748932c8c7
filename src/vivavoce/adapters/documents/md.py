"""Markdown: its source as it stands, with the headings that it marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Heading, Part

from .cleaning import titled
from .decoding import text_of
from .txt import pieces

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HASHES = re.compile(r" {0,3}(#{1,6})(?=[ \t])")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_TITLE = re.compile(r" {0,3}(?:[-+*>|]|\d{1,9}[.)] )| {4}|\t|\s*$")
"""How a line begins that an underline does not turn into a title: a list, a quote, a table, code, nothing."""


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a Markdown file."""
    scanner = _Scanner()
    for piece in pieces(text_of(source)):
        yield Part(piece, headings=tuple(scanner.headings(piece)))


class _Scanner:
    """Finds headings line by line and remembers whether it stands inside a block of code."""

    def __init__(self) -> None:
        self._fence: str | None = None
        self._matter_may_begin = True
        self._is_matter = False

    def headings(self, piece: str) -> Iterator[Heading]:
        start = 0
        above: tuple[int, str] | None = None
        for bare in piece.split("\n"):
            if self._is_outside(bare):
                if hashes := _HASHES.match(bare):
                    if title := _without_hashes(bare[hashes.end() :]):
                        yield Heading(start + len(bare) - len(bare.lstrip()), len(hashes.group(1)), title)
                    above = None
                elif above is not None and (underline := _UNDERLINE.match(bare)):
                    yield Heading(above[0], 1 if underline.group(1)[0] == "=" else 2, titled(above[1]))
                    above = None
                else:
                    above = None if _NO_TITLE.match(bare) else (start, bare)
            else:
                above = None
            start += len(bare) + 1

    def _is_outside(self, line: str) -> bool:
        """Whether a line is prose: neither in a block of code nor in the settings above the text."""
        if self._is_matter or (self._matter_may_begin and line.rstrip() == "---"):
            self._is_matter = self._matter_may_begin or line.rstrip() not in ("---", "...", "")
            self._matter_may_begin = False
            return False
        self._matter_may_begin = False
        fence = _FENCE.match(line)
        if self._fence is None:
            if fence is None or (fence.group(1)[0] == "`" and "`" in fence.group(2)):
                return True
            self._fence = fence.group(1)
        elif fence is not None and fence.group(1).startswith(self._fence) and not fence.group(2).strip():
            self._fence = None
        return False


def _without_hashes(text: str) -> str:
    """A title without the hashes that may close it."""
    title = text.strip()
    before = title.rstrip("#")
    return titled(before if before[-1:] in ("", " ", "\t") else title)
