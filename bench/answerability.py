"""What each kind of evidence weighs for "does this answer?", fitted on questions of our own."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from judging import FOLDS, cut, head_of, states_of
from reporting import report, words
from sets import ABROAD, OWN_ENGLISH, OWN_PORTUGUESE, ingested_rows, own_rows

from vivavoce.adapters.embedders.builtin import BuiltInReranker
from vivavoce.adapters.embedders.judging import BuiltInJudge, CrossEncoder
from vivavoce.adapters.embedders.reading import BuiltInReader
from vivavoce.adapters.embedders.upper import EnglishReader
from vivavoce.app import App, open_app
from vivavoce.domain.answers.answerability import Mark
from vivavoce.domain.answers.reading import Candidate
from vivavoce.engine.library.fitting import fitted
from vivavoce.engine.library.retrieval import Found, Wanted, passages_for
from vivavoce.engine.voices.extraction import candidate_of, extracted_from
from vivavoce.ports import Judge
from vivavoce.settings import Settings

_COUNTS = {"answered": 1.0, "paraphrased": 0.0, "near": 0.3, "cut": 0.2, "trap": 0.1, "removed": 0.1}
"""What the questions of a kind count beside each other: words do not see through a paraphrase."""
_READ_COUNTS = {**_COUNTS, "answered": 0.7, "paraphrased": 0.3, "near": 0.4, "cut": 0.0, "removed": 0.5}
"""The same where one reads who does: people seldom ask in a text's own words."""
_WRONG = 3.0
"""Where one reads, a wrong answer costs as much as three refusals: who is refused looks elsewhere."""


class Fit(NamedTuple):
    """The sets of questions on which a fit is made, what it weighs, and what kinds of questions count."""

    sets: Sequence[str]
    evidence: Sequence[str]
    counts: Mapping[str, float]
    are_sets_alike: bool = True
    """Whether a small set counts as much as a large one."""
    wrong: float = 1.0
    """How many refusals an answer costs that is none."""
    like: str = ""
    """Another fit, whose examples are those of this one too."""


_FITS = {
    "read": Fit(OWN_ENGLISH, ("missing", "unlike", "lacking", "length", "within", "said"), _COUNTS),
    "words": Fit(OWN_PORTUGUESE, ("missing", "asked", "together", "lacking", "length"), _COUNTS),
    "marked": Fit(
        (*OWN_PORTUGUESE, "families-pt.jsonl", "mixed-families-pt.jsonl"),
        ("missing", "together", "lacking", "score", "marked"),
        _READ_COUNTS,
        are_sets_alike=False,
        wrong=_WRONG,
    ),
    "confirmed": Fit(
        (*OWN_ENGLISH, "families-en.jsonl", "mixed-families-en.jsonl"),
        ("passage", "marked", "confirmed"),
        _READ_COUNTS,
        are_sets_alike=False,
        wrong=_WRONG,
    ),
    "alone": Fit(
        (), ("passage", "marked"), _READ_COUNTS, are_sets_alike=False, wrong=_WRONG, like="confirmed"
    ),
    "abroad": Fit(tuple(ABROAD), ("score", "marked"), _READ_COUNTS, are_sets_alike=False, wrong=_WRONG),
}
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
    with ExitStack() as held:
        keep = Path(given.keep or held.enter_context(tempfile.TemporaryDirectory()))
        rows = [
            _fitted(name, await _examples_for(name, keep, given), _FITS[name])
            for name in given.fits.split(",")
        ]
    every = dict.fromkeys([key for row in rows for key in row], "-")
    report("weights", [{**every, **row} for row in rows], given.json)


async def _examples_for(name: str, keep: Path, given: Any) -> list[Example]:
    """What a fit is made on; what was asked before is kept there, and not asked again."""
    name = _FITS[name].like or name
    fit, kept = _FITS[name], keep / f"{name}.jsonl"
    if kept.exists():
        return [Example(**json.loads(line)) for line in kept.read_text(encoding="utf-8").splitlines()]
    reader = CrossEncoder()
    asker = partial(_Asker, judges=_judges_for(name, reader), reader=reader, counts=fit.counts)
    examples = [each for set in fit.sets for each in await _examples(set, asker, given)]
    kept.write_text("\n".join(json.dumps(each._asdict()) for each in examples), encoding="utf-8")
    return examples


def _fitted(name: str, examples: Sequence[Example], fit: Fit) -> dict[str, Any]:
    import numpy

    told = [_told(each) for each in examples]
    examples = [each for each, known in zip(examples, told, strict=True) if set(fit.evidence) <= known.keys()]
    table = [[known[one] for one in fit.evidence] for known in told if set(fit.evidence) <= known.keys()]
    columns = list(numpy.array(table, float).T)
    answers = numpy.array([float(each.is_answered) for each in examples])
    seen = numpy.array([not each.is_held_out for each in examples])
    counts = numpy.array(_counts(examples, fit))
    found = fitted([column[seen] for column in columns], answers[seen], counts[seen])
    chances = sum(column * weight for column, weight in zip(columns, found, strict=False)) + found[-1]
    whole = fitted(columns, answers, counts)
    weights = dict(zip([*fit.evidence, "base"], (round(each, 3) for each in whole), strict=True))
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
        for kind in fit.counts
    }
    return {"evidence": name, "examples": len(examples), **weights, **held}


def _counts(examples: Sequence[Example], fit: Fit) -> list[float]:
    """What each example counts, in each set or in all: the answered one together, the others their cost."""
    keys = [(each.set if fit.are_sets_alike else "", each.kind) for each in examples]
    known, often = set(keys), Counter(keys)
    halves = {
        (name, kind in _ANSWERED): sum(
            fit.counts[each]
            for set, each in known
            if set == name and (each in _ANSWERED) == (kind in _ANSWERED)
        )
        for name, kind in known
    }
    costs = {True: 1.0, False: fit.wrong}
    return [
        fit.counts[kind] * costs[kind in _ANSWERED] / halves[name, kind in _ANSWERED] / often[name, kind]
        for name, kind in keys
    ]


def _told(example: Example) -> dict[str, float]:
    """The evidence by name, as it is weighed."""
    told = dict(example.evidence)
    if "missing" in told:  # else it is weighed otherwise: an open question, or one across languages
        told["missing"] = min(_MOST, told["missing"])
    for name, first in (("marked", "marked"), ("confirmed", "second")):
        if f"{first}Within" in told:
            told[name] = Mark(told[f"{first}Within"], told[f"{first}Around"]).told
    return told


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


def _judges_for(name: str, reader: CrossEncoder) -> list[list[Judge]]:
    """Who looks, for each part of the texts; a judge's head has a say only where no reader looks."""
    if name == "read":
        return _judges(reader)
    if name == "confirmed":
        return [[BuiltInJudge(BuiltInReranker(), reader), EnglishReader(reader), BuiltInReader()]] * FOLDS
    return [[] if name == "words" else [BuiltInReader()]] * FOLDS


def _judges(reader: CrossEncoder) -> list[list[Judge]]:
    """For each part of the texts a judge whose head was fitted on the others."""
    read, reranker = states_of(reader), BuiltInReranker()
    parts = [[each for each in read if each[0].place % FOLDS != fold] for fold in range(FOLDS)]
    return [[BuiltInJudge(reranker, reader, head_of(part))] for part in parts]


if __name__ == "__main__":
    asyncio.run(main())
