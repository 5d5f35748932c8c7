"""Rows of the data sets: what is taught, what is held out, and in which shares they are drawn."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NotRequired, TypedDict

from courses import FAMILIES, Share
from families import Family, Passage, families_in, words_of

PAIRS = "pairs_en.jsonl"
DERIVED = "pairs_en_derived_negatives.jsonl"
_LEFT_OUT = "quac-val-first"
"""Its spans are guessed and its questions lean on titles that it does not have."""
_HELD_OUT = 8
"""One article in eight of the development sets is held out, by the checksum of its title."""
_NO_SHARES: Mapping[str, Share] = {}
_NEAREST = 2
"""With so many passages of its family a question is taught that none of them answers."""


class Answer(TypedDict):
    """An answer and where in the context it begins."""

    text: str
    start: int


class Row(TypedDict):
    """A question about a paragraph (the context) of an article."""

    set: str
    title: str
    article: NotRequired[str]
    """What the paragraphs have in common, where it is not their title."""
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
    """Rows of one origin."""

    def __init__(self, rows: Sequence[Row], shares: Mapping[str, Share]) -> None:
        self.taught = [row for row in rows if not _is_held_out(row)]
        self.held_out = [row for row in rows if _is_held_out(row)]
        self.pools = list(_pools(self.taught, shares))
        self._paragraphs: dict[str, list[tuple[str, set[str]]]] = {}
        for article, context in dict.fromkeys((_article(row), row["context"]) for row in rows):
            self._paragraphs.setdefault(article, []).append((context, words_of(context)))

    @classmethod
    def read(cls, file: Path, shares: Mapping[str, Share] = _NO_SHARES) -> Source:
        """The rows of a file; without shares, those that are held out can be looked at."""
        return cls([row for row in _read(file) if row["set"] != _LEFT_OUT], shares)

    @classmethod
    def of_families(cls, language: str) -> Source:
        """Those of our own families that are taught."""
        taught = [each for each in families_in(language) if not each.is_held_out]
        return cls([row for each in taught for row in family_rows(each)], {"families": FAMILIES})

    def beside(self, row: Row) -> list[tuple[str, set[str]]]:
        """The other paragraphs of the article, each with its words."""
        return [each for each in self._paragraphs[_article(row)] if each[0] != row["context"]]


def family_rows(family: Family) -> Iterator[Row]:
    """The questions of a family, each with the passage that answers it or those that nearly do."""
    for passage in family.passages:
        for question, answer in passage.answered:
            span = Answer(text=answer, start=passage.text.index(answer))
            yield _family_row(family, passage, question, [span])
    for question in family.unanswered:
        for passage in family.nearest(question)[:_NEAREST]:
            yield _family_row(family, passage, question, [])


def _read(file: Path) -> list[Row]:
    if not file.is_file():
        raise SystemExit(f"{file} is missing: it is not part of the project, README.md says what it holds.")
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _family_row(family: Family, passage: Passage, question: str, answers: list[Answer]) -> Row:
    return Row(
        set="families",
        title=passage.title,
        article=family.subject,
        context=passage.text,
        question=question,
        answers=answers,
        answerable=bool(answers),
    )


def _article(row: Row) -> str:
    return row.get("article", row["title"])


def _is_held_out(row: Row) -> bool:
    is_measured = row["set"].startswith("squad") and "-dev" in row["set"]
    return is_measured and zlib.crc32(row["title"].strip().lower().encode()) % _HELD_OUT == 0


def _pools(rows: Sequence[Row], shares: Mapping[str, Share]) -> Iterator[Pool]:
    for name, (weight, unanswered) in shares.items():
        some = [row for row in rows if row["set"].startswith(name)]
        if some:
            yield Pool(weight, unanswered, some)
