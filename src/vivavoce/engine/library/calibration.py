"""Calibration: what words and meaning weigh under an embedder, learnt from questions with known answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from vivavoce.domain.answers.relevance import KNOWN, Calibration, Fit, Reread
from vivavoce.domain.language.words import bound, idf, terms_of, weight
from vivavoce.ports import Embedder, Ports, Reranker, Tables

from .fitting import fitted, ordered

LANGUAGES = ("en", "pt")
_CANDIDATES = 10
"""The passages of each question that are judged: the best by even evidence, as in a search."""
_LEAST = 0.1
"""What words weigh at least for the order, measured by their spread."""
_PARAPHRASED = 0.15
"""What questions in other words than the passage's count of all that is answered: few are asked so."""
_PARAPHRASE = 1
"""Which of the questions about a passage is one."""


class Asked(NamedTuple):
    """A question, and the number of the passage that answers it; -1 where none does."""

    text: str
    place: int
    is_paraphrase: bool = False


class Labelled(NamedTuple):
    """Passages, and questions about them."""

    passages: list[str]
    questions: list[Asked]


class Candidates(NamedTuple):
    """The best passages of each question: what is known of each, and what it counts in a fit."""

    words: Any
    meaning: Any
    answers: Any
    """1 where the passage answers, or 0."""
    counts: Any
    rows: Any
    """The number of the question."""


async def ensure_calibrated(embedder: Embedder, ports: Ports) -> None:
    """Calibrate an embedder that is met for the first time."""
    if embedder.identity in KNOWN:
        return
    if await ports.store.read(lambda tables: tables.collections.calibration(embedder.identity)) is None:
        await calibrate(embedder, None, ports)


async def calibrate(embedder: Embedder, reranker: Reranker | None, ports: Ports) -> Calibration:
    """Measure an embedder on the labelled questions and keep what was found.

    What is not measured stays as it is known: other languages, and a reranker that is not there and may be
    wanted again.
    """
    found = await calibrated(embedder, reranker)

    def keep(tables: Tables) -> Calibration:
        before = tables.collections.calibration(embedder.identity)
        known = KNOWN.get(embedder.identity) if before is None else Calibration.read(before)
        kept = found if known is None else known.with_measured(found)
        tables.collections.calibrate(embedder.identity, kept.written())
        return kept

    return await ports.store.write(keep)


async def calibrated(embedder: Embedder, reranker: Reranker | None) -> Calibration:
    """The fit of each language, and of the reranker where there is one for the language."""
    fits: dict[str, Fit] = {}
    rereads: dict[str, Reread] = {}
    for language in LANGUAGES:
        labelled = labelled_in(language)
        words, meaning = await evidence_of(labelled, language, embedder)
        judged = candidates_in(labelled, words, meaning)
        fit = fits[language] = fit_of([judged])
        if reranker is not None and (not reranker.languages or language in reranker.languages):
            evidence = fit.words * judged.words + fit.meaning * judged.meaning + fit.base
            relevance = await _relevance(reranker, labelled, _best(words, meaning))
            old, new, constant = fitted([evidence, relevance], judged.answers)
            rereads[language] = Reread(round(old, 3), round(new, 3), round(constant, 3))
    return Calibration(fits, rereads)


async def evidence_of(labelled: Labelled, language: str, embedder: Embedder) -> tuple[Any, Any]:
    """What words and meaning tell of every question and passage."""
    return _shares(labelled, language), await _cosines(embedder, labelled)


def candidates_in(labelled: Labelled, words: Any, meaning: Any) -> Candidates:
    """The passages of each question that a search would look at."""
    import numpy

    rows, places = _best(words, meaning).nonzero()
    right = numpy.array([asked.place for asked in labelled.questions])[rows]
    paraphrased = numpy.array([asked.is_paraphrase for asked in labelled.questions])[rows]
    answers = (places == right).astype(float)
    counts = numpy.zeros(len(rows))
    plain, reworded, others = (answers == 1) & ~paraphrased, (answers == 1) & paraphrased, answers == 0
    for part, share in ((plain, 1 - _PARAPHRASED), (reworded, _PARAPHRASED), (others, 1.0)):
        counts[part] = share / max(1, part.sum())
    return Candidates(words[rows, places], meaning[rows, places], answers, counts, rows)


