"""Agreeing: whether a claim denies, demands, counts and compares as its quote does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .grounds import Ground, clauses_of, is_held, share_of, stems_of
from .modality import Marks, compared, compares, frames_of, marks_of, opens_with_condition, words_after
from .words import folded, words_of


class Framing(NamedTuple):
    """Whether a sentence says a thing as its quote does, or the quote doubts, asks or only reports it."""

    objection: str = ""
    differs: bool = False
    """Whether anything of the kind stands in one and not in the other, wherever in the sentence."""


def framing(sentence: str, own: str, ground: Ground) -> Framing:
    """How a sentence of a claim differs from the one that it rests on, or from the likest of several."""
    told = stems_of(sentence, own)
    found = [_framed(sentence, told, rest, own, ground) for rest in _rests(told, own, ground)]
    return min(found, key=lambda each: (each.objection != "", each.differs), default=Framing())


def disagreement(statement: str, own: str, ground: Ground) -> str:
    """Whether denial, force, quantity, certainty and comparison are those of the clauses it rests on."""
    for sentence in _SENTENCE.split(statement):
        told = stems_of(sentence, own)
        if not told:
            continue
        theirs = _matching(told, ground)
        said, given = marks_of(sentence, own), marks_of(theirs, ground.language)
        objection = _against(said, given) or _reversed_by_prefix(told, said, given, ground)
        objection = objection or _quantified(sentence, theirs, own, ground) or _turned(sentence, theirs, own)
        if objection:
            return objection
    return ""


def disagreement_across(statement: str, own: str, ground: Ground) -> str:
    """Between two languages: whether denial and force agree as a whole."""
    said, given = marks_of(statement, own), marks_of(ground.sentence, ground.language)
    if said.denies != given.denies and not (said.nearly_denies or given.nearly_denies):
        return "the quote denies what it says" if given.denies else "it denies what the quote says"
    if said.force == "must" and given.force != "must":
        return _FORCES[("must", given.force)]
    if said.is_universal and not given.is_universal:
        return "it speaks of all where the quote does not"
    is_doubted = any("untrue" in frames_of(each, ground.language) for each in ground.sentences)
    if is_doubted and not (said.denies or said.nearly_denies or "untrue" in frames_of(statement, own)):
        return _FRAMES["untrue"]
    return "it is surer than the quote" if said.is_proved and not given.is_proved else ""


_FRAMES = {
    "untrue": "the quote denies what it says",
    "asks": "the quote asks what it says",
    "if": "the quote says it under a condition, the claim without",
    "said": "the quote says that it is said to be so, the claim that it is",
    "once": "the quote says that it was so once, the claim that it is",
}


def _rests(told: frozenset[str], own: str, ground: Ground) -> list[str]:
    """The sentences that each hold all that the quote has of it; together, where it takes several."""
    is_foreign = own != ground.language
    shares = {
        each: share_of(told, stems_of(each, ground.language), is_foreign=is_foreign)
        for each in ground.sentences
    }
    all_of_it = share_of(told, stems_of(ground.sentence, ground.language), is_foreign=is_foreign)
    whole = [each for each, share in shares.items() if share == all_of_it]
    return whole or [" ".join(each for each, share in shares.items() if share > 0)]


def _framed(sentence: str, told: frozenset[str], rest: str, own: str, ground: Ground) -> Framing:
    language = ground.language
    pieces = clauses_of(rest)
    near = [each for each in pieces if any(is_held(word, stems_of(each, language), False) for word in told)]
    if pieces and pieces[0] not in near and opens_with_condition(rest, language):
        near.insert(0, pieces[0])
    theirs = " ".join(near) or rest
    said, given = frames_of(sentence, own), frames_of(rest, language)
    marks, others = marks_of(sentence, own), marks_of(theirs, language)
    lost = (frames_of(theirs, language) | (given & {"asks"})) - said
    if marks.denies or marks.nearly_denies:
        lost -= {"untrue"}
    if not any(told & words_of(each, language).keys() for each in words_after(theirs, language, "once")):
        lost -= {"once"}
    objection = next((text for kind, text in _FRAMES.items() if kind in lost), "")
    whole = marks_of(rest, language)
    if "untrue" in said - given and not (whole.denies or whole.nearly_denies):
        objection = objection or "it denies what the quote says"
    differs = said != given or marks.is_hinted != others.is_hinted
    return Framing(objection, differs or marks.nearly_denies != others.nearly_denies)


_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


def _matching(told: frozenset[str], ground: Ground) -> str:
    """The clauses of the quote's sentences that share words with what is told, with what ties them."""
    pieces = [piece for each in _SENTENCE.split(ground.sentence) for piece in clauses_of(each)]
    kept = [
        piece
        for piece in pieces
        if any(is_held(word, stems_of(piece, ground.language), False) for word in told)
    ]
    return " , ".join(kept) or ground.sentence


