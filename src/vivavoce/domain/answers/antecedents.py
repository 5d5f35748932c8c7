"""Antecedents: whether a sentence is about what "it" or "she" stands for in a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.domain.corpus.excerpts import Excerpt, excerpts_of
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.words import words_of
from vivavoce.domain.questions.subjects import has_pronoun, names_in, points_back, wanted_in

from .extracting import Weighed


class Meant(NamedTuple):
    """What a pronoun may stand for, as stems: of the questions before, and of names in what was answered."""

    language: str
    known: frozenset[str]

    def is_of_another(self, sentence: Weighed) -> bool:
        """Whether a sentence names another thing, and nothing that the pronoun may stand for."""
        passage = sentence.passage
        if passage.language != self.language:
            return False
        told = _led_to(sentence.excerpt, excerpts_of(passage.text, passage.language))
        spoken = {
            *words_of(" ".join(each.text for each in told), passage.language),
            *sentence.excerpt.context,
        }
        names = {name for each in told for name in names_in(each.text, passage.language)}
        names -= words_of(_CALENDAR, passage.language).keys()
        return bool(names) and spoken.isdisjoint(self.known)


def meant_in(question: str, earlier: Sequence[str], said: Sequence[str]) -> Meant | None:
    """What the pronoun of a question may stand for; None where there is none, or nothing was said before.

    In German names look like other nouns, and tell nothing.
    """
    language = language_of(question)
    if language == "de" or not said or not (points_back(question) and has_pronoun(question)):
        return None
    asked: set[str] = set()
    for before in reversed(earlier):
        wanted = wanted_in(before, (), language)
        asked |= wanted.names or wanted.words.keys()
        if not points_back(before):
            break
    if not asked:
        return None
    named = {name for text in said[-_LAST:] for name in names_in(text, language)}
    return Meant(language, frozenset(asked | named))


_LAST = 2
"""So many answers may name what the next question means."""
_BACK = 3
"""So many sentences before one may name what its pronoun stands for."""
_CALENDAR = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august"
    " september october november december"
)
"""Names of nothing that a pronoun stands for."""


def _led_to(excerpt: Excerpt, every: Sequence[Excerpt]) -> list[Excerpt]:
    """A sentence, with those before it as long as it begins with a pronoun for what they name."""
    before = {each.place: each for each in every}
    led = [excerpt]
    while led[-1].points_back and len(led) <= _BACK and (last := before.get(led[-1].place - 1)) is not None:
        led.append(last)
    return led
