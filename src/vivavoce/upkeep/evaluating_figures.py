"""Figures: what the outcomes of questions come to, each under a name that thresholds use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from vivavoce.domain.answers.scoring import Refusals, Share, mean, percentile
from vivavoce.domain.avatars import Confidence

from .evaluating_outcomes import Outcome

Unit = Literal["share", "count", "seconds"]
LEVELS: tuple[Confidence, ...] = ("high", "medium", "low")
_NOISE = 1e-9


class Figure(NamedTuple):
    """A figure by its name."""

    name: str
    meaning: str
    unit: Unit = "share"
    wants: Literal["high", "low"] = "high"


FIGURES = (
    Figure("quote-exactness", "citations whose quote stands in the document exactly where they say"),
    Figure("claims-without-citation", "sentences of answers without a citation", "count", "low"),
    Figure("citation-precision", "citations that meet a gold quote"),
    Figure("citation-recall", "gold quotes that a citation meets"),
    Figure("page-accuracy", "citations that name the page of the gold quote they meet"),
    Figure("answer-coverage", "gold quotes of which the answer says half the words, in order"),
    Figure("token-f1", "words that answer and gold quotes have in common, a mean"),
    Figure("refusal-precision", "refused questions that have no answer"),
    Figure("refusal-recall", "questions without an answer that were refused"),
    Figure("refusal-f1", "the harmonic mean of these two"),
    Figure("false-refusals", "questions with an answer that were refused", wants="low"),
    Figure("right", "questions that were answered from the right place or rightly refused"),
    Figure("right-at-high", "answers of high confidence that are right"),
    Figure("right-at-medium", "answers of medium confidence that are right"),
    Figure("right-at-low", "answers of low confidence that are right"),
    Figure("latency-p50", "seconds within which half of the answers came", "seconds", "low"),
    Figure("latency-p95", "seconds within which 95 of 100 answers came", "seconds", "low"),
    Figure("failed", "questions that could not be asked", "count", "low"),
)
"""Every figure, in the order in which they are shown. A share lies between 0 and 1."""
NAMES = {figure.name: figure for figure in FIGURES}


class Measured(NamedTuple):
    """A figure and its value."""

    figure: Figure
    value: float | None
    """None where there was nothing to measure it by."""
    share: Share | None = None
    """What was counted, where it is a share of something."""


class Bound(NamedTuple):
    """What a figure must reach, or must not pass."""

    name: str
    side: Literal["least", "most"]
    value: float

    def holds(self, measured: Measured) -> bool:
        """Whether it does; a figure that could not be measured does not."""
        if measured.value is None:
            return False
        if self.side == "least":
            return measured.value >= self.value - _NOISE
        return measured.value <= self.value + _NOISE


@dataclass(frozen=True)
class Summary:
    """What all outcomes come to."""

    figures: dict[str, Measured]
    refusals: Refusals
    confidence: dict[Confidence, Share]
    """How many answers at each level are right, of those that can be judged."""
    latencies: tuple[float, ...]

    def missed(self, bounds: Iterable[Bound]) -> list[Bound]:
        """The bounds that do not hold."""
        return [bound for bound in bounds if not bound.holds(self.figures[bound.name])]


def summary_of(outcomes: Sequence[Outcome]) -> Summary:
    """The figures of these outcomes."""
    came = [each for each in outcomes if each.answer is not None]
    refusals = Refusals.of((each.trial.answerable, each.is_refused) for each in came)
    confidence = {level: _right_at(level, came) for level in LEVELS}
    latencies = tuple(each.seconds for each in came)
    shares = _citing(came) | {
        "refusal-precision": refusals.precision,
        "refusal-recall": refusals.recall,
        "false-refusals": refusals.false_refusals,
        "right": Share.of(each.verdict == "right" for each in outcomes if each.verdict != "answered"),
        **{f"right-at-{level}": share for level, share in confidence.items()},
    }
    values = {
        "claims-without-citation": float(sum(len(each.uncited) for each in came)) if came else None,
        "token-f1": mean(each.token_f1 for each in _with_gold(came)),
        "refusal-f1": refusals.f1,
        "latency-p50": percentile(latencies, 0.5),
        "latency-p95": percentile(latencies, 0.95),
        "failed": float(len(outcomes) - len(came)) if outcomes else None,
    }
    figures = {
        name: Measured(figure, shares[name].value, shares[name])
        if name in shares
        else Measured(figure, values[name])
        for name, figure in NAMES.items()
    }
    return Summary(figures, refusals, confidence, latencies)


def written(value: float | None, unit: Unit) -> str:
    """A value for people to read."""
    if value is None:
        return "-"
    if unit == "count":
        return f"{value:.0f}"
    if unit == "seconds":
        return f"{value:.2f} s"
    percent = 100 * value
    shown = f"{percent:.1f}"
    if shown in ("100.0", "0.0") and percent not in (0, 100):  # nearly all is not all
        return "> 99.9 %" if percent > 50 else "< 0.1 %"
    return f"{shown} %"


def _citing(came: Sequence[Outcome]) -> dict[str, Share]:
    gold = _with_gold(came)

    def count(facts: Callable[[Outcome], Iterable[bool]], of: Sequence[Outcome]) -> Share:
        return Share.of(fact for each in of for fact in facts(each))

    return {
        "quote-exactness": count(lambda each: (cited.is_exact for cited in each.cited), came),
        "citation-precision": count(lambda each: (bool(cited.meets) for cited in each.cited), gold),
        "citation-recall": count(lambda each: each.met, gold),
        "page-accuracy": count(lambda each: each.pages, gold),
        "answer-coverage": count(lambda each: each.covered, gold),
    }


def _with_gold(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [each for each in outcomes if each.trial.quotes]


def _right_at(level: Confidence, came: Iterable[Outcome]) -> Share:
    """How many answers at a level are right; a refusal is no answer, whatever its level."""
    return Share.of(
        each.verdict == "right"
        for each in came
        if each.is_answered
        and each.verdict != "answered"
        and each.answer is not None
        and each.answer.confidence == level
    )
