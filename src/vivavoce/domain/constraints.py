"""Constraints: what a persona holds to, as far as words and numbers tell it, with and without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from .language.numerals import numbers_in
from .language.words import folded, words_of


class Constraints(NamedTuple):
    """What an answer is held to, whoever drafts it."""

    most: int | None = None
    """How many sentences it has at most."""
    shunned: tuple[str, ...] = ()
    """What is not spoken of."""
    others: tuple[str, ...] = ()
    """The constraints that only a model can heed."""

    def is_over(self, sentences: int) -> bool:
        """Whether so many sentences are more than may be said."""
        return self.most is not None and sentences > self.most

    def shuns(self, text: str, language: str) -> str:
        """What a text speaks of that is not to be spoken of; empty where there is nothing."""
        if not self.shunned:
            return ""
        told = words_of(text, language).keys()
        plain = frozenset(folded(text).split())
        return next((each for each in self.shunned if _is_told(each, told, plain, language)), "")


def constraints_in(written: Sequence[str]) -> Constraints:
    """What some constraints ask for, told by their words in English, Portuguese and Spanish."""
    most: list[int] = []
    shunned: list[str] = []
    others: list[str] = []
    for rule in written:
        numbers, topics = list(_lengths(rule)), list(_topics(rule))
        most += numbers
        shunned += topics
        if not numbers and not topics and _ALWAYS.search(folded(rule)) is None:
            others.append(rule)
    return Constraints(min(most, default=None), tuple(dict.fromkeys(shunned)), tuple(others))


_SENTENCES = re.compile(r"\b(?:sentences?|frases?|oracoes|oraciones)\b")
_AT_MOST = re.compile(
    r"\b(?:at most|no more than|not more than|up to|maximum|max|never more than|(?:answer|reply|respond"
    r"|speak|keep \w+)"
    r"(?: \w+)? (?:in|to)|no maximo|ate|nao mais de|mais de|como maximo|hasta|no mas de|a lo sumo|responda em"
    r"|responde en)\b"
)
_OF_PARTS = re.compile(
    r"\b(?:sentences?|frases?|oracoes|oraciones) (?:per|por|(?:in|for|em|en|para) (?:each|every|cada))\b"
    r"|\b(?:keep|limit)\s+(?:\w+\s+){0,2}(?:quotes?|quotations?|citations?|paragraphs?)\b"
)
_ONE = re.compile(r"\b(?:one|a single|uma(?: unica)?|una(?: sola)?)\s+$")
_SHUN = re.compile(
    r"^\W*(?:(?:please|always)\s+)?(?:(?:do not|don'?t|never|you must not|must not|nao|nunca|no)\s+"
    r"(?:discuss|mention|(?:speak|talk|write)\s+(?:about|of)|fale\w*\s+(?:sobre|d[aeo]s?)|discuta\w*"
    r"|mencion[ae]\w*"
    r"|comente\w*(?:\s+sobre)?|habl[ea]s?\s+(?:de|del|sobre)|discutas?|menciones)"
    r"|(?:avoid|evite|evita)\s+(?:(?:speaking|talking|falar|hablar|discussing"
    r"|mentioning)\s+)?(?:about\s+|of\s+|sobre\s+|d[aeo]\s+)?)"
    r"\s*(?P<what>[^.;:!?\n]{3,100})[.!]?\s*$"
)
_UNLESS = re.compile(
    r"\b(?:unless|except|outside|beyond|without|that|which|who|if|when|as|anything|what|than|exceto"
    r"|salvo|fora|que|se"
    r"|quando|sem|excepto|fuera|si|cuando|sin|her|his|their|your|first person|primeira pessoa"
    r"|primera persona)\b"
)
"""What makes a prohibition depend on more than its words."""
_APART = re.compile(r",\s*(?:or|nor|and|ou|nem|e|o|ni|y)?\s*|\s+(?:or|nor|and|ou|nem|e|ni|y)\s+")
_ARTICLE = re.compile(r"^(?:the|an?|any|o|a|os|as|el|la|los|las)\s+")
_MOST_WORDS = 5
_ALWAYS = re.compile(
    r"\b(?:corpus|texts?|textos?|sources?|fontes?|fuentes?|quotes?|cite|cita|never as|not as"
    r"|third person|invent"
    r"|terceira pessoa|tercera persona)\b"
)
"""What every answer in sentences of a corpus does: it says what stands there, and where."""


def _is_told(topic: str, told: Set[str], plain: Set[str], language: str) -> bool:
    """Whether a text speaks of a topic; one that says nothing in its language counts letter by letter."""
    own = words_of(topic, language).keys()
    return own <= told if own else plain >= set(topic.split())


def _lengths(rule: str) -> Iterable[int]:
    """How many sentences a rule allows an answer; nothing where it speaks of quotes or paragraphs."""
    plain = folded(rule)
    if _AT_MOST.search(plain) is None or _OF_PARTS.search(plain) is not None:
        return
    for found in _SENTENCES.finditer(plain):
        before = plain[: found.start()]
        given = [
            int(each.value)
            for language in ("en", "pt", "es")
            for each in numbers_in(before, language)
            if not before[each.end :].strip(" -") and each.value.isdecimal()
        ]
        if given and given[0] > 0:
            yield given[0]
        elif _ONE.search(before) is not None:
            yield 1


def _topics(rule: str) -> Iterable[str]:
    """What a rule forbids to speak of; nothing where it depends on more than the words."""
    found = _SHUN.match(folded(rule))
    if found is None or _UNLESS.search(found["what"]) is not None:
        return
    for part in _APART.split(found["what"]):
        what = _ARTICLE.sub("", part.strip())
        if what and len(what.split()) <= _MOST_WORDS:
            yield what
