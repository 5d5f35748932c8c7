"""Sets of questions: public ones, ingested once through the engine, and our own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from families import Family, Passage, asked_abroad, families_in, is_held_out

from vivavoce.app import App
from vivavoce.domain.language.sentences import sentences_of
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
MIXED = {f"mixed-{name}": language for name, language in FAMILIES.items()}
"""The same families, the first half of each passage put together into one text without a break."""
ABROAD = {f"abroad-{name}": language for name, language in FAMILIES.items()}
"""The same families, asked about in the other five languages."""
_HERE = Path(__file__).parent
_QUESTIONS = ("questions", "paraphrases", "near")
"""The lists of a row that hold questions about families."""
_PARAPHRASE = 1
"""Of the questions of the calibration data, the second shares hardly a word with its passage."""


def own_rows(name: str) -> list[dict[str, Any]]:
    """The passages of a set of our own, each with its questions, its place and whether that is held out."""
    if name in FAMILIES:
        return [row for family in families_in(FAMILIES[name]) for row in _family_rows(family)]
    if name in ABROAD:
        asked = asked_abroad(ABROAD[name])
        rows = own_rows(name.removeprefix("abroad-"))
        return [row | {key: _abroad(row[key], asked) for key in _QUESTIONS} for row in rows]
    if name in MIXED:
        return [_mixed_row(family) for family in families_in(MIXED[name])]
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


def _abroad(questions: Sequence[str], asked: Mapping[str, str]) -> list[str]:
    return [asked[each] for each in questions if each in asked]


def _mixed_row(family: Family) -> dict[str, Any]:
    """A text of several matters, as handbooks have them; what was left out of it is not answered."""
    text = " ".join(map(_first_half, family.passages))
    every = [(place, *each) for one in family.passages for place, each in enumerate(one.answered)]
    told = [(place, question) for place, question, answer in every if answer in text]
    return {
        "title": family.subject,
        "passage": text,
        "questions": [question for place, question in told if place != _PARAPHRASE],
        "paraphrases": [question for place, question in told if place == _PARAPHRASE],
        "near": [*family.unanswered, *(question for _, question, answer in every if answer not in text)],
        "traps": [],
        "place": family.place,
        "is_held_out": family.is_held_out,
    }


def _first_half(passage: Passage) -> str:
    """The first sentences of a passage, up to the one that passes its middle."""
    spans = list(sentences_of(passage.text))
    ends = [each.end for each in spans if each.end <= len(passage.text) / 2]
    return passage.text[: max([spans[0].end, *ends])].strip()


def _by_kind(questions: Sequence[str]) -> dict[str, list[str]]:
    plain = [each for at, each in enumerate(questions) if at != _PARAPHRASE]
    return {"questions": plain, "paraphrases": [questions[_PARAPHRASE]]}
