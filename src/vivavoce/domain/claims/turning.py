"""Turning: whether a claim lets what its quote says change places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from vivavoce.domain.language.numerals import numbers_in
from vivavoce.domain.language.words import folded, stems_in_order, words_of

from .grounds import clauses_of
from .modality import compared, compares
from .reporting import reporters_in


def turned(sentence: str, theirs: str, own: str) -> str:
    """Whether a comparison is there that the quote has not, or anything stands the other way round."""
    if compares(sentence, own) and not compares(theirs, own):
        return "it compares where the quote does not"
    if _is_crossed(compared(sentence, own), compared(theirs, own), own):
        return "it turns the comparison around"
    for pivot in _PIVOTS:
        if _is_crossed(_parted(sentence, pivot), _parted(theirs, pivot), own):
            return "it turns around what comes first"
    if _is_passive(sentence) == _is_passive(theirs) and any(
        _is_reversed(list(words_of(clause, own)), list(words_of(other, own)))
        for clause in clauses_of(sentence)
        for other in clauses_of(theirs)
    ):
        return "it turns around who does what"
    return ""


def exchanged(claim: str, text: str, language: str) -> str:
    """Whether it is in the order of a text only once two words that stand apart change places.

    "You borrow two and return one" for "you borrow one and return two". Words side by side may: "state and
    market". So may those around a verb where one of the texts puts it the passive way, and who says it.
    """
    is_turned = _is_exchanged(claim, text, language) or _suffers(claim, text, language)
    return "it lets two things change places" if is_turned else ""


def keeps_order(claim: str, text: str, language: str) -> bool:
    """Whether it has the words of a text in their order, or all of them.

    Who leaves out some and moves others joins what does not belong together: "it rose in 1702" for "it fell
    in 1702 and rose in 1703".
    """
    said, given = _in_order(claim, language), _in_order(text, language)
    known = set(given)
    return known <= set(said) or _is_in((word for word in said if word in known), given)


_PIVOTS = tuple(
    re.compile(rf"\b(?:{names})\b")
    for names in ("before|antes", "after|depois|despues|apos", "because|porque|causes?|caused")
)
_PASSIVE = re.compile(r"\b(?:by|por|pel[oa]s?)\b")


def _is_exchanged(claim: str, text: str, language: str) -> bool:
    given = _in_order(text, language)
    who = {stem for each in reporters_in(claim, language) for stem in stems_in_order(each.name, language)}
    said = [word for word in _in_order(claim, language) if word in set(given) - who]
    if not _FEWEST <= len(said) <= _MOST or _is_in(said, given):
        return False
    if not _is_passive(claim) and not _is_passive(text) and _has_turned_ends(said, given):
        return True
    doers = _doers(claim, language) ^ _doers(text, language)
    return any(
        last - first > 1
        and said[first] != said[last]
        and doers.isdisjoint((said[first], said[last]))
        and _is_in(_with(said, first, last), given)
        for first, last in combinations(range(len(said)), 2)
    )


def _has_turned_ends(said: Sequence[str], given: Sequence[str]) -> bool:
    """Whether a few words at the beginning and at the end have changed places around two or more."""
    ends = range(1, _LONGEST_END + 1)
    return any(
        len(said) - first - last > 1 and _is_in((*said[-last:], *said[first:-last], *said[:first]), given)
        for first in ends
        for last in ends
    )


def _doers(text: str, language: str) -> frozenset[str]:
    """By whom something is done."""
    return frozenset(
        stem
        for found in _PASSIVE.finditer(folded(text))
        for stem in stems_in_order(" ".join(folded(text)[found.end() :].split()[:3]), language)
    )


def _suffers(claim: str, text: str, language: str) -> bool:
    """Whether it lets the one suffer a thing by whom it is done: "was paid by the mayor"."""
    if _is_passive(claim):
        return False
    said = stems_in_order(claim, language)
    for found in _DONE_BY.finditer(folded(text)):
        done, doers = stems_in_order(found["done"], language), stems_in_order(found["who"], language)
        at = next((place for place, word in enumerate(said) if word in done), None)
        if at is not None and at > 0 and doers and set(doers) <= set(said[at + 1 :]) - set(said[:at]):
            return True
    return False


_FEWEST, _MOST = 3, 24
_LONGEST_END = 2
_DONE_BY = re.compile(
    r"\b(?:is|are|was|were|be|been|being|foi|foram|sao|era|eram|sido|fue|fueron|son)\s+(?:\w+ly\s+)?(?P<done>\w+)\b"
    r"[^.;:]{0,40}?\b(?:by|por|pel[oa]s?)\s+(?:(?:the|an?|os?|as?|el|la|los|las|his|her|their|its)\s+)?(?P<who>\w+)"
)


def _in_order(text: str, language: str) -> list[str]:
    """The stems of the words of a text, each number as one."""
    parts: list[str] = []
    at = 0
    for number in numbers_in(text, language):
        if number.start >= at:
            parts += [*stems_in_order(text[at : number.start], language), f"#{number.value}"]
            at = number.end
    return [*parts, *stems_in_order(text[at:], language)]


def _is_passive(text: str) -> bool:
    return _PASSIVE.search(folded(text)) is not None


def _with(said: Sequence[str], first: int, last: int) -> list[str]:
    """The words with two of them in each other's place."""
    other = list(said)
    other[first], other[last] = said[last], said[first]
    return other


def _is_in(said: Iterable[str], given: Sequence[str]) -> bool:
    """Whether words stand in a text in their order."""
    left = iter(given)
    return all(word in left for word in said)


def _parted(text: str, pivot: re.Pattern[str]) -> tuple[str, str] | None:
    plain = folded(text)
    found = pivot.search(plain)
    return None if found is None else (plain[: found.start()], plain[found.end() :])


def _is_crossed(said: tuple[str, str] | None, given: tuple[str, str] | None, language: str) -> bool:
    """Whether what stands before in the one stands behind in the other."""
    if said is None or given is None:
        return False
    straight = _common(said[0], given[0], language) + _common(said[1], given[1], language)
    crossed = _common(said[0], given[1], language) + _common(said[1], given[0], language)
    return crossed > straight


def _is_reversed(said: Sequence[str], given: Sequence[str]) -> bool:
    """Whether the words on both sides of a third have changed places: who pays whom."""
    for place, word in enumerate(said):
        if word not in given:
            continue
        other = given.index(word)
        before, after = set(said[:place]), set(said[place + 1 :])
        has_crossed = before & set(given[other + 1 :]) and after & set(given[:other])
        if has_crossed and not (before & set(given[:other]) or after & set(given[other + 1 :])):
            return True
    return False


def _common(one: str, other: str, language: str) -> int:
    return len(words_of(one, language).keys() & words_of(other, language).keys())
