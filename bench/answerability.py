"""What each kind of evidence weighs for "does this answer?", fitted on questions of our own."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from judging import FOLDS, cut, head_of, states_of
from reporting import report, words
from sets import OWN_ENGLISH, OWN_PORTUGUESE, ingested_rows, own_rows

from vivavoce.adapters.embedders.builtin import BuiltInReranker
from vivavoce.adapters.embedders.judging import BuiltInJudge, CrossEncoder
from vivavoce.adapters.embedders.reading import BuiltInReader
from vivavoce.adapters.embedders.upper import EnglishReader
from vivavoce.app import App, open_app
from vivavoce.domain.answers.answerability import Evidence, Mark
from vivavoce.domain.answers.reading import Candidate
from vivavoce.engine.library.fitting import fitted
from vivavoce.engine.library.retrieval import Found, Wanted, passages_for
from vivavoce.engine.voices.extraction import candidate_of, extracted_from
from vivavoce.ports import Judge
from vivavoce.settings import Settings

_WORDS_AND_MARKS = ("missing", "together", "lacking", "score", "markedWithin", "markedSaid")
_BOTH_MARKS = ("unmarked", "markedWithin", "secondWithin")
_ANSWERS = 0.5
_COUNTS = {"answered": 1.0, "paraphrased": 0.0, "near": 0.3, "cut": 0.2, "trap": 0.1, "removed": 0.1}
"""What the questions of a kind count beside each other: words do not see through a paraphrase."""
_READ_COUNTS = {**_COUNTS, "answered": 0.85, "paraphrased": 0.15, "near": 0.4, "cut": 0.0, "removed": 0.5}
"""The same where one reads who does."""
_FITS = {
    "read": (OWN_ENGLISH, ("missing", "unlike", "lacking", "length", "within", "said"), _COUNTS),
    "words": (OWN_PORTUGUESE, ("missing", "asked", "together", "lacking", "length"), _COUNTS),
    "marked": ((*OWN_PORTUGUESE, "families-pt.jsonl"), _WORDS_AND_MARKS, _READ_COUNTS),
    "confirmed": ((*OWN_ENGLISH, "families-en.jsonl"), _BOTH_MARKS, _READ_COUNTS),
}
"""The sets of questions on which each fit is made, the kinds of evidence that it weighs, and the counts."""
_KINDS = {"questions": "answered", "paraphrases": "paraphrased", "near": "near", "traps": "trap"}
"""The lists of a row, and what their questions are called in the report."""
_ANSWERED = ("answered", "paraphrased")
_HELD_OUT = 3
"""Every third passage is left out of the fit: the figures are about those."""
_MOST = 3.0
"""More names than this are not missed more."""


class Example(NamedTuple):
    """The evidence for a question, and what is known of it."""

    evidence: Mapping[str, Any]
    kind: str
    set: str
    place: int
    """Of its passage in the set."""

    @property
    def is_answered(self) -> bool:
        """Whether the corpus answers the question."""
        return self.kind in _ANSWERED

    @property
    def is_held_out(self) -> bool:
        """Whether the fit does not see it."""
        return self.place % _HELD_OUT == _HELD_OUT - 1


async def main() -> None:
    """Ask every n-th question, the answerable ones also without what answers them; fit and judge the fit."""
    given = words(most=10_000, fits=",".join(_FITS), every=1, keep="")
    rows, reader = [], CrossEncoder()
    for name in given.fits.split(","):
        sets, evidence, counts = _FITS[name]
        judges = [[]] * FOLDS if name in ("words", "marked") else _judges(reader)
        if name in ("marked", "confirmed"):
            english = [EnglishReader(reader)] if name == "confirmed" else []
            judges = [[*each, *english, BuiltInReader()] for each in judges]
        asker = partial(_Asker, judges=judges, reader=reader, counts=counts)
        examples = [each for set in sets for each in await _examples(set, asker, given)]
        if given.keep:
            kept = [json.dumps(each._asdict()) for each in examples]
            (Path(given.keep) / f"{name}.jsonl").write_text("\n".join(kept), encoding="utf-8")
        rows.append(_fitted(name, examples, evidence, counts))
    every = dict.fromkeys([key for row in rows for key in row], "-")
    report("weights", [{**every, **row} for row in rows], given.json)


def _fitted(
    name: str, examples: Sequence[Example], evidence: Sequence[str], counted: Mapping[str, float]
) -> dict[str, Any]:
    import numpy

    examples = [each for each in examples if set(evidence) - {"unmarked"} <= each.evidence.keys()]
    table = numpy.array([_columns(each, evidence) for each in examples])
    columns, names = list(table.T), evidence
    answers = numpy.array([float(each.is_answered) for each in examples])
    seen = numpy.array([not each.is_held_out for each in examples])
    counts = numpy.array(_counts(examples, counted))
    found = fitted([column[seen] for column in columns], answers[seen], counts[seen])
    chances = sum(column * weight for column, weight in zip(columns, found, strict=False)) + found[-1]
    whole = fitted(columns, answers, counts)
    weights = dict(zip([*names, "base"], (round(each, 3) for each in whole), strict=True))
    if evidence == _BOTH_MARKS:
        logits = sum(column * weight for column, weight in zip(columns, whole, strict=False))
        weights["base as with one reader"] = round(-_limit(logits, examples, counts), 3)
    held = {
        f"{kind}: said": float(
            numpy.mean(
                [
                    chance >= 0
                    for chance, each in zip(chances, examples, strict=True)
                    if each.kind == kind and each.is_held_out
                ]
                or [numpy.nan]
            )
        )
        for kind in counted
    }
    return {"evidence": name, "examples": len(examples), **weights, **held}


def _limit(logits: Any, examples: Sequence[Example], counts: Any) -> float:
    """The logit from which on as many plain questions are answered as with one reader (ADR 25)."""
    import numpy

    plain = numpy.array([each.kind == "answered" for each in examples])
    alone = [_evidence(each.evidence)._replace(second=None).likelihood >= _ANSWERS for each in examples]
    aim = (counts * plain) @ numpy.array(alone)
    order = numpy.argsort(-logits[plain])
    answered = numpy.cumsum(counts[plain][order])
    return float(logits[plain][order][numpy.argmin(abs(answered - aim))])


def _counts(examples: Sequence[Example], counted: Mapping[str, float]) -> list[float]:
    """What each example counts: sets alike, in each the answered ones half, the other kinds as is said."""
    keys = [(each.set, each.kind) for each in examples]
    known = set(keys)
    halves = {
        (name, kind in _ANSWERED): sum(
            counted[each] for set, each in known if set == name and (each in _ANSWERED) == (kind in _ANSWERED)
        )
        for name, kind in known
    }
    return [counted[kind] / halves[name, kind in _ANSWERED] / keys.count((name, kind)) for name, kind in keys]


def _columns(example: Example, evidence: Sequence[str]) -> list[float]:
    told = {**example.evidence, "missing": min(_MOST, example.evidence["missing"])}
    told["unmarked"] = _evidence(told).unmarked
    return [float(told[name]) for name in evidence]


def _evidence(told: Mapping[str, Any]) -> Evidence:
    """The evidence as it was before it was written."""
    known = Evidence(**{name: told[name] for name in Evidence._fields if name in told})
    if "markedWithin" not in told:
        return known
    mark = Mark(told["markedWithin"], told["markedSaid"])
    return known._replace(mark=mark, second=told.get("secondWithin"))


class _Asker:
    """Asks questions of our own, with a judge whose head has not seen the text that a question is about."""

    def __init__(
        self,
        app: App,
        judges: Sequence[Sequence[Judge]],
        reader: CrossEncoder,
        counts: Mapping[str, float],
    ) -> None:
        self._app, self._judges, self._reader, self._counts = app, judges, reader, counts
        self._is_read = any(judge.tells_subjects for judge in judges[0])
        self._is_marked = any(not judge.tells_subjects for judge in judges[0])

    async def examples(self, name: str, rows: Sequence[Mapping[str, Any]], every: int) -> list[Example]:
        """The evidence for every n-th question; for the answered ones also without what answers them."""
        datastore_id, ids = await ingested_rows(rows, self._app)
        asked = [
            (row["place"], ids[at], kind, question)
            for at, row in enumerate(rows)
            for key, kind in _KINDS.items()
            for question in row.get(key, ())
            if self._counts[kind] and (not self._is_marked or row["is_held_out"])
        ]
        found = []
        for place, right, kind, question in asked[::every]:
            passages = await passages_for(Wanted(datastore_id, question, limit=8), self._app.ports)
            for told, candidates in self._varied(question, kind, passages, right).items():
                why = (await extracted_from(question, (), candidates, self._judges[place % FOLDS])).why
                if "isAskedThere" not in why:  # no evidence was weighed
                    found.append(Example(why, told, name, place))
        return found

    def _varied(
        self, question: str, kind: str, passages: Sequence[Found], right: str
    ) -> dict[str, list[Candidate]]:
        whole = {kind: list(map(candidate_of, passages))}
        if kind != "answered" and not (kind == "paraphrased" and self._is_marked):
            return whole
        others = [candidate_of(each) for each in passages if each.datasource.id != right]
        if not self._counts["cut"] or not self._is_read:
            return {**whole, "removed": others}
        return {**whole, "removed": others, "cut": [self._cut(question, each, right) for each in passages]}

    def _cut(self, question: str, passage: Found, right: str) -> Candidate:
        candidate = candidate_of(passage)
        if passage.datasource.id != right:
            return candidate
        return candidate._replace(text=cut(question, candidate, self._reader))


async def _examples(name: str, asker: Callable[[App], _Asker], given: Any) -> list[Example]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "own.db")})) as app:
            rows = own_rows(name)[: given.most]
            return await asker(app).examples(name, rows, given.every)


def _judges(reader: CrossEncoder) -> list[list[Judge]]:
    """For each part of the texts a judge whose head was fitted on the others."""
    read, reranker = states_of(reader), BuiltInReranker()
    parts = [[each for each in read if each[0].place % FOLDS != fold] for fold in range(FOLDS)]
    return [[BuiltInJudge(reranker, reader, head_of(part))] for part in parts]


if __name__ == "__main__":
    asyncio.run(main())
