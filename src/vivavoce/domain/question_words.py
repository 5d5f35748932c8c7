"""Question words: what a question begins with, and what a sentence has that gives it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .languages import small_words
from .vocabulary import words
from .words import folded


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
    found = _ASKED.match(plainly(question))
    if found is None:
        return None
    kind = next(name for name, value in found.groupdict().items() if value is not None)
    return QuestionWord(kind, question[found.start(kind) : found.end(kind)], found.end())


def gives(kind: str, text: str, question: str) -> bool:
    """Whether a text has what a question word asks for, beyond what the question names itself.

    The question word names nothing: "since" of "since when" is in the answer too.
    """
    marks = _GIVEN.get(kind)
    if marks is None:
        return True
    new = _beyond(question, text)
    return _is_named(kind, new) or marks.search(plainly(new)) is not None


def may_give(kind: str, text: str, question: str) -> bool:
    """Whether a text has what a question word asks for, or what is often said in its place."""
    often = _OFTEN.get(kind)
    is_often = often is not None and often.search(plainly(_beyond(question, text))) is not None
    return is_often or gives(kind, text, question)


def plainly(text: str) -> str:
    """The text in small letters without accents, each letter at its place."""
    return text.lower() if text.isascii() else "".join(map(_plain, text))


def _beyond(question: str, text: str) -> str:
    """The text without the words that the question has behind its question word."""
    word = question_word_in(question)
    known = frozenset(_WORD.findall(plainly(question[0 if word is None else word.end :])))
    return _WORD.sub(lambda found: _KNOWN if plainly(found.group()) in known else found.group(), text)


def _is_named(kind: str, text: str) -> bool:
    if kind in ("agent", "person"):
        return any(_is_person(found["name"], text, found.start()) for found in _NAME.finditer(text))
    return kind == "place" and _NAMED_PLACE.search(text) is not None


def _is_person(name: str, text: str, start: int) -> bool:
    """Whether words with capitals may name somebody: "Pell", but neither "The" nor "at Harrow Point"."""
    said = [*_LAST_WORD.findall(text[max(0, start - _NEAR) : start]), *name.split()]
    own = [place for place, each in enumerate(said) if plainly(each) not in _SMALL]
    own = [place for place in own if said[place][0].isupper() and place >= len(said) - len(name.split())]
    if not own or _NO_NAME.fullmatch(plainly(said[own[0]])):
        return False
    return own[0] == 0 or plainly(said[own[0] - 1]) not in _OF_PLACES


@lru_cache(maxsize=2_048)
def _plain(letter: str) -> str:
    return (folded(letter) or letter)[0]


def _any(*phrases: str) -> str:
    return "|".join(phrases)


_WORD = re.compile(r"[^\W_]{4,}|\d+")
_KNOWN = "\u00b7"
"""Stands for a word that the question has itself."""
_OPENING = r"\W*(?:(?:and|but|so|then|ok|okay|or|e|mas|ou|entao|y|pero|entonces)\b[\s,]*){0,2}"
_WHAT = r"(?:what|which|que|qual|quais|cual|cuales)"
_KINDS = (
    ("agent", _any("by whom", "who by", "por quem", "por quien(?:es)?")),
    ("since", _any("since when", "from when(?: on)?", "desde quando", "a partir de quando", "desde cuando")),
    ("until", _any("until when", "till when", "ate quando", "hasta cuando")),
    (
        "time",
        _any(
            "when",
            "quando",
            "cuando",
            rf"(?:in|on|at|em|en|a|de) {_WHAT} (?:year|month|day|date|time|century|ano|mes|dia|data|horas?)",
            rf"{_WHAT} (?:year|day|date|time|horas?)",
        ),
    ),
    (
        "place",
        _any(
            "(?:from |to )?where",
            "(?:de |para |por )?(?:a)?onde",
            "(?:de |en |a )?donde",
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
        ),
    ),
    (
        "frequency",
        _any(
            "how often", "how many times", "com que frequencia", "con que frecuencia", "[qc]uantas ve[zc]es"
        ),
    ),
    ("duration", _any("(?:for )?how long", "(?:por |durante )?[qc]uanto t(?:empo|iempo)")),
    ("price", _any("(?:for )?how much(?: money)?", "(?:por )?[qc]uanto(?! a| ao| aos)")),
    ("count", _any("how many", "[qc]uant[oa]s")),
    (
        "measure",
        r"how (?:high|tall|deep|wide|thick|far|big|large|heavy|fast|old|hot|cold|strong|small|great)",
    ),
    ("company", _any("with whom", "who with", "com quem", "con quien(?:es)?")),
    (
        "recipient",
        _any("(?:to|for|from|of) whom", "whose", "(?:de|para|a) quem", "(?:de|para|a) quien(?:es)?"),
    ),
    ("means", _any("(?:with|from|of|in) what", "com (?:o )?que", "con que", "de que", "em que")),
    ("manner", _any("how", "como", "de que (?:modo|forma|maneira|manera)")),
    ("person", _any("who(?:m)?", "quem", "quien(?:es)?")),
    ("which", _any("which(?: ones?)?", "qua(?:l|is)", "cual(?:es)?")),
    ("thing", _any("what", "o que", "que")),
)
_ASKED = re.compile(
    _OPENING + "(?:" + "|".join(rf"(?P<{kind}>{phrases})\b" for kind, phrases in _KINDS) + r")\s*"
)

_MONTHS = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janeiro|fevereiro"
    r"|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|enero|febrero|mayo|junio|julio"
    r"|septiembre|octubre|noviembre|diciembre"
)
_SEASONS = r"spring|summer|autumn|winter|primavera|verao|outono|inverno|verano|otono|invierno"
_DAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|segundas?|tercas?|quartas?|quintas?|sextas?|sabados?|domingos?"
    r"|lunes|martes|miercoles|jueves|viernes"
)
_HOURS = r"mornings?|afternoon|evenings?|nights?|noon|midnight|manha|tarde|noites?|meio-dia|manana|noches?"
_UNITS = (
    r"seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)|segundos?|minutos?|horas?"
    r"|dias?|noites?|semanas?|mes(?:es)?|anos?|decadas?|seculos?|noches?|siglos?"
)
_NO_PLACE = (
    rf"(?:{_MONTHS}|{_SEASONS}|{_DAYS}|{_HOURS}|{_UNITS}|\d|time|which|that|order|case|all|least|most|once|fact|turn"
    r"|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)\b|primeir\w+|ultim\w+|fim|comeco"
    r"|entanto|geral|fin)"
)
_BY = (
    r"\bby (?!\d|then|now|(?:the |a )?(?:time|end|\w+ing)\b|(?:the )?(?:" + _UNITS + r")\b)"
    r"|\b(?:por|pel[oa]s?)\s(?!\d|isso|causa|falta|exemplo|cento|vez|volta|fim|que\b|quanto|(?:\w+ ){0,3}(?:"
    + _UNITS
    + r")\b)"
)
_GIVEN = {
    "agent": re.compile(rf"{_BY}|\b(?:i|we|my|our|eu|nos|nosotros|yo)\b"),
    "person": re.compile(rf"{_BY}|\b(?:i|we|my|our|eu|nos|nosotros|yo)\b"),
    "company": re.compile(r"\b(?:with|com|con)\b"),
    "since": re.compile(
        r"\b(?:since|desde|a partir)\b|\b(?:for|from|ha)\b.{0,30}(?:\d|\b(?:" + _UNITS + r")\b)"
        r"|\b(?:beg[aiu]n\w*|start\w*|found\w*|open\w*|first|creat\w*|born|come[c\u00e7]\w*|fund\w+|inici\w+|abri\w+"
        r"|cri(?:ad|ou)\w*|nasc\w+|empez\w+|naci\w+)\b.{0,60}\d{4}"
    ),
    "until": re.compile(r"\b(?:until|till|end(?:s|ed)?|ate|hasta|acab\w+|termin\w+|volt\w+)\b|\bto \d"),
    "time": re.compile(
        rf"\d|\b[ap]\.?m\b|\b(?:{_MONTHS}|{_SEASONS}|{_DAYS}|{_HOURS}|today|hoje|hoy)\b"
        r"|\b(?:centur(?:y|ies)|seculos?|siglos?)\b|o'clock"
        rf"|\b(?:{_UNITS}) (?:after|before|later|ago|depois|antes|despues)\b|\bha \w+ (?:{_UNITS})\b"
        r"|\b(?:when|whenever|quando|cuando)\b"
    ),
    "place": re.compile(
        r"\b(?:in|at|on|near|beside|inside|outside|beneath|below|above|under|behind|along|across|off|from"
        r"|between|among|opposite|beyond|around|through|next to"
        r"|em|n[oa]s?|num|numa|dentro|perto|diante|junto|entre|en)\s"
        r"(?:(?:the|an?|his|her|their|its|our|my|d[eoa]s?|el|las?|los|os?|as|uma?)\s)?"
        rf"(?!{_NO_PLACE})[a-z]{{3,}}"
        r"|\b(?:a|as) (?:beira|margem|margens|sombra|volta|entrada|saida|orillas?)\b"
        r"|\bao (?:lado|pe|longo|redor)\b|\bal (?:lado|pie|borde)\b|\b(?:atras|frente|longe|lejos|cerca) "
    ),
    "reason": re.compile(
        r"\b(?:because|due to|owing to|thanks to|so that|in order|therefore|reasons?|caus\w+|result"
        r"|since (?!\d|then)|for (?:he|she|it|they|we|i|the|no|her|his|their)\b"
        r"|to (?:avoid|prevent|keep|make|give|protect|save|help|let|allow|show|stop)\b"
        r"|porque|pois|por causa|por isso|devido|ja que|uma vez que|visto que|gracas|gracias|razao|razon"
        r"|motivos?|a fim"
        r"|por (?:ser|serem|ter|terem|falta|medo|nao|no)\b|para (?:que|n?ao|\w+[aei]r)\b)"
    ),
    "frequency": re.compile(
        rf"\b(?:every|each|daily|weekly|monthly|yearly|once|twice|times|cada|tod[oa]s?|vez(?:es)?|ve(?:z|ces)|diari\w+"
        rf"|semanal\w*|anual\w*|(?:per|an?|por|al) (?:{_UNITS}))\b"
    ),
    "duration": re.compile(rf"\b(?:{_UNITS}|{_HOURS}|{_SEASONS})\b|\b(?:from|since|until|desde|ate|hasta)\b"),
    "price": re.compile(
        r"[$\u20ac\u00a3\d]|\b(?:pounds?|shillings?|guineas?|pence|francs?|dollars?|euros?|cents?|free|pa(?:y|ys|id)|costs?"
        r"|fees?|prices?|reais|real|contos|cruzeiros|centavos|libras|pesos|gratis|gratuit\w+|pag\w+|cust\w+|cuesta\w*"
        r"|precos?|precios?)\b"
    ),
    "means": re.compile(r"\b(?:with|by|of|from|using|through|com|de|por|con|mediante)\b"),
}
"""What gives each kind, in English, Portuguese and Spanish; of the others any sentence may."""
_OFTEN = {
    "reason": re.compile(
        r"\b(?:after|when|as|with the|following|depois|apos|quando|com [oa]s?"
        r"|despues|tras|cuando|con (?:el|las?|los))\b"
    ),
}
"""What is often said in the place of it: "it was closed after the flood"."""
_CAPITAL = r"[A-Z\u00c0-\u00dd][\w'-]+"
_NAME = re.compile(rf"\b(?P<name>{_CAPITAL}(?: (?:(?:d[aeo]s?|de la|von|van) )?{_CAPITAL})*)")
_NEAR = 20
_LAST_WORD = re.compile(r"[^\W_]+(?= $)")
_SMALL = frozenset(plainly(word) for language in ("en", "pt", "es") for word in small_words(language))
_NO_NAME = re.compile(rf"{_MONTHS}|{_SEASONS}|{_DAYS}|{_HOURS}|{_UNITS}|today|hoje|hoy|here|there|aqui|ali")
_OF_PLACES = words("at in of on to the near from em de da do das dos na no nas nos en del al")
_NAMED_PLACE = re.compile(rf"\b(?:of|d[aeo]s?|del)\s(?:the\s)?{_CAPITAL}")
