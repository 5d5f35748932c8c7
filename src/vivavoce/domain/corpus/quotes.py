"""Quotes: where a quotation stands in a text, although the text was set in lines and the quote was not."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from vivavoce.domain.language.sentences import Span


def located(quote: str, text: str, start: int = 0, end: int | None = None) -> Span | None:
    """Where a quote stands in the text between two offsets, word for word; None where it does not.

    Blanks, line ends, hyphenation, ligatures, the shape of quotation marks and dashes, and the way accents
    are encoded may differ; so may quotation marks and dots of omission around the quote. Nothing else may.
    """
    stop = len(text) if end is None else min(end, len(text))
    if not quote.strip():
        return None
    found = text.find(quote, start, stop)
    while found >= 0:
        span = Span(found, found + len(quote))
        if not _splits_letter(text, span):
            return span
        found = text.find(quote, found + 1, stop)
    inside = folded(text[start:stop]).span_of(quote)
    return None if inside is None else Span(start + inside.start, start + inside.end)


def is_verbatim(quote: str, text: str) -> bool:
    """Whether the quote stands in the text, word for word."""
    return located(quote, text) is not None


class Folded:
    """A text without the differences that a quote may have, and the way back to its offsets."""

    def __init__(self, original: str) -> None:
        self.original = original
        accented = _Layer(original.translate(_SAME), _accents)
        seen = _Layer(accented.text, _unseen_and_ligatures)
        even = _Layer(seen.text, _blanks_and_hyphens)
        self.text = even.text
        self._layers = (even, seen, accented)
        self._hyphens = [place for place, _ in even.dropped]
        self._readings = [_reading(seen.text, *span) for _, span in even.dropped]
        self._reading_at = dict(zip(self._hyphens, self._readings, strict=True))

    def span_of(self, quote: str) -> Span | None:
        """Where the quote stands in the original."""
        given = quote.strip()
        bare = _bare(given.translate(_SAME))
        span = self._span_of(folded(given))
        return self._span_of(folded(bare)) if span is None and bare != given else span

    def span(self, start: int, end: int) -> Span | None:
        """What stands in the original for a stretch of the folded text; None where it splits a letter."""
        span: Span | None = Span(start, end)
        for layer in self._layers:
            span = layer.span(span) if span is not None else None
        return None if span is None or _splits_letter(self.original, span) else span

    def _span_of(self, wanted: Folded) -> Span | None:
        length = len(wanted.text)
        at = self.text.find(wanted.text) if length > 0 else -1
        while at >= 0:
            span = self.span(at, at + length) if self._is_hyphenated_like(wanted, at) else None
            if span is not None:
                return span
            at = self.text.find(wanted.text, at + 1)
        return None

    def _is_hyphenated_like(self, wanted: Folded, at: int) -> bool:
        first, last = bisect_right(self._hyphens, at), bisect_left(self._hyphens, at + len(wanted.text))
        inside = self._hyphens[first:last]
        return all(
            reading & wanted._reading_at.get(place - at, _JOINED)
            for place, reading in zip(inside, self._readings[first:last], strict=True)
        ) and all(
            reading & _JOINED or place + at in self._reading_at
            for place, reading in wanted._reading_at.items()
        )


def folded(text: str) -> Folded:
    """The text folded, so that many quotes can be looked for."""
    return Folded(text)


_DASH = "\u2013"
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc", "'"),
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("\u2012\u2014\u2015\u2212", _DASH),
    }
)
_LIGATURES = dict(
    zip(
        "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06",
        ("ff", "fi", "fl", "ffi", "ffl", "st", "st"),
        strict=True,
    )
)
_SOFT_HYPHEN = "\u00ad"
_UNSEEN_OR_LIGATURE = re.compile(
    r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]++|[\ufb00-\ufb06]"
)
_LINE_ENDS = r"\n\r\f\v\x85\u2028\u2029"
_LINE_END = re.compile(f"[{_LINE_ENDS}]")
_TO_NEXT_LINE = re.compile(rf"[^\S{_LINE_ENDS}]*+[{_LINE_ENDS}]\s*+(?=\w)")
_BLANKS_OR_HYPHEN = re.compile(rf"(?P<inside>(?<=\w)[-{_DASH}]\s*+(?=\w))|{_DASH}|\s{{2,}}+|[^\S ]")
_WORD = re.compile(r"\S+")
_AROUND = " \t\r\n\"'\u00ab\u00bb\u2026"

_Change = tuple[int, int, str]


# What may be meant by a hyphen between two letters; a set of them is a sum.
_JOINED, _HYPHEN, _SPACED = 1, 2, 4


class _Layer:
    """A text with some stretches of another replaced, and the way back."""

    def __init__(self, source: str, changes: Callable[[str], Iterator[_Change]]) -> None:
        self._at, self._length = array("Q"), array("Q")
        self._origin, self._width = array("Q"), array("Q")
        self.dropped: list[tuple[int, Span]] = []
        """Where something was left out, and what."""
        pieces: list[str] = []
        done = size = 0
        for start, end, replacement in changes(source):
            pieces += (source[done:start], replacement)
            size += start - done
            self._at.append(size)
            self._length.append(len(replacement))
            self._origin.append(start)
            self._width.append(end - start)
            if not replacement:
                self.dropped.append((size, Span(start, end)))
            size += len(replacement)
            done = end
        self.text = "".join((*pieces, source[done:])) if pieces else source

    def span(self, span: Span) -> Span | None:
        first, last = self._place(span.start), self._place(span.end - 1)
        begins_whole = first.start == span.start
        ends_whole = last.end == span.end
        return Span(first.origin, last.origin_end) if begins_whole and ends_whole else None

    def _place(self, offset: int) -> _Place:
        change = bisect_right(self._at, offset) - 1
        if change < 0:
            return _Place(offset, offset + 1, offset, offset + 1)
        at, origin = self._at[change], self._origin[change]
        end, origin_end = at + self._length[change], origin + self._width[change]
        if offset < end:
            return _Place(at, end, origin, origin_end)
        verbatim = origin_end + offset - end
        return _Place(offset, offset + 1, verbatim, verbatim + 1)


class _Place(NamedTuple):
    """What a character of a layer was made with, and what of."""

    start: int
    end: int
    origin: int
    origin_end: int


def _splits_letter(text: str, span: Span) -> bool:
    return span.end < len(text) and unicodedata.combining(text[span.end]) != 0


def _reading(text: str, start: int, end: int) -> int:
    if end - start == 1:
        return _HYPHEN
    if _LINE_END.search(text, start, end) is None:
        return _SPACED
    may_join = text[start] == "-" and not (text[start - 1].isdigit() or text[end].isdigit())
    return _HYPHEN + _SPACED + (_JOINED if may_join else 0)


def _bare(quote: str) -> str:
    """The quote without the quotation marks and dots of omission around it."""
    before = ""
    while quote != before:
        before, quote = quote, quote.strip(_AROUND).removeprefix("[...]").removesuffix("[...]")
        quote = quote.lstrip(".") if quote.startswith("...") else quote
        quote = quote.rstrip(".") if quote.endswith("...") else quote
    return quote


def _accents(text: str) -> Iterator[_Change]:
    if unicodedata.is_normalized("NFC", text):
        return
    for word in _WORD.finditer(text):
        if unicodedata.is_normalized("NFC", word.group()):
            continue
        start = word.start()
        for place in range(start + 1, word.end() + 1):
            if place < word.end() and _is_of_letter(text, start, place):
                continue
            letter = text[start:place]
            if not unicodedata.is_normalized("NFC", letter):
                yield start, place, unicodedata.normalize("NFC", letter)
            start = place


def _is_of_letter(text: str, start: int, place: int) -> bool:
    if text[place].isascii() or unicodedata.combining(text[place]) != 0:
        return not text[place].isascii()
    # Starters that join the one before, such as the parts of a Korean syllable.
    letter = unicodedata.normalize("NFC", text[start:place])
    return unicodedata.normalize("NFC", letter + text[place]) != letter + unicodedata.normalize(
        "NFC", text[place]
    )


def _unseen_and_ligatures(text: str) -> Iterator[_Change]:
    for found in _UNSEEN_OR_LIGATURE.finditer(text):
        seen = _LIGATURES.get(found.group(), "")
        is_soft = _SOFT_HYPHEN in found.group() and found.start() > 0 and text[found.start() - 1].isalnum()
        if is_soft and _TO_NEXT_LINE.match(text, found.end()) is not None:
            seen = "-"
        yield found.start(), found.end(), seen


def _blanks_and_hyphens(text: str) -> Iterator[_Change]:
    for found in _BLANKS_OR_HYPHEN.finditer(text):
        replacement = "" if found["inside"] is not None else "-" if found.group() == _DASH else " "
        yield found.start(), found.end(), replacement
