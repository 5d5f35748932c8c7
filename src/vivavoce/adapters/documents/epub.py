"""Electronic books: their chapters in the order in which they are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO
from urllib.parse import unquote

from vivavoce.domain.corpus.documents import Part
from vivavoce.errors import Unreadable

from .archives import Archive, damaged
from .composing import Composer
from .html import page_of
from .office import within
from .xml import End, Start, Text, events

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = frozenset(("application/xhtml+xml", "text/html"))


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a book; its title is the first heading where its first chapter has none of that level."""
    archive = Archive(source)
    book = _book_in(archive)
    protected = _protected_in(archive)
    composer = Composer()
    is_first = True
    for chapter in book.chapters:
        if chapter in protected:
            raise Unreadable("The file is protected against copying.", hint="Take a copy without protection.")
        blocks = list(page_of(archive.read(chapter)).blocks(is_book=True))
        if is_first and blocks:
            is_first = False
            if all(block.level != 1 for block in blocks):
                yield from composer.add(book.title, level=1)
        for block in blocks:
            yield from composer.add(block.text, level=block.level, close=block.is_close)
    yield from composer.rest()


@dataclass
class _Book:
    title: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    spine: list[str] = field(default_factory=list)

    @property
    def chapters(self) -> list[str]:
        """The names of the pages that are read, each once."""
        return list(dict.fromkeys(self.pages[id] for id in self.spine if id in self.pages))


def _book_in(archive: Archive) -> _Book:
    name = _package_in(archive)
    folder = posixpath.dirname(name)
    book, is_title = _Book(), False
    for event in events(archive.chunks(name), may_have_doctype=True):
        if isinstance(event, Text):
            if is_title:
                book.title += event.text
        elif event.name == "title":
            is_title = isinstance(event, Start) and not book.title.strip()
        elif isinstance(event, End):
            continue
        elif event.name == "item":
            given = event.attributes
            is_contents = "nav" in given.get("properties", "").split()
            if given.get("media-type") in _PAGES and not is_contents:
                path = unquote(given.get("href", "")).partition("#")[0]
                book.pages[given.get("id", "")] = within(folder, path)
        elif event.name == "itemref":
            book.spine.append(event.attributes.get("idref", ""))
    return book


def _package_in(archive: Archive) -> str:
    for event in events(archive.chunks(_CONTAINER), may_have_doctype=True):
        if isinstance(event, Start) and event.name == "rootfile":
            return within("", event.attributes.get("full-path", ""))
    raise damaged()


def _protected_in(archive: Archive) -> frozenset[str]:
    """The entries that cannot be read without a key; fonts often are, and do not matter."""
    if _ENCRYPTION not in archive:
        return frozenset()
    return frozenset(
        within("", unquote(event.attributes.get("URI", "")))
        for event in events(archive.chunks(_ENCRYPTION), may_have_doctype=True)
        if isinstance(event, Start) and event.name == "CipherReference"
    )
