"""Expecting: which kind of thing would answer a question, and whether a sentence has one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from vivavoce.domain.language.numerals import numbers_in
from vivavoce.domain.language.words import folded, words_of

from .asked_kinds import AskedKinds
from .asked_kinds_en_de import ENGLISH, GERMAN
from .asked_kinds_fr_it import FRENCH, ITALIAN
from .asked_kinds_pt_es import PORTUGUESE, SPANISH
from .dimension_words import Dimension
from .dimensions import dimension_asked, has_word_of, tells_another

ASKED_KINDS: dict[str, AskedKinds] = {
    "pt": PORTUGUESE,
    "en": ENGLISH,
    "es": SPANISH,
    "fr": FRENCH,
    "de": GERMAN,
    "it": ITALIAN,
}
"""The languages in which it can be told what a question asks for."""


class Expected(NamedTuple):
    """The kind of thing that answers a question."""

    kind: str
    """count, money, duration, length, weight, temperature, speed, date, person, reason, or any dimension."""
    language: str
    asked: frozenset[str]
    """The words of the question: a name or a year among them is no news."""
    counted: frozenset[str] = frozenset()
    """The stems of what is counted: those of "books" in "how many books"."""
    dimension: Dimension | None = None
    """Which dimension is asked for; a length may be a height or a width."""

    @property
    def is_told_alike(self) -> bool:
        """Whether all who give it do so in like words; somebody may be named as "some shepherds"."""
        return self.kind != _PERSON

    def is_in(self, text: str) -> bool:
        """Whether a text has such a thing, beyond what the question says itself."""
        if self.kind == _PERSON:
            names = _NAMES if self.language == "de" else _NAME
            return any(not self.asked.issuperset(_plain(found.group())) for found in names.finditer(text))
        if self.tells_another(text):
            return False
        if self.kind == _DIMENSION:
            return True
        low = folded(text)
        if self.kind == _COUNT:
            return any(self._is_counted(each) for each in _after_numbers(low, self.language))
        kind = ASKED_KINDS[self.language].kinds[self.kind]
        if kind.marks is not None and any(
            found.group() not in self.asked for found in kind.marks.finditer(low)
        ):
            return True
        return any(not kind.units.isdisjoint(each) for each in _after_numbers(low, self.language))

    def tells_another(self, text: str) -> bool:
        """Whether a text has only numbers that are certainly of other dimensions than the one asked for."""
        asked = self.dimension
        return asked is not None and tells_another(asked, text, self.language, self.asked)

    def tells_nothing(self, text: str) -> bool:
        """Whether a text has neither a number nor a word of the dimension that is asked for."""
        is_named = self.dimension is not None and has_word_of(self.dimension, text, self.language)
        return not is_named and not numbers_in(text, self.language)

    def _is_counted(self, following: list[str]) -> bool:
        stems = words_of(" ".join(following), self.language)
        return any(_are_of_one_root(stem, counted) for stem in stems for counted in self.counted)


def expected_by(question: str, language: str) -> Expected | None:
    """What a question asks for first; None where any sentence may answer, or the language is not known."""
    known = ASKED_KINDS.get(language)
    if known is None:
        return None
    low = folded(question[:_LONGEST]).strip(_AROUND)
    found = {name: match for name, kind in known.kinds.items() if (match := kind.asked.search(low))}
    counts = known.counts.search(low)
    if counts is not None:
        found[_COUNT] = counts
    first = min(found, key=lambda name: found[name].start(), default=None)
    dimension = dimension_asked(low, language)
    kind = None if dimension is None else _KIND_OF.get(dimension, _LENGTH)
    if first is None and dimension is not None:
        first = _DIMENSION
    elif first != kind and (first, dimension) != (_COUNT, "age"):  # as many years as somebody is old
        dimension = None
    if first is None:
        return None
    asked = frozenset(_plain(low))
    if first == _REASON:  # "perché" asks, and answers
        asked -= frozenset(_plain(found[first].group()))
    if first != _COUNT:
        return Expected(first, language, asked, dimension=dimension)
    counted = frozenset(words_of(found[_COUNT].group(1), language))
    return Expected(_COUNT, language, asked, counted, dimension) if counted else None


_COUNT, _PERSON, _REASON, _LENGTH, _DIMENSION = "count", "person", "reason", "length", "dimension"
_KIND_OF: dict[Dimension, str] = {"weight": "weight", "age": "duration"}
_LONGEST = 2_000
_AFTER, _NEAR = 4, 80
"""How many words, and characters, after a number may say what it counts."""
_ROOT = 5
_AROUND = " \"'\u00bf\u201c"
_ONE = re.compile(r"\b(?:uma?|one|una|uno|une?|eine?[mnr]?)\b")
_WORD = re.compile(r"[^\W_]+")
_FOLLOWING = re.compile(r"[^\W\d_]+")
_NAME = re.compile(
    r"(?<=[\w,;:][ ])[A-Z\u00c0-\u00dd][\w'-]+|(?<=[(\"\u201c])[A-Z\u00c0-\u00dd][\w'-]+"
    r"|^[A-Z\u00c0-\u00dd][\w'-]+ (?:d[aeo]s? |de la |von |van )?[A-Z\u00c0-\u00dd][\w'-]+"
)
"""A word with a capital that begins no sentence, or two that do."""
_NAMES = re.compile(r"(?<=[^\W_] )[A-Z\u00c0-\u00dd][\w'-]+ (?:von |van )?[A-Z\u00c0-\u00dd][\w'-]+")
"""Two words with capitals, where every noun has one."""


def _plain(text: str) -> list[str]:
    return _WORD.findall(folded(text))


def _after_numbers(low: str, language: str) -> Iterator[list[str]]:
    """The words after each number of a folded text; a lone "one" is a number here."""
    ends = [number.end for number in numbers_in(low, language)]
    for end in (*ends, *(found.end() for found in _ONE.finditer(low))):
        yield _FOLLOWING.findall(low, end, end + _NEAR)[:_AFTER]


def _are_of_one_root(one: str, other: str) -> bool:
    return one == other or (len(one) >= _ROOT and one[:_ROOT] == other[:_ROOT])
