"""Numerals: the numbers in a text, in figures and in words, so that they can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from .words import folded


class Number(NamedTuple):
    """A number, and where it stands."""

    value: str
    """Written plainly: 1200, 0.5, 3th for one that orders, x2 for one that multiplies, 5% of a hundred."""
    start: int
    end: int


def numbers_in(text: str, language: str) -> list[Number]:
    """The numbers of a text in their order. A lone "one" is left out: it mostly counts nothing."""
    found = sorted(_numbers(text, language), key=lambda each: each.start)
    return [_in_percent(text, each) for each in found]


def is_about(text: str, number: Number) -> bool:
    """Whether a number is only a bound or an estimate where it stands: at least 5, about 5."""
    return _ABOUT.search(folded(text[max(0, number.start - _NEAR) : number.start])) is not None


def ranges_in(text: str, numbers: Sequence[Number]) -> list[tuple[str, str]]:
    """The pairs of numbers between which something lies: between 1950 and 1960."""
    return [
        (first.value, second.value)
        for first, second in pairwise(numbers)
        if _BETWEEN_TWO.search(folded(text[max(0, first.start - _NEAR) : first.start])) is not None
        and _JOINS.fullmatch(folded(text[first.end : second.start])) is not None
    ]


def plain_number(written: str) -> str:
    """A number without the marks of its thousands, a full hour without its minutes."""
    head, *groups = re.split("[.,:]", written)
    if ":" in written and groups == ["00"]:
        groups = []
    elif groups and all(len(group) == 3 for group in groups):
        head, groups = head + "".join(groups), []
    elif len(groups) > 1 and all(len(group) == 3 for group in groups[:-1]):
        head, groups = head + "".join(groups[:-1]), groups[-1:]
    decimals = groups[-1].rstrip("0") if len(groups) == 1 and ":" not in written else ".".join(groups)
    return (head.lstrip("0") or "0") + (f".{decimals}" if decimals else "")


_NEAR = 24
_LARGEST = 10**18
"""Where "hundred hundred hundred" counts nothing any more."""
_ARTICLE = r"(?:the |os? |as? |los? |las? |el )?$"
_ABOUT = re.compile(
    r"(?:(?<!\w)(?:at (?:least|most)|up to|(?:more|less|fewer) than|about|around|approximately|roughly|nearly"
    r"|almost|near|close to|some|over|under|above|below|upwards of"
    r"|abaixo de|acima de|perto de|(?:pelo|ao|por lo|al) menos|(?:no|como|a lo) maximo|mai?s de|menos de"
    r"|cerca de|quase|casi|aproximadamente|alrededor de|uns|unos|unas|ate|hasta)\s+|[~\u2248<>]\s*)"
    + _ARTICLE
)
_BETWEEN_TWO = re.compile(r"(?<!\w)(?:between|entre)\s+" + _ARTICLE)
_JOINS = re.compile(r"\s+(?:and|e|y)\s+" + _ARTICLE)
_PERCENT = re.compile(
    r"(?:\s*(?:to|or|and|a|e|ou|y|o|[-\u2013])\s*\d[\d.,]*)?\s*"
    r"(?:%|(?:percent|per\s+cent|por\s+cento|por\s+ciento|pct)\b)",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"\d{1,20}(?:[.,:]\d{1,20}){0,6}")
_ORDERS = re.compile(r"(?:st|nd|rd|th|\u00ba|\u00aa|o|a)\b")
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"[ \t\n-]{1,4}")

_UNITS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "pt": "um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis "
    "dezessete dezoito dezenove",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco "
    "veintiseis veintisiete veintiocho veintinueve",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "de": "ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
    "it": "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici "
    "sedici diciassette diciotto diciannove",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "fr": "vingt trente quarante cinquante soixante",
    "de": "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
}
_HUNDREDS = {
    "pt": "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
    "es": "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
    "novecientos",
}
_OTHERS = {
    "en": {"threescore": 60, "fourscore": 80},
    "pt": {"uma": 1, "duas": 2, "cem": 100, "quatorze": 14, "meia": 0},
    "es": {"una": 1, "un": 1, "cien": 100},
    "fr": {"une": 1, "vingts": 20, "septante": 70, "huitante": 80, "nonante": 90},
    "de": {"eine": 1, "einen": 1, "einem": 1, "einer": 1, "eines": 1},
    "it": {"una": 1, "un": 1, "vent": 20, "trent": 30, "quarant": 40, "cinquant": 50, "sessant": 60},
}
_SCALES = {
    "en": {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "dozen": 12},
    "pt": {"mil": 1_000, "milhao": 10**6, "milhoes": 10**6, "bilhao": 10**9, "bilhoes": 10**9, "duzia": 12},
    "es": {"mil": 1_000, "millon": 10**6, "millones": 10**6, "docena": 12},
    "fr": {"cent": 100, "cents": 100, "mille": 1_000, "million": 10**6, "millions": 10**6, "douzaine": 12},
    "de": {"hundert": 100, "tausend": 1_000, "million": 10**6, "millionen": 10**6, "dutzend": 12},
    "it": {"cento": 100, "mille": 1_000, "mila": 1_000, "milione": 10**6, "milioni": 10**6, "dozzina": 12},
}
_ORDINALS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "pt": "primeiro segundo terceiro quarto quinto sexto setimo oitavo nono decimo",
    "es": "primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo",
    "fr": "premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme",
    "de": "erste zweite dritte vierte funfte sechste siebte achte neunte zehnte",
    "it": "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
}
_MULTIPLES = {
    "en": {"twice": "x2", "double": "x2", "doubled": "x2", "triple": "x3", "thrice": "x3", "half": "1/2"},
    "pt": {"dobro": "x2", "triplo": "x3", "metade": "1/2"},
    "es": {"doble": "x2", "triple": "x3", "mitad": "1/2"},
    "fr": {"double": "x2", "triple": "x3", "moitie": "1/2"},
    "de": {"doppelt": "x2", "dreifach": "x3", "halfte": "1/2"},
    "it": {"doppio": "x2", "triplo": "x3", "meta": "1/2"},
}
_JOINERS = {"en": "and", "pt": "e", "es": "y", "fr": "et", "de": "und", "it": "e"}
_INFLECTED = ("pt", "es", "it")
"""Languages in which words for numbers have a feminine of their own."""


@cache
def _small(language: str) -> Mapping[str, int]:
    known = {word: place for place, word in enumerate(_UNITS.get(language, "").split(), start=1)}
    known |= {word: 10 * place for place, word in enumerate(_TENS.get(language, "").split(), start=2)}
    known |= {word: 100 * place for place, word in enumerate(_HUNDREDS.get(language, "").split(), start=1)}
    feminine = {f"{word[:-2]}as": value for word, value in known.items() if value >= 200}
    return {
        **known,
        **feminine,
        **_compounds(language, known),
        **{word: value for word, value in _OTHERS.get(language, {}).items() if value},
    }


def _compounds(language: str, small: Mapping[str, int]) -> dict[str, int]:
    """The numbers that are one word of several: "vierundzwanzig", "duecento", "trentotto"."""
    ones = {word: value for word, value in small.items() if value < 10}
    tens = {word: value for word, value in small.items() if 20 <= value < 100}
    if language == "de":
        below = {f"{one}und{ten}": a + b for one, a in ones.items() for ten, b in tens.items()}
        scales = {"hundert": 100, "tausend": 1_000}
    elif language == "it":
        below = {
            f"{ten[:-1] if one[0] in 'uo' else ten}{one}": a + b
            for one, a in ones.items()
            for ten, b in tens.items()
        }
        scales = {"cento": 100, "mila": 1_000}
    else:
        return {}
    hundreds = {f"{one}{word}": a * scale for one, a in small.items() for word, scale in scales.items()}
    known = {**{word: scale for word, scale in scales.items() if scale == 100}, **hundreds}
    above = {
        f"{word}{rest}": a + b
        for word, a in known.items()
        if a < 1_000
        for rest, b in {**small, **below}.items()
    }
    return {**below, **hundreds, **above}


@cache
def _ordinals(language: str) -> Mapping[str, str]:
    """From the second on: the first of something is mostly no number."""
    listed = list(enumerate(_ORDINALS.get(language, "").split(), start=1))[1:]
    known = {word: f"{place}th" for place, word in listed}
    return {**known, **{f"{word[:-1]}a": value for word, value in known.items() if language in _INFLECTED}}


def _in_percent(text: str, number: Number) -> Number:
    return number if _PERCENT.match(text, number.end) is None else number._replace(value=f"{number.value}%")


def _numbers(text: str, language: str) -> Iterator[Number]:
    known = language if language in _UNITS else "en"
    figures = [_figure(text, found, known) for found in _FIGURES.finditer(text)]
    yield from figures
    taken = {place for each in figures for place in range(each.start, each.end)}
    yield from (each for each in _written_out(text, known) if each.start not in taken)


def _figure(text: str, found: re.Match[str], language: str) -> Number:
    value = plain_number(found.group())
    orders = _ORDERS.match(text, found.end())
    if orders is not None:
        return Number(f"{value}th", found.start(), orders.end())
    word = _WORD.match(text, found.end() + 1)
    scale = 0 if word is None else _SCALES[language].get(folded(word.group()), 0)
    if word is None or scale < 1_000:
        return Number(value, found.start(), found.end())
    try:
        scaled = float(value) * scale
    except ValueError:
        return Number(value, found.start(), found.end())
    return Number(f"{scaled:.0f}" if scaled == int(scaled) else str(scaled), found.start(), word.end())


def _written_out(text: str, language: str) -> Iterator[Number]:
    small, scales, ordinals = _small(language), _SCALES[language], _ordinals(language)
    run: list[tuple[int, bool]] = []
    start = end = 0
    is_joined = False
    for found in _WORD.finditer(text):
        word = folded(found.group())
        follows = run and _BETWEEN.fullmatch(text, end, found.start()) is not None
        if run and not follows:
            yield from _of_run(run, start, end, language)
            run = []
        if word in small or word in scales:
            if not run:
                start = found.start()
            run.append((small.get(word, scales.get(word, 0)), word in scales))
            end, is_joined = found.end(), False
        elif run and word == _JOINERS[language] and not is_joined:
            end, is_joined = found.end(), True
        else:
            yield from _of_run(run, start, end, language)
            run = []
            if word in ordinals and not _is_according(word, text[: found.start()], language):
                yield Number(ordinals[word], found.start(), found.end())
            elif word in _MULTIPLES[language]:
                yield Number(_MULTIPLES[language][word], found.start(), found.end())
    yield from _of_run(run, start, end, language)


def _is_according(word: str, before: str, language: str) -> bool:
    """Whether the word for "second" says according to whom: as a number it follows an article."""
    return language == "pt" and word == "segundo" and _LEADS.search(folded(before[-_NEAR:])) is None


_LEADS = re.compile(r"\b(?:[oa]|[dn][oa]|ao|a|em|um|pelo|num|este|esse|seu|meu|artigo|art\.|e)\s+$")


def _of_run(run: list[tuple[int, bool]], start: int, end: int, language: str) -> Iterator[Number]:
    """The number that words side by side say: two hundred and five, nineteen ninety."""
    if not run or (len(run) == 1 and run[0][0] == 1):
        return
    total, current = 0, 0
    for value, is_scale in run:
        if is_scale and value == 100:
            current = min(max(current, 1) * 100, _LARGEST)
        elif is_scale:
            total, current = total + max(current, 1) * value, 0
        elif language == "fr" and value == 20 and current % 100 == 4:  # quatre-vingt
            current += 76
        elif language != "fr" and 10 <= current <= 20 and value >= 10:
            current = current * 100 + value
        else:
            current += value
    yield Number(str(total + current), start, end)
