"""How well questions are answered without a model, and refused where the corpus is silent."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from reporting import report, words
from sets import ingested

from vivavoce.app import App, open_app
from vivavoce.domain.corpus.excerpts import excerpts_of
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.words import idf, weight, words_of
from vivavoce.engine.library.retrieval import Found, Wanted, passages_for
from vivavoce.engine.voices.extraction import Sentence, extracted
from vivavoce.settings import Settings

SETS = ("pt_abstain", "nomiracl_en", "clapnq")
_DEEP = 8
"""How many passages are found for a question; where a set names the candidates, all of those."""
_COVERED = 0.6
"""The share of the question's words from which the floor answers."""


class Asked(NamedTuple):
    """A question, and what is known of its answer."""

    id: str
    text: str
    is_answerable: bool
    gold: frozenset[str]
    """The documents that answer; empty where the set does not say."""
    answers: tuple[str, ...]
    candidates: tuple[str, ...]
    """The only documents that may be cited; empty where all may."""


class Answer(NamedTuple):
    """What was answered; nothing where it was refused."""

    cited: tuple[str, ...] = ()
    text: str = ""
    is_exact: bool = True
    seconds: float = 0.0
    likelihood: float = 0.0


async def main() -> None:
    """Ingest each set through the engine and ask every n-th of its questions, and the floor the same."""
    given = words(data="", sets=",".join(SETS), keep="", each="", every=1)
    if not Path(given.data).is_dir() or not given.data:
        print("Name the folder of the data sets with --data FOLDER: it is not part of the project.")
        return
    rows = []
    for name in given.sets.split(","):
        folder = Path(given.data) / name
        corpus, asked = _corpus(folder), _asked(folder)[:: given.every]
        with ExitStack() as held:
            keep = Path(given.keep or held.enter_context(tempfile.TemporaryDirectory()))
            answers = await _answers(name, corpus, asked, keep)
        floor = Floor(corpus)
        rows.append({"set": name, "by": "vivavoce", **figures(asked, answers)})
        rows.append({"set": name, "by": "floor", **figures(asked, [floor.answer(each) for each in asked])})
        if given.each:
            _write(Path(given.each) / f"{name}.jsonl", asked, answers)
    report("answering without a model", rows, given.json)


async def _answers(
    name: str, corpus: Sequence[Mapping[str, Any]], asked: Sequence[Asked], keep: Path
) -> list[Answer]:
    async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(keep / f"{name}.db")})) as app:
        datastore_id = await ingested(name, corpus, app)
        return [await _answer(each, datastore_id, app) for each in asked]


async def _answer(asked: Asked, datastore_id: str, app: App) -> Answer:
    start = time.perf_counter()
    limit = len(asked.candidates) or _DEEP
    wanted = Wanted(datastore_id, asked.text, limit=limit, custom_ids=asked.candidates)
    found = await passages_for(wanted, app.ports)
    extraction = await extracted(asked.text, (), found, app.ports)
    spent = time.perf_counter() - start
    if not extraction.sentences:
        return Answer(seconds=spent, likelihood=extraction.likelihood)
    said = [_said(each, found) for each in extraction.sentences]
    exact = [await _stands(each, found[each.place], app) for each in extraction.sentences]
    cited = dict.fromkeys(_document(found[each.place]) for each in extraction.sentences)
    return Answer(tuple(cited), " ".join(said), all(exact), spent, extraction.likelihood)


def _said(sentence: Sentence, found: Sequence[Found]) -> str:
    return found[sentence.place].cited.text[sentence.start : sentence.end]


async def _stands(sentence: Sentence, found: Found, app: App) -> bool:
    """Whether the stored document has these very characters at the place that is cited."""
    first = found.cited.passage.start
    start, end = first + sentence.start, first + sentence.end
    stored = await app.ports.store.read(
        lambda tables: tables.documents.text(found.cited.document_id, start, end)
    )
    return stored == found.cited.text[sentence.start : sentence.end] and start < end


def _document(found: Found) -> str:
    return str(found.datasource.config["custom_id"])


