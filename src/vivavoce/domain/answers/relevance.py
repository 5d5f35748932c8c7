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
}
"""Calibrations that come with the program. `vivavoce calibrate` computes them and may replace them."""


_CLOSE_READINGS = {
    ("minilm-reader-en-int8", "en"): CloseReading(0.24, 0.126, 0.407, 1.69, most=2.0),
    ("e5-small-reader-int8", "pt"): CloseReading(0.886, 0.0, 0.318, 0.96, most=1.5),
}
"""`bench/close_reading.py` computes them."""


def close_reading(reader: str, language: str) -> CloseReading | None:
    """What the judgement of a reader weighs in a language, where that was measured."""
    return _CLOSE_READINGS.get((reader, language))


def score_of(logit: float) -> float:
    """The chance, 0 to 1, that belongs to a logit."""
    return 1 / (1 + math.exp(-max(-_SAFE, min(_SAFE, logit))))
