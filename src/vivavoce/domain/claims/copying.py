"""Copying: a claim that repeats a text almost word for word, and the small words that it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from vivavoce.domain.language.languages import small_words
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded


class Change(NamedTuple):
    """Words that tell how a thing is meant and that a copy has lost or got: "must" for "may"."""

    lost: str
    new: str
    is_bare: bool
    """Whether nothing else was changed there, so that the copy cannot mean the same."""


def is_copy(claim: str, text: str) -> bool:
    """Whether a claim says a text word for word."""
    return _tokens(claim) == _tokens(text)


def changes(claim: str, text: str, language: str) -> Iterator[Change]:
    """What a claim changes in the middle of what it repeats."""
    said, given = _tokens(claim), _tokens(text)
    telling = _TELLING.get(language, _TELLING["en"])
    plain = telling | {folded(word) for word in small_words(language)}
    steps = SequenceMatcher(None, given, said, autojunk=False).get_opcodes()
    for place, (kind, start, end, first, last) in enumerate(steps):
        around = _length(steps, place - 1), _length(steps, place + 1)
        if place == 0 and kind == "delete" and end <= _ENOUGH:  # "Not all" became "all"
            around = _ENOUGH, around[1]
        is_inside = min(around) >= _ENOUGH
        is_beside = kind != "delete" and max(around) >= _ENOUGH
        if kind == "equal" or end - start > _LONGEST or not (is_inside or is_beside):
            continue
        lost, new = _of(given[start:end], telling), _of(said[first:last], telling)
        if lost != new and (new or is_inside):
            touched = (*given[start:end], *said[first:last])
            is_bare = all(token in plain or token.endswith("n't") for token in touched)
            yield Change(" ".join(lost), " ".join(new), is_bare)


_ENOUGH = 2
"""Words that must be repeated before and after a change."""
_LONGEST = 6
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_TELLING = {
    "en": words(
        "not no never none nobody nothing neither nor without cannot hardly rarely seldom always all every",
        "each only some most many few several often sometimes usually may might can could must should shall",
        "ought will would more less fewer before after until unless perhaps probably possibly",
    ),
    "pt": words(
        "nao nunca jamais nem sem nenhum nenhuma ninguem nada sempre todo toda todos todas cada apenas",
        "somente so alguns algumas muitos muitas poucos poucas varios varias maioria pode podem deve devem",
        "deveria deveriam poderia poderiam mais menos antes depois talvez",
    ),
    "es": words(
        "no nunca jamas ni sin ningun ninguna ninguno nadie nada siempre todo toda todos todas cada solo",
        "solamente algunos algunas muchos muchas pocos pocas varios varias mayoria puede pueden debe deben",
        "deberia deberian podria podrian mas menos antes despues quiza quizas",
    ),
}


def _tokens(text: str) -> list[str]:
    return [folded(match.group()).replace("\u2019", "'") for match in _WORD.finditer(text)]


def _length(steps: Sequence[tuple[str, int, int, int, int]], place: int) -> int:
    """How many words are the same in a step; enough where both texts begin or end with them."""
    if not 0 <= place < len(steps) or steps[place][0] != "equal":
        return 0
    _, start, end, first, _ = steps[place]
    is_edge = (place == 0 and start == first == 0) or place == len(steps) - 1
    return max(end - start, _ENOUGH) if is_edge else end - start


def _of(tokens: Sequence[str], telling: frozenset[str]) -> list[str]:
    return sorted(token for token in tokens if token in telling or token.endswith("n't") or token.isdecimal())
