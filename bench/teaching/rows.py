"""Rows of the data sets: what is taught, what is held out, and in which shares they are drawn."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

PAIRS = "pairs_en.jsonl"
DERIVED = "pairs_en_derived_negatives.jsonl"
_LEFT_OUT = "quac-val-first"
"""Its spans are guessed and its questions lean on titles that it does not have."""
_HELD_OUT = 8
"""One article in eight of the development sets is held out, by the checksum of its title."""
_SHARES = {"squad1": (0.54, 0.36), "squad2": (0.38, 0.12), "hotpot": (0.08, 0.0)}
"""What a set counts when rows are drawn, and how many of its answered rows are made into negatives."""
_WORD = re.compile(r"\w{3,}")


class Answer(TypedDict):
    """An answer and where in the context it begins."""

    text: str
    start: int


class Row(TypedDict):
    """A question about a paragraph (the context) of an article."""

    set: str
    title: str
    context: str
    question: str
    answers: list[Answer]
    answerable: bool


class Pool(NamedTuple):
    """The rows of a set."""

    weight: float
    unanswered: float
    rows: list[Row]


class Source:
    """A file of rows."""

    def __init__(self, file: Path) -> None:
        rows = [row for row in _read(file) if row["set"] != _LEFT_OUT]
        self.taught = [row for row in rows if not _is_held_out(row)]
        self.held_out = [row for row in rows if _is_held_out(row)]
        self.pools = list(_pools(self.taught))
        self._paragraphs: dict[str, list[tuple[str, set[str]]]] = {}
        for title, context in dict.fromkeys((row["title"], row["context"]) for row in rows):
            self._paragraphs.setdefault(title, []).append((context, words_of(context)))

    def beside(self, row: Row) -> list[tuple[str, set[str]]]:
        """The other paragraphs of the article, each with its words."""
        return [each for each in self._paragraphs[row["title"]] if each[0] != row["context"]]


def words_of(text: str) -> set[str]:
    """The words of a text that are longer than two letters."""
    return set(map(str.lower, _WORD.findall(text)))


def _read(file: Path) -> list[Row]:
    if not file.is_file():
        raise SystemExit(f"{file} is missing: it is not part of the project, README.md says what it holds.")
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _is_held_out(row: Row) -> bool:
    is_measured = row["set"].startswith("squad") and "-dev" in row["set"]
    return is_measured and zlib.crc32(row["title"].strip().lower().encode()) % _HELD_OUT == 0


def _pools(rows: Sequence[Row]) -> Iterator[Pool]:
    for name, (weight, unanswered) in _SHARES.items():
        some = [row for row in rows if row["set"].startswith(name)]
        if some:
            yield Pool(weight, unanswered, some)
