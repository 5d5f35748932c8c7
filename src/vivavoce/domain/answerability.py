"""Answerability: how likely a passage answers a question at all, from several kinds of evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from .questions import ASKING, Wanted, telling_words
from .relevance import score_of


class Evidence(NamedTuple):
    """What tells whether a passage answers, as numbers that mean the same in every corpus."""

    asked: float
    """The share of what is asked, names left out, that the passage speaks of."""
    missing: float
    """How many names of the question the passage does not have."""
    passage: float | None = None
    """The judge's logit for the passage; None where no judge knows the language."""
    sentence: float = 0.0
    """The judge's logit for the best sentence under its title."""
    unlike: float = 0.0
    """How far the words of the question, all together, are from having their like in the passage."""
    kind: float = 0.0
    """How like the likest word of the passage is to the word that asks: who, when, how many."""

    @property
    def likelihood(self) -> float:
        """The chance, from 0 to 1, that the passage answers."""
        weights = _BY_WORDS if self.passage is None else _BY_READING
        return score_of(
            weights.asked * self.asked
            + weights.missing * min(self.missing, _MOST_MISSING)
            + weights.passage.of(self.passage or 0.0)
            + weights.sentence.of(self.sentence)
            + weights.unlike * self.unlike
            + weights.kind * self.kind
            + weights.base
        )

    def written(self) -> dict[str, float]:
        """The numbers with their names, for people who ask why."""
        weighed = (
            self._asdict() if self.passage is not None else {"asked": self.asked, "missing": self.missing}
        )
        return {name: round(value, 3) for name, value in weighed.items()}


def spoken_of(wanted: Wanted, words: Iterable[str]) -> tuple[float, float]:
    """Which share of what is asked stands among the words of a passage, and how many names do not."""
    known = frozenset(words)
    roots = frozenset(word[:_ROOT] for word in known if len(word) >= _ROOT)
    asked = {word: weight for word, weight in wanted.words.items() if word not in wanted.names}
    whole = sum(asked.values())
    held = sum(weight * _held(word, known, roots) for word, weight in asked.items())
    missing = sum(_held(name, known, roots) == 0 for name in wanted.names)
    return (1.0 if whole == 0 else held / whole), float(missing)


def likeness_told(question: str, alike: Iterable[tuple[str, float]]) -> tuple[float, float]:
    """What the likeness of each word of an English question tells: `unlike` and `kind` of the evidence."""
    telling, asking = telling_words(question, "en"), []
    unlike = 0.0
    for word, like in alike:
        if word in telling:
            unlike += max(0.0, _ALIKE - like)
        elif word in ASKING:
            asking.append(like)
    return unlike, (sum(asking) / len(asking) if asking else _ALIKE)


def logit_of(score: float) -> float:
    """The logit that belongs to a chance."""
    near = min(1 - _TINY, max(_TINY, score))
    return math.log(near / (1 - near))


class _Bent(NamedTuple):
    """What a judge's logit weighs: more, or less, where it is clear than where it is in doubt."""

    doubtful: float
    clear: float

    def of(self, logit: float) -> float:
        return self.doubtful * max(-_CLEAR, min(_CLEAR, logit)) + self.clear * max(0.0, logit - _CLEAR)


class _Weights(NamedTuple):
    asked: float
    missing: float
    base: float
    passage: _Bent = _Bent(0.0, 0.0)
    sentence: _Bent = _Bent(0.0, 0.0)
    unlike: float = 0.0
    kind: float = 0.0


_CLEAR = 4.0
"""From this logit on a judge is clear; below its negative it makes no difference."""
_BY_READING = _Weights(
    1.406,
    -1.492,
    -2.24,
    passage=_Bent(0.015, 0.223),
    sentence=_Bent(0.13, 0.535),
    unlike=-1.698,
    kind=1.263,
)
_BY_WORDS = _Weights(8.83, -2.48, -5.85)
"""Fitted by logistic regression on our own questions; words alone are held to more (ADR 13)."""
_ALIKE = 0.85
"""From this likeness on two words are taken for one."""
_MOST_MISSING = 3.0
_ROOT = 5
"""Words of which so many letters are the same are of one root."""
_OF_ONE_ROOT = 0.7
"""What a word counts that the passage has in another form only."""
_TINY = 1e-4


def _held(word: str, known: frozenset[str], roots: frozenset[str]) -> float:
    if word in known:
        return 1.0
    return _OF_ONE_ROOT if len(word) >= _ROOT and word[:_ROOT] in roots else 0.0
