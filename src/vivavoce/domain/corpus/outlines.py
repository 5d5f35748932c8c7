"""Outlines: the pages and titles of a document, and what stands where."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate, islice
from typing import NamedTuple

from .documents import MOST_TITLES, Part


class Mark(NamedTuple):
    """Where a page begins in a document."""

    start: int
    page: int | None
    label: str | None


class Title(NamedTuple):
    """Where a section begins in a document, and what it is called."""

    start: int
    level: int
    title: str


class Outline:
    """The pages and titles of a document, found by offset."""

    def __init__(self, pages: Iterable[Mark] = (), titles: Iterable[Title] = ()) -> None:
        self.pages = sorted(pages, key=lambda mark: mark.start)
        self.titles = sorted(
            (title for title in titles if title.title.strip()), key=lambda title: title.start
        )
        self._page_starts = [mark.start for mark in self.pages]
        self._title_starts = [title.start for title in self.titles]
        top: tuple[Title, ...] = ()
        self._paths = list(accumulate(self.titles, _path_below, initial=top))

    def page_at(self, offset: int) -> Mark | None:
        """The page that an offset stands on, where there are pages."""
        place = bisect_right(self._page_starts, offset)
        return self.pages[place - 1] if place > 0 else None

    def printed_at(self, offset: int) -> str | None:
        """What is printed on the page that an offset stands on, or else its number."""
        page = self.page_at(offset)
        if page is None or page.page is None:
            return None
        return str(page.page) if page.label is None else page.label

    def headings_at(self, offset: int) -> tuple[str, ...]:
        """The titles above an offset, from the widest to the nearest."""
        return tuple(title.title for title in self._paths[bisect_right(self._title_starts, offset)])


class OutlineBuilder:
    """Makes the outline of a document from its parts as they come, and keeps none of their texts."""

    def __init__(self) -> None:
        self.length = 0
        """How long the document is so far."""
        self._pages: list[Mark] = []
        self._titles: list[Title] = []

    def add(self, part: Part) -> None:
        """Take the next part of the document into account; titles beyond the most that are kept are not."""
        if (part.page, part.label) != (self._pages[-1][1:] if self._pages else (None, None)):
            self._pages.append(Mark(self.length, part.page, part.label))
        titles = (Title(self.length + start, level, title) for start, level, title in part.headings)
        self._titles += islice(titles, MOST_TITLES - len(self._titles))
        self.length += len(part.text)

    def outline(self) -> Outline:
        """The outline of what was added."""
        return Outline(self._pages, self._titles)


def _path_below(path: tuple[Title, ...], title: Title) -> tuple[Title, ...]:
    return (*(above for above in path if above.level < title.level), title)
