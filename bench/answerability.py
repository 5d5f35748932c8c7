"""What each kind of evidence weighs for "does this answer?", fitted on questions of our own."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from reporting import report, words

from vivavoce.app import App, open_app
from vivavoce.engine.extraction import extracted
from vivavoce.engine.fitting import fitted
from vivavoce.engine.retrieval import Wanted, passages_for
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatasource, CreateDatastore
from vivavoce.settings import Settings

_HERE = Path(__file__).parent
_FITS = {
    "read": (
        (
            "answerability.jsonl",
            "answerability-subjects.jsonl",
            "answerability-nearly.jsonl",
            "calibration/en.jsonl",
        ),
        ("missing", "passage", "sentence", "unlike", "asked", "lacking", "length"),
    ),
    "words": (
        (
            "answerability-pt.jsonl",
            "answerability-pt-subjects.jsonl",
            "answerability-pt-long.jsonl",
            "calibration/pt.jsonl",
        ),
        ("missing", "asked", "together", "lacking", "length"),
    ),
}
"""The sets of questions on which each fit is made, and the kinds of evidence that it weighs."""
_KINDS = {"questions": "answered", "paraphrases": "paraphrased", "near": "near", "traps": "trap"}
"""The lists of a row, and what their questions are called in the report."""
_COUNTS = {"answered": 0.5, "paraphrased": 0.0, "near": 0.3, "trap": 0.1, "removed": 0.1}
"""What the questions of a kind count together in a set: no evidence here sees through a paraphrase."""
_ANSWERED = ("answered", "paraphrased")
_PARAPHRASE = 1
"""Of the questions of the calibration data, the second shares hardly a word with its passage."""
_HELD_OUT = 3
"""Every third passage is left out of the fit: the figures are about those."""
_CLEAR = 4.0
_BENT = {"passage": ("passage clear",), "sentence": ("sentence doubtful", "sentence clear")}
"""The columns of a judge's logits: that of a passage tells nothing where it is in doubt."""


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
    """Ask every question, and each answerable one once more without its passage; fit and judge the fit."""
    given = words(most=10_000, fits=",".join(_FITS))
    rows = []
    for name in given.fits.split(","):
        sets, evidence = _FITS[name]
        examples = [example for each in sets for example in await _examples(each, _rows(each)[: given.most])]
        rows.append(_fitted(name, examples, evidence))
    every = dict.fromkeys([key for row in rows for key in row], "-")
    report("weights", [{**every, **row} for row in rows], given.json)


def _fitted(name: str, examples: Sequence[Example], evidence: Sequence[str]) -> dict[str, Any]:
    import numpy

    examples = [each for each in examples if set(evidence) <= each.evidence.keys()]
    table = numpy.array([_columns(each, evidence) for each in examples])
    columns, names = list(table.T), _columns_named(evidence)
    answers = numpy.array([float(each.is_answered) for each in examples])
    seen = numpy.array([not each.is_held_out for each in examples])
    counts = numpy.array(_counts(examples))
    found = fitted([column[seen] for column in columns], answers[seen], counts[seen])
    chances = sum(column * weight for column, weight in zip(columns, found, strict=False)) + found[-1]
    whole = fitted(columns, answers, counts)
    weights = dict(zip([*names, "base"], (round(each, 3) for each in whole), strict=True))
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
        for kind in _COUNTS
    }
    return {"evidence": name, "examples": len(examples), **weights, **held}


def _counts(examples: Sequence[Example]) -> list[float]:
    """What each example counts, so that sets count alike and the kinds in them as is said."""
    keys = [(each.set, each.kind) for each in examples]
    return [_COUNTS[kind] / keys.count((set, kind)) for set, kind in keys]


def _columns_named(evidence: Sequence[str]) -> list[str]:
    return [name for key in evidence for name in _BENT.get(key, (key,))]


def _columns(example: Example, evidence: Sequence[str]) -> list[float]:
    columns = []
    for name in _columns_named(evidence):
        value = float(example.evidence[name.split()[0]])
        if name.endswith(" doubtful"):
            columns.append(max(-_CLEAR, min(_CLEAR, value)))
        else:
            columns.append(max(0.0, value - _CLEAR) if name.endswith(" clear") else min(3.0, value))
    return columns


async def _examples(name: str, rows: Sequence[Mapping[str, Any]]) -> list[Example]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "own.db")})) as app:
            datastore_id, ids = await _ingested(rows, app)
            found = []
            for place, (row, id) in enumerate(zip(rows, ids, strict=True)):
                for key, kind in _KINDS.items():
                    for question in row.get(key, ()):
                        why = await _evidence(question, datastore_id, app)
                        found.append(Example(why, kind, name, place))
                        if kind == "answered":
                            why = await _evidence(question, datastore_id, app, without=id)
                            found.append(Example(why, "removed", name, place))
            return found


async def _evidence(question: str, datastore_id: str, app: App, without: str = "") -> dict[str, Any]:
    found = await passages_for(Wanted(datastore_id, question, limit=8), app.ports)
    left = [each for each in found if each.datasource.id != without]
    return (await extracted(question, (), left, app.ports)).why


async def _ingested(rows: Sequence[Mapping[str, Any]], app: App) -> tuple[str, list[str]]:
    datastore = await app.backend.run(CreateDatastore(type="qdrant", name="own"), OPERATOR)
    ids = []
    for place, row in enumerate(rows):
        name = row.get("title") or str(place)
        op = CreateDatasource(datastore_id=datastore.id, name=name, text=row["passage"])
        ids.append((await app.backend.run(op, OPERATOR)).id)
    await app.ingester.finish()
    return datastore.id, ids


def _rows(name: str) -> list[dict[str, Any]]:
    is_ours = not name.startswith("calibration/")
    file = (_HERE if is_ours else files("vivavoce.domain")) / name
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return rows if is_ours else [{**row, **_without_paraphrase(row["questions"])} for row in rows]


def _without_paraphrase(questions: Sequence[str]) -> dict[str, list[str]]:
    return {"questions": [each for at, each in enumerate(questions) if at != _PARAPHRASE]}


if __name__ == "__main__":
    asyncio.run(main())
