"""Relevance: how likely a passage answers a question, from what its words and its meaning tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

_SAFE = 30.0


class Fit(NamedTuple):
    """What each kind of evidence weighs in one language, found by logistic regression on labelled pairs."""

    words: float
    meaning: float
    base: float

    def evidence(self, words: float, meaning: float) -> float:
        """The logit of the chance that a passage answers: 0 is as likely as not."""
        return self.words * words + self.meaning * meaning + self.base


class Reread(NamedTuple):
    """What a reranker's judgement weighs beside the evidence of words and meaning."""

    evidence: float
    relevance: float
    base: float

    def judged(self, evidence: float, relevance: float) -> float:
        """The logit of the chance that a passage answers."""
        return self.evidence * evidence + self.relevance * relevance + self.base


class CloseReading(NamedTuple):
    """What a reader's judgement weighs beside what is known of a passage before it is read."""

    evidence: float
    relevance: float
    answers: float
    base: float
    most: float
    """How much likelier reading may make a passage at most, as a difference of logits."""

    def judged(self, evidence: float, relevance: float, answers: float) -> float:
        """The logit of the chance that a passage is what is asked for."""
        read = self.evidence * evidence + self.relevance * relevance + self.answers * answers + self.base
        return min(read, evidence + self.most)


class Calibration:
    """How the evidence of one embedder becomes a score, language by language."""

    def __init__(self, fits: Mapping[str, Fit], rereads: Mapping[str, Reread] | None = None) -> None:
        self.fits, self.rereads = dict(fits), dict(rereads or {})

    def fit(self, language: str) -> Fit:
        """The fit for a language; for one that was not measured, the most cautious about meaning."""
        found = self.fits.get(language)
        return min(self.fits.values(), key=lambda fit: fit.meaning / fit.words) if found is None else found

    def reread(self, language: str) -> Reread | None:
        """The fit of the reranker for a language, where it helps there."""
        return self.rereads.get(language)

    def with_measured(self, found: Calibration) -> Calibration:
        """The same with what was measured anew in the place of what was known."""
        return Calibration({**self.fits, **found.fits}, {**self.rereads, **found.rereads})

    def written(self) -> dict[str, Any]:
        """The calibration as JSON."""
        return {
            "fits": {language: list(fit) for language, fit in self.fits.items()},
            "rereads": {language: list(reread) for language, reread in self.rereads.items()},
        }

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Calibration:
        """The calibration from JSON."""
        return cls(
            {language: Fit(*fit) for language, fit in written["fits"].items()},
            {language: Reread(*reread) for language, reread in written.get("rereads", {}).items()},
        )


KNOWN = {
    "bge-small-en-int8": Calibration(
        {"en": Fit(5.685, 10.129, -7.132), "pt": Fit(9.775, 3.503, -3.671)},
        {"en": Reread(0.739, 2.181, -1.15)},
    ),
    "multilingual-e5-small-int8": Calibration(
        {
            "en": Fit(10.8, 46.2, -40.2),
            "pt": Fit(10.232, 44.999, -39.474),
            "es": Fit(9.73, 42.3, -38.0),
            "fr": Fit(13.3, 38.2, -34.5),
            "de": Fit(11.9, 38.7, -34.6),
            "it": Fit(9.12, 46.3, -40.9),
        },
    ),
}
"""Calibrations that come with the program. `bench/calibrating.py` computes the second, on more questions than
`vivavoce calibrate` has, which may replace what they say of English and Portuguese."""


_CLOSE_READINGS = {
    ("minilm-reader-en-int8", "en"): CloseReading(0.24, 0.126, 0.407, 1.69, most=2.0),
    ("e5-small-reader-int8", "pt"): CloseReading(0.631, 0.0, 0.282, 0.435, most=1.5),
    ("e5-small-reader-int8", "es"): CloseReading(0.557, 0.0, 0.269, 0.936, most=1.5),
    ("e5-small-reader-int8", "fr"): CloseReading(0.488, 0.0, 0.289, 0.816, most=1.5),
    ("e5-small-reader-int8", "de"): CloseReading(0.489, 0.0, 0.3, 1.03, most=1.5),
    ("e5-small-reader-int8", "it"): CloseReading(0.513, 0.0, 0.27, 0.884, most=1.5),
}
"""`bench/close_reading.py` computes them."""


def close_reading(reader: str, language: str) -> CloseReading | None:
    """What the judgement of a reader weighs in a language, where that was measured."""
    return _CLOSE_READINGS.get((reader, language))


def score_of(logit: float) -> float:
    """The chance, 0 to 1, that belongs to a logit."""
    return 1 / (1 + math.exp(-max(-_SAFE, min(_SAFE, logit))))
