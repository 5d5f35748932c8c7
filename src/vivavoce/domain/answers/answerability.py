"""Answerability: how likely a passage answers a question at all, from several kinds of evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vivavoce.domain.corpus.excerpts import Excerpt
from vivavoce.domain.questions.expecting import Expected
from vivavoce.domain.questions.subjects import Wanted, telling_words

from .relevance import score_of

FITTED = ("en", "pt")
"""The languages of the questions on which the weights of words alone were fitted."""


class Mark(NamedTuple):
    """What a reader tells who looks for the answer to mark it, as logits: above 0 it rather stands there."""

    within: float
    """In the passage."""
    around: float
    """In the sentence that may be said, between its neighbours: a passage may be of several matters."""

    @property
    def told(self) -> float:
        """What both tell together; the few lines count twice: a long passage drowns an answer."""
        return (self.within + 2 * self.around) / 3


class Evidence(NamedTuple):
    """What tells whether a passage answers, as numbers that mean the same in every corpus."""

    asked: float
    """The share of what is asked, names left out, that the passage speaks of."""
    missing: float
    """How many names of the question the passage does not have."""
    together: float = 0.0
    """The share of it that a single sentence speaks of, with the title and the opening."""
    lacking: float = 0.0
    """1 where that sentence lacks the kind of thing that is asked for: a count, a date, a name, a reason."""
    length: float = 0.0
    """How long that sentence is, as a logarithm: one of many words speaks of much by chance."""
    score: float = 0.0
    """How likely a search finds the passage to answer, by words and by meaning, as a logit."""
    passage: float | None = None
    """The judge's logit for the passage; None where no judge knows the language."""
    sentence: float = 0.0
    """The judge's logit for the best sentence under its title."""
    unlike: float = 0.0
    """How far the words of the question, all together, are from having their like in the passage."""
    within: float = 0.0
    """The judge's other logit for the passage: not what it is about, but whether the answer is in it."""
    said: float = 0.0
    """The same for that sentence."""
    mark: Mark | None = None
    """What a reader tells who looks for the answer in what the others have chosen; None without one."""
    second: Mark | None = None
    """What another reader tells, taught otherwise; None where one looks alone."""
    is_abroad: bool = False
    """Whether a reader has looked in a passage of another language than the question."""

    @property
    def likelihood(self) -> float:
        """The chance, from 0 to 1, that the passage answers."""
        if self.mark is None:
            return score_of(self._weighed(_BY_WORDS if self.passage is None else _BY_READING))
        if self.is_abroad:
            return score_of(_ABROAD.score * self.score + _ABROAD.mark * self.mark.told + _ABROAD.base)
        if self.passage is None:
            return score_of(self._weighed(_MARKED_BY_WORDS) + _MARK_BY_WORDS * self.mark.told)
        if self.second is None:
            return score_of(_CONFIRMED_BY_ONE.logit(self.passage, self.mark))
        second = _CONFIRMED_BY_TWO.second * self.second.told
        return score_of(_CONFIRMED_BY_TWO.logit(self.passage, self.mark) + second)

    @property
    def most_marks(self) -> int:
        """How many readers have a say: two at what a judge has chosen, one at what words have."""
        return 1 if self.passage is None else 2

    def _weighed(self, weights: _Weights) -> float:
        return (
            weights.asked * self.asked
            + weights.missing * min(self.missing, _MOST_MISSING)
            + weights.together * self.together
            + weights.lacking * self.lacking
            + weights.length * self.length
            + weights.score * self.score
            + weights.unlike * self.unlike
            + weights.within * self.within
            + weights.said * self.said
            + weights.base
        )

    def written(self) -> dict[str, float]:
        """The numbers with their names, for people who ask why."""
        told = self._asdict()
        marks = {"marked": told.pop("mark"), "second": told.pop("second")}
        if told.pop("is_abroad"):
            told = {"score": self.score}
        elif self.passage is None:
            told = {name: told[name] for name in _BY_EVERYONE}
        for name, mark in marks.items():
            if mark is not None:
                told |= {f"{name}Within": mark.within, f"{name}Around": mark.around}
        return {name: round(value, 3) for name, value in told.items()}


