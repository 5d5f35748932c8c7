"""Documents: the text of a datasource as it was read, with its pages and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

KINDS = ("txt", "md", "html", "pdf", "docx", "pptx", "xlsx", "csv", "json", "epub")
"""The kinds of file that can be read."""

MOST_TITLES = 20_000
"""How many titles of a document are kept."""


class Heading(NamedTuple):
    """A title inside a part, where its section begins."""

    start: int
    """Where the title stands, counted from the beginning of the part."""
    level: int
    title: str


class Part(NamedTuple):
    """A stretch of a document as a reader gives it. A document's text is its parts, one after another."""

    text: str
    """Verbatim, with the blanks and line ends that stand between it and the next part."""
    page: int | None = None
    """The page that it stands on, counted from 1; None where the kind of file has no pages."""
    label: str | None = None
    """What is printed on that page, such as xii, where the file says so."""
    headings: tuple[Heading, ...] = ()


def headings_in(text: str) -> Iterator[Heading]:
    """The first headings of a text that is written with # marks, those inside fences left out."""
    return islice(_headings(text), MOST_TITLES)


def _headings(text: str) -> Iterator[Heading]:
    fenced = False
    for line in re.finditer(r"^.*$", text, re.MULTILINE):
        if re.match(r" {0,3}(```|~~~)", line.group()):
            fenced = not fenced
        found = None if fenced else re.match(r" {0,3}(#{1,6})[ \t]+(\S.*)", line.group())
        if found is not None:
            title = found.group(2).rstrip().rstrip("#").rstrip()
            if title:
                yield Heading(line.start() + found.start(1), len(found.group(1)), title[:200])
