"""Surroundings: words of a document at their place, and what stands around them."""

from __future__ import annotations

import re
from typing import NamedTuple

from vivavoce.domain.language.sentences import Span, sentences_of
from vivavoce.engine.library.retrieval import Found


class Window(NamedTuple):
    """A passage with what stands around it in its document."""

    found: Found
    offset: int
    text: str


class Quote(NamedTuple):
    """Words of a document, at their place."""

    window: Window
    span: Span
    """In the whole document."""

    @property
    def text(self) -> str:
        """The words, exactly as the document has them."""
        return self.window.text[self.span.start - self.window.offset : self.span.end - self.window.offset]


def paragraph_of(quote: Quote) -> tuple[str, str]:
    """What stands before the paragraph of a quote, and the paragraph, as far as both were read."""
    text, offset = quote.window.text, quote.window.offset
    begin = max(0, text.rfind("\n\n", 0, max(0, quote.span.start - offset)))
    end = text.find("\n\n", max(0, quote.span.end - offset))
    return text[:begin], text[begin : len(text) if end < 0 else end]


def context_of(quote: Quote) -> str:
    """What stands around a quote, from which a reader knows whom and what it speaks of."""
    text, offset = quote.window.text, quote.window.offset
    start, end = quote.span.start - offset, quote.span.end - offset
    first = next((each.start for each in sentences_of(text, max(0, start - _CONTEXT), start)), start)
    after = [each.end for each in sentences_of(text, end, min(len(text), end + _AFTER))]
    return text[first : after[-1] if after else end].strip()


def is_spoken(quote: Quote) -> bool:
    """Whether words stand within quotation marks that their paragraph opens before them."""
    before, paragraph = paragraph_of(quote)
    said = paragraph[: quote.span.start - quote.window.offset - len(before)]
    opened = len(_OPENS.findall(said)) - len(_CLOSES.findall(said))
    return (opened if "\u201c" in said or "\u00ab" in said else said.count('"') % 2) > 0 or (
        _QUOTED.match(quote.text) is not None
    )


_CONTEXT, _AFTER = 800, 300
"""Characters before and after a quote that tell whom it speaks of."""
_OPENS, _CLOSES = re.compile("[\u201c\u00ab]"), re.compile("[\u201d\u00bb]")
_QUOTED = re.compile('["\u201c\u00ab]')
