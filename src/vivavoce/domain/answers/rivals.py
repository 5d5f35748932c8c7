"""Rivals: sentences that hold a word of the question which the one that a reader points to lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from vivavoce.domain.language.numerals import numbers_in
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded, words_of
from vivavoce.domain.questions.expecting import Expected
from vivavoce.domain.questions.question_words import question_word_in
from vivavoce.domain.questions.subjects import wanted_in

from .extracting import Weighed


class Asked(NamedTuple):
    """What a question names, and which kind of thing it asks for."""

    words: frozenset[str]
    """Its telling words, as stems."""
    expected: Expected | None = None
    is_whether: bool = False
    """Whether a yes or a no answers it: then its words are all that is asked."""

    @classmethod
    def by(cls, question: str, earlier: Sequence[str], language: str, expected: Expected | None) -> Asked:
        """What a question asks for; the questions before it do not count as much as its own words."""
        wanted = wanted_in(question, earlier, language).words
        telling = frozenset(word for word, weight in wanted.items() if weight >= 1)
        return cls(telling - _LEAVE, expected, "?" in question and question_word_in(question) is None)

    @property
    def is_price(self) -> bool:
        """Whether a price is asked for."""
        return self.expected is not None and self.expected.kind == "money"

    def is_given_by(self, sentence: Weighed) -> bool:
        """Whether a sentence has the kind of thing that is asked for, where one is."""
        return self.expected is not None and self.expected.is_in(sentence.excerpt.text)

    @property
    def counted(self) -> frozenset[str]:
        """The stems of what the question counts, where it counts something."""
        return frozenset() if self.expected is None else self.expected.counted

    def is_counted_in(self, sentence: Weighed) -> bool:
        """Whether a sentence itself names what the question counts, and has a number."""
        text, language = sentence.excerpt.text, sentence.passage.language
        return not self.counted.isdisjoint(sentence.excerpt.words) and bool(
            numbers_in(folded(text), language)
        )


class Rival(NamedTuple):
    """A sentence that may answer in the place of the one that a reader points to."""

    sentence: Weighed
    behind: float
    """How far the logit of the reader may be behind that of the other one, where it reads each alone."""

    def wins(self, logit: float, pointed: float) -> bool:
        """Whether it does, as sure as the reader is of both; what is equal stays."""
        return logit > pointed - self.behind


def rivals_of(
    pointed: Weighed, sentences: Sequence[Weighed], asked: Asked, alone: Callable[[Weighed], str]
) -> list[Rival]:
    """The sentences that have a word of the question more and none less, those with most of them first.

    All stand in one passage; `alone` is how each reads under its titles. What is counted is more than all
    other words: "films" in "how many films can I borrow?".
    """
    every = {each.excerpt.start: _words_under(each, alone) for each in (*sentences, pointed)}
    earlier = [each for each in sentences if each.excerpt.place < pointed.excerpt.place]
    own = every[pointed.excerpt.start]
    if pointed.excerpt.points_back and earlier:
        own |= earlier[-1].excerpt.words.keys()
    held = frozenset(word for word in asked.words if _is_told(word, own))
    so_far = frozenset[str]().union(*(each.excerpt.words for each in earlier))
    is_given, lacks_counted = asked.is_given_by(pointed), asked.counted.isdisjoint(held)
    found: list[tuple[int, Rival]] = []
    for each in sentences:
        known = every[each.excerpt.start]
        has = asked.words & known
        if is_given and not asked.is_given_by(each):
            continue
        if not is_given and lacks_counted and asked.is_counted_in(each):
            found.append((len(has), Rival(each, _BEHIND_CLEARLY)))
        elif has > held:
            is_whole = asked.is_whether and asked.words <= each.excerpt.words.keys()
            if is_whole or are_beside(each, pointed):
                found.append((len(has), Rival(each, _BEHIND_CLEARLY)))
            elif asked.is_price and asked.is_given_by(each):
                found.append((len(has), Rival(each, _BEHIND_PRICED)))
            elif each in earlier:
                found.append((len(has), Rival(each, _BEHIND_BEFORE)))
            elif has - held - so_far:
                found.append((len(has), Rival(each, _BEHIND_AFTER)))
    found.sort(key=lambda pair: -pair[0])
    return [rival for _, rival in found]


def are_beside(one: Weighed, other: Weighed) -> bool:
    """Whether two are items of a list or rows of a table: what one says is not said of the other's thing."""
    return _is_item(one) and _is_item(other)


_BEHIND_BEFORE, _BEHIND_AFTER, _BEHIND_PRICED, _BEHIND_CLEARLY = 0.0, 2.0, 4.0, 8.0
"""How much less sure a reader may be of a rival. What stands before may be what the other goes on about.

Readers rather take a sum for a price than "free".
"""
_ROOT, _SHORTEST = 5, 4
"""Words of which so many letters are the same are of one root, if they have at least so many."""
_LEAVE = words(
    "allow permit forbid forbidden perm prohib autoris erlaubt gestattet verbot permess consent viet"
)
"""Stems of words that ask for leave, which a text gives in other words."""
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022\u2023\u25e6]|\d{1,2}[.)]|\|)")


def _words_under(sentence: Weighed, alone: Callable[[Weighed], str]) -> frozenset[str]:
    """The words of a sentence, of its titles, and of what opens its list."""
    excerpt = sentence.excerpt
    titles = alone(sentence).removesuffix(excerpt.text)
    return frozenset((*excerpt.words, *excerpt.context, *words_of(titles, sentence.passage.language)))


def _is_told(word: str, known: frozenset[str]) -> bool:
    """Whether a word, or one of its root, is among known ones."""
    return word in known or (len(word) >= _SHORTEST and any(each.startswith(word[:_ROOT]) for each in known))


def _is_item(sentence: Weighed) -> bool:
    text, start = sentence.passage.text, sentence.excerpt.start
    return _ITEM.match(text, text.rfind("\n", 0, start) + 1) is not None
