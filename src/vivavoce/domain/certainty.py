"""Certainty: how sure an answer is, from what speaks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .avatars import Confidence
from .language.languages import language_of
from .language.words import words_of


class Certainty(NamedTuple):
    """What speaks for an answer, each from 0 to 1."""

    retrieval: float
    """How likely the best passage that is quoted is relevant."""
    likelihood: float
    """How likely the passages answer the question at all."""
    coverage: float
    """Which share of the question's words the quotes hold."""
    passages: int
    """How many different passages are quoted."""
    sources: int
    """How many different works."""

    @property
    def agreement(self) -> float:
        """How many independent places say it: half for one passage, more for more, most for other works."""
        return min(1.0, 0.5 + 0.15 * (self.passages - 1) + 0.25 * (self.sources - 1))

    @property
    def weight(self) -> float:
        """All of it together, from 0 to 1."""
        return (
            _RETRIEVAL * self.retrieval
            + _LIKELIHOOD * self.likelihood
            + _COVERAGE * self.coverage
            + _AGREEMENT * self.agreement
        )

    def confidence(self, *, is_limited: bool = False) -> Confidence:
        """In a word. An answer that begins with a limit of the corpus is never a sure one."""
        if self.weight >= HIGH and not is_limited:
            return "high"
        return "medium" if self.weight >= MEDIUM else "low"

    def written(self) -> dict[str, Any]:
        """The evidence as numbers with names."""
        numbers = {**self._asdict(), "agreement": self.agreement, "weight": self.weight}
        return {name: round(value, 3) for name, value in numbers.items()}


HIGH, MEDIUM = 0.68, 0.35
"""From which weight on an answer is sure, and from which it is likely."""
_RETRIEVAL, _LIKELIHOOD, _COVERAGE, _AGREEMENT = 0.3, 0.35, 0.2, 0.15


def coverage(question: str, quotes: Sequence[str], language: str) -> float:
    """Which share of the question's telling words the quotes hold, by stem or root; 1 where it has none."""
    asked = words_of(question, language_of(question, language)).keys()
    if not asked:
        return 1.0
    held = frozenset[str]().union(*(words_of(quote, language).keys() for quote in quotes))
    roots = {word[:_ROOT] for word in held if len(word) >= _ROOT}
    return sum(word in held or word[:_ROOT] in roots for word in asked) / len(asked)


_ROOT = 5
