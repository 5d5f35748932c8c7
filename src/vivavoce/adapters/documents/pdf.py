"""PDF files, read with pdfium: a part for each page."""

from __future__ import annotations

import codecs
import ctypes
import mmap
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

import pypdfium2
import pypdfium2.raw as pdfium

from vivavoce.domain.corpus.documents import Heading, Part
from vivavoce.errors import Unreadable

from .cleaning import cleaned, titled
from .letters import Letters
from .page_breaks import Page
from .running_lines import flowing
from .spacing import lines_of

# Found now, because the process that reads may open no file later.
codecs.lookup("utf-16-le")

_MOST_PAGES = 20_000
_MOST_BOOKMARKS = 20_000
_MOST_ON_A_PAGE = 500
_DEEPEST = 10
_LONGEST_LABEL = 50
_MEND = "Open it in the program that made it and save it again."


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a PDF file, one for each page, with the labels and bookmarks that it has."""
    document = _opened(source)
    pages = len(document)
    if pages > _MOST_PAGES:
        raise Unreadable(f"The file has more than {_MOST_PAGES:,} pages.", hint="Split it.")
    bookmarks = _bookmarks_in(document)
    has_text = False
    opened: deque[tuple[Any, Any]] = deque()
    read = (_page_of(document, index, opened) for index in range(pages))
    for index, (page, ends_a_paragraph) in enumerate(flowing(read, pages)):
        text = f"{page.text}\n" if ends_a_paragraph else page.text
        for handle in opened.popleft():
            handle.close()
        has_text = has_text or text != "\n"
        yield Part(text, index + 1, page.label, _headings(text, bookmarks.get(index, [])))
    if not has_text:
        raise Unreadable(
            "The file holds pictures of pages and no text.", hint="Run text recognition (OCR) on it first."
        )


def _opened(source: BinaryIO) -> Any:
    try:
        return pypdfium2.PdfDocument(_bytes_of(source))
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise Unreadable(
                "The file is protected by a password.", hint="Remove the password, then try again."
            ) from None
        raise Unreadable("The file is damaged and cannot be read as PDF.", hint=_MEND) from None


def _bytes_of(source: BinaryIO) -> Any:
    """The file as memory that pdfium may look at, without a copy of it."""
    try:
        mapped = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError):
        # No file of the system, or an empty one.
        return source.read()
    return (ctypes.c_char * len(mapped)).from_buffer(mapped)


def _page_of(document: Any, index: int, opened: deque[tuple[Any, Any]]) -> Page:
    """A page that can be measured as long as what it adds to those opened is not closed."""
    try:
        page = document[index]
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError:
        raise Unreadable(f"The file is damaged: its page {index + 1} cannot be read.", hint=_MEND) from None
    opened.append((text_page, page))
    given = text_page.get_text_range()
    letters = Letters(given, text_page.raw)
    return Page(given, letters, lines_of(given, letters), _label_of(document, index))


def _label_of(document: Any, index: int) -> str | None:
    try:
        return cleaned(document.get_page_label(index))[:_LONGEST_LABEL] or None
    except UnicodeDecodeError:
        return None


def _bookmarks_in(document: Any) -> dict[int, list[tuple[int, str]]]:
    """The level and title of each bookmark, by the page that it leads to."""
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for bookmark in islice(document.get_toc(max_depth=_DEEPEST), _MOST_BOOKMARKS):
        target = bookmark.get_dest()
        index = target.get_index() if target is not None else None
        title = _title_of(bookmark)
        if index is not None and title and len(found[index]) < _MOST_ON_A_PAGE:
            found[index].append((bookmark.level + 1, title))
    return found


def _title_of(bookmark: Any) -> str:
    try:
        return titled(bookmark.get_title())
    except UnicodeDecodeError:
        return ""


def _headings(text: str, bookmarks: list[tuple[int, str]]) -> tuple[Heading, ...]:
    """Bookmarks where their titles stand on the page; those that it does not show stand at its beginning."""
    headings, after = [], 0
    for level, title in bookmarks:
        shown = re.compile(r"\s+".join(map(re.escape, title.split())), re.IGNORECASE)
        match = shown.search(text, after) or shown.search(text)
        start = match.start() if match else 0
        after = match.end() if match else after
        headings.append(Heading(start, level, title))
    return tuple(sorted(headings, key=lambda heading: heading.start))
