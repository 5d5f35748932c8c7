"""Families: four passages of our own, so near to each other that a search for one finds them all."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from typing import Any, NamedTuple

_HELD_OUT = 5
"""Of five passages of our own in a row the last is not taught; of families the place is a checksum."""
_TAUGHT = ("en", "pt")
"""The languages whose families are taught; those of the others only weigh and measure."""
_HERE = Path(__file__).parent
_WORD = re.compile(r"\w{3,}")


class Answered(NamedTuple):
    """A question that one passage alone answers, and the words of that passage that do."""

    question: str
    answer: str


class Passage(NamedTuple):
    """A passage and what it answers: in its own words, in quite other words, and of another kind."""

    title: str
    text: str
    answered: list[Answered]


class Family(NamedTuple):
    """Passages about things that are near to each other."""

    language: str
    subject: str
    passages: list[Passage]
    unanswered: list[str]
    """Questions about the same things, in the same words, that none of the passages answers."""

    @property
    def place(self) -> int:
        """A number that it keeps where others are added."""
        return zlib.crc32(self.subject.encode())

    @property
    def is_held_out(self) -> bool:
        """Whether it is kept from what is taught."""
        return self.language not in _TAUGHT or is_held_out(self.place)

    def nearest(self, question: str) -> list[Passage]:
        """The passages, the one that shares most words with a question first."""
        asked = words_of(question)
        return sorted(self.passages, key=lambda each: -len(asked & words_of(f"{each.title} {each.text}")))


def families_in(language: str) -> list[Family]:
    """All families in a language."""
    file = _HERE / f"families-{language}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_family(language, json.loads(line)) for line in lines]


def asked_abroad(language: str) -> dict[str, str]:
    """Questions about families in a language, and what people ask instead who speak another one."""
    lines = (_HERE / "families-abroad.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["language"] == language]
    return {row["question"]: row["asked"] for row in rows}


def is_held_out(place: int) -> bool:
    """Whether what stands at a place of a set of our own is kept from what is taught."""
    return place % _HELD_OUT == _HELD_OUT - 1


def words_of(text: str) -> set[str]:
    """The words of a text that are longer than two letters."""
    return set(map(str.lower, _WORD.findall(text)))


def _family(language: str, read: dict[str, Any]) -> Family:
    passages = [
        Passage(each["title"], each["text"], [Answered(**one) for one in each["answered"]])
        for each in read["passages"]
    ]
    return Family(language, read["subject"], passages, read["unanswered"])
