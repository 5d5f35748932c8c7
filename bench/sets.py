"""Sets of questions: public ones, ingested once through the engine, and our own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from vivavoce.app import App
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatasource, CreateDatastore

OWN_ENGLISH = (
    "answerability.jsonl",
    "answerability-subjects.jsonl",
    "answerability-nearly.jsonl",
    "answerability-encyclopaedia.jsonl",
    "answerability-misses.jsonl",
    "calibration/en.jsonl",
)
OWN_PORTUGUESE = (
    "answerability-pt.jsonl",
    "answerability-pt-subjects.jsonl",
    "answerability-pt-long.jsonl",
    "answerability-pt-varied.jsonl",
    "calibration/pt.jsonl",
)
_HERE = Path(__file__).parent
_PARAPHRASE = 1
"""Of the questions of the calibration data, the second shares hardly a word with its passage."""


def own_rows(name: str) -> list[dict[str, Any]]:
    """The passages of a set of our own, each with its questions."""
    is_ours = not name.startswith("calibration/")
    file = (_HERE if is_ours else files("vivavoce.domain")) / name
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return rows if is_ours else [{**row, **_without_paraphrase(row["questions"])} for row in rows]


async def ingested(name: str, corpus: Sequence[Mapping[str, Any]], app: App) -> str:
    """The datastore that holds a set; a run that was broken off is gone on with."""
    known = await app.ports.store.read(lambda tables: tables.datastores.where())
    if known:
        await app.ingester.finish()
        return known[0].id
    datastore = await app.backend.run(CreateDatastore(type="qdrant", name=name), OPERATOR)
    for document in corpus:
        await app.backend.run(
            CreateDatasource(
                datastore_id=datastore.id,
                name=(document.get("title") or document["id"]).strip()[:200] or document["id"],
                text=document["text"] or document["title"],
                custom_id=document["id"],
            ),
            OPERATOR,
        )
    await app.ingester.finish()
    return datastore.id


def _without_paraphrase(questions: Sequence[str]) -> dict[str, list[str]]:
    return {"questions": [each for at, each in enumerate(questions) if at != _PARAPHRASE]}
