"""Dimensions: which a question asks for, such as how tall, and whether a text tells another one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from vivavoce.domain.language.numerals import Number, numbers_in

from .asked_kinds import YEAR, AskedKinds

Dimension = Literal["height", "width", "length", "depth", "thickness", "weight", "age"]


def dimension_asked(low: str, language: str) -> Dimension | None:
    """The dimension that a folded question asks for first; None where it asks for none."""
    leads, words = _LEADS.get(language), _WORDS.get(language)
    if leads is None or words is None:
        return None
    for lead in leads.finditer(low):
        for dimension, named in words.items():
            if named.match(low, lead.end()):
                return dimension
    return "age" if _YEARS_OLD.search(low) else None


def tells_another(asked: Dimension, low: str, language: str, kinds: AskedKinds) -> bool:
    """Whether all numbers of a folded text are of other dimensions, and no word is of the one that is asked.

    A number of which nothing is said may be the one that is asked for.
    """
    words = _WORDS[language]
    if words[asked].search(low) or (asked == "height" and _RISES.search(low)):
        return False
    numbers = [each for each in numbers_in(low, language) if not _YEAR.match(low, each.start)]
    is_dated = asked == "age" and (_YEAR.search(low) is not None or _has_time(low, kinds))
    if not numbers or is_dated:
        return False
    return all(_is_of_another(asked, low, each, words, kinds) for each in numbers)


def _is_of_another(
    asked: Dimension, low: str, number: Number, words: Mapping[Dimension, re.Pattern[str]], kinds: AskedKinds
) -> bool:
    """Whether the words around a number in its clause say that it is of another dimension, or its unit."""
    after = _CLAUSE_END.split(low[number.end : number.end + _NEAR], maxsplit=1)[0].split()[:_FEW]
    before = _CLAUSE_BEGIN.split(low[max(0, number.start - _NEAR) : number.start])[-1].split()[-_FEW:]
    for word in (*after, *reversed(before)):
        told = next((each for each, named in words.items() if named.search(word)), None)
        if told is not None:
            return told != asked
    units = {name: kinds.kinds[name].units for name in ("duration", "weight", "length")}
    beside = frozenset(word.strip(_MARKS) for word in after[:1])
    unit = next((name for name, known in units.items() if not known.isdisjoint(beside)), None)
    return unit is not None and asked not in _MEASURED_IN[unit]


def _has_time(low: str, kinds: AskedKinds) -> bool:
    units = tuple(unit for unit in kinds.kinds["duration"].units if len(unit) > _SHORT)
    return any(word.startswith(units) for word in _WORD.findall(low))


def _named(**dimensions: str) -> dict[Dimension, re.Pattern[str]]:
    return {name: re.compile(rf"\b(?:{words})\b") for name, words in dimensions.items()}  # type: ignore[misc]


_NEAR, _FEW = 60, 4
"""How many characters, and words, on each side of a number say what it measures."""
_SHORT = 3
"""Units that are longer may have endings."""
_MARKS = ".,;:!?()[]\"'"
_WORD = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(
    rf"(?:{YEAR})(?! ?(?:m|km|cm|mm|kg|g)\b| (?:met|kilo|feet|pounds|tonn|quilo|toneladas|pfund))"
)
_CLAUSE_BEGIN = re.compile(r"[,;:()]\s|\.\s|\s(?:and|or|but|mas|y|pero|et|mais|und|oder|aber|ma)\s")
"""Without "e", which may be an "is" that lost its accent."""
_CLAUSE_END = re.compile(r"[,;:()]\s|\.\s|\s(?:and|or|but|e|ou|mas|y|o|pero|et|mais|und|oder|aber|ma)\s")
_RISES = re.compile(
    r"\b(?:ris(?:es|ing)|rose|towers|stands|ergue\w*|eleva\w*|alza\w*|s['\u2019]eleve\w*|ragt|erhebt|svetta)\b"
)
_YEARS_OLD = re.compile(
    r"\b(?:quantos anos tem|quantos anos tinha|cuantos anos (?:tiene|tenia)|quanti anni (?:ha|aveva))\b"
)
_MEASURED_IN: Mapping[str, frozenset[Dimension]] = {
    "duration": frozenset(("age", "length")),
    "weight": frozenset(("weight",)),
    "length": frozenset(("height", "width", "length", "depth", "thickness")),
}
_WORDS = {
    "en": _named(
        height="tall|high|height|elevation|altitude",
        width="wide|width|broad|breadth",
        length="long|length",
        depth="deep|depth",
        thickness="thick|thickness",
        weight=r"heavy|weigh\w*",
        age="old|aged?",
    ),
    "pt": _named(
        height="alt[oa]s?|altura|altitude",
        width="larg[oa]s?|largura",
        length="comprid[oa]s?|comprimento|extensao",
        depth="fund[oa]s?|profund[oa]s?|profundidade",
        thickness="espess[oa]s?|gross[oa]s?|espessura|grossura",
        weight=r"pesad[oa]s?|peso|pes(?:a|am|ava|avam|ou|ando)",
        age="idade|velh[oa]s?",
    ),
    "es": _named(
        height="alt[oa]s?|altura|altitud",
        width="anch[oa]s?|anchura",
        length="larg[oa]s?|longitud",
        depth="hond[oa]s?|profund[oa]s?|profundidad",
        thickness="grues[oa]s?|grosor|espesor",
        weight=r"pesad[oa]s?|peso|pes(?:a|an|aba|aban|o|ando)",
        age="edad|viej[oa]s?",
    ),
    "fr": _named(
        height="hauts?|hautes?|hauteur|altitude",
        width="larges?|largeur",
        length="longs?|longues?|longueur",
        depth="profonde?s?|profondeur",
        thickness="epais|epaisses?|epaisseur",
        weight=r"lourde?s?|poids|pes(?:e|ent|ait|aient|ant)",
        age="age|agee?s?|vieux|vieille",
    ),
    "de": _named(
        height=r"hoch|hohe\w*",
        width=r"breite?\w*",
        length=r"lang|lange[nmrs]?",
        depth=r"tiefe?\w*",
        thickness=r"dicke?\w*",
        weight=r"schwer\w*|gewicht\w*|wieg\w*|wog\w*",
        age="alte?[nmrs]?|alters?",
    ),
    "it": _named(
        height="alt[oaie]|altezza|altitudine",
        width="larg(?:o|a|hi|he)|larghezza",
        length="lung(?:o|a|hi|he)|lunghezza",
        depth="profond[oaie]|profondita",
        thickness="spess[oaie]|spessore",
        weight=r"pesant[ei]|peso|pes(?:a|ano|ava|avano)",
        age="eta|vecchi[oae]?",
    ),
}
_NOUNS = {
    "en": "height|elevation|altitude|width|breadth|length|depth|thickness|weight|age",
    "pt": "altura|altitude|largura|comprimento|extensao|profundidade|espessura|grossura|peso|idade",
    "es": "altura|altitud|anchura|ancho|largo|longitud|profundidad|grosor|espesor|peso|edad",
    "fr": "hauteur|altitude|largeur|longueur|profondeur|epaisseur|poids|age",
    "de": "hohe|breite|lange|tiefe|dicke|gewicht|alter",
    "it": "altezza|altitudine|larghezza|lunghezza|profondita|spessore|peso|eta",
}
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
_LEADS = {
    language: re.compile(rf"\b(?:{_HOW[language]}|(?:{_WHICH[language]})(?=(?:{nouns})\b))")
    for language, nouns in _NOUNS.items()
}
"""What stands right before a dimension that is asked for: before a noun also what asks which one."""
