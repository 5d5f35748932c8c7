"""Agreeing: whether a claim denies, demands, counts and compares as its quote does."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from vivavoce.domain.language.words import folded, words_of

from .grounds import Ground, clauses_of, is_held, share_of, stems_of
from .modality import Marks, frames_of, marks_of, opens_with_condition, words_after
from .turning import turned


class Framing(NamedTuple):
    """Whether a sentence says a thing as its quote does, or the quote doubts, asks or only reports it."""

    objection: str = ""
    differs: bool = False
    """Whether anything of the kind stands in one and not in the other, wherever in the sentence."""
    doubt: str = ""
    """What may be lost with a clause that follows what is said: "unless it rains"."""


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
        objection = objection or _denied_in_part(sentence, own, ground) or _replaced(sentence, own, ground)
        objection = objection or _contrasted(sentence, own, ground)
        objection = objection or _quantified(sentence, theirs, own, ground) or turned(sentence, theirs, own)
        if objection:
            return objection
    return ""


def disagreement_across(statement: str, own: str, ground: Ground) -> str:
    """Between two languages: whether denial and force agree as a whole."""
    said, given = marks_of(statement, own), marks_of(ground.sentence, ground.language)
    if said.denies != given.denies and not (said.nearly_denies or given.nearly_denies):
        return DENIED if given.denies else DENIES
    if said.force == "must" and given.force not in ("must", "should"):  # "deve" is both
        return _FORCES[("must", given.force)]
    if said.is_universal and not given.is_universal:
        return "it speaks of all where the quote does not"
    is_doubted = any("untrue" in frames_of(each, ground.language) for each in ground.sentences)
    if is_doubted and not (said.denies or said.nearly_denies or "untrue" in frames_of(statement, own)):
        return _FRAMES["untrue"]
    return "it is surer than the quote" if said.is_proved and not given.is_proved else ""


DENIED = "the quote denies what it says"
DENIES = "it denies what the quote says"
_FRAMES = {
    "untrue": DENIED,
    "asks": "the quote asks what it says",
    "if": "the quote says it under a condition, the claim without",
    "said": "the quote says that it is said to be so, the claim that it is",
    "once": "the quote says that it was so once, the claim that it is",
    "like": "the quote says that it is as if it were so, the claim that it is",
    "meant": "the quote says that it was meant to be so, the claim that it is",
}
_SAME = {
    "asks": re.compile(r"\b(?:ask|wonder|question|doubt|pergunt|indag|duvid|pregunt|dud)\w*"),
    "if": re.compile(
        r"\b(?:when|whenever|where|once|would|could|without|quando|caso|onde|sem|cuando|donde|sin|\w{2,}ria[mn]?"
        r"|(?:offer|promis|propos|oferec|promet|ofrec)\w*)\b"
    ),
    "like": re.compile(r"\b(?:like\w*|resembl\w*|compar\w*|almost|seem\w*|como|parec\w*|quase|casi)\b"),
    "meant": re.compile(r"\b(?:will|would|should|to be|wish\w*|plan\w*|pledg\w*|deveria\w*|ira|iria)\b"),
}
"""Other words in which a claim may say of a thing that it is asked, conditional, likened or meant."""


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
    near = [*_conditions(pieces, near, language), *near]
    theirs = " ".join(near) or rest
    said, given = frames_of(sentence, own), frames_of(rest, language)
    marks, others = marks_of(sentence, own), marks_of(theirs, language)
    lost = (frames_of(theirs, language) | (given & {"asks"})) - said
    lost -= {kind for kind, same in _SAME.items() if same.search(folded(sentence)) is not None}
    if marks.denies or marks.nearly_denies:
        lost -= {"untrue"}
    if not any(told & words_of(each, language).keys() for each in words_after(theirs, language, "once")):
        lost -= {"once"}
    objection = next((text for kind, text in _FRAMES.items() if kind in lost), "")
    whole = marks_of(rest, language)
    if "untrue" in said - given and not (whole.denies or whole.nearly_denies):
        objection = objection or DENIES
    differs = said != given or marks.is_hinted != others.is_hinted
    limits = [
        after for one, after in pairwise(pieces) if one in near and opens_with_condition(after, language)
    ]
    doubt = "" if "if" in said or _SAME["if"].search(folded(sentence)) or not limits else _FRAMES["if"]
    return Framing(objection, differs or marks.nearly_denies != others.nearly_denies, doubt)


def _conditions(pieces: list[str], near: list[str], language: str) -> list[str]:
    """The clauses that begin a sentence, or a part of it, with a condition of what is near."""
    return [
        one
        for place, one in enumerate(pieces)
        if (place == 0 or _BEGINS.match(one)) and one not in near and opens_with_condition(one, language)
        if place == 0 or set(pieces[place + 1 : place + 2]) & set(near)
    ]


_BEGINS = re.compile(r"\s*(?:[;:]|,?\s*(?:and|but|mas|e|pero|y)\b)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


def _matching(told: frozenset[str], ground: Ground) -> str:
    """The fewest clauses of the quote's sentences that hold all that these have of what is told."""
    held = [(piece, _held(told, piece, ground.language)) for piece in _pieces(ground)]
    kept: set[int] = set()
    found: frozenset[str] = frozenset()
    for place in sorted(range(len(held)), key=lambda each: -len(held[each][1])):
        if held[place][1] - found:
            kept.add(place)
            found |= held[place][1]
    return " , ".join(held[place][0] for place in sorted(kept)) or ground.sentence


