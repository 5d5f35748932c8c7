"""Sifting: leaves out the sentences of a text whose citations are not borne out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from vivavoce.domain.language.sentences import Span, sentences_of

from .citing import Cite, Mark

_AHEAD = 12
"""Characters that must follow a sentence before it is certain that it has ended."""
_FEW = 3
"""Words before a mark that state nothing by themselves, as in `According to [1], ...`."""
_LONGEST = 300


class Reason(NamedTuple):
    """Why a statement is not borne out by what its mark names."""

    text: str
    is_grave: bool = True
    """Whether it had better not be said. Else the words do not tell: it may be the same in other words."""


Bears = Callable[[str, Mark], Reason | None]
"""Why a statement is not borne out; None where it is."""


class Rejected(NamedTuple):
    """A citation that does not hold."""

    number: int
    statement: str
    reason: str
    is_left_out: bool = False
    """Whether the sentence was left out of the answer with it."""


class Sifting:
    """Holds a text back until each sentence is whole, and leaves out those whose citations all fail gravely.

    A sentence that cites nothing is given on, and so is one of whose citations some hold, with these.
    """

    def __init__(self, bears: Bears) -> None:
        self._bears = bears
        self._text = ""
        self._marks: list[Mark] = []
        self._gap = ""  # the blanks after the last sentence that was said
        self._is_left_out = self._has_said = False
        self.rejected: list[Rejected] = []

    def feed(self, pieces: Sequence[str | Mark]) -> list[str | Cite]:
        """What is certain now."""
        for piece in pieces:
            if isinstance(piece, str):
                self._text += piece
            else:
                self._marks.append(piece._replace(at=len(self._text)))
        spans = list(sentences_of(self._text))
        is_certain = len(spans) > 1 and len(self._text) - spans[-1].start >= _AHEAD
        return self._given(spans, len(spans) - 1 if is_certain else 0)

    def end(self) -> list[str | Cite]:
        """What was held back."""
        spans = list(sentences_of(self._text))
        out = self._given(spans, len(spans))
        return [*out, self._gap] if self._gap and not self._is_left_out else out

    def _given(self, spans: Sequence[Span], count: int) -> list[str | Cite]:
        """The first sentences that may be said; they are not held any more."""
        if count == 0:
            return []
        cut = spans[count - 1].end
        belongs = [(span_at(spans, mark.at, self._text), mark) for mark in self._marks]
        out = [
            part
            for span in spans[:count]
            for part in self._sentence(span, [mark for whose, mark in belongs if whose == span])
        ]
        self._marks = [mark._replace(at=mark.at - cut) for whose, mark in belongs if whose.start >= cut]
        self._text = self._text[cut:]
        return out

    def _sentence(self, span: Span, marks: Sequence[Mark]) -> list[str | Cite]:
        """The sentence with what holds of its marks; nothing where it has some and none holds."""
        held: list[Cite] = []
        failed: list[tuple[int, str, Reason]] = []
        for mark in marks:
            statement, reason = judged(self._text, span, mark, self._bears)
            if reason is None:
                held.append(Cite(mark.number, mark.at))
            else:
                failed.append((mark.number, statement, reason))
        has_code = "```" in self._text[span.start : span.end]
        is_grave = bool(failed) and all(reason.is_grave for _, _, reason in failed)
        self._is_left_out = is_grave and not held and not has_code
        self.rejected += [
            Rejected(number, statement, reason.text, self._is_left_out)
            for number, statement, reason in failed
        ]
        whole = self._text[: span.end].rstrip()
        after = self._text[max(len(whole), span.start) : span.end]
        if self._is_left_out:
            if self._has_said and after.count("\n") > self._gap.count("\n"):
                self._gap = after  # what follows stands in a paragraph of its own, as it did
            return []
        self._has_said = True
        gap, self._gap = self._gap, after
        said = _parts(self._text, Span(span.start, max(len(whole), span.start)), held)
        return [gap, *said] if gap else said


def judged(text: str, span: Span, mark: Mark, bears: Bears) -> tuple[str, Reason | None]:
    """What a mark stands for, and why it is not borne out; no reason where it is."""
    before, whole = text[span.start : mark.at].strip(), text[span.start : span.end].strip()
    reason = bears(before, mark)
    if reason is None or len(before.split()) > _FEW:
        return before[:_LONGEST], reason
    return whole[:_LONGEST], bears(whole, mark)


def span_at(spans: Sequence[Span], at: int, text: str) -> Span:
    """The sentence that a mark belongs to: the one before it, or the one that it begins with a line."""
    place = bisect_left([end for _, end in spans], at)
    begins_line = text[at - 1 : at] == "\n"
    if place < len(spans) - 1 and spans[place].end == at and begins_line:
        place += 1
    return spans[min(place, len(spans) - 1)]


def _parts(text: str, span: Span, cites: Sequence[Cite]) -> list[str | Cite]:
    parts: list[str | Cite] = []
    told = span.start
    for cite in cites:
        if cite.at > told:
            parts.append(text[told : cite.at])
            told = cite.at
        parts.append(cite)
    return [*parts, text[told : span.end]] if told < span.end else parts
