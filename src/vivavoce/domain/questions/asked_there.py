"""Questions that a text asks by itself, as a page of frequent questions does: what follows answers them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivavoce.domain.language.words import folded

_LONGEST = 300
_AROUND = ".,;:!?\"'()\u00bf\u00a1\u201c\u201d\u2018\u2019\uff1f\u061f"
_NUMBER = re.compile(r"(?:\d{1,3}[.)]|[QqPp]:)\s+")
_QUESTION = re.compile(r"[^?\uff1f\u061f]+(?=[?\uff1f\u061f])")
_ITEM = r"[^\W_][\w.+#-]*"
_CHOICE = re.compile(rf"\b(?P<first>{_ITEM}(?:,\s+{_ITEM})*),?\s+(?:or|ou)\s+(?P<last>{_ITEM})")
"""One of some things, each of one word: "ChatGPT, Claude or Gemini"."""


def is_asked_in(question: str, heading: str) -> bool:
    """Whether a heading asks this very question, alone or of one thing among others.

    No word may be missing: "may I return it after 30 days?" has another answer than "may I return it?".
    """
    asked = _words(question)
    is_plain = question.isascii()  # many write without accents; who writes them means them
    return bool(asked) and any(
        asked == _words(folded(each) if is_plain else each) for each in _questions_in(heading[:_LONGEST])
    )


def _questions_in(heading: str) -> Iterator[str]:
    for found in _QUESTION.finditer(_NUMBER.sub("", heading, count=1)):
        whole = found.group()
        yield whole
        choice = _CHOICE.search(whole)
        if choice is not None:
            for each in (*choice["first"].split(","), choice["last"]):
                yield f"{whole[: choice.start()]}{each}{whole[choice.end() :]}"


def _words(text: str) -> list[str]:
    """All of them as they are written, but for capitals and what stands around."""
    return [word for each in text[:_LONGEST].lower().split() if (word := each.strip(_AROUND))]
