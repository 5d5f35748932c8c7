"""Scoring: how well answers and citations agree with what was expected of them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vivavoce.domain.language.sentences import Span

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Scripts that write without blanks: each letter counts as a word."""
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


class Share(NamedTuple):
    """So many of so many."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The share, from 0 to 1; None where there is nothing to count."""
        return self.part / self.whole if self.whole > 0 else None

    @classmethod
    def of(cls, facts: Iterable[bool]) -> Share:
        """How many of these are so."""
        told = list(facts)
        return cls(sum(told), len(told))


class Refusals(NamedTuple):
    """Who was refused an answer and who was given one. What counts as a find is a question to refuse."""

    rightly_refused: int = 0
    wrongly_refused: int = 0
    rightly_answered: int = 0
    wrongly_answered: int = 0

    @classmethod
    def of(cls, asked: Iterable[tuple[bool, bool]]) -> Refusals:
        """Counted from pairs: whether a question has an answer, and whether it was refused."""
        seen = Counter(asked)
        return cls(seen[False, True], seen[True, True], seen[True, False], seen[False, False])

    @property
    def precision(self) -> Share:
        """How many of the questions that were refused have no answer."""
        return Share(self.rightly_refused, self.rightly_refused + self.wrongly_refused)

    @property
    def recall(self) -> Share:
        """How many of the questions without an answer were refused."""
        return Share(self.rightly_refused, self.rightly_refused + self.wrongly_answered)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None where nothing was refused and nothing was to be."""
        return f1(self.rightly_refused, self.wrongly_refused, self.wrongly_answered)

    @property
    def false_refusals(self) -> Share:
        """How many of the questions with an answer were refused."""
        return Share(self.wrongly_refused, self.wrongly_refused + self.rightly_answered)


def f1(found: int, wrong: int, missed: int) -> float | None:
    """The harmonic mean of precision and recall; None where nothing was found and nothing was missed."""
    total = 2 * found + wrong + missed
    return 2 * found / total if total > 0 else None


def overlap(one: Span, other: Span) -> bool:
    """Whether two stretches of a text share at least half of the shorter one."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared > 0 and 2 * shared >= min(one.end - one.start, other.end - other.start)


def tokens_of(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation; nothing else is folded away."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def token_f1(said: str, wanted: str) -> float:
    """How far two texts consist of the same words, from 0 to 1, as question answering is scored."""
    ours, theirs = Counter(tokens_of(said)), Counter(tokens_of(wanted))
    same = (ours & theirs).total()
    return f1(same, ours.total() - same, theirs.total() - same) or 0.0


def covers(said: str, wanted: str) -> bool:
    """Whether at least half of the words of one text stand in another, in the same order."""
    theirs = tokens_of(wanted)
    return bool(theirs) and 2 * _common(tokens_of(said), theirs) >= len(theirs)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The least of the values that at least this share of them does not exceed; None where there are none."""
    if not values:
        return None
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def mean(values: Iterable[float]) -> float | None:
    """The mean; None where there are no values."""
    told = list(values)
    return math.fsum(told) / len(told) if told else None


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How long the longest sequence is that stands in both with gaps, counted in the bits of one number."""
    places: dict[str, int] = {}
    for place, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << place
    everything = (1 << len(other)) - 1
    unmet = everything
    for word in one:
        met = unmet & places.get(word, 0)
        unmet = ((unmet + met) | (unmet - met)) & everything
    return (unmet ^ everything).bit_count()
