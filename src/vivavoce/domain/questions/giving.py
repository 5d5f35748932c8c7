"""Giving: whether a sentence has what a question word asks for."""

from __future__ import annotations

import re

from vivavoce.domain.language.languages import language_of, small_words
from vivavoce.domain.language.vocabulary import words

from .expecting import Expected
from .question_words import plainly, question_word_in


def gives(kind: str, text: str, question: str) -> bool:
    """Whether a text has what a question word asks for, beyond what the question names itself.

    The question word names nothing: "since" of "since when" is in the answer too.
    """
    marks = _GIVEN.get(kind)
    if marks is None:
        return True
    new = _beyond(question, text)
    language = language_of(text)
    if language in _BY_KIND:
        return kind not in _EXPECTED or Expected(_EXPECTED[kind], language, frozenset()).is_in(new)
    return _is_named(kind, new) or marks.search(plainly(new)) is not None


def may_give(kind: str, text: str, question: str) -> bool:
    """Whether a text has what a question word asks for, or what is often said in its place."""
    often = _OFTEN.get(kind)
    is_often = often is not None and often.search(plainly(_beyond(question, text))) is not None
    return is_often or gives(kind, text, question)


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


_WORD = re.compile(r"[^\W_]{4,}|\d+")
_KNOWN = "\u00b7"
"""Stands for a word that the question has itself."""
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
        r"|porque|pois|por causa|por isso|devido|ja que|ya que|uma vez que|una vez que|visto que|dado que"
        r"|posto que|puesto que|gracas|gracias|razao|razon"
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
_BY_KIND = ("fr", "de", "it")
"""Languages of which it is told by what questions ask for; what has no kind there any sentence may give."""
_EXPECTED = {
    "time": "date",
    "since": "date",
    "until": "date",
    "reason": "reason",
    "price": "money",
    "duration": "duration",
    "agent": "person",
    "person": "person",
}
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