def fit_of(sets: Sequence[Candidates], seen: Sequence[Sequence[bool]] | None = None) -> Fit:
    """What words and meaning weigh in sets that count alike, or in those of their questions that are seen.

    First beside each other, so that what answers comes first; then both together, so that the score is a
    chance. Some embedders keep their cosines within a few hundredths: each side is measured by its spread.
    """
    import numpy

    looked = [numpy.ones(len(each.rows), bool) for each in sets]
    if seen is not None:
        looked = [numpy.array(some)[each.rows] for some, each in zip(seen, sets, strict=True)]
    words, meaning, answers, counts, rows = (
        numpy.concatenate([getattr(each, name)[look] for each, look in zip(sets, looked, strict=True)])
        for name in ("words", "meaning", "answers", "counts", "rows")
    )
    sizes = [int(look.sum()) for look in looked]
    groups = rows + numpy.repeat(numpy.arange(len(sets)) * (rows.max() + 1), sizes)
    columns = [words, meaning]
    spreads = [float(column.std()) or 1.0 for column in columns]
    alike = [column / spread for column, spread in zip(columns, spreads, strict=True)]
    by_words, by_meaning = ordered(alike, answers, groups, counts)
    weights = max(by_words, _LEAST) / spreads[0], max(by_meaning, 0.0) / spreads[1]
    steep, base = fitted([weights[0] * words + weights[1] * meaning], answers, counts)
    fit = Fit(steep * weights[0], steep * weights[1], base)
    return Fit(*(round(each, 3) for each in fit))


@cache
def labelled_in(language: str) -> Labelled:
    """The labelled questions of a language."""
    file = files("vivavoce.domain") / "calibration" / f"{language}.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    questions = [
        Asked(each, place, is_paraphrase=number == _PARAPHRASE)
        for place, row in enumerate(rows)
        for number, each in enumerate(row["questions"])
    ]
    questions += [Asked(each, -1) for row in rows for each in row["near"]]
    return Labelled([row["passage"] for row in rows], questions)


async def _cosines(embedder: Embedder, labelled: Labelled) -> Any:
    import numpy

    passages = await embedder.passages(labelled.passages)
    questions = [await embedder.question(asked.text) for asked in labelled.questions]
    return numpy.stack(questions) @ passages.T


def _shares(labelled: Labelled, language: str) -> Any:
    """The score by words of every passage for every question, as an index computes it."""
    import numpy

    counted = [terms_of(passage, language) for passage in labelled.passages]
    number = len(counted)
    holding: dict[str, list[tuple[int, float]]] = {}
    for place, words in enumerate(counted):
        length = sum(words.values())
        for word, count in words.items():
            holding.setdefault(word, []).append((place, weight(count, length)))

    def rarity(word: str) -> float:
        return idf(number, len(holding.get(word, ())))

    shares = numpy.zeros((len(labelled.questions), number))
    for row, question in enumerate(labelled.questions):
        asked = terms_of(question.text, language)
        most = bound(asked, rarity)
        for word, count in asked.items():
            for place, weighs in holding.get(word, ()):
                shares[row, place] += count * rarity(word) * weighs / most
    return shares


def _best(words: Any, meaning: Any) -> Any:
    """A mask of the best passages of each question, by words and meaning alike."""
    import numpy

    even = words / (words.std() or 1.0) + meaning / (meaning.std() or 1.0)
    best = numpy.argsort(-even, axis=1)[:, :_CANDIDATES]
    mask = numpy.zeros(even.shape, bool)
    numpy.put_along_axis(mask, best, True, axis=1)
    return mask


async def _relevance(reranker: Reranker, labelled: Labelled, judged: Any) -> Any:
    import numpy

    found: list[float] = []
    for asked, row in zip(labelled.questions, judged, strict=True):
        found += await reranker.relevance(
            asked.text, [labelled.passages[place] for place in row.nonzero()[0]]
        )
    return numpy.array(found)
