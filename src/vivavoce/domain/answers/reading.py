"""Reading: the parts of passages that a judge reads, those first that are likeliest to answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.domain.corpus.excerpts import Excerpt
from vivavoce.domain.corpus.library import embedded_text, title_of
from vivavoce.domain.language.sentences import Span, sentences_of
from vivavoce.domain.language.words import words_of
from vivavoce.domain.questions.subjects import wanted_in

from .answerability import logit_of, spoken_of


class Candidate(NamedTuple):
    """A passage that may answer."""

    text: str
    language: str
    score: float
    """How likely it is relevant, from 0 to 1."""
    title: str = ""
    headings: tuple[str, ...] = ()

    @classmethod
    def named(
        cls, name: str, text: str, language: str, score: float, headings: Sequence[str] = ()
    ) -> Candidate:
        """A passage of a document that is called so; a name that says something is its title."""
        title = title_of(name) or (name if name.isalpha() else "")
        return cls(text, language, score, title, tuple(headings))

    def titled(self, text: str) -> str:
        """A text of the passage under the titles that it stands under."""
        return embedded_text(self.title, self.headings, text)

    def alone(self, sentence: Excerpt) -> str:
        """A sentence of the passage by itself, under the titles that it stands under."""
        return self.under(sentence, f"{sentence.asked} {sentence.text}".strip())

    def around(self, sentence: Excerpt, every: Sequence[Excerpt]) -> str:
        """A sentence between those next to it under the same titles, as far as that is a few lines."""
        beside = [each for each in every if each.under == sentence.under]
        start, end = sentence.start, _end(sentence)
        before = max((each.start for each in beside if each.start < start), default=start)
        if end - before <= _AROUND:
            start = before
        after = min((_end(each) for each in beside if each.start > sentence.start), default=end)
        if after - start <= _AROUND:
            end = after
        return self.under(sentence, f"{sentence.asked} {self.text[start:end]}".strip())

    def under(self, sentence: Excerpt, text: str) -> str:
        """A text of the passage under the titles that a sentence of it stands under."""
        headings = (sentence.under,) if sentence.under else self.headings
        return embedded_text(self.title, headings, text)


class Part(NamedTuple):
    """A stretch of a passage that is read at once."""

    place: int
    """Of its passage among the candidates, from 0."""
    start: int
    end: int


def parts_of(text: str) -> list[Span]:
    """A text in parts of nearly one length, cut between sentences, none much longer than can be read well."""
    length = len(text) / max(1, math.ceil(len(text) / _LONGEST))
    parts: list[Span] = []
    for sentence in sentences_of(text):
        if parts and sentence.end <= length * len(parts) + _SLACK:
            parts[-1] = Span(parts[-1].start, sentence.end)
        else:
            parts.append(sentence)
    return parts


def likeliest_parts(
    question: str, earlier: Sequence[str], candidates: Sequence[Candidate], places: Sequence[int], most: int
) -> list[Part]:
    """Parts of at most so many characters together, but at least one, the likeliest first."""
    weighed: list[tuple[float, Part]] = []
    for place in places:
        each = candidates[place]
        wanted = wanted_in(question, earlier, each.language)
        for span in parts_of(each.text):
            words = words_of(each.titled(each.text[span.start : span.end]), each.language)
            asked, missing = spoken_of(wanted.against(words), words)
            weighed.append((logit_of(each.score) + _SPOKEN * asked - missing, Part(place, *span)))
    weighed.sort(key=lambda pair: -pair[0])
    kept: list[Part] = []
    for _, part in weighed:
        most -= part.end - part.start
        if kept and most < 0:
            break
        kept.append(part)
    return kept


_AROUND = 400
"""The most characters that are read of a sentence and its neighbours."""
_LONGEST = 800
"""The most characters of a part: about as long as the passages on which judges are trained."""
_SLACK = 60
"""And how many more it may have, so that a sentence is not left alone."""
_SPOKEN = 2.0
"""What speaking of all that is asked adds to the logit of a passage's score."""


def _end(sentence: Excerpt) -> int:
    return sentence.start + len(sentence.text)
