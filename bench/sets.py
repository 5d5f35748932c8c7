"""Sets of questions: public ones, ingested once through the engine, and our own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from families import Family, families_in, is_held_out

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
FAMILIES = {f"families-{language}.jsonl": language for language in ("en", "pt", "es", "fr", "de", "it")}
"""Sets of families, and their languages. Judge and words were weighed without them."""
_HERE = Path(__file__).parent
_PARAPHRASE = 1
"""Of the questions of the calibration data, the second shares hardly a word with its passage."""


def own_rows(name: str) -> list[dict[str, Any]]:
    """The passages of a set of our own, each with its questions, its place and whether that is held out."""
    if name in FAMILIES:
        return [row for family in families_in(FAMILIES[name]) for row in _family_rows(family)]
    is_ours = not name.startswith("calibration/")
    file = (_HERE if is_ours else files("vivavoce.domain")) / name
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    named = rows if is_ours else [{**row, **_by_kind(row["questions"])} for row in rows]
    return [{**row, "place": place, "is_held_out": is_held_out(place)} for place, row in enumerate(named)]


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


async def ingested_rows(rows: Sequence[Mapping[str, Any]], app: App) -> tuple[str, list[str]]:
    """The datastore that holds passages of our own, and their datasources in the same order."""
    datastore = await app.backend.run(CreateDatastore(type="qdrant", name="own"), OPERATOR)
    ids = []
    for place, row in enumerate(rows):
        name = row.get("title") or str(place)
        op = CreateDatasource(datastore_id=datastore.id, name=name, text=row["passage"])
        ids.append((await app.backend.run(op, OPERATOR)).id)
    await app.ingester.finish()
    return datastore.id, ids


def _family_rows(family: Family) -> Iterator[dict[str, Any]]:
    """The passages of a family, at one place; what none of them answers is asked of the nearest one."""
    for passage in family.passages:
        plain, paraphrase, *others = [each.question for each in passage.answered]
        yield {
            "title": passage.title,
            "passage": passage.text,
            "questions": [plain, *others],
            "paraphrases": [paraphrase],
            "near": [each for each in family.unanswered if family.nearest(each)[0] is passage],
            "traps": [],
            "place": family.place,
            "is_held_out": family.is_held_out,
        }


def _by_kind(questions: Sequence[str]) -> dict[str, list[str]]:
    plain = [each for at, each in enumerate(questions) if at != _PARAPHRASE]
    return {"questions": plain, "paraphrases": [questions[_PARAPHRASE]]}
