"""Listings: the things that a message names one after the other, and what a question asks of each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.domain.language.languages import language_of, small_words
from vivavoce.domain.language.numerals import numbers_in
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded

from .ordinals import is_said_of_a_thing
from .question_words import question_word_in


class Asked(NamedTuple):
    """What a question asks of several things."""

    asked: str
    """What stands before them: "how much do"."""
    written: tuple[str, ...]
    """The things with their articles."""
    things: tuple[str, ...]
    """And without them."""
    verb: str
    """What stands behind them: "cost"."""

    def of(self, place: int) -> str:
        """The question, of one of them alone."""
        return " ".join(each for each in (self.asked, self.written[place], self.verb) if each) + "?"


def asked_of_several(question: str) -> Asked | None:
    """What a question asks of several things; None where it does not end with a series of them."""
    found = _ASKED_OF_SEVERAL.fullmatch(question.strip())
    if found is not None:
        things = tuple(things_named(question))
        plain = tuple(_TO_ITEM.sub("", thing) for thing in things)
        return Asked(found["asked"], plain, things, "") if things else None
    return _asked_with_articles(question.strip())


def is_list(text: str) -> bool:
    """Whether a message is written as a list, each thing with its number or on its line."""
    return any(len(pattern.findall(text)) > 1 for pattern in (_ITEM, _INLINE_ITEM))


def things_named(text: str) -> list[str]:
    """The things that a message names one after the other, as a list or as "one, another and a third"."""
    for pattern in (_ITEM, _INLINE_ITEM):
        items = [match.group(1).strip(" .;,") for match in pattern.finditer(text)]
        if len(items) > 1:
            return items
    series: list[str] = []
    is_announced = False
    for match in _SERIES.finditer(text):
        parts = [*re.split(r",\s+", match.group(1)), match.group(2)]
        if len(parts) > len(series):
            is_quoted = parts[0].lstrip().startswith(_OPENING_QUOTES)
            series, is_announced = parts, text[: match.start()].endswith(":") and not is_quoted
    if len(series) > 2 and _counts(series[0], len(series) - 1):  # "three herbs, lavender, thyme and rosemary"
        series = series[1:]
    if len(series) < 2 or any(map(_asks, series[1:])):
        return []
    items = [_LEADING.sub("", part, count=1).strip() or part for part in series]
    return items if is_announced else [_without_clause(items[0], items[1:-1] or items[1:]), *items[1:]]


_NUMBERING = r"\(?(?:\d{1,2}|[a-h])[.)]\s"
_ITEM = re.compile(r"(?:^|\n)\s*(?:[-*\u2022]|\(?\d{1,2}[.)]|\(?[a-h]\))\s+([^\n]+)")
_INLINE_ITEM = re.compile(
    rf"(?:^|[\s:;,(]){_NUMBERING}\s*([^\n;]{{1,300}}?)(?=[;,]?\s+(?:(?:and|e|y)\s+)?{_NUMBERING}|[.;]?\s*$)"
)
_SERIES = re.compile(
    r"((?:[^,.;:?!\n]{2,80},\s+){0,9}[^,.;:?!\n]{2,80}),?\s+(?:and|or|e|ou|y|o|et|und|oder|versus"
    r"|vs\.?)\s+([^,.;:?!\n]{2,80})"
)
_OPENING_QUOTES = ('"', "'", "\u201c", "\u2018", "\u00ab")
_ARE = re.compile(r"\b(?:are|were|sao|eram|foram|son|eran|fueron)\s+(?:the\s+|[oa]s\s+|l[oa]s\s+)?$")
_ASKED_OF_SEVERAL = re.compile(
    r"(?P<asked>[^,;:?\n]{3,200}\b(?:about|of|on|between|are|sobre|s\u00e3o|son|sur|sont|\u00fcber|sind|sono|su))\s+"
    r"(?:[^,;:?\n]{2,80},\s+){0,9}[^,;:?\n]{2,80},?\s+(?:and|or|e|ou|y|o)\s+[^,;:?\n]{2,80}\?",
    re.IGNORECASE,
)
_TO_ITEM = re.compile(r"^.*\b(?:about|of|on|between|sobre)\s+", re.IGNORECASE)
_LEADING = re.compile(
    r"""^(?:.*?\b(?:between|among|about|of|on|are|is|were|includes?|like|compare|named|called|entre|sobre|sao|son
    |como|comparar|incluem?|incluyen?)\s+)?(?:both\s+|the\s+|an?\s+|o\s+|os\s+|as\s+|la\s+|los\s+|las\s+|el\s+)?""",
    re.VERBOSE | re.IGNORECASE,
)
_ARTICLE = (
    r"(?:(?:the|an?|os?|as?|uma?|el|l[aeo]s?|un[ae]?|une|der|die|das|den|dem|eine?[nm]?|il|gli|(?-i:i))\s+"
    r"|l['\u2019])"
)
_WITH_ARTICLES = re.compile(
    rf"(?P<asked>(?:(?!{_ARTICLE})[^\s,;:?]+\s+){{1,5}})(?P<series>{_ARTICLE}[^;:?\n]{{2,300}})\s*\?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"(?:,\s+|,?\s+(?:and|or|e|ou|y|o|et|und|oder)\s+)(?={_ARTICLE})", re.IGNORECASE)
_BEGINS = re.compile(_ARTICLE, re.IGNORECASE)
_MOST_WORDS = 6
_BETWEEN_TWO = words("between entre zwischen tra fra")
_DOING = words("do did")
"""What asks for a verb behind the things."""
_HELPING = words("is are was were be has have had can could will would should may do did does") | words(
    "ist sind war waren wird werden wurde wurden hat haben hatte hatten kann konnen darf durfen muss mussen"
)


def _asked_with_articles(question: str) -> Asked | None:
    """What a question asks of things that all have an article: "what do the mill and the bridge cost?"."""
    found = _WITH_ARTICLES.fullmatch(question)
    written = [] if found is None else _BETWEEN.split(found["series"].strip())
    language = language_of(question)
    if found is None or len(written) < 2 or any(_is_no_thing(each, language) for each in written[:-1]):
        return None
    asked, last = found["asked"].strip(), written[-1].split()
    helping = folded(asked.split()[-1])
    verb = _verb_at(last, language, is_due=helping in _DOING) if helping in _HELPING else len(last)
    if helping == "does" or (helping in _DOING and verb == len(last)):
        return None  # it asks about one who does something to the things
    written[-1] = " ".join(last[:verb])
    things = tuple(_BEGINS.sub("", each, count=1) for each in written)
    return Asked(asked, tuple(written), things, " ".join(last[verb:]))


def _is_no_thing(written: str, language: str) -> bool:
    """Whether words are no thing with its article: they are too many, or say something of one or of two."""
    told = written.lower().split()
    is_said = len(told) > 2 and is_said_of_a_thing(told[-1], language)
    return is_said or len(told) > _MOST_WORDS or not _BETWEEN_TWO.isdisjoint(told)


def _verb_at(last: Sequence[str], language: str, *, is_due: bool) -> int:
    """The place of the verb behind the last thing, at the end or before a small word; else behind all."""
    small = small_words(language)
    end = next((place for place in range(2, len(last)) if last[place].lower() in small), len(last))
    is_verb = end > 2 and (is_due or is_said_of_a_thing(last[end - 1].lower(), language))
    return end - 1 if is_verb else len(last)


def _asks(part: str) -> bool:
    """Whether words ask something, and are no thing: "for how much", but not "Che Guevara"."""
    return part.lstrip()[:1].islower() and question_word_in(part) is not None


def _counts(part: str, count: int) -> bool:
    """Whether words say that so many things are named next: "its founders were three printers"."""
    return any(
        each.value == str(count) and _ARE.search(folded(part[: each.start])) is not None
        for each in numbers_in(part, language_of(part))
    )


def _without_clause(first: str, others: Sequence[str]) -> str:
    """The first of several things without the words before it: lavender of "the guild grew lavender"."""
    words, most = first.split(), max(len(each.split()) for each in others)
    return " ".join(words[-most:]) if len(words) > most + 1 else first
