"""What a close reading weighs beside words and meaning, and what scores then tell, on questions of ours."""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reporting import report, words
from sets import FAMILIES, OWN_ENGLISH, OWN_PORTUGUESE, ingested_rows, own_rows

from vivavoce.app import App, open_app
from vivavoce.domain.answers.answerability import logit_of
from vivavoce.domain.answers.relevance import CloseReading, score_of
from vivavoce.engine.library.fitting import fitted
from vivavoce.engine.library.retrieval import Wanted, passages_for
from vivavoce.engine.voices.close_reading import READ, readings_of
from vivavoce.engine.voices.extraction import candidate_of
from vivavoce.settings import Settings

_OTHERS = {"en": OWN_ENGLISH, "pt": OWN_PORTUGUESE}
_SETS = {language: (name, *_OTHERS.get(language, ())) for name, language in FAMILIES.items()}
_KINDS = {"questions": "answered", "paraphrases": "paraphrased", "near": "near", "traps": "near"}
_ANSWERED = {"answered": 0.7, "paraphrased": 0.3}
"""The kinds of question that a passage answers, and what each counts of all that is the answer."""
_NEAR = 0.15
"""What the best passage of the other questions counts of all that is not."""
_MOST = {"en": 2.0, **dict.fromkeys(("pt", "es", "fr", "de", "it"), 1.5)}
"""How much likelier reading may make a passage. With less the answer is found less often where a question is
in other words; with more, passages beside it are, in Portuguese soon."""
_FOLDS = 5
_THRESHOLD = 0.7


class Passage(NamedTuple):
    """A passage that was found for a question, and what is known of both."""

    question: str
    kind: str
    place: int
    """Of the passage, or the family, that the question is about."""
    rank: int
    is_answer: bool
    score: float
    """Before it was read."""
    relevance: float
    answers: float

    @property
    def is_nearest(self) -> bool:
        """Whether it is the best of a question that nothing answers."""
        return self.rank == 0 and self.kind not in _ANSWERED


async def main() -> None:
    """Ask every n-th question that the readers were not taught, and fit anew."""
    given = words(languages="en,pt", every=1, keep="")
    weights, shares = [], []
    for language in given.languages.split(","):
        passages = await _kept(language, given)
        most = _MOST[language]
        weighs, logits = _weights(passages, most), _held_out(passages, most)
        weights.append({"language": language, "passages": len(passages), **weighs._asdict()})
        before = [each.score for each in passages]
        for name, scores in {"before": before, "read": list(map(score_of, logits))}.items():
            shares.append({"language": language, "score": name, **_shares(passages, scores)})
    report("weights of a close reading", weights, None)
    report(f"what scores {_THRESHOLD} or more, texts held out", shares, given.json)


async def _kept(language: str, given: Any) -> list[Passage]:
    """What was found, or what an earlier run has kept of it."""
    kept = Path(given.keep) / f"{language}.jsonl" if given.keep else None
    if kept is not None and kept.exists():
        return [Passage(**json.loads(line)) for line in kept.open(encoding="utf-8")]
    found = [each for name in _SETS[language] for each in await _found(name, given.every)]
    if kept is not None:
        kept.write_text("\n".join(json.dumps(each._asdict()) for each in found), encoding="utf-8")
    return found


async def _found(name: str, every: int) -> list[Passage]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "own.db")})) as app:
            rows = own_rows(name)
            datastore_id, ids = await ingested_rows(rows, app)
            asked = [
                (question, kind, row["place"], id)
                for row, id in zip(rows, ids, strict=True)
                for key, kind in _KINDS.items()
                for question in row.get(key, ())
                if row["is_held_out"]
            ]
            return [each for one in asked[::every] for each in await _passages(*one, datastore_id, app)]


async def _passages(
    question: str, kind: str, place: int, right: str, datastore_id: str, app: App
) -> list[Passage]:
    found = await passages_for(Wanted(datastore_id, question, limit=READ), app.ports)
    judges = app.ports.embedders.judges()
    read = await readings_of(question, list(map(candidate_of, found)), judges)
    return [
        Passage(
            question,
            kind,
            place,
            rank,
            kind in _ANSWERED and each.datasource.id == right,
            each.score,
            *read[rank].reading[:2],
        )
        for rank, each in enumerate(found)
        if rank in read
    ]


def _weights(passages: Sequence[Passage], most: float) -> CloseReading:
    import numpy

    columns = list(numpy.array(list(map(_columns, passages))).T)
    answers = numpy.array([float(each.is_answer) for each in passages])
    found = fitted(columns, answers, numpy.array(_counts(passages)))
    return CloseReading(*(round(each, 3) for each in found), most=most)


def _columns(passage: Passage) -> list[float]:
    about = 0.0 if passage.relevance == passage.answers else passage.relevance  # where they are one
    return [logit_of(passage.score), about, passage.answers]


def _counts(passages: Sequence[Passage]) -> list[float]:
    """What each counts: what is the answer half, by kinds, and what is not half."""
    parts = [_part(each) for each in passages]
    shares = {("answer", kind): share for kind, share in _ANSWERED.items()}
    shares |= {("nearest", ""): _NEAR, ("other", ""): 1 - _NEAR}
    return [shares[part] / parts.count(part) for part in parts]


def _part(passage: Passage) -> tuple[str, str]:
    if passage.is_answer:
        return "answer", passage.kind
    return ("nearest" if passage.is_nearest else "other"), ""


def _held_out(passages: Sequence[Passage], most: float) -> list[float]:
    """The logit of each passage by weights that were fitted on other texts."""
    logits = [math.nan] * len(passages)
    for fold in range(_FOLDS):
        weighs = _weights([each for each in passages if _fold(each) != fold], most)
        for at, each in enumerate(passages):
            if _fold(each) == fold:
                logits[at] = weighs.judged(*_columns(each))
    return logits


def _fold(passage: Passage) -> int:
    return passage.place // _FOLDS % _FOLDS  # by the place alone, every fifth of which was held out


def _shares(passages: Sequence[Passage], scores: Sequence[float]) -> dict[str, float]:
    """Of each kind of question how often the answer, or else anything at all, is above the threshold."""
    rows = list(zip(passages, scores, strict=True))
    told = {
        kind: [score >= _THRESHOLD for each, score in rows if each.is_answer and each.kind == kind]
        for kind in _ANSWERED
    }
    near = {each.question: 0.0 for each in passages if each.kind == "near"}
    for each, score in rows:
        if each.kind == "near":
            near[each.question] = max(near[each.question], score)
    told["near"] = [score >= _THRESHOLD for score in near.values()]
    told["others"] = [score >= _THRESHOLD for each, score in rows if _is_other(each)]
    told["first is right"] = list(_firsts(rows))
    return {name: sum(each) / max(1, len(each)) for name, each in told.items()}


def _is_other(passage: Passage) -> bool:
    return passage.kind in _ANSWERED and not passage.is_answer


def _firsts(rows: Sequence[tuple[Passage, float]]) -> Iterator[bool]:
    best: dict[tuple[str, str], tuple[float, bool]] = {}
    for each, score in rows:
        if each.kind in _ANSWERED:
            key = (each.question, each.kind)
            best[key] = max(best.get(key, (-1.0, False)), (score, each.is_answer))
    return (is_answer for _, is_answer in best.values())


if __name__ == "__main__":
    asyncio.run(main())
