"""Spellings: names that a question writes otherwise than the texts that it is asked of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vivavoce.domain.language.words import folded


def as_they_spell(question: str, texts: Iterable[str]) -> str:
    """The question with its names as texts spell them, where these have them in another spelling only.

    Long names alone, of which one letter differs: Leibniz is Leibnitz.
    """
    asked = {each.group() for each in _NAME.finditer(question)}
    if not asked:
        return question
    known = {found.group() for text in texts for found in _NAME.finditer(text)}
    plain = {folded(each) for each in known}
    for name in asked:
        if folded(name) in plain:
            continue
        alike = sorted(each for each in known if _is_like(folded(name), folded(each)))
        if alike:
            question = re.sub(rf"\b{re.escape(name)}\b", alike[0], question)
    return question


_LEAST = 7
_SAME = 4
"""Letters of a name that may differ in one, and those at its beginning that may not."""
_NAME = re.compile(rf"\b[A-Z\u00c0-\u00dd][a-z\u00df-\u00fe]{{{_LEAST - 1},}}\b")


def _is_like(one: str, other: str) -> bool:
    """Whether two names differ in one letter, which is not the last."""
    if abs(len(one) - len(other)) > 1 or one[:_SAME] != other[:_SAME] or one[-1] != other[-1]:
        return False
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), _SAME)
    short, long = sorted((one[same:], other[same:]), key=len)
    return short == long[1:] or (len(short) == len(long) and short[1:] == long[1:])
