"""HTML pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Part
from vivavoce.errors import Unreadable

from .composing import Composer
from .decoding import decoded
from .markup import Block, Page


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a page; its title is the first heading where it has no heading of the first level."""
    page = page_of(source.read())
    blocks = list(page.blocks())
    if blocks and page.title.strip() and not any(block.level == 1 for block in blocks):
        blocks.insert(0, Block(" ".join(page.title.split()), 1, False, None))
    composer = Composer()
    for block in blocks:
        yield from composer.add(block.text, level=block.level, close=block.is_close)
    yield from composer.rest()


def page_of(raw: bytes) -> Page:
    """A page that has been read; Unreadable where the bytes are no text."""
    text = decoded(raw)
    if "\0" in text:
        raise Unreadable("The file is not text.", hint="Give it the name ending that fits its content.")
    page = Page()
    # The parser looks for the end of each comment that has none, again and again.
    last = text.rfind("-->")
    try:
        page.feed(text[: last + 1] + text[last + 1 :].replace("<!--", ""))
        page.close()
    except AssertionError:
        # The parser of the standard library says so where a declaration makes no sense.
        raise Unreadable("The file is damaged and cannot be read as HTML.") from None
    return page
