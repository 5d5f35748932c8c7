"""Borders: where a document turns to something else, as its titles, its pages and its lines show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from heapq import merge
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from .outlines import Outline


class Border(NamedTuple):
    """Where something new begins."""

    start: int
    level: int
    """Of its title, 1 for the widest; pages stand above all titles, titles that only look so below all."""
    has_title: bool
    """Whether its first line is a title, which belongs to what follows."""


def borders_of(text: str, outline: Outline) -> Iterator[Border]:
    """The borders of a document in order, each once: sections, short pages, questions and titles."""
    sections = (Border(min(title.start, len(text)), title.level, True) for title in outline.titles)
    last = -1
    for border in merge(sections, _pages(text, outline), _lines(text), key=attrgetter("start")):
        if border.start > last:
            yield border
            last = border.start


_PAGE, _LINE = 0, 100
"""The levels of borders that no outline knows."""
_SHORT_PAGE = 1_000
"""Characters of a page that was made to stand by itself: less than half of a page of a book."""
_LONGEST_TITLE, _MOST_WORDS = 80, 10
_LONGEST_QUESTION = 200
_LONGER = 2
"""A line that is so many times as long as the one above may be the beginning of what that is the title of."""
_ASKS = ("?", "\uff1f", "\u061f")
_ENDS = (".", "!", "\u2026", ":", "\u3002", "\uff01", *_ASKS)
_OPEN_ENDS = (",", ";", "-", "\u00ad", "\u2010", "\u2013", "\u2014")
_CLOSERS = "\"'\u201d\u2019\u00bb)]*_"
_WRITTEN = re.compile(r"^[^\n]*\S[^\n]*$", re.MULTILINE)
_NUMBER = re.compile(r"(?:\d{1,3}[.)]|[QqPp]\s?\d{0,3}[:.)])\s+")


class _Written(NamedTuple):
    """A line that is not blank, without the blanks around it."""

    start: int
    text: str
    is_apart: bool
    """Whether a blank line, or none at all, stands before it."""


def _pages(text: str, outline: Outline) -> Iterator[Border]:
    """Where a page begins that is short or follows a short one, unless a sentence goes on there."""
    starts = [mark.start for mark in outline.pages]
    for before, start, end in zip(starts, starts[1:], [*starts[2:], len(text)], strict=False):
        above, below = text[before:start].strip(), text[start:end].strip()
        is_short = min(len(above), len(below)) < _SHORT_PAGE
        if above and below and is_short and not _runs_on(above, below):
            yield Border(start, _PAGE, False)


def _runs_on(above: str, below: str) -> bool:
    return above.endswith(_OPEN_ENDS) or (below[0].islower() and not _has_ended(above))


def _has_ended(text: str) -> bool:
    return text.rstrip(_CLOSERS).endswith(_ENDS)


def _lines(text: str) -> Iterator[Border]:
    """Where a line asks what the next ones answer, or looks like a title of theirs."""
    has_asked, before = False, ""
    for line, below in pairwise(_written(text)):
        asks = _is_question(line.text) and (line.is_apart or _has_ended(before))
        if (asks and not has_asked) or _is_title(line, below):
            yield Border(line.start, _LINE, True)
        has_asked, before = asks, line.text


def _written(text: str) -> Iterator[_Written]:
    end = 0
    for found in _WRITTEN.finditer(text):
        line = found.group()
        start = found.end() - len(line.lstrip())
        yield _Written(start, line.strip(), end == 0 or text.count("\n", end, found.start()) > 1)
        end = found.end()


def _is_question(line: str) -> bool:
    """Whether a line is one question; a dialogue asks behind a quotation mark or a dash."""
    bare = _NUMBER.sub("", line, count=1)
    return (
        len(line) <= _LONGEST_QUESTION and bare.endswith(_ASKS) and (bare[0].isupper() or bare[0] == "\u00bf")
    )


def _is_title(line: _Written, below: _Written) -> bool:
    """Whether a line stands above others as a title does: apart, short, without a stop."""
    words = line.text
    return (
        line.is_apart
        and len(words) <= _LONGEST_TITLE
        and len(words.split()) <= _MOST_WORDS
        and (words[0].isupper() or words[0].isdigit())
        and not _has_ended(words)
        and not words.endswith(_OPEN_ENDS)
        and "\t" not in words
        and " | " not in words
        and (below.is_apart or len(below.text) >= _LONGER * len(words))
    )