def spoken_of(wanted: Wanted, words: Iterable[str]) -> tuple[float, float]:
    """Which share of what is asked stands among the words of a passage, and how many names do not."""
    known = frozenset(words)
    roots = frozenset(word[:_ROOT] for word in known if len(word) >= _ROOT)
    asked = {word: weight for word, weight in wanted.words.items() if word not in wanted.names}
    whole = sum(asked.values())
    held = sum(weight * _held(word, known, roots) for word, weight in asked.items())
    missing = sum(_held(name, known, roots) == 0 for name in wanted.names)
    is_whole = whole == 0 or wanted.asks_kind_alone  # an answer says the kind in figures
    return (1.0 if is_whole else held / whole), float(missing)


def together_told(
    wanted: Wanted, expected: Expected | None, title: Iterable[str], sentences: Sequence[Excerpt]
) -> tuple[float, float, float]:
    """What the sentences of a passage tell one by one: `together`, `lacking` and `length` of the evidence.

    The title and the opening say what a passage is about; the sentences after it need not repeat that.
    """
    if not sentences:
        return 0.0, 0.0, 0.0
    known = frozenset(title) | sentences[0].words.keys()
    shares = [spoken_of(wanted, known | each.words.keys() | each.context.keys())[0] for each in sentences]
    together = max(shares)
    nearest = [each for each, share in zip(sentences, shares, strict=True) if share >= together - _TINY]
    is_lacking = expected is not None and not any(expected.is_in(each.text) for each in nearest)
    longest = max(len(each.words) for each in nearest)
    return together, float(is_lacking), math.log(max(longest, _SHORTEST) / _ORDINARY)


def unlike_told(question: str, alike: Iterable[tuple[str, float]]) -> float:
    """What the likeness of each word of an English question tells: `unlike` of the evidence."""
    telling = telling_words(question, "en")
    return sum(max(0.0, _ALIKE - like) for word, like in alike if word in telling)


def logit_of(score: float) -> float:
    """The logit that belongs to a chance."""
    near = min(1 - _TINY, max(_TINY, score))
    return math.log(near / (1 - near))


class _Weights(NamedTuple):
    missing: float
    base: float
    lacking: float
    length: float
    asked: float = 0.0
    together: float = 0.0
    score: float = 0.0
    unlike: float = 0.0
    within: float = 0.0
    said: float = 0.0


class _Confirmed(NamedTuple):
    passage: float
    mark: float
    base: float
    second: float = 0.0

    def logit(self, passage: float, mark: Mark) -> float:
        return self.passage * passage + self.mark * mark.told + self.base


class _Abroad(NamedTuple):
    score: float
    mark: float
    base: float


_BY_READING = _Weights(
    missing=-0.988, base=0.544, lacking=-0.311, length=-0.734, unlike=-1.487, within=0.507, said=0.587
)
_BY_WORDS = _Weights(missing=-2.24, base=-3.765, lacking=-2.314, length=-0.773, asked=1.532, together=4.785)
_MARKED_BY_WORDS = _Weights(missing=-0.527, base=-1.6, lacking=-0.912, length=0.0, together=0.711, score=0.32)
_MARK_BY_WORDS = 0.229
_ABROAD = _Abroad(score=0.249, mark=0.179, base=-0.064)
_CONFIRMED_BY_ONE = _Confirmed(passage=0.116, mark=0.352, base=-1.342)
_CONFIRMED_BY_TWO = _Confirmed(passage=0.108, mark=0.289, second=0.104, base=-1.191)
"""Fitted by logistic regression on our own questions (ADR 13; with a judge 18, with readers 32).

Those for what words have chosen were fitted in Portuguese, and hold in the other languages too (ADR 31)."""
_BY_EVERYONE = ("asked", "missing", "together", "lacking", "length", "score")
"""The evidence that needs no judge."""
_ALIKE = 0.85
"""From this likeness on two words are taken for one."""
_MOST_MISSING = 3.0
_SHORTEST, _ORDINARY = 4, 12
"""How many words, small ones left out, a sentence counts as having at least, and has as a rule."""
_ROOT = 5
"""Words of which so many letters are the same are of one root."""
_OF_ONE_ROOT = 0.7
"""What a word counts that the passage has in another form only."""
_TINY = 1e-4


def _held(word: str, known: frozenset[str], roots: frozenset[str]) -> float:
    if word in known:
        return 1.0
    return _OF_ONE_ROOT if len(word) >= _ROOT and word[:_ROOT] in roots else 0.0
