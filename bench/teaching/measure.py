"""Measures a reader on what it was not taught: how often a text with the answer stands above one without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy
from families import families_in
from lessons import LONGEST
from negatives import cut_paragraph, swapped_question
from questions import LANGUAGES, questions_in
from reporting import report, words
from rows import DERIVED, PAIRS, Row, Source
from sentences import spans_of
from sets import FAMILIES

from vivavoce.adapters.embedders.judging import CrossEncoder
from vivavoce.adapters.embedders.unigram import Pair
from vivavoce.adapters.embedders.upper import FILE as ENGLISH_FILE
from vivavoce.adapters.embedders.upper import UpperReader
from vivavoce.adapters.embedders.weights import session_of
from vivavoce.adapters.embedders.words import Words

_SEED = 5
_THREADS, _BATCH = 2, 16
_PADDING = 1
_LONGEST_ANSWER = 40

Read = tuple[str, str, str]
"""A question, a title and a text."""


class Told(NamedTuple):
    """What the reader says of a text."""

    mark: float
    head: float
    start: int
    """Where in the text the answer begins; -1 where that is not told."""

    @property
    def both(self) -> float:
        """As the program reads it."""
        return self.mark / 2 + self.head


def main() -> None:
    """Read what is held out of the data and of our own questions."""
    given = words(reader="", data="", most=1000)
    if not (given.reader and given.data):
        print(
            "Name --reader FOLDER (what export.py wrote) and --data FOLDER, which is not part of the project."
        )
        return
    folder = Path(given.reader)
    reader = _EnglishReader(folder) if (folder / ENGLISH_FILE).is_file() else _Reader(folder)
    rows, kinds = _held_out(Path(given.data), given.most)
    answered = reader.told(kinds["answered"])
    hits = [_is_hit(row, told.start) for row, told in zip(rows, answered, strict=True) if told.start >= 0]
    figures = _figures("held out", kinds, reader)
    for language in reader.languages:
        if language in LANGUAGES:
            figures += _figures(f"own, {language}", _own(language), reader)
        figures += _figures(f"families, {language}", _families(language), reader)
    report("how often a text with the answer stands above one without", figures, given.json)
    if hits:
        print(f"The mark begins in the right sentence: {numpy.mean(hits):.3f}")


def _held_out(folder: Path, most: int) -> tuple[list[Row], dict[str, list[Read]]]:
    """Rows with an answer, and those and others as they are read, by kind."""
    rng, held = Random(_SEED), Source.read(folder / PAIRS).held_out
    asked, silent = ([row for row in held if row["answerable"] is known] for known in (True, False))
    rows = _some(asked, most, rng)
    unanswerable = _some(silent, most, rng)
    cut = [(row["question"], row["title"], text) for row in rows[: most // 2] if (text := cut_paragraph(row))]
    swapped = [
        (question, row["title"], row["context"])
        for row in rows[: most // 2]
        if (question := swapped_question(row, rng))
    ]
    other = _some(Source.read(folder / DERIVED).held_out, most // 2, rng)
    plain = {"answered": rows, "unanswerable": unanswerable, "other": other}
    read = {
        kind: [(row["question"], row["title"], row["context"]) for row in some]
        for kind, some in plain.items()
    }
    return rows, {**read, "cut": cut, "swapped": swapped}


def _some(rows: Sequence[Row], most: int, rng: Random) -> list[Row]:
    return rng.sample(rows, min(most, len(rows)))


def _own(language: str) -> dict[str, list[Read]]:
    found: dict[str, list[Read]] = {"answered": []}
    for each in questions_in(language):
        if each.is_held_out:
            kind = "answered" if each.is_answered else each.kind
            found.setdefault(kind, []).append((each.text, each.title, each.passage))
    return found


def _families(language: str) -> dict[str, list[Read]]:
    found: dict[str, list[Read]] = {"answered": [], "beside": [], "unanswered": []}
    for family in families_in(language):
        if not family.is_held_out:
            continue
        for passage in family.passages:
            for question, _ in passage.answered:
                beside = next(each for each in family.nearest(question) if each is not passage)
                found["answered"].append((question, passage.title, passage.text))
                found["beside"].append((question, beside.title, beside.text))
        for question in family.unanswered:
            nearest = family.nearest(question)[0]
            found["unanswered"].append((question, nearest.title, nearest.text))
    return found


def _figures(
    name: str, kinds: dict[str, list[Read]], reader: _Reader | _EnglishReader
) -> list[dict[str, Any]]:
    told = {kind: reader.told(some) for kind, some in kinds.items()}
    return [
        {
            "set": name,
            "kind": kind,
            "texts": len(some),
            **{way: _above(told["answered"], some, way) for way in reader.ways},
        }
        for kind, some in told.items()
        if kind != "answered"
    ]


def _above(good: Sequence[Told], bad: Sequence[Told], way: str) -> float:
    """How often one of the good stands above one of the bad; beside it counts half."""
    high = numpy.array([getattr(each, way) for each in good])[:, None]
    low = numpy.array([getattr(each, way) for each in bad])[None]
    return float((high > low).mean() + (high == low).mean() / 2)


def _is_hit(row: Row, start: int) -> bool:
    """Whether a place is in the same sentence as one of the answers."""
    within = [span for span in spans_of(row["context"]) if span[0] <= start < span[1]]
    return any(begin <= answer["start"] < end for begin, end in within for answer in row["answers"])


class _EnglishReader:
    """The exported English reader, as the program reads with it."""

    ways: tuple[str, ...] = ("both",)
    languages: tuple[str, ...] = ("en",)

    def __init__(self, folder: Path) -> None:
        model = (folder / ENGLISH_FILE).read_bytes()
        self._reader = UpperReader(CrossEncoder(_THREADS), model, _THREADS)

    def told(self, read: Sequence[Read]) -> list[Told]:
        texts = [(question, f"{title}: {text}" if title else text) for question, title, text in read]
        return [Told(0.0, self._reader.read(question, [text])[0].answers, -1) for question, text in texts]


class _Reader:
    """The exported reader of many languages; unlike in the program, no answer is looked for in the title."""

    ways: tuple[str, ...] = ("mark", "head", "both")
    """By the mark beside none, by the head that tells whether there is an answer, and by both."""
    languages: tuple[str, ...] = tuple(FAMILIES.values())

    def __init__(self, folder: Path) -> None:
        self._words = Words()
        self._session = session_of((folder / "model.onnx").read_bytes(), _THREADS)

    def told(self, read: Sequence[Read]) -> list[Told]:
        heads = [f"{title}: " if title else "" for _, title, _ in read]
        pairs = [
            self._words.tokenizer.paired(question, head + text, LONGEST)
            for head, (question, _, text) in zip(heads, read, strict=True)
        ]
        order = sorted(range(len(read)), key=lambda place: len(pairs[place].ids))
        found: dict[int, Told] = {}
        for begin in range(0, len(order), _BATCH):
            places = order[begin : begin + _BATCH]
            spans, answered = self._outputs([pairs[place] for place in places])
            for row, place in enumerate(places):
                mark, start = _marked(pairs[place], spans[row], len(heads[place]))
                found[place] = Told(mark, float(answered[row, 0]), start)
        return [found[place] for place in range(len(read))]

    def _outputs(self, pairs: Sequence[Pair]) -> Any:
        ids, kinds, seen = numpy.zeros((3, len(pairs), max(len(pair.ids) for pair in pairs)), numpy.int64)
        ids += _PADDING
        for row, pair in enumerate(pairs):
            ids[row, : len(pair.ids)] = pair.ids
            kinds[row, pair.second : len(pair.ids)] = 1
            seen[row, : len(pair.ids)] = 1
        vectors = numpy.concatenate([self._words.vectors(row) for row in ids])
        given = {"vectors": vectors, "token_type_ids": kinds, "attention_mask": seen}
        return self._session.run(["spans", "answered"], given)


def _marked(pair: Pair, spans: Any, head: int) -> tuple[float, int]:
    """How much likelier the best answer is than none, and where in the text it begins."""
    lead = sum(piece.end <= head for piece in pair.pieces) if head else 0
    starts, ends = spans[pair.second + lead : len(pair.ids) - 1].T
    if not len(starts):
        return -20.0, 0
    places = numpy.arange(len(starts))
    length = places[None, :] - places[:, None]
    sums = numpy.where(
        (length >= 0) & (length <= _LONGEST_ANSWER), starts[:, None] + ends[None, :], -numpy.inf
    )
    best = int(sums.argmax()) // len(starts)
    return float(sums.max() - spans[0].sum()), pair.pieces[lead + best].start - head


if __name__ == "__main__":
    main()
