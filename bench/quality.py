"""How good the found passages are: nDCG@10 on public sets, beside each leg alone and plain rank fusion."""

from __future__ import annotations

import asyncio
import json
import math
import statistics
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from reporting import report, words
from sets import ingested

from vivavoce.app import App, open_app
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.words import terms_of
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import QueryDatastore
from vivavoce.ports import Hit, Question
from vivavoce.settings import Settings

SETS = ("faquad", "scifact", "clapnq", "pt_abstain")
_DEEP = 60


class Labelled(NamedTuple):
    """A corpus, questions, and which documents answer each."""

    corpus: list[dict[str, Any]]
    questions: list[dict[str, Any]]
    answers: dict[str, dict[str, int]]


async def main() -> None:
    """Ingest each set through the engine and ask its questions."""
    given = words(data="", sets=",".join(SETS), keep="", reranker="off")
    if not Path(given.data).is_dir() or not given.data:
        print("Name the folder of the data sets with --data FOLDER: it is not part of the project.")
        return
    rows = []
    for name in given.sets.split(","):
        with ExitStack() as held:
            folder = Path(given.keep or held.enter_context(tempfile.TemporaryDirectory()))
            rows.append(await _measured(name, _read(Path(given.data) / name), folder, given.reranker))
    report("nDCG@10", rows, given.json)


async def _measured(name: str, labelled: Labelled, folder: Path, reranker: str) -> dict[str, Any]:
    environment = {"VIVAVOCE_DATABASE": str(folder / f"{name}.db"), "VIVAVOCE_RERANKER": reranker}
    async with open_app(Settings.read(environment)) as app:
        datastore_id = await ingested(name, labelled.corpus, app)
        document_of = await _documents(datastore_id, app)
        ours: list[float] = []
        legs: dict[str, list[float]] = {"words alone": [], "meaning alone": [], "rank fusion": []}
        spent = []
        for question in labelled.questions:
            answers = labelled.answers[question["id"]]
            start = time.perf_counter()
            found = await app.backend.run(
                QueryDatastore(id=datastore_id, query=question["text"], top_k=_DEEP), OPERATOR
            )
            spent.append(time.perf_counter() - start)
            ours.append(ndcg(_distinct(str(chunk.custom_id) for chunk in found.chunks), answers))
            hits = await _hits(datastore_id, question["text"], app)
            for leg, ranked in _legs(hits).items():
                legs[leg].append(ndcg(_distinct(document_of[id] for id in ranked), answers))
    return {
        "set": name,
        "questions": len(ours),
        "vivavoce": round(statistics.fmean(ours), 4),
        **{leg: round(statistics.fmean(values), 4) for leg, values in legs.items()},
        "ms a question": round(statistics.median(spent) * 1000, 1),
    }


async def _documents(datastore_id: str, app: App) -> dict[int, str]:
    """The document that each passage belongs to."""

    def look(tables: Any) -> dict[int, str]:
        names = {
            source.id: source.config["custom_id"]
            for source in tables.datasources.where(datastore_id=datastore_id)
        }
        sql = "select id, datasource_id from passages"
        return {int(id): names[source] for id, source in tables.connection.execute(sql, {})}

    return await app.ports.store.read(look)


async def _hits(datastore_id: str, text: str, app: App) -> list[Hit]:
    (collection,) = await app.ports.store.read(lambda tables: tables.collections.of(datastore_id))
    embedder = app.ports.embedders.named(collection.embedder)
    question = Question(await embedder.question(text), terms_of(text, language_of(text, "en")))
    return await app.ports.index.search(collection.name, question, _DEEP)


def _legs(hits: Sequence[Hit]) -> dict[str, list[int]]:
    by_words = [hit.id for hit in sorted(hits, key=lambda hit: -hit.words) if hit.words > 0][:_DEEP]
    by_meaning = [hit.id for hit in sorted(hits, key=lambda hit: -hit.meaning)][:_DEEP]
    fused: dict[int, float] = {}
    for ranked in (by_words, by_meaning):
        for place, id in enumerate(ranked):
            fused[id] = fused.get(id, 0.0) + 1 / (60 + place)
    return {
        "words alone": by_words,
        "meaning alone": by_meaning,
        "rank fusion": sorted(fused, key=lambda id: -fused[id]),
    }


def ndcg(ranked: Sequence[str], answers: Mapping[str, int], k: int = 10) -> float:
    """As trec_eval computes it, with the grades as gains."""
    gained = sum(answers.get(id, 0) / math.log2(place + 2) for place, id in enumerate(ranked[:k]))
    ideal = sorted(answers.values(), reverse=True)[:k]
    return gained / sum(grade / math.log2(place + 2) for place, grade in enumerate(ideal))


def _distinct(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))


def _read(folder: Path) -> Labelled:
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    questions = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    answers: dict[str, dict[str, int]] = {}
    for line in list((folder / "qrels.tsv").open(encoding="utf-8"))[1:]:
        question, document, grade = line.split("\t")
        if int(grade) > 0:
            answers.setdefault(question, {})[document] = int(grade)
    return Labelled(corpus, [each for each in questions if each["id"] in answers], answers)


if __name__ == "__main__":
    asyncio.run(main())