def _against(said: Marks, given: Marks) -> str:
    is_opposed = any(
        said.side(number) != given.side(number) and given.side(number) is not None
        for number in said.opposites
    )
    differs = said.denies != given.denies
    is_soft = said.nearly_denies if given.denies else given.nearly_denies
    if differs and not is_opposed and not is_soft:
        return "the quote denies what it says" if given.denies else "it denies what the quote says"
    if is_opposed and not differs:
        return "it says the opposite of the quote"
    if said.force != given.force:
        objection = _FORCES.get((said.force, given.force), "")
        if objection and not (given.force == "may" and said.is_hinted):
            return objection
    if said.is_proved and not given.is_proved:
        return "it is surer than the quote"
    if given.is_hinted and not (said.is_hinted or said.force == "may") and said.is_proved:
        return "it is surer than the quote"
    return ""


_FORCES = {
    ("", "may"): "the quote says that it may be so, the claim that it is",
    ("", "should"): "the quote says that it should be so, the claim that it is",
    ("", "must"): "the quote says that it must be so, the claim that it is",
    ("should", ""): "it says what should be where the quote says what is",
    ("should", "may"): "it says should where the quote says may",
    ("must", ""): "it says must where the quote does not",
    ("must", "may"): "it says must where the quote says may",
    ("must", "should"): "it says must where the quote says should",
    ("may", "must"): "it says may where the quote says must",
    ("should", "must"): "it says should where the quote says must",
    ("will", ""): "it foretells what the quote does not",
    ("will", "may"): "it says will where the quote says may",
    ("will", "should"): "it says will where the quote says should",
    ("will", "must"): "it says will where the quote says must",
    ("must", "will"): "it says must where the quote says will",
    ("should", "will"): "it says should where the quote says will",
    ("may", "should"): "it says may where the quote says should",
}


def _reversed_by_prefix(told: frozenset[str], said: Marks, given: Marks, ground: Ground) -> str:
    """Whether one says unequal where the other says equal, and neither takes it back."""
    theirs = stems_of(ground.sentence, ground.language)
    for one, other in ((told - theirs, theirs - told), (theirs - told, told - theirs)):
        for word in one:
            is_turned = any(word.startswith(each) and word[len(each) :] in other for each in _PREFIXES)
            if is_turned and said.denies == given.denies:
                return "it says the opposite of the quote"
    return ""


_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "des")


def _quantified(sentence: str, theirs: str, own: str, ground: Ground) -> str:
    """Whether some became all, or lost its some."""
    said, given = marks_of(sentence, own), marks_of(theirs, ground.language)
    if said.is_universal and not given.is_universal:
        return "it speaks of all where the quote does not"
    if not said.is_partial and not said.is_universal and given.is_partial and not given.is_universal:
        told = stems_of(sentence, own)
        for following in words_after(theirs, ground.language, "some"):
            if told & words_of(following, ground.language).keys():
                return "the quote speaks of some, the claim of all"
    return ""


def _turned(sentence: str, theirs: str, own: str) -> str:
    """Whether a comparison is there that the quote has not, or anything stands the other way round."""
    if compares(sentence, own) and not compares(theirs, own):
        return "it compares where the quote does not"
    if _is_crossed(compared(sentence, own), compared(theirs, own), own):
        return "it turns the comparison around"
    for pivot in _PIVOTS:
        if _is_crossed(_parted(sentence, pivot), _parted(theirs, pivot), own):
            return "it turns around what comes first"
    is_passive = _PASSIVE.search(folded(sentence)) is not None, _PASSIVE.search(folded(theirs)) is not None
    if is_passive[0] == is_passive[1] and any(
        _is_reversed(list(words_of(clause, own)), list(words_of(other, own)))
        for clause in clauses_of(sentence)
        for other in clauses_of(theirs)
    ):
        return "it turns around who does what"
    return ""


_PIVOTS = tuple(
    re.compile(rf"\b(?:{names})\b")
    for names in ("before|antes", "after|depois|despues|apos", "because|porque|causes?|caused")
)
_PASSIVE = re.compile(r"\b(?:by|por|pel[oa]s?)\b")


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
