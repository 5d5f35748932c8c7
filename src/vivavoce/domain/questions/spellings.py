"""Spellings: names that a question writes otherwise than the texts that it is asked of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vivavoce.domain.language.words import folded


def as_they_spell(question: str, texts: Iterable[str]) -> str:
    """The question with its names as texts spell them, where these have them in another spelling only.

    Long names alone that sound alike: Leibniz is Leibnitz, but Johnson is not Johnston.
    """
    asked = {each.group() for each in _NAME.finditer(question)}
    if not asked:
        return question
    known = {found.group(): folded(found.group()) for text in texts for found in _NAME.finditer(text)}
    plain = frozenset(known.values())
    for name in asked:
        own = folded(name)
        alike = [] if own in plain else sorted(each for each in known if _is_like(own, known[each]))
        if alike:
            question = re.sub(rf"\b{re.escape(name)}\b", alike[0], question)
    return question


_LEAST = 7
_SAME = 4
"""Letters of a name that may differ in one, and those at its beginning that may not."""
_NAME = re.compile(rf"\b[A-Z\u00c0-\u00dd][a-z\u00df-\u00fe]{{{_LEAST - 1},}}\b")


def _is_like(one: str, other: str) -> bool:
    """Whether two names begin and end alike and differ in one letter, which nobody hears."""
    if one[:_SAME] != other[:_SAME] or one[-1] != other[-1] or abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) == len(long):
        return short[at + 1 :] == long[at + 1 :] and frozenset((short[at], long[at])) in _ALIKE
    if short[at:] != long[at + 1 :] or long.endswith(_OF_WOMEN):
        return False
    return long[at] == long[at - 1] or long[at] == "h" or long[at : at + 2] in _ONE_SOUND


_ALIKE = frozenset(map(frozenset, ("ck", "cs", "cz", "sz", "iy", "ij", "vw", "fv", "gj", "xs")))
"""Letters that one name is written with in several lands or times."""
_ONE_SOUND = ("tz", "ck", "dt", "zs")
"""Two letters of which the first adds nothing to the second."""
_OF_WOMEN = "lle"
"""Michele is a man, Michelle is not."""
