"""A head for the judge: what its inner state tells of the answer, fitted on questions of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reporting import report, words
from sets import OWN_ENGLISH, own_rows

from vivavoce.adapters.embedders.judging import CrossEncoder, Head
from vivavoce.domain.answers.reading import Candidate
from vivavoce.domain.language.sentences import sentences_of
from vivavoce.engine.library.fitting import fitted

FOLDS = 5
"""The texts are dealt out so many ways, so that a head can be judged on texts that it was not fitted on."""
_COUNTS = {"answered": 1.0, "cut": 0.4, "near": 0.3, "trap": 0.1, "other": 0.2}
"""What the pairs of a kind count together: as much without the answer as with it."""
_SHRINKING = 0.1
_FILE = Path(__file__).parent.parent / "src/vivavoce/adapters/embedders/answering-head.json"


class Pair(NamedTuple):
    """A question with a text that answers it, or with one that does not."""

    set: str
    place: int
    kind: str
    question: str
    text: str


def main() -> None:
    """Fit a head on all pairs and write it; fit one without each set, and say what it tells of that set."""
    import numpy

    given = words(write=0)
    read = states_of(CrossEncoder())
    rows = []
    for held in OWN_ENGLISH:
        head = head_of([each for each in read if each[0].set != held])
        rows.append({"held out": held, **_told(head, [each for each in read if each[0].set == held])})
    means = {key: float(numpy.mean([row[key] for row in rows])) for key in rows[0] if key != "held out"}
    title = "how often a text with the answer stands above one without"
    report(title, [*rows, {"held out": "mean", **means}], given.json)
    if given.write:
        head = head_of(read)
        kept = {"base": round(head.base, 4), "weights": [round(each, 4) for each in head.weights]}
        _FILE.write_text(json.dumps(kept) + "\n", encoding="utf-8")


def states_of(reader: CrossEncoder) -> list[tuple[Pair, float, Any]]:
    """Every pair of our own English questions with its logit and its inner state."""
    found = []
    for name in OWN_ENGLISH:
        for pair in _pairs(name, own_rows(name), reader):
            logits, states = reader.read(pair.question, [pair.text])
            found.append((pair, float(logits[0]), states[0]))
    return found


def head_of(read: Sequence[tuple[Pair, float, Any]]) -> Head:
    """The head that tells the pairs with the answer from the others best, strongly shrunk."""
    import numpy

    states = numpy.array([state for _, _, state in read])
    middle, spread = states.mean(axis=0), states.std(axis=0) + 1e-6
    kinds = [pair.kind for pair, _, _ in read]
    counts = numpy.array([_COUNTS[kind] / kinds.count(kind) for kind in kinds])
    answers = numpy.array([float(kind == "answered") for kind in kinds])
    *weights, base = fitted(list(((states - middle) / spread).T), answers, counts, shrinking=_SHRINKING)
    own = numpy.array(weights) / spread
    return Head(tuple(own.tolist()), float(base - own @ middle))


def _told(head: Head, read: Sequence[tuple[Pair, float, Any]]) -> dict[str, float]:
    """How often a pair with the answer stands above one without, by the logit and by the head."""
    import numpy

    kinds = numpy.array([pair.kind for pair, _, _ in read])
    ways = {
        "relevance": numpy.array([logit for _, logit, _ in read]),
        "head": numpy.array([state for _, _, state in read]) @ numpy.array(head.weights),
    }
    return {
        f"{kind}: {name}": float((told[kinds == "answered"][:, None] > told[kinds == kind][None]).mean())
        for kind in ("cut", "near", "other")
        for name, told in ways.items()
    }


def _pairs(name: str, rows: Sequence[Mapping[str, Any]], reader: CrossEncoder) -> Iterator[Pair]:
    """Each question with its passage; the answered ones also with the passage cut, and with another."""
    texts = [_candidate(place, row) for place, row in enumerate(rows)]
    for at, (row, text) in enumerate(zip(rows, texts, strict=True)):
        place = row["place"]
        for key, kind in (("questions", "answered"), ("near", "near"), ("traps", "trap")):
            for question in row.get(key, ()):
                yield Pair(name, place, kind, question, text.titled(text.text))
        other = texts[at + 1 if at % 2 == 0 and at + 1 < len(texts) else at - 1]
        for question in row["questions"]:
            yield Pair(name, place, "cut", question, text.titled(cut(question, text, reader)))
            yield Pair(name, place, "other", question, other.titled(other.text))


def cut(question: str, candidate: Candidate, reader: CrossEncoder) -> str:
    """A passage without the sentence that the judge finds most relevant: the answer, as a rule."""
    text = candidate.text
    sentences = list(sentences_of(text))
    logits, _ = reader.read(question, [candidate.titled(text[each.start : each.end]) for each in sentences])
    best = sentences[int(logits.argmax())]
    return f"{text[: best.start].rstrip()} {text[best.end :].lstrip()}".strip()


def _candidate(place: int, row: Mapping[str, Any]) -> Candidate:
    return Candidate.named(row.get("title") or str(place), row["passage"], "en", 0.5)


if __name__ == "__main__":
    main()
