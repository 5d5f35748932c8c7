"""Calibration: what words and meaning weigh under an embedder, learnt from questions with known answers."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from vivavoce.domain.answers.relevance import KNOWN, Calibration, Fit, Reread
from vivavoce.domain.language.words import bound, idf, terms_of, weight
from vivavoce.ports import Embedder, Ports, Reranker, Tables

from .fitting import fitted

LANGUAGES = ("en", "pt")
_CANDIDATES = 10
"""The passages of each question that are judged: the best by plain evidence, as in a search."""
_EVEN = Fit(0.5, 1.0, 0.0)


class Labelled(NamedTuple):
    """Passages, and questions with the number of the passage that answers each; -1 where none does."""

    passages: list[str]
    questions: list[tuple[str, int]]


async def ensure_calibrated(embedder: Embedder, ports: Ports) -> None:
    """Calibrate an embedder that is met for the first time."""
    if embedder.identity in KNOWN:
        return
    if await ports.store.read(lambda tables: tables.collections.calibration(embedder.identity)) is None:
        await calibrate(embedder, None, ports)


async def calibrate(embedder: Embedder, reranker: Reranker | None, ports: Ports) -> Calibration:
    """Measure an embedder on the labelled questions and keep what was found.

    Without a reranker, what is known of it stays: it is not measured, and it may be wanted again.
    """
    found = await calibrated(embedder, reranker)

    def keep(tables: Tables) -> Calibration:
        kept = found
        if reranker is None:
            before = tables.collections.calibration(embedder.identity)
            known = KNOWN.get(embedder.identity) if before is None else Calibration.read(before)
            kept = Calibration(found.fits, {} if known is None else known.rereads)
        tables.collections.calibrate(embedder.identity, kept.written())
        return kept

    return await ports.store.write(keep)


async def calibrated(embedder: Embedder, reranker: Reranker | None) -> Calibration:
    """The fit of each language, and of the reranker where there is one for the language."""
    fits: dict[str, Fit] = {}
    rereads: dict[str, Reread] = {}
    for language in LANGUAGES:
        labelled = labelled_in(language)
        meaning = await _cosines(embedder, labelled)
        words = _shares(labelled, language)
        judged = _candidates(_EVEN.words * words + _EVEN.meaning * meaning)
        answers = _answers(labelled)
        by_words, by_meaning, base = fitted([words[judged], meaning[judged]], answers[judged])
        fits[language] = Fit(round(max(by_words, 0.1), 3), round(max(by_meaning, 0.0), 3), round(base, 3))
        if reranker is not None and (not reranker.languages or language in reranker.languages):
            fit = fits[language]
            evidence = fit.words * words + fit.meaning * meaning + fit.base
            relevance = await _relevance(reranker, labelled, judged)
            old, new, constant = fitted([evidence[judged], relevance], answers[judged])
            rereads[language] = Reread(round(old, 3), round(new, 3), round(constant, 3))
    return Calibration(fits, rereads)


@cache
def labelled_in(language: str) -> Labelled:
    """The labelled questions of a language."""
    file = files("vivavoce.domain") / "calibration" / f"{language}.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    questions = [(each, place) for place, row in enumerate(rows) for each in row["questions"]]
    questions += [(each, -1) for row in rows for each in row["near"]]
    return Labelled([row["passage"] for row in rows], questions)


async def _cosines(embedder: Embedder, labelled: Labelled) -> Any:
    import numpy

    passages = await embedder.passages(labelled.passages)
    questions = [await embedder.question(question) for question, _ in labelled.questions]
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
    for row, (question, _) in enumerate(labelled.questions):
        asked = terms_of(question, language)
        most = bound(asked, rarity)
        for word, count in asked.items():
            for place, weighs in holding.get(word, ()):
                shares[row, place] += count * rarity(word) * weighs / most
    return shares


def _answers(labelled: Labelled) -> Any:
    import numpy

    answers = numpy.zeros((len(labelled.questions), len(labelled.passages)))
    for row, (_, place) in enumerate(labelled.questions):
        if place >= 0:
            answers[row, place] = 1
    return answers


def _candidates(evidence: Any) -> Any:
    """A mask of the best passages of each question."""
    import numpy

    best = numpy.argsort(-evidence, axis=1)[:, :_CANDIDATES]
    mask = numpy.zeros(evidence.shape, bool)
    numpy.put_along_axis(mask, best, True, axis=1)
    return mask


async def _relevance(reranker: Reranker, labelled: Labelled, judged: Any) -> Any:
    import numpy

    found: list[float] = []
    for (question, _), row in zip(labelled.questions, judged, strict=True):
        found += await reranker.relevance(question, [labelled.passages[place] for place in row.nonzero()[0]])
    return numpy.array(found)
