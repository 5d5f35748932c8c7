"""What each kind of evidence weighs for "does this answer?", fitted on questions of our own."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from reporting import report, words

from vivavoce.app import App, open_app
from vivavoce.engine.calibration import _regression as regression
from vivavoce.engine.extraction import extracted
from vivavoce.engine.retrieval import Wanted, passages_for
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatasource, CreateDatastore
from vivavoce.settings import Settings

_CLEAR = 4.0
_PARAPHRASE = 1
"""Of the questions of the calibration data, the second shares hardly a word with its passage."""


class Example(NamedTuple):
    """The evidence for a question, and whether the corpus answers it."""

    evidence: dict[str, Any]
    is_answered: bool
    kind: str


async def main() -> None:
    """Ask every question, and each answerable one once more without its passage."""
    given = words(most=10_000, without="removed")
    own = [
        json.loads(line) for line in (Path(__file__).parent / "answerability.jsonl").open(encoding="utf-8")
    ]
    read = await _examples(own[: given.most]) + await _examples(_calibration("en")[: given.most])
    worded = await _examples(_calibration("pt")[: given.most])
    rows = [_fitted("read", read, given.without), _fitted("by words", worded, "")]
    every = dict.fromkeys([*rows[0], *rows[1]], "-")
    report("weights", [{**every, **row} for row in rows], given.json)


def _fitted(name: str, examples: Sequence[Example], without: str) -> dict[str, Any]:
    import numpy

    kept = [each for each in examples if each.kind != without]
    columns = {key: [column[key] for column in map(_columns, kept)] for key in _columns(kept[0])}
    answers = numpy.array([float(each.is_answered) for each in kept])
    found = regression([numpy.array(column) for column in columns.values()], answers)
    weights = dict(zip([*columns, "base"], (round(each, 3) for each in found), strict=True))
    chances = sum(numpy.array(columns[key]) * weights[key] for key in columns) + weights["base"]
    refused = float((chances[answers == 1] < 0).mean())
    return {"evidence": name, "examples": len(kept), **weights, "refused": refused} | {
        f"{kind} answered": float(
            numpy.mean([chance >= 0 for chance, each in zip(chances, kept, strict=True) if each.kind == kind])
        )
        for kind in sorted({each.kind for each in kept if not each.is_answered})
    }


def _columns(example: Example) -> dict[str, float]:
    evidence = example.evidence
    missing = {"missing": min(3.0, evidence["missing"])}
    if "passage" not in evidence:
        return {"asked": evidence["asked"], **missing}
    bent = {
        f"{key} {part}": value
        for key in ("passage", "sentence")
        for part, value in (
            ("doubtful", max(-_CLEAR, min(_CLEAR, evidence[key]))),
            ("clear", max(0.0, evidence[key] - _CLEAR)),
        )
    }
    return {**missing, **bent, "worst": evidence["worst"]}


async def _examples(rows: Sequence[dict[str, Any]]) -> list[Example]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "own.db")})) as app:
            datastore_id, ids = await _ingested(rows, app)
            found = []
            for row, id in zip(rows, ids, strict=True):
                for question in row["questions"]:
                    found.append(await _example(question, datastore_id, "answered", app))
                    found.append(await _example(question, datastore_id, "removed", app, without=id))
                found += [await _example(question, datastore_id, "near", app) for question in row["near"]]
            return found


async def _example(question: str, datastore_id: str, kind: str, app: App, without: str = "") -> Example:
    found = await passages_for(Wanted(datastore_id, question, limit=6), app.ports)
    left = [each for each in found if each.datasource.id != without]
    extraction = await extracted(question, (), left, app.ports)
    return Example(extraction.why, kind == "answered", kind)


async def _ingested(rows: Sequence[dict[str, Any]], app: App) -> tuple[str, list[str]]:
    datastore = await app.backend.run(CreateDatastore(type="qdrant", name="own"), OPERATOR)
    ids = []
    for place, row in enumerate(rows):
        name = row.get("title") or str(place)
        op = CreateDatasource(datastore_id=datastore.id, name=name, text=row["passage"])
        ids.append((await app.backend.run(op, OPERATOR)).id)
    await app.ingester.finish()
    return datastore.id, ids


def _calibration(language: str) -> list[dict[str, Any]]:
    file = files("vivavoce.domain") / "calibration" / f"{language}.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        {**row, "questions": [each for at, each in enumerate(row["questions"]) if at != _PARAPHRASE]}
        for row in rows
    ]


if __name__ == "__main__":
    asyncio.run(main())
