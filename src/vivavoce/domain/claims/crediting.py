"""Crediting: whether a claim gives words to the one who says them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivavoce.domain.language.words import folded, words_of

from .grounds import NONE, Ground, Objection, stems_of
from .reporting import Reported, reporters_in, reports, tells_what_others_say


def miscredited(claim: str, own: str, ground: Ground) -> Objection:
    """Whether the quote reports what others say, and the claim does not say so or gives it to somebody else.

    It is only a doubt where the claim may rest on what stands before, and where the quote says "he".
    """
    ours = {folded(match.group()) for name in ground.known for match in _WORD.finditer(name)}
    theirs = [each for each in reporters_in(ground.sentence, ground.language) if not _is_ours(each, ours)]
    said = reporters_in(claim, own)
    found = [
        *_unnamed(claim, own, theirs, ground),
        *_given_to_author(claim, own, any(_is_ours(each, ours) for each in said), ground),
        *_given_to_others([each for each in said if not _is_ours(each, ours)], theirs, ground),
    ]
    return next((each for each in found if not each.is_doubt), found[0] if found else NONE)


_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W\d_]+)*")


def _unnamed(claim: str, own: str, theirs: list[Reported], ground: Ground) -> Iterator[Objection]:
    """Those of whom the quote reports something, and whom the claim does not name."""
    for each in theirs:
        stems = words_of(each.name, ground.language)
        is_named = bool(stems) and stems.keys() <= words_of(claim, own).keys()
        if folded(each.name) not in folded(claim) and not is_named:
            reported = f"the quote reports what {each.name!r} says, the claim does not say so"
            yield Objection(reported, is_doubt=_is_before(claim, own, each, ground))


def _is_before(claim: str, own: str, reported: Reported, ground: Ground) -> bool:
    """Whether a claim takes more from what stands before what somebody says."""
    told, at = stems_of(claim, own), reported.start
    before, after = (
        len(told & stems_of(part, ground.language)) for part in (ground.sentence[:at], ground.sentence[at:])
    )
    return reported.leads and before > after


def _given_to_author(claim: str, own: str, is_given: bool, ground: Ground) -> Iterator[Objection]:
    if is_given and ground.is_by_others:
        yield Objection("the quote is not in the words of the one to whom the claim gives it")
    if is_given and ground.is_spoken:
        yield Objection("the quote is what somebody says there, the claim does not say so", is_doubt=True)
    if not reports(claim, own) and tells_what_others_say(ground.sentence):
        yield Objection("the quote tells what somebody says, the claim does not say so", is_doubt=True)


def _given_to_others(said: list[Reported], theirs: list[Reported], ground: Ground) -> Iterator[Objection]:
    names = {folded(each.name) for each in theirs}
    for each in said:
        if each.is_name and folded(each.name) not in names:
            is_there = folded(each.name) in folded(ground.sentence)
            yield Objection(f"the quote does not say that {each.name!r} says so", is_doubt=is_there)


def _is_ours(reported: Reported, ours: set[str]) -> bool:
    return all(folded(match.group()) in ours for match in _WORD.finditer(reported.name))
