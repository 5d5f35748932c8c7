"""Naming: whether the names of a claim stand in its quote, or where a reader of it finds them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vivavoce.domain.language.languages import small_words
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded

from .grounds import NONE, ROOT, Ground, Objection


def misnamed(claim: str, own: str, ground: Ground) -> Objection:
    """Whether a name is not in the quote, in its sentence, or near it where the quote names nobody.

    It is only a doubt where the name stands around the quote, which may say "he", where the quote has it in
    another form, and where it may be a translation of one in the quote.
    """
    if own == "de":
        return NONE
    theirs = _capitals(ground.sentence, ground.language)
    written = _plain(ground.sentence) | {word for name in ground.known for word in _plain(name)}
    beside = _plain(ground.nearby)
    missing = [
        name
        for name in _capitals(claim, own)
        if not _is_among(_bare(name), written) and (theirs or not _is_among(_bare(name), beside))
    ]
    around = beside | _plain(ground.passage)
    kin = {folded(name)[:_KIN] for name in (*theirs, *_capitals(ground.passage, ground.language))}
    unknown = [
        name
        for name in missing
        if not _is_among(_bare(name), around) and not (len(name) > _KIN and folded(name)[:_KIN] in kin)
    ]
    if not missing:
        return NONE
    said = {folded(name)[: ROOT - 1] for name in _capitals(claim, own)}
    others = (*theirs, *_capitals(ground.passage, ground.language))
    untold = {name for name in others if folded(name)[: ROOT - 1] not in said}
    is_translated = own != ground.language and len(unknown) <= len(untold)
    firm = not is_translated and bool(unknown)
    name = unknown[0] if firm else missing[0]
    return Objection(f"the name {name!r} is not in the quote", is_doubt=not firm)


_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W\d_]+)*")
_KIN = 4
"""Letters that a name and what is called after it have in common: England, Englishmen."""


def _plain(text: str) -> set[str]:
    return {folded(match.group()) for match in _WORD.finditer(text)}


def _bare(name: str) -> str:
    return folded(name).removesuffix("'s").removesuffix("\u2019s")


def _is_among(plain: str, written: Iterable[str]) -> bool:
    parts = plain.split("-")
    return any(
        plain == each
        or each.removesuffix("'s").removesuffix("\u2019s") == plain
        or (len(plain) >= ROOT and each[:ROOT] == plain[:ROOT])
        for each in written
    ) or (len(parts) > 1 and all(_is_among(part, written) for part in parts))


def _capitals(text: str, language: str) -> list[str]:
    """The words with a capital that begin no sentence and are no heading."""
    found = []
    small = small_words(language) | _NAMELESS
    at_start = True
    every = list(_WORD.finditer(text))
    for place, match in enumerate(every):
        word = match.group()
        before = text[every[place - 1].end() : match.start()] if place else ""
        at_start = place == 0 or bool(re.search(r"[.!?:\"\u201c\u201d\u00ab]", before))
        if word[0].isupper() and not at_start and word.lower() not in small and len(word) > 1:
            found.append(word)
    return [] if 2 * len(found) > len(every) and len(every) > 4 else found


_NAMELESS = words(
    "i i'm i'll i've i'd english portuguese spanish yes no mr mrs ms dr prof sr sra dra dona dom don"
)
