"""Supporting: the words of a passage that a statement rests on."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from vivavoce.domain.language.languages import UNKNOWN, language_of, small_words
from vivavoce.domain.language.numerals import plain_number
from vivavoce.domain.language.sentences import Span, sentences_of, trimmed
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded, words_of

_MOST_SENTENCES = 3
_NEARBY = 2
"""Sentences around a span in which a number may stand as well."""
_ENOUGH = 0.5
"""Which share of a statement's words, weighed by their rarity, a span must hold."""
_AKIN = 0.2
"""Which share they hold at the least that say the same in other words."""
_SHORT = 2
"""Words that state nothing by themselves, as "Yes, certainly"."""
_TELLING = 4
"""A sentence of more words has a small word that tells its language, if that is known."""
_WORTH_A_SENTENCE = 0.12
"""What a further sentence must add to that share."""
_COGNATES = 3
_STEM = 5


def support(statement: str, text: str, language: str) -> tuple[int, int] | None:
    """Where the sentences of `text` stand that say what `statement` says; None where none does."""
    said = _ITEM.sub("", statement.strip(), count=1)
    spans, sentences = _passage(text, language)
    if not said or not spans:
        return None
    whole = said.rstrip(".!?")
    for start, end in spans:
        if text[start:end].rstrip(".!?") == whole:
            return Span(start, end)
    best = _best(_read(said, language), sentences)
    if best is None and language_of(said, language) != language:
        best = _best_across(_read(said, language_of(said, language)), sentences)
    return None if best is None else Span(spans[best[0]].start, spans[best[1]].end)


class Doubt(Enum):
    """Why a passage does not bear a statement out."""

    OTHER_WORDS = "No words of the passage bear it out."
    OTHERWISE = "The passage says otherwise."
    NOTHING = "The passage says nothing of the kind."


def doubt(statement: str, text: str, language: str) -> Doubt:
    """Why `text` does not bear out a statement that it has no support for.

    It may say the same in other words, or in another language: then words do not tell. It says otherwise
    where a figure of the statement is not in it, or where it speaks of the same with another name or denies
    it. Whom the statement speaks to is no part of what it says, and hours are written in many ways.
    """
    stated = _CLOCK.sub("", _ITEM.sub("", statement.strip(), count=1))
    said = _read(stated, language)
    _, sentences = _passage(text, language)
    if not said.numbers <= _all(each.counted for each in sentences):
        return Doubt.OTHERWISE
    addressed = _read(_ADDRESSED.sub("", stated), language)
    is_short = len(said.folded) <= _SHORT and not said.numbers
    if is_short or _is_foreign(stated, language) or _best(addressed, sentences) is not None:
        return Doubt.OTHER_WORDS
    worded = said._replace(words=said.words - said.counted)  # a number alone makes nothing akin
    most = max((share for _, _, _, share in _windows(worded, sentences)), default=0.0)
    if most >= _ENOUGH:
        return Doubt.OTHERWISE
    return Doubt.OTHER_WORDS if most >= _AKIN else Doubt.NOTHING


def _is_foreign(statement: str, language: str) -> bool:
    """Whether it is in another language, or in one that is not known here."""
    if language_of(statement, language) != language:
        return True
    is_unknown = language_of(statement) == UNKNOWN
    return is_unknown and (len(statement.split()) > _TELLING or bool(_OTHER_SCRIPT.search(statement)))


@lru_cache(maxsize=64)
def _passage(text: str, language: str) -> tuple[tuple[Span, ...], tuple[_Sentence, ...]]:
    """The sentences of a passage; every statement of an answer is held against the same few."""
    spans = tuple(span for each in sentences_of(text) if (span := trimmed(text, each)) is not None)
    return spans, tuple(_read(text[start:end], language) for start, end in spans)


class _Sentence(NamedTuple):
    words: frozenset[str]
    """The stems of its words, and its numbers."""
    asserted: frozenset[str]
    denied: frozenset[str]
    """The words of clauses that say that something is so, and of those that say that it is not."""
    numbers: frozenset[str]
    counted: frozenset[str]
    """Its numbers, and those that it writes as words."""
    names: frozenset[str]
    folded: frozenset[str]
    """All its words as they are written, without accents."""


def _best(said: _Sentence, sentences: Sequence[_Sentence]) -> tuple[int, int] | None:
    """The first and the last of the neighbours that hold most of what is said, as few as possible."""
    best, best_worth = None, 0.0
    for first, last, held, share in _windows(said, sentences):
        worth = share - _WORTH_A_SENTENCE * (last - first)
        is_enough = share >= _ENOUGH and len(held) >= min(2, len(said.words)) and worth > best_worth
        if is_enough and _agree(said, sentences, first, last, held):
            best, best_worth = (first, last), worth
    return best


def _windows(
    said: _Sentence, sentences: Sequence[_Sentence]
) -> Iterator[tuple[int, int, frozenset[str], float]]:
    """The first and the last of a few neighbours, which words of what is said they hold, and their share."""
    rarity = _rarity(said.words, sentences)
    whole = sum(rarity.values())
    for first in range(len(sentences)):
        held: frozenset[str] = frozenset()
        for last in range(first, min(first + _MOST_SENTENCES, len(sentences))):
            held |= sentences[last].words & said.words
            yield first, last, held, sum(rarity[word] for word in held) / whole if whole else 0.0


