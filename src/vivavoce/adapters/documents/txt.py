"""Plain text, as it stands, with the titles of its chapters; a form feed begins a new page."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from vivavoce.domain.corpus.chapters import chapters_in
from vivavoce.domain.corpus.documents import Part

from .cleaning import cleaned
from .composing import FULL, end_within
from .decoding import encoding_of, opened


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a text; they have page numbers where it has form feeds."""
    encoding = encoding_of(source)
    text = opened(source, encoding)
    if encoding.has_pages:
        yield from _pages(text)
    else:
        yield from (Part(piece, headings=tuple(chapters_in(piece))) for piece in pieces(text))


def pieces(text: io.TextIOBase) -> Iterator[str]:
    """A text in pieces that are not too long, cut where a paragraph, a line or a word ends."""
    held = ""
    while chunk := text.read(FULL):
        held += cleaned(chunk)
        while len(held) > FULL:
            end = end_within(held)
            yield held[:end]
            held = held[end:]
    if held:
        yield held


def _pages(text: io.TextIOBase) -> Iterator[Part]:
    page, held = 1, ""
    while chunk := text.read(FULL):
        *ended, rest = chunk.split("\f")
        for end in ended:
            yield from _page(page, held + end, is_whole=True)
            page, held = page + 1, ""
        held += rest
        while len(held) > FULL:
            end_at = end_within(held)
            yield from _page(page, held[:end_at], is_whole=False)
            held = held[end_at:]
    yield from _page(page, held, is_whole=False)


def _page(page: int, text: str, *, is_whole: bool) -> Iterator[Part]:
    """A stretch of a page; the page break becomes a line end, so that words on both sides stay apart."""
    text = cleaned(text)
    if is_whole and text and not text.endswith("\n"):
        text += "\n"
    if text:
        yield Part(text, page, headings=tuple(chapters_in(text)))
