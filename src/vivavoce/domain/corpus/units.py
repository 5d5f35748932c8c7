"""Units: the titles, sentences and pieces of long sentences that passages are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice, pairwise
from typing import NamedTuple, TypeVar

from vivavoce.domain.language.sentences import Span, halves, sentences_of, trimmed

from .borders import Border

T = TypeVar("T")


class Kind(Enum):
    """What a unit is."""

    HEADING = "a title on a line of its own"
    SENTENCE = "a whole sentence"
    FIRST = "the first piece of a long sentence"
    NEXT = "a further piece of a long sentence"


class Unit(NamedTuple):
    """The least that a passage is made of."""

    start: int
    end: int
    tokens: int
    section: int
    kind: Kind
    opens: bool
    """Whether it begins a paragraph that the one before does not announce."""


class Ruler:
    """Counts the tokens of stretches of a text, many at once."""

    def __init__(self, text: str, lengths: Callable[[Sequence[str]], list[int]]) -> None:
        self.text = text
        self._lengths = lengths
        (self.frame,) = lengths([""])  # the tokens that every text has, such as its begin and end marks

    def whole(self, spans: Iterable[Span]) -> list[int]:
        """What the embedder counts."""
        return self._lengths([self.text[start:end] for start, end in spans])

    def parts(self, spans: Iterable[Span]) -> list[int]:
        """What each adds to a longer text."""
        return [max(1, tokens - self.frame) for tokens in self.whole(spans)]


def units_of(ruler: Ruler, borders: Sequence[Border], room: int, tiny: int) -> Iterator[Unit]:
    """The units of a text in order, none longer than a passage of `room` tokens has space for."""
    heading = end = 0
    for batch in batches(_lines_and_sentences(ruler.text, borders), _SPANS):
        counts = ruler.parts(span for span, _, _ in batch)
        most = []
        for (_, _, is_heading), tokens in zip(batch, counts, strict=True):
            most.append(max(tiny, room - tiny - max(tiny, heading)))
            heading = tokens if is_heading else 0
        long = [
            span for (span, _, _), tokens, limit in zip(batch, counts, most, strict=True) if tokens > limit
        ]
        pieces = _pieces(ruler, long, tiny)
        for (span, section, is_heading), tokens in zip(batch, counts, strict=True):
            opens = ruler.text.count("\n", end, span.start) > 1 and ruler.text[end - 1] != ":"
            end = span.end
            if span not in pieces:
                yield Unit(*span, tokens, section, Kind.HEADING if is_heading else Kind.SENTENCE, opens)
                continue
            for number, (piece, count) in enumerate(pieces[span]):
                kind = Kind.NEXT if number > 0 else Kind.FIRST
                yield Unit(*piece, count, section, kind, opens and number == 0)


def batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    """The items, so many at once."""
    return iter(lambda: list(islice(items, size)), [])


_SPANS = 512
_HEADING_LINE = 300


def _lines_and_sentences(text: str, borders: Sequence[Border]) -> Iterator[tuple[Span, int, bool]]:
    starts = [*(border.start for border in borders), len(text)]
    for section, (start, end) in enumerate(pairwise(starts)):
        body = start
        if borders[section].has_title:
            body = _line_end(text, start, end)
            line = trimmed(text, Span(start, body))
            if line is not None:
                yield line, section, True
        for sentence in sentences_of(text, body, end):
            span = trimmed(text, sentence)
            if span is not None:
                yield span, section, False


def _line_end(text: str, start: int, end: int) -> int:
    stop = min(end, start + _HEADING_LINE)
    line = text.find("\n", start, stop)
    return line + 1 if line >= 0 else end if end == stop else start


def _pieces(ruler: Ruler, long: Sequence[Span], most: int) -> dict[Span, list[tuple[Span, int]]]:
    """Each sentence in pieces of no more than `most` tokens; the tokens of all are counted in a few calls."""
    done: dict[Span, list[tuple[Span, int]]] = {span: [] for span in long}
    left = [(owner, piece) for owner in long for piece in halves(ruler.text, owner)]
    while left:
        counts = ruler.parts(piece for _, piece in left)
        counted, left = zip(left, counts, strict=True), []
        for (owner, piece), tokens in counted:
            if tokens <= most or piece.end - piece.start == 1:
                done[owner].append((piece, tokens))
            else:
                left += [(owner, half) for half in halves(ruler.text, piece)]
    return {owner: sorted(pieces) for owner, pieces in done.items()}
