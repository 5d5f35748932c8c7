"""Eras: whether a question is about a time that a corpus cannot speak of, because it ends before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded

from .later_things import LATER_THINGS


class Later(NamedTuple):
    """What a question asks of after the end of a corpus."""

    word: str
    """The year or the word that says so, as the question has it."""
    ends: date
    is_year: bool
    """Whether a time is named; "today" and "latest" only point at one."""
    before: str = ""
    """The word before it in the question, in small letters."""

    def after_of(self, language: str) -> str:
        """The word behind "of", with the article that it has in the question: "da Segunda Guerra Mundial"."""
        said = f"{self.before} {folded(self.word)}"
        forms = [of for of, pattern in _OF_WORDS.get(language, ()) if pattern.match(said)]
        articles = [of for of, befores in _OF.get(language, ()) if self.before in befores]
        of = next(iter((*forms, *articles)), _BARE_OF[language])
        return f"{of}{self.word}" if of.endswith("'") else f"{of} {self.word}"


def later_than(question: str, ends: date | None, now: date) -> Later | None:
    """What the question presupposes that came after the corpus; None where it asks of nothing later.

    Years and centuries count when they lie after its end, words for the present when the end has passed.
    """
    if ends is None:
        return None
    plain = _plain(question)
    for start, end, first_year in _times(plain):
        if first_year > ends.year:
            return Later(question[start:end], ends, True, _word_before(plain, start))
    if now <= ends:
        return None
    for name, began in LATER_THINGS:
        found = name.search(plain)
        if found is not None and began > ends.year:
            start, end = found.span()
            return Later(question[start:end], ends, True, _word_before(plain, start))
    present = _PRESENT.search(plain)
    return None if present is None else Later(question[present.start() : present.end()], ends, is_year=False)


_LONGEST = 20_000
_BARE_OF = {"en": "of", "pt": "de", "es": "de", "fr": "de", "de": "über", "it": "di"}
_OF = {
    "en": (("of the", words("the")),),
    "pt": (
        ("da", words("a da na pela")),
        ("do", words("o do no ao pelo")),
        ("das", words("as das nas pelas")),
        ("dos", words("os dos nos aos pelos")),
    ),
    "es": (
        ("de la", words("la")),
        ("del", words("el del al")),
        ("de las", words("las")),
        ("de los", words("los")),
    ),
    "fr": (
        ("de la", words("la")),
        ("du", words("le du au")),
        ("des", words("les des aux")),
        ("de l'", words("l' d'")),
    ),
    "de": (("über die", words("die")), ("über das", words("das")), ("über den", words("den"))),
    "it": (
        ("della", words("la della nella dalla alla sulla")),
        ("del", words("il del nel dal al sul")),
        ("dell'", words("l' dell' nell' dall' all' sull'")),
        ("dei", words("i dei nei dai ai sui")),
        ("delle", words("le delle nelle dalle alle sulle")),
        ("degli", words("gli degli negli dagli agli sugli")),
    ),
}
"""How a word is led up to, and before which words of a question it is so."""
_DATIVE = r"(?:im|dem|vom|zum|beim) "
_OF_WORDS = {
    "fr": (("d'", re.compile(r"(?!(?:la|le|les|l'|d'|du|des|aux?) )\S* [aeiou]")),),
    "de": (
        ("über das", re.compile(_DATIVE + r".*(?:internet|jahrhundert|fernsehen|flugzeug)$")),
        ("über den", re.compile(_DATIVE + r"\D")),
        ("über die", re.compile(r"den \d+er$")),
    ),
    "it": (("del", re.compile(r"(?!(?:i|gli|negli|degli) )\S* \d")),),
}
"""And where the word itself tells it: "d'internet", "im Weltkrieg" but "über den Weltkrieg"."""
_UNITS = (
    r"pages?|words?|dollars?|euros?|pounds?|reais|pesos|km|kg|cm|mm|miles?|(?:kilo|centi)?met(?:re|er)s?"
    r"|(?:kilo)?grams?|kilos?|ounces?|tons?|tonnes?|lit(?:re|er)s?|gallons?|acres?|hectares?|feet|foot"
    r"|inch(?:es)?|yards?|years?|months?|weeks?|days?|hours?|minutes?|times|copies|degrees?|percent|calories"
    r"|paginas|palavras|palabras|(?:quilo|kilo)?gram[ao]s?|gramos?|quilos?|(?:quilo|kilo)?metros?|litros?"
    r"|toneladas?|hectareas?|libras?|anos|meses|semanas|dias|horas|minutos|vezes|veces|exemplares|ejemplares"
    r"|mots|ans|mois|jours|heures|seiten|worter|jahre|monate|tage|stunden|pagine|parole|metri|litri|mesi|giorni|ore"
)
_COUNTED = (
    r"people|persons?|men|women|children|farmers?|fishers?|fishermen|users?|members?|workers?|soldiers?"
    r"|inhabitants?|participants?|households?|famil(?:y|ies)|villages?|farms?|houses?|seeds?|plants?|trees?"
    r"|animals?|kinds?|varieties|cases|pessoas|personas|homens|hombres|mulheres|mujeres|criancas|ninos"
    r"|familias|casas|aldeias|aldeas|membros|miembros|habitantes|sementes|semillas"
    r"|personnes|hommes|femmes|enfants|habitants|personen|menschen|leute|kinder|einwohner|bucher|persone|uomini"
    r"|donne|bambini|abitanti|libri|livres"
)
_YEAR = re.compile(
    r"(?<![\w.,$\u20ac\u00a3/-])(?:1[0-9]{3}|20[0-9]{2}|21[0-9]{2})(?![\w%\u00b0]|[.,/-]\d)"
    rf"(?!\s*(?:{_UNITS})\b)(?:(?<=\b(?:in|em|en)\ \d\d\d\d)|(?!\s*(?:{_COUNTED})\b))"
)
_COUNTING = re.compile(
    r"\b(?:rules?|sections?|articles?|pages?|numbers?|items?|lines?|verses?|figures?|tables?|lots?|rooms?"
    r"|regra|regla|artigo|articulo|pagina|numero|linha|linea)\.?\s+$"
)
"""What a number behind it counts: no years."""
_DECADE = re.compile(r"(?<![\w.,])((?:1[0-9]|20|21)[0-9]0)(?:'?s|er)\b")
_DECADE_WORDS = re.compile(
    r"\b(?:anos|anos de|decada de|decada del?|los anos|annees|anni) ((?:1[0-9]|20|21)[0-9]0)\b"
)
_CENTURY = re.compile(
    r"\b(1[0-9]|2[0-2])(?:st|nd|rd|th)[ -]centur(?:y|ies)\b"
    r"|\b(twentieth|twenty[ -]first|twenty[ -]second|nineteenth|eighteenth)[ -]centur(?:y|ies)\b"
    r"|\bseculos? (x{0,2}(?:ix|iv|v?i{0,3}))\b|\bsiglos? (x{0,2}(?:ix|iv|v?i{0,3}))\b"
    r"|\b(?:seculo|siglo) (1[0-9]|2[0-2])\b"
    r"|\b(x{1,2}(?:ix|iv|v?i{0,3}))(?:e siecle|eme siecle| secolo)\b"
    r"|\b(1[0-9]|2[0-2])(?:e|eme|\.)? (?:siecle|jahrhunderts?|secolo)\b"
)
_CENTURY_WORDS = {
    "eighteenth": 18,
    "nineteenth": 19,
    "twentieth": 20,
    "twenty first": 21,
    "twenty-first": 21,
    "twenty second": 22,
    "twenty-second": 22,
}
_PRESENT = re.compile(
    r"""\b(?:
      today(?!'s\s+(?:reader|terms))|nowadays|currently|these\s+days|right\s+now|at\s+present|at\s+the\s+moment
    | (?<!\bthe\ )(?<!\bvery\ )(?:this|last|next)\s+(?:year|month|week|decade|century)
    | (?:in|over|during|for)\s+the\s+(?:last|past)\s+(?:few\s+)?(?:years?|months?|weeks?|decades?)
      (?!\s+(?:of|before)\b)
    | yesterday|tomorrow|recently|in\s+recent\s+years
    | (?<!\bat\ )(?<!\bat\ the\ )(?:the\s+)?(?:latest|newest|most\s+recent)
      (?!\s+(?:possible|dates?|days?|time|hours?|moments?|age|deadline|point|frosts?|sowing|planting)\b)
      (?!.*\b(?:when|before|until|at\s+that\s+time)\b)
    | present[ -]day|modern[ -]day|contemporary\s+(?:world|society)
    | (?<!electric\ )(?<!electrical\ )(?<!alternating\ )(?<!direct\ )(?<!river\ )(?<!ocean\ )(?<!water\ )
      (?<!strong\ )(?<!swift\ )(?<!tidal\ )(?<!slow\ )(?:the\s+)?current\s+
      (?!(?:in|of|at|and|or|but|from|to|that|which|under|through|along|on|with|without|by|between|down|up|as|for|into
        |over|near|around|against|is|was|are|were|be|had|has|have|would|could|can|will|may|must|did|does|do|when|where
        |while|if|flow\w*|runs?|ran|running|carr(?:y|ies|ied)|moves?|moved|pulls?|pulled|drives?|drove|turns?|turned
        |speeds?|strength|strong|stronger|weak|slow|fast|swift)\b)\w+
    | (?:in|of|for)\s+our\s+(?:own\s+)?(?:times?|days?|century)
      (?=\s*(?:[^\w\s]|$|(?:and|or|is|are|have|has|do|does|about|on)\b))
    | so\s+far\s+this\s+\w+|up[ -]to[ -]date
    | hoje(?:\s+em\s+dia)?|atualmente|neste\s+momento|ultimamente|recentemente|nos\s+dias\s+atuais
    | (?:este|neste|no\s+ultimo|ano\s+passado|no\s+proximo)\s+(?:ano|mes|seculo)|ano\s+passado|ontem|amanha
    | (?:o|a|os|as|el|la|los|las)\s+(?:atual|atuais|actual|actuales)\s+\w+
    | (?:o|a|os|as)\s+(?:mais\s+recentes?|ultim[oa]s\s+noticias)|nos\s+ultimos\s+anos
    | hoy(?:\s+en\s+dia)?|actualmente|en\s+la\s+actualidad|ultimamente|recientemente|en\s+nuestros\s+dias
    | (?:este|el\s+proximo)\s+(?:ano|mes|siglo)|(?:el\s+)?ano\s+pasado|ayer|manana\s+mismo
    | (?:el|la|los|las)\s+mas\s+recientes?|en\s+los\s+ultimos\s+anos
    | aujourd['\u2019]hui|de\s+nos\s+jours|actuellement|en\s+ce\s+moment|recemment|cette\s+annee|demain
    | l['\u2019]annee\s+(?:derniere|prochaine)|ces\s+dernieres\s+annees|l[ea]s?\s+plus\s+recente?s?
    | heute|heutzutage|derzeit|gegenwartig|zurzeit|momentan|im\s+moment|aktuell(?:e[mnrs]?)?
    | neuerdings|kurzlich|(?:in\s+diesem|dieses|letztes|nachstes)\s+jahr|gestern|in\s+den\s+letzten\s+jahren
    | (?:der|die|das|den)\s+neuesten?
    | oggi(?:giorno)?|al\s+giorno\s+d['\u2019]oggi|attualmente|in\s+questo\s+momento|quest['\u2019]anno
    | (?:l['\u2019])?anno\s+(?:scorso|prossimo)|ieri|domani|negli\s+ultimi\s+anni
    | (?:il|la|i|le)\s+piu\s+recent[ei]
    | (?:il|la|i|gli|le)\s+attual[ei]\s+\w+
    )\b""",
    re.VERBOSE,
)


def _plain(question: str) -> str:
    """The question in lower case and without accents, letter by letter, so that its offsets stay."""
    return "".join((folded(letter) or letter)[0] for letter in question[:_LONGEST])


def _word_before(plain: str, start: int) -> str:
    return next(iter(plain[max(0, start - 20) : start].split()[-1:]), "")


def _times(plain: str) -> Iterator[tuple[int, int, int]]:
    """The years, decades and centuries that are named, each with its place and its first year."""
    for found in _YEAR.finditer(plain):
        if _COUNTING.search(plain[max(0, found.start() - 20) : found.start()]) is None:
            yield found.start(), found.end(), int(found.group())
    for pattern in (_DECADE, _DECADE_WORDS):
        for found in pattern.finditer(plain):
            yield found.start(), found.end(), int(found.group(1))
    for found in _CENTURY.finditer(plain):
        written = next((each for each in found.groups() if each), "")
        century = int(written) if written.isdecimal() else _CENTURY_WORDS.get(written) or _roman(written)
        if century:
            yield found.start(), found.end(), 100 * (century - 1) + 1


def _roman(written: str) -> int:
    worth = {"i": 1, "v": 5, "x": 10}
    values = [worth[letter] for letter in written]
    return sum(
        -value if any(later > value for later in values[place + 1 : place + 2]) else value
        for place, value in enumerate(values)
    )
