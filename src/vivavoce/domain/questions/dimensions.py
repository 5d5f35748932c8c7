"""Dimensions: which a question asks for, such as how tall, and whether a text tells another one."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache

from vivavoce.domain.language.numerals import numbers_in
from vivavoce.domain.language.words import folded

from .asked_kinds import YEAR
from .dimension_words import SIZE, UNITS, WORDS, Dimension


def dimension_asked(low: str, language: str) -> Dimension | None:
    """The dimension that a folded question asks for first; None where it asks for none."""
    for lead in _lead(language).finditer(low):
        for dimension in WORDS[language]:
            if _word_of(dimension, language).match(low, lead.end()):
                return dimension
    return "age" if _YEARS_OLD.search(low) else None


def tells_another(asked: Dimension, text: str, language: str, question: Container[str]) -> bool:
    """Whether each number of a text is certainly of a dimension that is no answer.

    It is where it is told as such ("40 metres wide", "a width of 40 metres"), but not by a word of a name, or
    by one that the question has too.
    """
    if has_word_of(asked, text, language):
        return False
    every = left = _marked(text, language)
    for other in WORDS[language].keys() - {asked, *_ANSWERED_BY.get(asked, ())}:
        left = _told(other, language).sub(
            lambda found: "" if all(word not in question for word in found.groups()) else found.group(), left
        )
    return "#" in every and "#" not in left


def has_word_of(dimension: Dimension, text: str, language: str) -> bool:
    """Whether a text has a word of the dimension, or one that may stand for it: a year for an age."""
    low, like = folded(text), _LIKE.get(dimension)
    return bool(_word_of(dimension, language).search(low) or (like is not None and like.search(low)))


def _marked(text: str, language: str) -> str:
    """A folded text with "#" for each number that is no date, and "_" for names, save in German."""
    low = " ".join(folded(text if language == "de" else _NAME.sub("_", text)).split())
    low = _DATED.sub(" ", low)
    for number in reversed(numbers_in(low, language)):
        low = f"{low[: number.start]}#{low[number.end :]}"
    return _ONE.sub("#", low)


@cache
def _lead(language: str) -> re.Pattern[str]:
    """What stands right before a dimension that is asked for: before a noun also what asks which one."""
    nouns = "|".join(noun for _, noun in WORDS[language].values())
    return re.compile(rf"\b(?:{_HOW[language]}|(?:{_WHICH[language]})(?=(?:{nouns})\b))")


@cache
def _word_of(dimension: Dimension, language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(WORDS[language][dimension])})\b")


@cache
def _told(dimension: Dimension, language: str) -> re.Pattern[str]:
    """How numbers are told to be of a dimension; the groups are the words that tell it."""
    adjective, noun = WORDS[language][dimension]
    amount = rf"(?:# ){{0,2}}#[ -]?(?:{UNITS.get(dimension, SIZE)})\b\.?"
    amount = rf"(?:(?:{_BETWEEN}) )?(?:#(?:-| ?\u2013 ?| (?:{_TO}) ))?{amount}"
    amount = rf"{amount}(?: ?\({amount}\))?"
    if language in ("en", "de"):
        beside = rf"[ -]({adjective})\b(?! (?:{_NOT_SO})\b)"
    else:
        beside = rf" de ({adjective})(?<![as])\b"
    before = rf"(?:({adjective})|({noun})(?:(?: (?:{_OF})(?: [\w'\u2019-]+){{1,6}}?)? (?:{_IS}))?:?)"
    return re.compile(
        rf"{amount}{beside}|{amount} (?:(?:{_OF}) |d['\u2019])?({noun})\b"
        rf"|\b{before}(?: (?:{_ABOUT})| d['\u2019]environ)* {amount}"
    )


_ANSWERED_BY: Mapping[Dimension, tuple[Dimension, ...]] = {
    "height": ("weight", "age"),
    "length": ("age",),
    "width": ("thickness",),
    "thickness": ("width",),
}
"""What answers too: "wie hoch" asks for a weight as well, "how long" for years, and a thick wall is wide."""
_LIKE: Mapping[Dimension, re.Pattern[str]] = {
    "height": re.compile(
        r"\b(?:ris(?:es|ing)|rose|towers|ergue\w*|eleva\w*|alza\w*|s['\u2019]eleve|ragt|erhebt|svetta)\b"
    ),
    "age": re.compile(
        rf"{YEAR}|\b(?:years?|decades?|centur\w+|anos?|ans|ann[io]|annees?|decadas?|decennies?|seculos?"
        r"|siglos?|siecles?|jahr\w*|decenni\w*|secol[oi])\b"
    ),
}
_NAME = re.compile(r"(?<=[\w,] )[A-Z\u00c0-\u00dd][\w'\u2019-]*")
_DATED = re.compile(
    r"\b(?:in|since|until|after|before|em|desde|en|depuis|avant|apres|im jahre?|seit|nach|vor|nel|dal|dopo)"
    rf" (?:{YEAR})(?=[.,;:)](?!\d)|$"
    r"| (?:and|but|by|for|to|with|when|[eyo]|por|com|con|et|par|und|von|mit|da|p[ae]ra?|pour)\b)"
)
_ONE = re.compile(rf"\b(?:an?|one|uma?|una?|uno|une|eine?[mnr]?)(?=[ -](?:{SIZE})\b)")
_BETWEEN = r"between # and|zwischen # und|entre # (?:e|y|et)|[tf]ra # e"
_TO = r"to|or|a|o|ou|y|bis|oder"
_OF = r"of|in|de|di|do|da|dos|das|del|della|du|des|der|von|vom|em|en"
_IS = (
    r"is|was|reaches|ist|war|betragt|betrug|misst|liegt|erreicht|est|etait|fait|mesure|atteint|e|era|mede"
    r"|atinge|es|mide|alcanza|misura|raggiunge"
)
_ABOUT = (
    r"of|de|di|von|about|around|nearly|almost|some|roughly|only|over|up to|at (?:least|most)|more than"
    r"|less than|etwa|rund|circa|fast|knapp|bei|mindestens|hochstens|mehr als|bis zu|un[ao]s|cerca|quase|casi"
    r"|ma[is]s|ate|hasta|environ|presque|pres|plus|jusqu['\u2019]a|quasi|piu|oltre|fino a"
)
_NOT_SO = "before|after|ago|since|than|als"
_YEARS_OLD = re.compile(
    r"\b(?:quantos anos tem|quantos anos tinha|cuantos anos (?:tiene|tenia)|quanti anni (?:ha|aveva))\b"
)
_HOW = {
    "en": r"how (?:much (?:\w+ ){1,6}?)?",
    "pt": r"qu(?:ao|anto) ",
    "es": r"(?:como|cuan) (?:de )?|que tan |cuanto ",
    "fr": r"combien (?:[\w-]+ ){0,4}?",
    "de": r"wie ?(?:viel )?",
    "it": r"quanto (?:e |era )?",
}
_WHICH = {
    "en": r"what(?:['\u2019]s| is| was| are| were) the |what ",
    "pt": r"qual (?:e |era |foi |sera )?(?:[ao] )?|que ",
    "es": r"cual (?:es|era|fue) (?:el|la|su) |que ",
    "fr": r"quel(?:le)? (?:(?:est|etait|fut) )?(?:l[ae] |l['\u2019]|son |sa )?",
    "de": r"welche[mnrs]? |was (?:ist|war) (?:der|die|das) ",
    "it": r"qual(?:e | e |'e )?(?:il |la |l['\u2019])?|(?:che|quale) ",
}
