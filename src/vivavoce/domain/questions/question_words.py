"""Question words: what a question begins with, in several languages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from vivavoce.domain.language.words import folded


class QuestionWord(NamedTuple):
    """The words that a question begins with."""

    kind: str
    """agent, since, time, place, reason and so on."""
    written: str
    """As they were written: "by whom"."""
    end: int
    """Where the rest of the question begins."""


def question_word_in(question: str) -> QuestionWord | None:
    """What a question begins with, after an "and"; None where it begins otherwise."""
    found = _WHERE_IN_FRENCH.match(question) or _ASKED.match(plainly(question))
    if found is None:
        return None
    kind = next(name for name, value in found.groupdict().items() if value is not None)
    return QuestionWord(kind, question[found.start(kind) : found.end(kind)], found.end())


def plainly(text: str) -> str:
    """The text in small letters without accents, each letter at its place."""
    return text.lower() if text.isascii() else "".join(map(_plain, text))


@lru_cache(maxsize=2_048)
def _plain(letter: str) -> str:
    return (folded(letter) or letter)[0]


def _any(*phrases: str) -> str:
    return "|".join(phrases)


_OPENING = (
    r"\W*(?:(?:and|but|so|then|ok|okay|or|e|mas|ou|entao|y|pero|entonces|et|mais|alors|und|aber|oder|ma)\b"
    r"[\s,]*){0,2}"
)
_WHAT = r"(?:what|which|que|qual|quais|cual|cuales|quel(?:le)?s?|welche[mnrs]?|quale|quali|che)"
_WAS = (
    r"was(?= (?:ist|sind|war|waren|wird|werden|wurde|kostet|macht|passiert|sagt|bedeutet|heisst|gibt|hat"
    r"|haben"
    r"|kann|darf|muss|soll|geschah|noch|denn|genau)\b|\W*$)"
)
"""The German word for what, not the English verb."""
_WHERE_IN_FRENCH = re.compile(r"\W*(?:et\s+)?(?P<place>(?:d['\u2019])?o\u00f9)\b\s*", re.IGNORECASE)
"""With its accent: without it the word is "or"."""
_KINDS = (
    ("agent", _any("by whom", "who by", "por quem", "por quien(?:es)?", "par qui", "von wem", "da chi")),
    (
        "since",
        _any(
            "since when",
            "from when(?: on)?",
            "desde quando",
            "a partir de quando",
            "desde cuando",
            "depuis quand",
            "(?:seit|ab) wann",
            "da quando",
        ),
    ),
    (
        "until",
        _any(
            "until when",
            "till when",
            "ate quando",
            "hasta cuando",
            "jusqu.a quand",
            "bis wann",
            "fino a quando",
        ),
    ),
    (
        "time",
        _any(
            "when",
            "quando",
            "cuando",
            "quand",
            "wann",
            rf"(?:in|on|at|em|en|a|de|im|am|an|um) {_WHAT} (?:year|month|day|date|time|century|ano|mes|dia"
            r"|data|horas?"
            r"|annee|mois|jour|heures?|siecle|jahr|monat|tag|uhrzeit|anno|mese|giorno|or[ae]|secolo)",
            rf"{_WHAT} (?:year|day|date|time|horas?|annee|jour|heures?|ora)",
        ),
    ),
    (
        "place",
        _any(
            "(?:from |to )?where",
            "(?:de |para |por )?(?:a)?onde",
            "(?:de |en |a )?donde",
            "wo(?:her|hin)?",
            "(?:da |di )?dove",
            rf"(?:in|at|em|en) {_WHAT} (?:place|town|city|country|lugar|cidade|pais|ciudad)",
        ),
    ),
    (
        "reason",
        _any(
            "why(?: not)?",
            "how come",
            "what for",
            rf"(?:for|por) {_WHAT} (?:reason|razao|motivo|razon)",
            "por ?que(?: nao| no)?",
            "para que",
            "pourquoi(?: pas)?",
            "(?:warum|weshalb|wieso)(?: nicht)?",
            "wozu",
            "perche(?: no| non)?",
        ),
    ),
    (
        "frequency",
        _any(
            "how often",
            "how many times",
            "com que frequencia",
            "con que frecuencia",
            "[qc]uantas ve[zc]es",
            "combien de fois",
            "wie oft",
            "quante volte",
        ),
    ),
    (
        "duration",
        _any(
            "(?:for )?how long",
            "(?:por |durante |per |da )?[qc]uanto t(?:empo|iempo)",
            "combien de temps",
            "wie lange",
        ),
    ),
    (
        "price",
        _any(
            "(?:for )?how much(?: money)?", "(?:por )?[qc]uanto(?! a| ao| aos)", "combien(?! d)", "wie ?viel"
        ),
    ),
    ("count", _any("how many", "[qc]uant[oa]s", "combien (?:de|d(?=.))", "wie ?viele", "quant[ei]")),
    (
        "measure",
        r"how (?:high|tall|deep|wide|thick|far|big|large|heavy|fast|old|hot|cold|strong|small|great)"
        r"|wie (?:hoch|tief|breit|weit|lang|dick|gros|gross|schwer|schnell|alt|heis|kalt|teuer)",
    ),
    (
        "company",
        _any("with whom", "who with", "com quem", "con quien(?:es)?", "avec qui", "mit wem", "con chi"),
    ),
    (
        "recipient",
        _any(
            "(?:to|for|from|of) whom",
            "whose",
            "(?:de|para|a) quem",
            "(?:de|para|a) quien(?:es)?",
            "(?:a|de|pour) qui",
            "fur wen|wem|wessen",
            "(?:a|di|per) chi",
        ),
    ),
    (
        "means",
        _any(
            "(?:with|from|of|in) what",
            "com (?:o )?que",
            "con que",
            "de que",
            "em que",
            "(?:avec|de|en) quoi",
            "womit|woraus",
        ),
    ),
    ("manner", _any("how", "como", "comment", "wie", "come", "de que (?:modo|forma|maneira|manera)")),
    ("person", _any("who(?:m)?", "quem", "quien(?:es)?", "qui", "we[rn]", "chi")),
    (
        "which",
        _any("which(?: ones?)?", "qua(?:l|is)", "cual(?:es)?", "quel(?:le)?s?", "welche[mnrs]?", "qual[ei]"),
    ),
    ("thing", _any("what", "o que", "que", "qu.est-ce qu[ei]", "quoi", _WAS, "(?:che )?cosa", "che")),
)
_ASKED = re.compile(
    _OPENING + "(?:" + "|".join(rf"(?P<{kind}>{phrases})\b" for kind, phrases in _KINDS) + r")\s*"
)
