"""Counting: whether the numbers of a claim stand in its quote and count the same there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vivavoce.domain.language.numerals import Number, is_about, numbers_in, ranges_in
from vivavoce.domain.language.words import folded, words_of

from .attributing import attributions_in
from .grounds import NONE, Ground, Objection


def miscounted(claim: str, own: str, ground: Ground) -> Objection:
    """Whether a number is not in the quote, or counts something else; one that names the work need not be.

    It is only a doubt where the number may count what the quote lists.
    """
    named = attributions_in(claim, ground.known, ground.numbers)
    given = numbers_in(ground.sentence, ground.language)
    said = [
        number
        for number in numbers_in(claim, own)
        if number.value not in ground.numbers or not any(start <= number.start < end for start, end in named)
    ]
    doubt = NONE
    for number in said:
        objection = _unlike(claim, number, given, ground)
        if objection and not objection.is_doubt:
            return objection
        doubt = doubt or objection
    other = _ranges(said, given, ground)
    if not other and own == ground.language:
        other = _counts(claim, said, given, ground)
    return Objection(other) if other else doubt


_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W\d_]+)*")
_ITEM = re.compile(r"[,;]\s|\s(?:and|or|e|ou|y|o)\s", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:first|primeir[oa]|primer[oa]?)\b")
_LAST_DAY = 31


def _unlike(claim: str, number: Number, given: Sequence[Number], ground: Ground) -> Objection:
    written = claim[number.start : number.end]
    values = {each.value for each in given}
    plain = number.value.removesuffix("th")
    is_day = written.isdecimal() and int(written[:4]) <= _LAST_DAY  # "11 November" is the 11th
    same = {number.value, plain, f"{plain}th"} if is_day else {number.value, plain}
    if plain == "1" and _FIRST.search(folded(ground.sentence)) is not None:
        return NONE
    if not same & values:
        is_listed = plain.isdecimal() and int(plain[:4]) in _listed(ground)
        return Objection(f"the number {written!r} is not in the quote", is_doubt=is_listed)
    theirs = [each for each in given if each.value == number.value]
    if theirs and all(is_about(ground.sentence, each) for each in theirs) and not is_about(claim, number):
        return Objection(f"the number {written!r} is only a bound in the quote")
    return NONE


def _listed(ground: Ground) -> set[int]:
    """How many things each sentence of the quote may list, from two on."""
    return {len(_ITEM.findall(each)) + 1 for each in ground.sentences} - {1}


def _ranges(said: Sequence[Number], given: Sequence[Number], ground: Ground) -> str:
    """Whether of two numbers between which something lies the claim takes one alone."""
    told = {number.value for number in said}
    for ends in ranges_in(ground.sentence, given):
        if len(told & set(ends)) == 1 and sum(number.value in ends for number in given) == len(ends):
            return f"the quote says between {ends[0]} and {ends[1]}, the claim names one of them"
    return ""


def _counts(claim: str, said: Sequence[Number], given: Sequence[Number], ground: Ground) -> str:
    """Whether a number counts what it counts in the quote."""
    counted: dict[str, set[str]] = {}
    for number in given:
        for stem in _next_stem(ground.sentence, number.end, ground.language):
            counted.setdefault(stem, set()).add(number.value)
    for number in said:
        for stem in _next_stem(claim, number.end, ground.language):
            if stem in counted and number.value not in counted[stem]:
                return f"the number {claim[number.start : number.end]!r} counts something else in the quote"
    return ""


def _next_stem(text: str, at: int, language: str) -> list[str]:
    """The word right after a place."""
    found = _WORD.search(text, at)
    return [] if found is None or found.start() > at + 2 else list(words_of(found.group(), language))
