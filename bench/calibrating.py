"""What words and meaning weigh under a built-in embedder, fitted on questions of our own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from reporting import report, words
from sets import FAMILIES, OWN_ENGLISH, OWN_PORTUGUESE, own_rows

from vivavoce.adapters.embedders.chosen import MULTILINGUAL, ChosenEmbedders
from vivavoce.domain.answers.relevance import Fit
from vivavoce.domain.corpus.library import embedded_text
from vivavoce.engine.library.calibration import Asked, Labelled, candidates_in, evidence_of, fit_of
from vivavoce.ports import Embedder

_OTHERS = {"en": OWN_ENGLISH, "pt": OWN_PORTUGUESE}
_SETS = {language: (*_OTHERS.get(language, ()), name) for name, language in FAMILIES.items()}
_KINDS = ("questions", "paraphrases", "near", "traps")
_ANSWERED = _KINDS[:2]
_FOLDS = 5


class Corpus(NamedTuple):
    """A set of our own, and what words and meaning tell of every question and passage."""

    labelled: Labelled
    words: Any
    meaning: Any
    folds: Any
    """Of each question, by the text or the family that it is about."""


async def main() -> None:
    """Fit anew, and tell how often the right passage comes first, by weights of other texts."""
    given = words(embedder=MULTILINGUAL, languages="en,pt", every=1)
    embedder = ChosenEmbedders().named(given.embedder)
    fits, shares = [], []
    for language in given.languages.split(","):
        corpora = [await _corpus(name, language, embedder, given.every) for name in _SETS[language]]
        fits.append({"language": language, **_fitted(corpora)._asdict()})
        shares += [{"language": language, **row} for row in _firsts(corpora)]
    report(f"weights under {given.embedder}", fits, None)
    report("how often the right passage is the first, texts held out", shares, given.json)


async def _corpus(name: str, language: str, embedder: Embedder, every: int) -> Corpus:
    import numpy

    rows = own_rows(name)
    asked = [
        (Asked(question, place if kind in _ANSWERED else -1, kind == "paraphrases"), row["place"] % _FOLDS)
        for place, row in enumerate(rows)
        for kind in _KINDS
        for question in row.get(kind, ())
    ][::every]
    passages = [embedded_text(row.get("title") or "", (), row["passage"]) for row in rows]
    labelled = Labelled(passages, [question for question, _ in asked])
    by_words, meaning = await evidence_of(labelled, language, embedder)
    return Corpus(labelled, by_words, meaning, numpy.array([fold for _, fold in asked]))


def _fitted(corpora: Sequence[Corpus], without: int | None = None) -> Fit:
    """The fit of all sets together, or of what is about other texts than those of a part."""
    seen = [[fold != without for fold in corpus.folds] for corpus in corpora]
    return fit_of([candidates_in(each.labelled, each.words, each.meaning) for each in corpora], seen)


def _firsts(corpora: Sequence[Corpus]) -> list[dict[str, Any]]:
    """For each kind of question, by words, by meaning and by both."""
    fits = {fold: _fitted(corpora, fold) for fold in range(_FOLDS)}
    found: dict[str, dict[str, list[bool]]] = {"plain": {}, "in other words": {}}
    for corpus in corpora:
        for row, asked in enumerate(corpus.labelled.questions):
            if asked.place < 0:
                continue
            fit, by_words, meaning = fits[int(corpus.folds[row])], corpus.words[row], corpus.meaning[row]
            ways = {
                "words": by_words,
                "meaning": meaning,
                "both": fit.words * by_words + fit.meaning * meaning,
            }
            kind = found["in other words" if asked.is_paraphrase else "plain"]
            for way, evidence in ways.items():
                kind.setdefault(way, []).append(int(evidence.argmax()) == asked.place)
    return [
        {"questions": kind, "number": len(ways["both"]), **{way: sum(x) / len(x) for way, x in ways.items()}}
        for kind, ways in found.items()
    ]


if __name__ == "__main__":
    asyncio.run(main())