def _pieces(ground: Ground) -> list[str]:
    return [piece for each in _SENTENCE.split(ground.sentence) for piece in clauses_of(each)]


def _held(told: frozenset[str], piece: str, language: str) -> frozenset[str]:
    """The words of what is told that a clause has."""
    stems = stems_of(piece, language)
    return frozenset(word for word in told if is_held(word, stems, False))


def _against(said: Marks, given: Marks) -> str:
    is_opposed = any(
        said.side(number) != given.side(number) and given.side(number) is not None
        for number in said.opposites
    )
    differs = said.denies != given.denies
    is_soft = said.nearly_denies if given.denies else given.nearly_denies
    if differs and not is_opposed and not is_soft:
        return DENIED if given.denies else DENIES
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
    is_turned = _has_prefixed(told, stems_of(ground.sentence, ground.language))
    return "it says the opposite of the quote" if is_turned and said.denies == given.denies else ""


def _has_prefixed(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one text has a word that the other has with "un" or the like before it."""
    alone = one - other, other - one
    return any(
        word.startswith(prefix) and word[len(prefix) :] in theirs
        for ours, theirs in (alone, alone[::-1])
        for word in ours
        for prefix in _PREFIXES
    )


def _denied_in_part(sentence: str, own: str, ground: Ground) -> str:
    """Whether a clause is denied that the claim says in the same words, or the other way round."""
    for clause in clauses_of(sentence):
        told = stems_of(clause, own)
        likest = max(_pieces(ground), key=lambda piece: len(_held(told, piece, ground.language)), default="")
        if len(told) < _CLAUSE_WORDS or len(_held(told, likest, ground.language)) < _SAME_CLAUSE * len(told):
            continue
        said, given = marks_of(clause, own), marks_of(likest, ground.language)
        is_soft = said.nearly_denies or given.nearly_denies or said.sides != given.sides
        is_soft = is_soft or _has_prefixed(told, stems_of(likest, ground.language))
        if said.denies != given.denies and not is_soft:
            return DENIED if given.denies else DENIES
    return ""


def _replaced(sentence: str, own: str, ground: Ground) -> str:
    """Whether it says what the quote names only to say what is there instead."""
    if marks_of(sentence, own).denies or words_after(sentence, own, "instead"):
        return ""
    told = stems_of(sentence, own)
    for following in words_after(ground.sentence, ground.language, "instead"):
        named = stems_of(following, ground.language)
        if named and all(is_held(word, told, False) for word in named):
            return DENIED
    return ""


def _contrasted(sentence: str, own: str, ground: Ground) -> str:
    """Whether it denies what the quote says and says what it denies: "the rich, not the poor"."""
    told, given = stems_of(sentence, own), stems_of(ground.sentence, ground.language)
    ours, theirs = _denied_beside(sentence, own), _denied_beside(ground.sentence, ground.language)
    is_turned = bool(theirs & (told - ours)) and bool(ours & (given - theirs))
    return DENIED if is_turned else ""


def _denied_beside(text: str, language: str) -> frozenset[str]:
    """The words of what is denied beside what is said: the rich in "the poor, not the rich"."""
    return frozenset(
        stem
        for following in words_after(text, language, "beside")
        for stem in stems_of(_UP_TO.split(following, maxsplit=1)[0], language)
    )


_UP_TO = re.compile(r"[,;:.]|\b(?:but|mas|sino)\b")
_CLAUSE_WORDS = 2
_SAME_CLAUSE = 0.6
"""Which share of its words a clause of the quote must hold to be the one that a clause of a claim repeats."""
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
