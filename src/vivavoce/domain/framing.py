"""Framing: how a student of a thinker speaks: quotes with attribution, limits in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from .citation_styles import Cited, Style, names_of, one_line, referenced, surname_of
from .grounds import unbroken
from .languages import language_of

SPOKEN = ("en", "pt", "es")
"""The languages that a student speaks; quotes stay in their own."""
Voice = Literal["writes", "says", "read"]


class Quotation(NamedTuple):
    """Words of a work that are to be said."""

    cited: Cited
    text: str
    voice: Voice = "writes"
    """Written or spoken by the authors; `read` where nobody is known to have said it."""
    part: str = ""
    """The introduction or note that it stands in, whose author is another."""
    start: int = 0
    """Where it begins in its document."""


def spoken_language(question: str, earlier: Sequence[str] = (), likely: str = "") -> str:
    """The language to answer in: that of the question, else of what was said before, else the likely one.

    English where that is not spoken either.
    """
    for text in (question, *reversed(earlier[-3:])):
        found = language_of(text, likely) if language_of(text) else ""
        if found in SPOKEN:
            return found
        if found:
            return "en"
    return likely if likely in SPOKEN else "en"


def quoted(text: str) -> str:
    """A text as it is read, in marks that it does not have; where it has them all, its own become single."""
    read = as_read(text)
    for opens, closes in _QUOTATION_MARKS:
        if opens not in read and closes not in read:
            return f"{opens}{read}{closes}"
    return f"\u201c{read.translate(_SINGLE)}\u201d"


def as_read(text: str) -> str:
    """The words on one line, those whole that were divided at the end of a line."""
    return one_line(_BROKEN.sub(lambda found: unbroken(found.group()), text))


class Noted(Protocol):
    """What a list of citations tells of each."""

    @property
    def source(self) -> str: ...
    @property
    def year(self) -> int | None: ...
    @property
    def page(self) -> int | None: ...
    @property
    def page_label(self) -> str | None: ...
    @property
    def quote(self) -> str: ...


def place_of(cited: Noted) -> str:
    """Where a quote stands: title, year and page as it is printed."""
    return referenced(cited.source, cited.year, cited.page_label or cited.page)


def noted(cited: Noted) -> str:
    """A citation in one line: where the quote stands, and its words."""
    return f"{place_of(cited)}: {quoted(cited.quote)}"


def quotations(given: Sequence[Quotation], style: Style, language: str, numbers: Sequence[int]) -> list[str]:
    """A sentence for each quotation: who says it, where, and the words; ones that follow on are joined."""
    words = _WORDS[language]
    sentences: list[str] = []
    before: Quotation | None = None
    for place, each in enumerate(given):
        if before is not None and _voice_of(before) == _voice_of(each):
            leading = _again(each, words, place if each.start >= before.start else _EARLIER)
        else:
            leading = _leading(each, style, words, place)
        mark = style.mark(each.cited, numbers[place], is_introduced=True, pages=words["page"])
        sentences.append(_ended(f"{leading} {quoted(each.text)}", mark))
        before = each
    return sentences


def stated(text: str, cited: Cited, style: Style, language: str, number: int) -> str:
    """A statement in the student's own words, with the place that it rests on."""
    mark = style.mark(cited, number, is_introduced=False, pages=_WORDS[language]["page"])
    return _ended(one_line(text), mark)


def page_word(language: str) -> str:
    """How a page is abbreviated."""
    return _WORDS[language]["page"]


def said(name: str, language: str, /, **values: str) -> str:
    """A sentence of the student about itself and its corpus."""
    return _WORDS[language][name].format(**values)


