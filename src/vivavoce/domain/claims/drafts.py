"""Claims: what a model says an answer is made of, and how it is judged, read from whatever it wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

MOST_CLAIMS = 24
"""How many claims of a draft are looked at."""
LONGEST_CLAIM = 1_200
LONGEST_QUOTE = 2_000


class Claim(NamedTuple):
    """A statement, and the words that it is said to rest on."""

    text: str
    passage: int | None
    """The number of the passage that it names, from 1; None where it names none."""
    quote: str


class Draft(NamedTuple):
    """The claims of a draft."""

    claims: tuple[Claim, ...]
    passed_over: int = 0
    """How many more there were."""


def draft_in(said: str) -> Draft | None:
    """The claims in what a model said; None where it holds nothing of the kind.

    Fences, prose around the JSON and a JSON that breaks off are put up with: whole claims count.
    """
    for found in _objects(said):
        listed = _listed(found)
        if listed is not None:
            claims = [claim for each in listed if (claim := _claim(each)) is not None]
            if claims or not listed:
                return Draft(tuple(claims[:MOST_CLAIMS]), max(0, len(claims) - MOST_CLAIMS))
    claims = [claim for each in _objects(said) if (claim := _claim(each)) is not None]
    return Draft(tuple(claims[:MOST_CLAIMS]), max(0, len(claims) - MOST_CLAIMS)) if claims else None


def verdicts_in(said: str, claims: int) -> list[bool | None]:
    """For each claim whether it was judged to follow; None where it says nothing readable, or both."""
    told: list[set[bool]] = [set() for _ in range(claims)]
    for found in _objects(said):
        listed = found.get("verdicts") if isinstance(found, dict) else found
        if not isinstance(listed, list):
            continue
        for number, each in enumerate(listed, start=1):
            if isinstance(each, Mapping):
                named = _number(_first(each, _PAIRS))
                number, each = number if named is None else named, each.get("follows")
            verdict = _YES_OR_NO.get(str(each).strip(" .!").lower())
            if 1 <= number <= claims and verdict is not None:
                told[number - 1].add(verdict)
        if any(told):
            break
    return [next(iter(each)) if len(each) == 1 else None for each in told]


_YES_OR_NO = {
    **dict.fromkeys(("true", "yes", "sim", "s\u00ed", "si", "supported", "entailed"), True),
    **dict.fromkeys(("false", "no", "n\u00e3o", "nao", "unsupported", "not supported"), False),
}
_LISTS = ("claims", "statements", "sentences", "answer")
_TEXTS = ("text", "claim", "statement", "sentence")
_QUOTES = ("quote", "quotation", "evidence")
_PAIRS = ("claim", "pair", "number", "id")
_PASSAGES = ("passage", "passage_number", "number", "source", "id")
_MARKS = re.compile(r"\s*\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]")
"""References that a model adds although the program does."""
_DIGITS = re.compile(r"\d{1,6}")
_OPENS = re.compile(r"[{\[]")
_MOST_TRIES = 2_000
_DEEPEST = 40
"""Brackets within brackets that are still read: deeper ones are nobody's claims."""


def _objects(said: str) -> Iterator[Any]:
    """The JSON objects and lists in a text, in order; those inside one that is broken too."""
    decoder = json.JSONDecoder()
    at, tries = 0, 0
    while tries < _MOST_TRIES and (opened := _OPENS.search(said, at)) is not None:
        tries += 1
        if _DEEP.match(said, opened.start()) is not None:
            return
        try:
            found, at = decoder.raw_decode(said, opened.start())
        except ValueError:
            at = opened.start() + 1
            continue
        yield found


_DEEP = re.compile(rf"(?:[{{\[]\s*){{{_DEEPEST}}}")


def _listed(found: Any) -> Sequence[Any] | None:
    if isinstance(found, list):
        return found if not found or any(_claim(each) is not None for each in found) else None
    if not isinstance(found, dict):
        return None
    for name in _LISTS:
        if isinstance(found.get(name), list):
            listed: list[Any] = found[name]
            return listed
    return None


def _claim(given: Any) -> Claim | None:
    if not isinstance(given, dict):
        return None
    text, quote = _first(given, _TEXTS), _first(given, _QUOTES)
    if not isinstance(text, str) or not text.strip():
        return None
    return Claim(
        " ".join(_MARKS.sub("", text).split())[:LONGEST_CLAIM],
        _number(_first(given, _PASSAGES)),
        quote.strip()[:LONGEST_QUOTE] if isinstance(quote, str) else "",
    )


def _first(given: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((given[name] for name in names if given.get(name) is not None), None)


def _number(given: Any) -> int | None:
    if isinstance(given, bool) or given is None:
        return None
    found = _DIGITS.search(str(given)[:100])
    return None if found is None else int(found.group())
