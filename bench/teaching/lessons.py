"""Lessons: a question and a text as the numbers that the network reads, and where in them the answer is."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple, Protocol

from courses import Layout
from sentences import spans_of

from vivavoce.adapters.embedders.unigram import Piece

LONGEST = 256
NOWHERE = 0
"""The place that stands for: there is no answer."""
SOMEWHERE = -1
"""There is an answer, but nobody said where."""
_LONGEST_QUESTION = 80
_SHORTENED = 0.7
"""Of the paragraphs that may be shortened, so many are."""

Span = tuple[int, int]


class Tokenizer(Protocol):
    """Takes a text apart."""

    def pieces(self, text: str) -> list[Piece]:
        """The pieces, each with its number and where it stands."""
        ...


class Asked(NamedTuple):
    """A question, a text, and where in the text the answer stands."""

    question: str
    title: str
    text: str
    answer: Span | None = None


class Lesson(NamedTuple):
    """What the network reads, and what it should say."""

    ids: list[int]
    second: int
    """Where the pieces of the text begin."""
    first: int
    """The place where the answer begins, NOWHERE or SOMEWHERE."""
    last: int
    is_answered: bool


class Lessons:
    """Makes lessons; chance picks what of a long text is read."""

    def __init__(self, tokenizer: Tokenizer, layout: Layout, rng: Random) -> None:
        self._tokenizer, self._layout, self._rng = tokenizer, layout, rng

    def lesson(self, asked: Asked, *, may_shorten: bool = False) -> Lesson | None:
        """A lesson, or none where the answer has no pieces or too many."""
        if may_shorten and self._rng.random() < _SHORTENED:
            asked = self._shortened(asked)
        head = f"{asked.title}: " if asked.title else ""
        question = [piece.number for piece in self._tokenizer.pieces(asked.question)[:_LONGEST_QUESTION]]
        pieces = self._tokenizer.pieces(head + asked.text)
        span = None
        if asked.answer is not None:
            span = _span(pieces, len(head) + asked.answer[0], len(head) + asked.answer[1])
            if span is None:
                return None
        layout = self._layout
        room = LONGEST - 2 - layout.between - len(question)
        if len(pieces) > room:
            lead = sum(piece.end <= len(head) for piece in pieces) if head else 0
            low = self._low(len(pieces) - room, room - lead, lead, span)
            pieces = pieces[:lead] + pieces[lead + low : room + low]
            if span is not None and span[1] - span[0] >= room - lead:
                return None
            span = span and (span[0] - low, span[1] - low)
        second = 1 + len(question) + layout.between
        between = [layout.last] * layout.between
        ids = [layout.first, *question, *between, *(piece.number for piece in pieces), layout.last]
        first, last = (NOWHERE, NOWHERE) if span is None else (second + span[0], second + span[1])
        return Lesson(ids, second, first, last, asked.answer is not None)

    def _shortened(self, asked: Asked) -> Asked:
        """Some neighbouring sentences only, always with the answer."""
        parts, answer = spans_of(asked.text), asked.answer
        if len(parts) <= 2:
            return asked
        if answer is None:
            low = self._rng.randrange(len(parts))
            high = low + 1
        else:
            inside = [at for at, (start, end) in enumerate(parts) if start < answer[1] and end > answer[0]]
            low, high = (inside[0], inside[-1] + 1) if inside else (0, 1)
        for _ in range(self._rng.randint(1 if answer is None else 0, len(parts) - 2)):
            if high == len(parts) or (low > 0 and self._rng.random() < 0.5):
                low = max(0, low - 1)
            else:
                high += 1
        start, end = parts[low][0], parts[high - 1][1]
        moved = answer and (answer[0] - start, answer[1] - start)
        return asked._replace(text=asked.text[start:end], answer=moved)

    def _low(self, over: int, room: int, lead: int, span: Span | None) -> int:
        """How many pieces after the title are left out before those that are read."""
        low = self._rng.randint(0, over)
        if span is None:
            return low
        low = min(max(low, span[1] - lead - room + 1), span[0] - lead)
        return max(0, min(low, over))


def _span(pieces: Sequence[Piece], start: int, end: int) -> Span | None:
    """The first and the last piece of what stands between two characters."""
    inside = [
        at for at, piece in enumerate(pieces) if piece.start < end and piece.end > max(start, piece.start)
    ]
    return (inside[0], inside[-1]) if inside else None
