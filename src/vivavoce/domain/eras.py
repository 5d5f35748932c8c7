"""Eras: whether a question is about a time that a corpus cannot speak of, because it ends before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from .vocabulary import words
from .words import folded


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
        of = next((of for of, befores in _OF.get(language, ()) if self.before in befores), _BARE_OF[language])
        return f"{of} {self.word}"


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
    for name, began in _LATER_THINGS:
        found = name.search(plain)
        if found is not None and began > ends.year:
            start, end = found.span()
            return Later(question[start:end], ends, True, _word_before(plain, start))
    present = _PRESENT.search(plain)
    return None if present is None else Later(question[present.start() : present.end()], ends, is_year=False)


_LONGEST = 20_000
_BARE_OF = {"en": "of", "pt": "de", "es": "de"}
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
}
"""How a word is led up to, and before which words of a question it is so."""
_UNITS = (
    r"pages?|words?|dollars?|euros?|pounds?|reais|pesos|km|kg|cm|mm|miles?|(?:kilo|centi)?met(?:re|er)s?"
    r"|(?:kilo)?grams?|kilos?|ounces?|tons?|tonnes?|lit(?:re|er)s?|gallons?|acres?|hectares?|feet|foot"
    r"|inch(?:es)?|yards?|years?|months?|weeks?|days?|hours?|minutes?|times|copies|degrees?|percent|calories"
    r"|paginas|palavras|palabras|(?:quilo|kilo)?gram[ao]s?|gramos?|quilos?|(?:quilo|kilo)?metros?|litros?"
    r"|toneladas?|hectareas?|libras?|anos|meses|semanas|dias|horas|minutos|vezes|veces|exemplares|ejemplares"
)
_COUNTED = (
    r"people|persons?|men|women|children|farmers?|fishers?|fishermen|users?|members?|workers?|soldiers?"
    r"|inhabitants?|participants?|households?|famil(?:y|ies)|villages?|farms?|houses?|seeds?|plants?|trees?"
    r"|animals?|kinds?|varieties|cases|pessoas|personas|homens|hombres|mulheres|mujeres|criancas|ninos"
    r"|familias|casas|aldeias|aldeas|membros|miembros|habitantes|sementes|semillas"
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
_DECADE = re.compile(r"(?<![\w.,])((?:1[0-9]|20|21)[0-9]0)'?s\b")
_DECADE_WORDS = re.compile(r"\b(?:anos|anos de|decada de|decada del?|los anos) ((?:1[0-9]|20|21)[0-9]0)\b")
_CENTURY = re.compile(
    r"\b(1[0-9]|2[0-2])(?:st|nd|rd|th)[ -]centur(?:y|ies)\b"
    r"|\b(twentieth|twenty[ -]first|twenty[ -]second|nineteenth|eighteenth)[ -]centur(?:y|ies)\b"
    r"|\bseculos? (x{0,2}(?:ix|iv|v?i{0,3}))\b|\bsiglos? (x{0,2}(?:ix|iv|v?i{0,3}))\b"
    r"|\b(?:seculo|siglo) (1[0-9]|2[0-2])\b"
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
    )\b""",
    re.VERBOSE,
)
_LATER_THINGS = tuple(
    (re.compile(rf"\b(?:{names})\b"), began)
    for names, began in (
        (r"hot[ -]air balloons?|montgolfiers?|balao de ar quente", 1783),
        (r"french revolution|revolucao francesa|revolucion francesa|fall of the bastille|robespierre", 1789),
        (r"queda da bastilha|toma de la bastilla|reign of terror", 1789),
        (r"haitian revolution|revolucao haitiana|revolucion haitiana", 1791),
        (r"guillotines?|guilhotinas?|guillotinas?", 1792),
        (r"napoleon(?:ic)?(?: bonaparte)?|napoleao(?: bonaparte)?|napoleonic[oa]s?|bonaparte", 1796),
        (r"louisiana purchase|steam locomotives?|locomotivas?|locomotoras?", 1803),
        (r"battle of waterloo|batalha de waterloo|batalla de waterloo|congress of vienna", 1814),
        (r"independencia do brasil|independence of brazil|dom pedro i|monroe doctrine", 1821),
        (r"railways?|railroads?|ferrovias?|caminhos? de ferro|estradas? de ferro|ferrocarril(?:es)?", 1825),
        (r"queen victoria|victorian (?:era|age|england)|rainha vitoria|reina victoria", 1837),
        (r"photograph(?:s|y|ers?)?|fotografias?|electric telegraphs?|telegrafo eletrico", 1837),
        (r"(?:charles )?darwin|darwinism|darwinismo|origin of species|origem das especies", 1839),
        (r"(?:karl )?marx|marxis(?:m|mo|t|ts|ta|tas)|communist manifesto|manifesto comunista", 1842),
        (
            r"opium wars?|guerras? do opio|an(?:a?)esthesia|anestesia|dinosaurs?|dinossauros?|dinosaurios?",
            1839,
        ),
        (r"american civil war|guerra civil americana|abraham lincoln|bismarck|paraguayan war", 1858),
        (r"guerra do paraguai|red cross|cruz vermelha|cruz roja|dynamite|dinamite|dinamita", 1863),
        (r"periodic table|tabela periodica|tabla periodica|suez canal|canal de suez", 1859),
        (r"paris commune|comuna de paris|franco-prussian war|guerra franco-prussiana", 1870),
        (r"electric light|telefone|telephone|telefono", 1876),
        (r"automobiles?|automovel|automoveis|automoviles", 1886),
        (r"lei aurea|proclamacao da republica", 1888),
        (r"radios?|x-rays?|raios x|rayos x|psychoanalysis|psicanalise|psicoanalisis|freud", 1895),
        (r"einstein|theory of relativity|teoria da relatividade|teoria de la relatividad", 1905),
        (r"russian revolution|revolucao russa|revolucion rusa|bolsheviks?|bolcheviques?|stalin", 1917),
        (r"penicillin|penicilina|antibiotics?|antibioticos?", 1928),
        (r"cinema|movies?|filmes?|peliculas?", 1895),
        (r"airplanes?|aeroplanes?|avioes|aviao|aviones?", 1903),
        (
            r"first world war|world war (?:i|1|one)|ww ?[1i]|primeira guerra mundial|primera guerra mundial",
            1914,
        ),
        (r"soviet union|uniao sovietica|union sovietica", 1922),
        (r"television|televisao", 1926),
        (r"nazis?|hitler|holocaust|holocausto", 1933),
        (r"second world war|world war (?:ii|2|two)|ww ?(?:ii|2)|segunda guerra mundial", 1939),
        (r"nuclear (?:weapons?|power|energy)|atomic bombs?|bomba atomica|energia nuclear", 1939),
        (r"united nations|nacoes unidas|naciones unidas", 1945),
        (r"cold war|guerra fria", 1947),
        (r"computers?|computador(?:es|as?)?|ordenador(?:es)?", 1940),
        (r"european union|uniao europeia|union europea", 1992),
        (r"the internet|internet|world wide web", 1983),
        (r"e-?mails?", 1971),
        (r"smartphones?|iphones?|wikipedia|google|facebook|whatsapp|instagram|twitter|youtube", 1998),
        (r"social media|social networks online|redes sociais|redes sociales", 2003),
        (r"bitcoin|blockchains?|cryptocurrenc(?:y|ies)|criptomoedas?|criptomonedas?", 2008),
        (r"paris agreement|acordo de paris|acuerdo de paris", 2015),
        (r"brexit", 2016),
        (r"covid(?:-19)?|coronavirus", 2019),
        (r"artificial intelligence|inteligencia artificial|machine learning|aprendizado de maquina", 1956),
        (r"moon landing|pouso na lua|alunizaje|space travel|satelites artificiais|vietnam war", 1955),
        (r"climate change|global warming|mudancas? climaticas?|aquecimento global|cambio climatico", 1975),
        (r"september 11 attacks|9/11|11 de setembro de 2001|war on terror", 2001),
        (r"barack obama|donald trump|joe biden|vladimir putin|tiktok|elon musk", 1999),
        (r"chatgpt|gpt-\d\w*|large language models?|generative ai|ia generativa", 2020),
        (r"ai (?:models?|systems?|assistants?|agents?)|chatbots?|modelos de linguagem", 2016),
        (r"war in ukraine|guerra na ucrania|guerra de ucrania", 2014),
    )
)
"""Things of which the year is known in which they began; what a corpus that ended before cannot speak of."""


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
