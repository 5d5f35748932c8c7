"""An evaluation as JSON: the figures, and each question with its answer, citations and verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.upkeep.evaluating_figures import Bound, Measured
from vivavoce.upkeep.evaluating_outcomes import Outcome
from vivavoce.upkeep.evaluation import Evaluation

_DIGITS = 4


def as_json(evaluation: Evaluation, bounds: Sequence[Bound]) -> dict[str, Any]:
    """All that is known of the run."""
    summary = evaluation.summary
    missed = summary.missed(bounds)
    return {
        "avatar": evaluation.avatar_id,
        "name": evaluation.name,
        "corpus_version": evaluation.corpus_version,
        "began": evaluation.began.isoformat(timespec="seconds"),
        "seconds": round(evaluation.seconds, 3),
        "at_once": evaluation.at_once,
        "questions": len(evaluation.trials),
        "asked": len(evaluation.outcomes),
        "is_partial": evaluation.is_partial,
        "figures": {name: _figure(measured) for name, measured in summary.figures.items()},
        "refusals": summary.refusals._asdict(),
        "thresholds": [
            {"figure": bound.name, bound.side: bound.value, "holds": bound not in missed} for bound in bounds
        ],
        "quotes_not_in_corpus": [
            {"id": trial.id, "quote": quote.text, "source": quote.source}
            for trial, quote in evaluation.absent
        ],
        "outcomes": [_outcome(each) for each in evaluation.outcomes],
    }


def _figure(measured: Measured) -> dict[str, Any]:
    value = None if measured.value is None else round(measured.value, _DIGITS)
    if measured.share is None:
        return {"value": value}
    return {"value": value, "count": measured.share.part, "of": measured.share.whole}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    trial, answer = outcome.trial, outcome.answer
    return {
        "id": trial.id,
        "verdict": outcome.verdict,
        "question": trial.question,
        "answerable": trial.answerable,
        "seconds": round(outcome.seconds, _DIGITS),
        **({"error": outcome.error} if answer is None else {}),
        **(
            {}
            if answer is None
            else {
                "response": answer.response,
                "abstained": answer.abstained,
                "confidence": answer.confidence,
                "answer_id": answer.answer_id,
            }
        ),
        "citations": [
            {
                **cited.citation.model_dump(mode="json"),
                "is_exact": cited.is_exact,
                "meets": list(cited.meets),
            }
            for cited in outcome.cited
        ],
        "sentences_without_citation": list(outcome.uncited),
        "quotes": [
            {**quote.model_dump(mode="json"), "is_cited": is_met, "is_covered": is_covered}
            for quote, is_met, is_covered in zip(trial.quotes, outcome.met, outcome.covered, strict=True)
        ],
        "token_f1": round(outcome.token_f1, _DIGITS) if trial.quotes else None,
    }
