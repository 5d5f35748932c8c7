"""Questions that a text asks by itself, as a page of frequent questions does: what follows answers them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .words import folded

_LONGEST = 300
_WORD = re.compile(r"[^\W_]+")
_QUESTION = re.compile(r"[^?\uff1f\u061f]+(?=[?\uff1f\u061f])")
_ITEM = r"[^\W_][\w.+-]*"
_CHOICE = re.compile(rf"\b(?P<first>{_ITEM}(?:,\s+{_ITEM})*),?\s+(?:or|ou|o|oder)\s+(?P<last>{_ITEM})")
"""One of some things, each of one word: "ChatGPT, Claude or Gemini"."""
_SMALL = frozenset(
    ["a", "an", "the", "o", "os", "as", "um", "uma", "el", "la", "los", "las", "un", "una", "please"]
)


def is_asked_in(question: str, heading: str) -> bool:
    """Whether a heading asks this very question, alone or of one thing among others.

    No word may be missing: "may I return it after 30 days?" has another answer than "may I return it?".
    """
    asked = _plain(question)
    return bool(asked) and any(_plain(each) == asked for each in _questions_in(heading[:_LONGEST]))


def _questions_in(heading: str) -> Iterator[str]:
    for found in _QUESTION.finditer(heading):
        whole = found.group()
        yield whole
        choice = _CHOICE.search(whole)
        if choice is not None:
            for each in (*choice["first"].split(","), choice["last"]):
                yield f"{whole[: choice.start()]}{each}{whole[choice.end() :]}"


def _plain(text: str) -> list[str]:
    return [word for word in _WORD.findall(folded(text[:_LONGEST])) if word not in _SMALL]