def listed(names: Sequence[str], language: str, *, last: str = "and") -> str:
    """Names as a series: one, two and three."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {_WORDS[language][last]} {names[-1]}"


_EARLIER = 2
"""Which beginning says nothing of the order: what stands earlier does not go on."""
_STOPS = tuple(".!?\u2026")
_MARKS = ("\u201d", '"', "'", "\u2019", "\u00bb")
_QUOTATION_MARKS = (('"', '"'), ("\u201c", "\u201d"), ("\u00ab", "\u00bb"))
_SINGLE = str.maketrans('"\u201c\u201d', "'\u2018\u2019")
_BROKEN = re.compile(r"\S*[^\W\d_]-[ \t]*\n\s*[^\W\d_]\S*|\S*\u00ad\s*\S*|\S*[\ufb00-\ufb06]\S*")
"""Words that the setting in lines divided or joined; other signs stay as the document has them."""


def _ended(text: str, mark: str) -> str:
    """A sentence with its mark before the full stop."""
    stop = "."
    if text.endswith(("?", "!")):
        stop = text[-1]
    bare = text.rstrip().removesuffix(stop).rstrip() if not text.endswith(_MARKS) else text
    if not mark:
        ends_quoted = bare.endswith(_MARKS) and bare.rstrip("".join(_MARKS)).endswith(_STOPS)
        return bare if ends_quoted else f"{bare}{stop}"
    return f"{bare} {mark}." if stop == "." else f"{bare}{stop} {mark}."


def _voice_of(each: Quotation) -> tuple[str, str, str]:
    return each.cited.title, each.part, each.voice


def _leading(each: Quotation, style: Style, words: Mapping[str, str], place: int) -> str:
    """The beginning of a sentence that names who speaks and where."""
    work = style.titled(each.cited.title)
    if each.cited.year is not None and style.introduces:
        work = f"{work} ({each.cited.year})"
    names = names_of(each.cited.authors)
    kind = "part" if each.part else each.voice if names else "read"
    start = "first" if place == 0 else "next"
    return words[f"{start}_{kind}"].format(
        work=work, who=_who(names, 3, words), part=one_line(each.part), **_verbs(names, words)
    )


def _again(each: Quotation, words: Mapping[str, str], place: int) -> str:
    """The beginning of a further sentence from the same work, not always the same."""
    names = [name for name in map(surname_of, each.cited.authors) if name]
    kind = "again_part" if each.part or each.voice == "read" or not names else "again"
    choices = words[kind].split("|")
    return choices[(place - 1) % len(choices)].format(who=_who(names, 2, words), **_verbs(names, words))


def _who(names: Sequence[str], most: int, words: Mapping[str, str]) -> str:
    """Some names as a series, or the first of them where they are many."""
    if len(names) > most:
        return f"{names[0]} {words['others']}"
    return f" {words['and']} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _verbs(names: Sequence[str], words: Mapping[str, str]) -> dict[str, str]:
    """What one author does, or several do."""
    return {verb: words[verb].split("|")[len(names) > 1] for verb in ("writes", "says", "adds", "goes_on")}


_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "page": "p.",
        "writes": "writes|write",
        "says": "says|say",
        "adds": "adds|add",
        "goes_on": "goes on|go on",
        "and": "and",
        "or": "or",
        "others": "and others",
        "first_writes": "In {work}, {who} {writes}:",
        "first_says": "In {work}, {who} {says}:",
        "first_read": "{work} says:",
        "first_part": "Under the heading \u201c{part}\u201d, {work} says:",
        "next_writes": "In {work}, {who} {adds}:",
        "next_says": "In {work}, {who} {says}:",
        "next_read": "{work} adds:",
        "next_part": "Under the heading \u201c{part}\u201d, {work} says:",
        "again": "{who} {goes_on}:|In the same work:|And further:",
        "again_part": "It goes on:|In the same text:|And further:",
        "silent": "The corpus that I have studied holds nothing that answers this.",
        "forbidden": "I do not speak of this: the rules that I follow do not allow it.",
        "stranger": "This lies outside the corpus that I have studied.",
        "expert": "I have studied {name}, above all on {areas}.",
        "about": "I have studied {name}: {description}",
        "hello": "Hello.",
        "welcome": "You are welcome.",
        "who": "I am an AI that has studied {name}, not {name}.",
        "read": "I have read {works}.",
        "more": "{number} more",
        "ask": "Ask me what stands there, and I answer with its words, their source and page.",
        "near": "The nearest that I have read is {works}.",
        "another": "The avatar {others} may know more about this.",
        "ended": "My corpus ends in {year}, so it cannot speak {what}.",
        "ended_present": "My corpus ends in {year}, so it cannot speak of the present.",
        "still": "What it does say:",
        "empty": "I have no corpus to answer from yet.",
    },
    "pt": {
        "page": "p.",
        "writes": "escreve|escrevem",
        "says": "diz|dizem",
        "adds": "acrescenta|acrescentam",
        "goes_on": "continua|continuam",
        "and": "e",
        "or": "ou",
        "others": "e outros",
        "first_writes": "Em {work}, {who} {writes}:",
        "first_says": "Em {work}, {who} {says}:",
        "first_read": "{work} diz:",
        "first_part": "Sob o t\u00edtulo \u201c{part}\u201d, {work} diz:",
        "next_writes": "Em {work}, {who} {adds}:",
        "next_says": "Em {work}, {who} {says}:",
        "next_read": "{work} acrescenta:",
        "next_part": "Sob o t\u00edtulo \u201c{part}\u201d, {work} diz:",
        "again": "{who} {goes_on}:|Na mesma obra:|E mais adiante:",
        "again_part": "O texto continua:|No mesmo texto:|E mais adiante:",
        "silent": "O corpus que estudei n\u00e3o traz nada que responda a isso.",
        "forbidden": "N\u00e3o falo disso: as regras que sigo n\u00e3o o permitem.",
        "stranger": "Isso est\u00e1 fora do corpus que estudei.",
        "expert": "Estudei {name}, sobretudo sobre {areas}.",
        "about": "Estudei {name}: {description}",
        "hello": "Ol\u00e1.",
        "welcome": "Por nada.",
        "who": "Sou uma IA que estudou {name}; n\u00e3o sou {name}.",
        "read": "Li {works}.",
        "more": "mais {number}",
        "ask": "Pergunte o que est\u00e1 l\u00e1, e respondo com as palavras do texto, "
        "a fonte e a p\u00e1gina.",
        "near": "O mais pr\u00f3ximo que li \u00e9 {works}.",
        "another": "O avatar {others} talvez saiba mais sobre isso.",
        "ended": "Meu corpus termina em {year}; por isso n\u00e3o pode falar {what}.",
        "ended_present": "Meu corpus termina em {year}; por isso n\u00e3o pode falar do presente.",
        "still": "O que o corpus diz:",
        "empty": "Ainda n\u00e3o tenho um corpus de onde responder.",
    },
    "es": {
        "page": "p.",
        "writes": "escribe|escriben",
        "says": "dice|dicen",
        "adds": "a\u00f1ade|a\u00f1aden",
        "goes_on": "contin\u00faa|contin\u00faan",
        "and": "y",
        "or": "o",
        "others": "y otros",
        "first_writes": "En {work}, {who} {writes}:",
        "first_says": "En {work}, {who} {says}:",
        "first_read": "{work} dice:",
        "first_part": "Bajo el t\u00edtulo \u201c{part}\u201d, {work} dice:",
        "next_writes": "En {work}, {who} {adds}:",
        "next_says": "En {work}, {who} {says}:",
        "next_read": "{work} a\u00f1ade:",
        "next_part": "Bajo el t\u00edtulo \u201c{part}\u201d, {work} dice:",
        "again": "{who} {goes_on}:|En la misma obra:|Y m\u00e1s adelante:",
        "again_part": "El texto contin\u00faa:|En el mismo texto:|Y m\u00e1s adelante:",
        "silent": "El corpus que he estudiado no contiene nada que responda a esto.",
        "forbidden": "No hablo de esto: las reglas que sigo no lo permiten.",
        "stranger": "Esto queda fuera del corpus que he estudiado.",
        "expert": "He estudiado a {name}, sobre todo acerca de {areas}.",
        "about": "He estudiado a {name}: {description}",
        "hello": "Hola.",
        "welcome": "De nada.",
        "who": "Soy una IA que ha estudiado a {name}; no soy {name}.",
        "read": "He le\u00eddo {works}.",
        "more": "{number} m\u00e1s",
        "ask": "Pregunte qu\u00e9 dice, y respondo con las palabras del texto, la fuente y la p\u00e1gina.",
        "near": "Lo m\u00e1s cercano que he le\u00eddo es {works}.",
        "another": "El avatar {others} quiz\u00e1 sepa m\u00e1s sobre esto.",
        "ended": "Mi corpus termina en {year}; por eso no puede hablar {what}.",
        "ended_present": "Mi corpus termina en {year}; por eso no puede hablar del presente.",
        "still": "Lo que s\u00ed dice:",
        "empty": "Todav\u00eda no tengo un corpus del que responder.",
    },
}