class Floor:
    """The plainest answerer: the best passage by BM25, its best sentence, refused below a coverage."""

    def __init__(self, corpus: Sequence[Mapping[str, Any]]) -> None:
        self._documents = {each["id"]: each for each in corpus}
        sample = " ".join(each["text"] for each in corpus[:20])
        self._language = language_of(sample, "en")
        self._held: dict[str, dict[str, float]] = {}
        for each in corpus:
            counted = words_of(f"{each.get('title') or ''} {each['text']}", self._language)
            for word, count in counted.items():
                self._held.setdefault(word, {})[each["id"]] = weight(count, sum(counted.values()))

    def answer(self, asked: Asked) -> Answer:
        """The sentence, or nothing."""
        start = time.perf_counter()
        wanted = set(words_of(asked.text, self._language))
        scores: Counter[str] = Counter()
        for word in wanted:
            held = self._held.get(word, {})
            for id, weighs in held.items():
                if not asked.candidates or id in asked.candidates:
                    scores[id] += idf(len(self._documents), len(held)) * weighs  # type: ignore[assignment]
        if not scores:
            return Answer(seconds=time.perf_counter() - start)
        best = max(scores, key=lambda id: (scores[id], id))
        covered = sum(best in self._held.get(word, {}) for word in wanted) / len(wanted)
        said = max(
            excerpts_of(self._documents[best]["text"], self._language),
            key=lambda each: len(wanted & each.words.keys()),
            default=None,
        )
        spent = time.perf_counter() - start
        if covered < _COVERED or said is None:
            return Answer(seconds=spent)
        return Answer((best,), said.text, True, spent)


def figures(asked: Sequence[Asked], answers: Sequence[Answer]) -> dict[str, Any]:
    """Refusal on the questions without an answer, and all else on those with one."""
    pairs = list(zip(asked, answers, strict=True))
    silent = [not each.cited for question, each in pairs if not question.is_answerable]
    refused = [not each.cited for question, each in pairs if question.is_answerable]
    right = sum(silent)
    precision = right / max(1, right + sum(refused))
    recall = right / max(1, len(silent))
    known = [(question, each) for question, each in pairs if question.gold and question.is_answerable]
    referred = [(question, each) for question, each in pairs if question.answers and question.is_answerable]
    spent = sorted(each.seconds for each in answers)
    return {
        "questions": len(pairs),
        "refusal P": precision,
        "R": recall,
        "F1": 2 * precision * recall / max(1e-9, precision + recall),
        "wrongly answered": 1 - recall,
        "wrongly refused": statistics.fmean(refused),
        "first cited right": _share([each.cited[:1] for _, each in known], known),
        "cited right": _share([each.cited for _, each in known], known),
        "token F1": _mean([token_f1(each.text, question.answers) for question, each in referred]),
        "exact": statistics.fmean(each.is_exact for each in answers),
        "ms p50": statistics.median(spent) * 1000,
        "p95": spent[int(0.95 * len(spent))] * 1000,
    }


def token_f1(said: str, answers: Sequence[str]) -> float:
    """The best F1 of the words that are common with a reference."""
    own = Counter(_tokens(said))
    best = 0.0
    for answer in answers:
        other = Counter(_tokens(answer))
        common = (own & other).total()
        if common:
            best = max(best, 2 * common / (own.total() + other.total()))
    return best


def _tokens(text: str) -> list[str]:
    return [
        "".join(filter(str.isalnum, each)) for each in text.lower().split() if any(map(str.isalnum, each))
    ]


def _share(cited: Sequence[Sequence[str]], known: Sequence[tuple[Asked, Answer]]) -> float | str:
    return _mean([not question.gold.isdisjoint(ids) for ids, (question, _) in zip(cited, known, strict=True)])


def _mean(values: Sequence[float]) -> float | str:
    return statistics.fmean(values) if values else "-"


def _corpus(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]


def _asked(folder: Path) -> list[Asked]:
    gold: dict[str, set[str]] = {}
    if (folder / "qrels.tsv").exists():
        for line in list((folder / "qrels.tsv").open(encoding="utf-8"))[1:]:
            question, document, grade = line.split("\t")
            if int(grade) > 0:
                gold.setdefault(question, set()).add(document)
    rows = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    return [
        Asked(
            row["id"],
            row["text"],
            bool(row.get("answerable", True)),
            frozenset(gold.get(row["id"], ())),
            tuple(row.get("answers") or ()),
            tuple(row.get("contexts") or ()),
        )
        for row in rows
    ]


def _write(file: Path, asked: Sequence[Asked], answers: Sequence[Answer]) -> None:
    """Each answer on a line, to be looked at."""
    with file.open("w", encoding="utf-8") as opened:
        for question, answer in zip(asked, answers, strict=True):
            row = {**question._asdict(), **answer._asdict(), "gold": sorted(question.gold)}
            row |= {"text": question.text, "said": answer.text}
            opened.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
