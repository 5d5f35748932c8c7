"""Coverage: how much of what was found is about the subject of an open question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vivavoce.domain.corpus.excerpts import excerpts_of
from vivavoce.domain.language.words import words_of
from vivavoce.domain.questions.open_questions import subject_of, teller_of
from vivavoce.domain.questions.subjects import wanted_in

from .reading import Candidate
from .relevance import score_of


class Coverage(NamedTuple):
    """How much of what was found is about the subject of an open question."""

    headed: float
    """1 where a heading or a title names the whole subject."""
    spoken: float
    """1 where a sentence speaks of all of it, with what it stands under."""
    density: float
    """How many such sentences there are, as a logarithm."""
    relevance: float | None = None
    """The judge's logit for the best passage: how much that is about the subject. None without a judge."""
    unlike: float = 0.0
    """How far the words of the subject are from having their like in that passage."""
    unheard: float = 0.0
    """1 where it asks what somebody says of whom nothing was found."""

    @property
    def likelihood(self) -> float:
        """The chance, from 0 to 1, that something is said of the subject."""
        weights = _BY_WORDS if self.relevance is None else _BY_READING
        relevance = 0.0 if self.relevance is None else min(max(self.relevance, -_SURE), _SURE)
        if relevance == -_SURE or self.unheard:  # the words are there by chance, or are not theirs
            return 0.0
        return score_of(
            weights.headed * self.headed
            + weights.spoken * self.spoken
            + weights.density * self.density
            + weights.relevance * relevance
            + weights.unlike * self.unlike
            + weights.base
        )

    def written(self) -> dict[str, float]:
        """The numbers with their names, for people who ask why."""
        return {name: round(value, 3) for name, value in self._asdict().items() if value is not None}


def coverage_of(question: str, passages: Sequence[Candidate], subject: str | None = None) -> Coverage | None:
    """How much of passages is about a subject, or else that of an open question; None for another."""
    subject = subject_of(question) if subject is None else subject
    if subject is None:
        return None
    is_headed, speaking = False, 0
    teller = teller_of(question)
    heard = [each for each in passages if words_of(teller, each.language).keys() <= _words_in(each).keys()]
    if not heard:
        return Coverage(0.0, 0.0, 0.0, unheard=1.0)
    for each in heard:
        known = _words_in(each)
        wanted = wanted_in(question, (), each.language).against(known)
        asked = wanted.words.keys() & words_of(subject, each.language).keys()
        title = words_of(each.titled(""), each.language).keys()
        is_headed = is_headed or _holds(title, asked)
        for excerpt in excerpts_of(each.text, each.language, len(each.text)):
            under = words_of(excerpt.under, each.language).keys()
            is_headed = is_headed or _holds(under, asked)
            speaks = not asked.isdisjoint(excerpt.words)
            speaking += speaks and _holds(title | under | excerpt.words.keys(), asked)
    return Coverage(float(is_headed), float(speaking > 0), math.log(max(1, speaking)))


class _Weights(NamedTuple):
    headed: float
    spoken: float
    density: float
    base: float
    relevance: float = 0.0
    unlike: float = 0.0


_BY_READING = _Weights(headed=0.64, spoken=2.07, density=1.84, base=-1.07, relevance=0.18, unlike=-2.03)
_BY_WORDS = _Weights(headed=2.22, spoken=3.38, density=1.97, base=-1.74)
"""Fitted by logistic regression on open questions about texts of our own, half of them left out (ADR 19)."""
_SURE = 8.0
"""From this logit on the judge has no doubt."""


def _words_in(passage: Candidate) -> dict[str, int]:
    return words_of(passage.titled(passage.text), passage.language)


def _holds(words: Iterable[str], asked: Iterable[str]) -> bool:
    """Whether words hold all that is asked, which is something."""
    wanted = frozenset(asked)
    return bool(wanted) and wanted.issubset(words)
