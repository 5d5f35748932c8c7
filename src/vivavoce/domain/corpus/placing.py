"""Placing: where a quote stands in a text, whole: no part of a word, and dots of omission filled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from vivavoce.domain.language.sentences import Span

from .quotes import Folded, located

SHORTEST = 8
"""Characters that a quote, and each part of one, has at least."""


def placed(quote: str, text: str, inside: Span) -> Span | None:
    """Where the quote stands, first inside a stretch of the text, then anywhere in it."""
    for start, end in (inside, (0, len(text))):
        for span in _occurrences(quote, text, start, end):
            return span
    parts = [part for part in _ELLIPSIS.split(quote.strip(" \"'\u201c\u201d")) if part.strip()]
    if len(parts) < 2 or any(len(part) < SHORTEST for part in parts):
        return None
    for first in _occurrences(parts[0], text, 0, len(text)):
        end = first.end
        for part in parts[1:]:
            found = next(
                _occurrences(part, text, end, min(len(text), end + _LONGEST_GAP + 2 * len(part))), None
            )
            if found is None or found.start - end > _LONGEST_GAP:
                break
            end = found.end
        else:
            return Span(first.start, end)
    return None


_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.\.\.|\u2026)\s*\]|\.\.\.|\u2026)\s*")
_LONGEST_GAP = 400
_MOST = 20
"""Places of a quote that are looked at."""


def _occurrences(quote: str, text: str, start: int, end: int) -> Iterator[Span]:
    """The places that begin and end with whole words."""
    if quote not in text and _folded(text).span_of(quote) is None:
        return
    at = start
    for _ in range(_MOST):
        span = located(quote, text, at, end)
        if span is None:
            return
        if _is_whole(text, span):
            yield span
        at = span.start + 1


@lru_cache(maxsize=64)
def _folded(text: str) -> Folded:
    """Kept, because every claim of a draft is looked for in the same texts."""
    return Folded(text)


def _is_whole(text: str, span: Span) -> bool:
    """Whether no word is cut: "able" is not said where the text says "unable", nor 5 where it says 1.5."""
    before, after = text[max(0, span.start - 2) : span.start], text[span.end : span.end + 2]
    begins, ends = text[span.start], text[span.end - 1]
    if begins.isalnum() and (before[-1:].isalnum() or _is_decimal(before, begins)):
        return False
    return not (ends.isalnum() and (after[:1].isalnum() or (ends.isdigit() and re.match(r"[.,]\d|%", after))))


def _is_decimal(before: str, begins: str) -> bool:
    return begins.isdigit() and re.fullmatch(r"\d[.,]", before) is not None