def _agree(
    said: _Sentence, sentences: Sequence[_Sentence], first: int, last: int, held: frozenset[str]
) -> bool:
    """Whether numbers and names of the statement stand there, and neither denies what the other says."""
    nearby = sentences[max(0, first - _NEARBY) : last + 1 + _NEARBY]
    if not said.numbers <= _all(each.counted for each in nearby):
        return False
    if not _are_known(said.names, _all(each.folded for each in sentences)):
        return False
    span = sentences[first : last + 1]
    denied = _all(each.denied for each in span) - _all(each.asserted for each in span)
    denied_beside = (said.words - held) & _all(each.denied for each in nearby)
    if (held & denied | denied_beside) - said.denied:
        return False
    return not held & said.denied or bool(held & said.denied & _all(each.denied for each in span))


def _best_across(said: _Sentence, sentences: Sequence[_Sentence]) -> tuple[int, int] | None:
    """The sentence in another language that shares numbers, names and words of the same origin."""
    names = _all(each.folded for each in sentences)
    if not _are_known(said.names, names):
        return None
    roots = {word[:_STEM] for word in said.folded if len(word) >= _STEM and word.isalpha()}
    best, best_score = None, 0.0
    for place, each in enumerate(sentences):
        shared = roots & {word[:_STEM] for word in each.folded}
        firm = len(said.numbers & each.counted) + len({name[:_STEM] for name in said.names} & shared)
        is_strong = (firm >= 1 and len(shared) + firm >= 2) or len(shared) >= _COGNATES
        score = len(shared) + 2.0 * firm
        holds = said.numbers <= each.counted and bool(said.denied) == bool(each.denied)
        if is_strong and holds and score > best_score and 2 * len(shared) + 2 * firm >= len(roots):
            best, best_score = (place, place), score
    return best


def _rarity(words: Iterable[str], sentences: Sequence[_Sentence]) -> dict[str, float]:
    """What each word weighs: most where few sentences have it, a middling weight where none has."""
    weights: dict[str, float] = {}
    for word in words:
        having = sum(word in each.words for each in sentences)
        weights[word] = math.log1p(len(sentences) / having) if having else math.log1p(len(sentences) / 2)
    return weights


def _all(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def _are_known(names: frozenset[str], words: frozenset[str]) -> bool:
    roots = {word[:_STEM] for word in words}
    return all(name[:_STEM] in roots for name in names)


_ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,2}[.)]|#{1,6})\s+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_NUMBER = re.compile(r"\d{1,20}(?:[.,:]\d{1,20}){0,6}")
_ADDRESSED = re.compile(r",\s+[A-Z\u00c0-\u00de][^\W\d_]+(?=\s*[,.!?])")
"""A name between commas, as who is spoken to."""
_CLOCK = re.compile(
    r"\b\d{1,2}(?:[:h.]\d\d)?\s?(?:[ap]\.?m\b\.?|h(?:oras)?\b)|\b\d{1,2}(?::|h)\d\d\b", re.IGNORECASE
)
_OTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f]")
_CLAUSE = re.compile(r"[,;:()\u2014]\s|[.!?]\s|\s(?:and|but|e|mas|y|pero)\s", re.IGNORECASE)
_DENYING = words(
    "not no never none cannot neither nor without non can't don't doesn't didn't isn't aren't won't wasn't",
    "weren't shouldn't mustn't haven't hasn't wouldn't couldn't",
    "nao nunca jamais nem sem nenhum nenhuma ninguem sin ningun ninguna nadie tampoco",
    "ne pas sans aucun aucune nicht kein keine keinen nie ohne senza mai nessun nessuna",
)
_PLACES = {"pt": words("no")}
"""Words that deny in another language and mean something else in this one."""
_NUMERALS = {
    name: str(number)
    for names in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "zero um dois tres quatro cinco seis sete oito nove dez onze doze",
        "zero uma duas tres quatro cinco seis sete oito nove dez onze doze",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, name in enumerate(names.split())
}


def _read(text: str, language: str) -> _Sentence:
    written = [match.group() for match in _WORD.finditer(text)]
    numbers, counted = _numbers(text)
    return _Sentence(
        _stems(text, language) | counted,
        *_clauses(text, language),
        numbers,
        counted,
        _names(written, language),
        frozenset(folded(word) for word in written),
    )


def _stems(text: str, language: str) -> frozenset[str]:
    return frozenset(
        word for word in words_of(text, language) if word not in _NUMERALS and not word[0].isdigit()
    )


def _numbers(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The numbers in figures, and all of them: `two` says the same as 2, but may mean less."""
    figures = frozenset(plain_number(match.group()) for match in _NUMBER.finditer(text))
    words = (folded(match.group()) for match in _WORD.finditer(text))
    return figures, figures | {_NUMERALS[word] for word in words if word in _NUMERALS}


def _clauses(text: str, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of the clauses that assert, and of those that deny."""
    asserted: set[str] = set()
    denied: set[str] = set()
    for clause in _CLAUSE.split(text):
        plain = {folded(match.group()).replace("\u2019", "'") for match in _WORD.finditer(clause)}
        into = asserted if plain.isdisjoint(_DENYING - _PLACES.get(language, frozenset())) else denied
        into |= _stems(clause, language) | _numbers(clause)[1]
    return frozenset(asserted), frozenset(denied)


def _names(written: Sequence[str], language: str) -> frozenset[str]:
    """Words with a capital that do not begin the text; none where capitals say nothing."""
    capitals = [word for word in written[1:] if word[0].isupper()]
    if language == "de" or 2 * len(capitals) > len(written):
        return frozenset()
    small = small_words(language) | _NAMELESS
    return frozenset(folded(word) for word in capitals if len(word) > 1 and word.lower() not in small)


_NAMELESS = words("yes no ok i i'm i'll you we they it please sim ol\u00e1 s\u00ed")
