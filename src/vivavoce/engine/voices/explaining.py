"""Explaining: why an answer is what it is, as data of a bounded size."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from vivavoce.domain.avatars import Source
from vivavoce.domain.certainty import Certainty
from vivavoce.domain.questions.eras import Later
from vivavoce.domain.questions.standalone import Standalone
from vivavoce.engine.library.retrieval import Found

from .checking import Checked
from .corpora import standing
from .extraction import Extraction

_LONGEST = 600
_MOST_PASSAGES = 30
_MOST_CLAIMS = 30
Place = tuple[str, int, int]


class Why:
    """Gathers what an answer rests on, and what was dropped, while it is made."""

    def __init__(self, question: str, asked: Standalone, later: Later | None) -> None:
        limits: dict[str, Any] = {}
        if later is not None:
            limits["time"] = {"corpusEnds": later.ends.isoformat(), "asked": later.word[:100]}
        if asked.is_cut:
            limits["question"] = "it was too long to be looked up as a whole"
        self._limits = limits
        self._written: dict[str, Any] = {
            "question": question[:_LONGEST],
            "lookedUp": asked.text[:_LONGEST],
            "model": None,
            "passages": [],
            "claims": [],
            "likelihood": 0.0,
            "confidence": {},
        }

    def passages(
        self,
        found: Sequence[Found],
        handed: Collection[Place],
        refused: Sequence[dict[str, Any]],
        sources: Sequence[Source],
    ) -> None:
        """What was found, what a caller handed in, and what of that does not count."""
        self._written["passages"] = [_passage(each, handed, sources) for each in found[:_MOST_PASSAGES]]
        if refused:
            self._limits["handedIn"] = list(refused[:_MOST_PASSAGES])

    def extraction(self, extraction: Extraction) -> None:
        """How likely the passages answer."""
        self._written["likelihood"] = round(extraction.likelihood, 4)
        if extraction.why:
            self._written["evidence"] = extraction.why

    def model(self, model: dict[str, Any], *, fell_back: bool) -> None:
        """Which model drafted, what it cost, and whether sentences of the corpus took its place."""
        faults = [fault[:_LONGEST] for fault in model["faults"]]
        self._written["model"] = {**model, "faults": faults, "fellBack": fell_back}

    def claims(self, claims: Sequence[Checked], passed_over: int) -> None:
        """The claims that were kept and those that were dropped."""
        self._written["claims"] += [_claim(each) for each in claims[:_MOST_CLAIMS]]
        more = passed_over + max(0, len(claims) - _MOST_CLAIMS)
        if more:
            self._limits["claims"] = f"{more} more claims were not looked at"

    def confidence(self, certainty: Certainty) -> None:
        """What the confidence comes from."""
        self._written["confidence"] = certainty.written()

    def silence(self, reason: str) -> None:
        """Why nothing was answered."""
        self._limits["silent"] = reason

    def written(self) -> dict[str, Any]:
        """All of it."""
        return {**self._written, "limits": self._limits}


def _passage(found: Found, handed: Collection[Place], sources: Sequence[Source]) -> dict[str, Any]:
    passage = found.cited.passage
    place = (found.cited.document_id, passage.start, passage.end)
    where = standing(found, passage.start, sources)
    return {
        "source": where.source,
        "page": where.page,
        "pageLabel": where.page_label,
        "score": found.score,
        "documentId": found.cited.document_id,
        "start": passage.start,
        "end": passage.end,
        "from": "caller" if place in handed else "corpus",
    }


def _claim(checked: Checked) -> dict[str, Any]:
    where, quote = checked.where, checked.quote
    return {
        "text": checked.claim.text[:_LONGEST],
        "quote": (checked.claim.quote if quote is None else quote.text)[:_LONGEST],
        "source": None if where is None else where.source,
        "page": None if where is None else where.page,
        "pageLabel": None if where is None else where.page_label,
        "kept": not checked.reason,
        "reason": checked.reason,
    }
