"""Standalone questions: what is asked, once what was said before is taken into account."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.numerals import numbers_in
from vivavoce.domain.language.sentences import sentences_of, trimmed
from vivavoce.domain.language.words import folded

from .addressing import unaddressed
from .ellipses import resumed, told_in_full
from .subjects import points_back
from .wishes import after_greeting


class Spoken(NamedTuple):
    """An earlier message of a conversation of any number of people."""

    is_ours: bool
    """Whether the one who answers now said it."""
    text: str


class Standalone(NamedTuple):
    """A question that can be looked up."""

    question: str
    """With the thing in place of "the second one", where that was said."""
    text: str
    """What is looked up: the question, after the one before it where it cannot stand alone."""
    earlier: tuple[str, ...]
    """What people said before, the last message last."""
    is_cut: bool = False
    """Whether it was too long to be looked up as a whole."""
    said: tuple[str, ...] = ()
    """What the one who answers said before, the last message last."""
    fresh: str | None = None
    """What it newly names, where it asks the last question again of another thing; None where it does not."""
    is_more: bool = False
    """Whether it is the last question, of which more is to be said."""

    def without(self, word: str) -> Standalone:
        """The same question without a word such as "today", which no text of another time answers to."""
        left = " ".join(self.question.replace(word, " ").split()).replace(" ?", "?")
        return self._replace(question=left, text=self.text.replace(self.question, left))


def standalone(question: str, context: Sequence[Spoken], names: Sequence[str] = ()) -> Standalone:
    """The question with what it points back to: "the second one" becomes the second thing that was named.

    `names` are those of the thinker who is asked about, whom no text of theirs names.
    """
    asked, is_cut = _essence(after_greeting(question))
    before = [each._replace(text=each.text[:_LONGEST].strip()) for each in context[-_MOST:]]
    before = [each for each in before if each.text]
    told = told_in_full(each.text for each in before if not each.is_ours)
    people = tuple(each.question for each in told)
    said = tuple(each.text for each in before if each.is_ours)
    named, is_whole = _named(asked, before)
    if is_whole or (named != asked and people and not people[-1].endswith("?")):
        people = ()  # what was listed is known now, and nothing else was asked of it
    elif named == asked and people:
        if (again := resumed(asked, told[-1])) is not None:
            full = unaddressed(again.question, names)
            fresh = None if again.is_more else again.fresh
            return Standalone(full, full, (), is_cut, said, fresh, again.is_more)
        named = _with_subject(asked, people[-1])
        people = people if named == asked else ()
    asked = unaddressed(named, names)
    if not people or not points_back(asked):
        return Standalone(asked, asked, people, is_cut, said)
    last = people[-1]
    if points_back(last) and len(people) > 1:  # a chain: what is A? and B? and the cost of it?
        last = f"{people[-2]}\n{last}"
    return Standalone(asked, f"{last}\n{asked}", people, is_cut, said)


def conversation(messages: Iterable[tuple[str, str]], question: str, names: Sequence[str]) -> list[Spoken]:
    """What was said before, by role and text; `names` are those of the one who answers.

    Any other role is a participant. Instructions of a system and results of tools are nobody's words, and
    the question itself is not said before, although some clients send it so.
    """
    ours = _OUR_ROLES.union(*map(_spellings, names)) - _THEIR_ROLES
    initials = {"".join(word[0] for word in name.split()) for name in names if " " in name}
    roles = [(role.strip(), folded(role).strip(), text) for role, text in messages]
    said = [
        Spoken(plain in ours or (written in initials and written.isupper()), text)
        for written, plain, text in roles
        if plain not in _ASIDE
    ]
    if said and not said[-1].is_ours and said[-1].text.strip() == question.strip():
        said.pop()
    return said


def _spellings(name: str) -> frozenset[str]:
    """How a role may name someone: in full, or by the last name."""
    words = folded(name).split()
    return frozenset((" ".join(words), *words[-1:]))


_MOST = 40
_FEW = 8
_LONGEST = 2_000
_LONGEST_ITEM = 200
_LONGEST_POINTER = 24
_LONG_QUESTION = 2_000
_OUR_ROLES = frozenset({"assistant", "avatar", "ai", "bot", "model", "agent"})
_THEIR_ROLES = frozenset({"user", "human", "person", "participant", "customer", "visitor", "client"})
_ASIDE = frozenset({"system", "developer", "tool", "function"})
_ORDINALS = {
    word: place
    for place, names in enumerate(
        (
            "last latter ultimo ultima dernier derniere letzte letzten letztere",
            "first 1st primeiro primeira primero primera former premier premiere erste ersten",
            "second 2nd segundo segunda deuxieme seconde zweite zweiten secondo seconda",
            "third 3rd terceiro terceira tercero tercera troisieme dritte dritten terzo terza",
            "fourth 4th quarto quarta cuarto cuarta quatrieme vierte vierten",
            "fifth 5th quinto quinta cinquieme funfte funften",
            "sixth 6th sexto sexta",
            "seventh 7th setimo setima septimo septima",
            "eighth 8th oitavo oitava octavo octava",
        ),
        start=-1,
    )
    for word in names.split()
}
_WHICH = re.compile(
    r"\b(the|o|a|el|la|ao|do|da|al|del|le|au|du|der|die|das|den|dem|zum|zur|il|lo|nel)\s+("
    + "|".join(_ORDINALS)
    + r")\b"
    r"(?!\s+(?:world|century|time|edition|guerra|seculo|siglo|vez|year|day|chapter|capitulo|letter|carta|part"
    r"|parte|guerre|weltkrieg\w*|siecle|jahrhundert\w*|secolo|fois|mal|volta|jahr|tag|chapitre|kapitel|capitolo)\b)"
    r"(?:\s+(?:one|of\s+(?:them|these|those)|item|um|uma|uno|una|deles|delas))?"
)
_LINKS = {
    "ao": "a ",
    "al": "a ",
    "do": "de ",
    "da": "de ",
    "del": "de ",
    "au": "\u00e0 ",
    "du": "de ",
    "zum": "zu ",
}
"""What is left of an article that is one with the word before it."""
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
_BARE = re.compile(
    r"\W*(?:(?:and|but|so|e|y|mas|pero|ok|et|mais|und|aber|ma)\s+)?(?:(?:what|how)\s+(?:about|of)|(?:o\s+)?que\s+(?:tal|de"
    r"|dizer\s+de|hay\s+de))?\W*"
)
"""What is left of a question that only points at one of several things."""
_ASKED_OF_SEVERAL = re.compile(
    r"(?P<asked>[^,;:?\n]{3,200}\b(?:about|of|on|between|are|sobre|s\u00e3o|son|sur|sont|\u00fcber|sind|sono|su))\s+"
    r"(?:[^,;:?\n]{2,80},\s+){0,9}[^,;:?\n]{2,80},?\s+(?:and|or|e|ou|y|o)\s+[^,;:?\n]{2,80}\?",
    re.IGNORECASE,
)
_TO_ITEM = re.compile(r"^.*\b(?:about|of|on|between|sobre)\s+", re.IGNORECASE)
_SPEAK_OF = re.compile(
    r"(?:please\s+|por\s+favor,?\s+)?(?:(?:tell|teach)\s+(?:me|us)\s+(?:more\s+|something\s+)?about"
    r"|(?:talk|speak)\s+(?:about|of)"
    r"|(?:me\s+)?(?:fale|conte|diga)(?:-me)?\s+(?:mais\s+|algo\s+)?(?:sobre|d[aeo]s?)"
    r"|(?:h\u00e1bla|cu\u00e9nta|di)me\s+(?:m\u00e1s\s+|algo\s+)?(?:sobre|del?))"
    r"\s+(?P<subject>(?:\S+\s+){0,5}[^\s.?!]+)[.!]*",
    re.IGNORECASE,
)
"""How somebody is told what to speak of."""
_PRONOUN = re.compile(
    r"\b(?:they|them|it|he|she|him|eles|elas|ele|ela|ellos|ellas|\u00e9l|ella)\b", re.IGNORECASE
)
_GOING_ON = re.compile(r"^\W*(?:and|but|so|e|mas|y|pero|et|mais|und|aber|ma)\s+", re.IGNORECASE)
_LEADING = re.compile(
    r"""^(?:.*?\b(?:between|among|about|of|on|are|is|were|includes?|like|compare|named|called|entre|sobre|sao|son
    |como|comparar|incluem?|incluyen?)\s+)?(?:both\s+|the\s+|an?\s+|o\s+|os\s+|as\s+|la\s+|los\s+|las\s+|el\s+)?""",
    re.VERBOSE | re.IGNORECASE,
)


def _essence(question: str) -> tuple[str, bool]:
    """A long message by its questions, which mostly stand at its end; one without any by its beginning."""
    asked = question.strip()
    if len(asked) <= _LONG_QUESTION:
        return asked, False
    spans = [span for each in sentences_of(asked) if (span := trimmed(asked, each)) is not None]
    texts = [asked[start:end] for start, end in spans]
    questions = [text for text in texts if text.endswith(("?", "\uff1f", "\u061f")) and len(text) <= 600]
    kept = "\n".join(dict.fromkeys(questions[-3:]))
    return (kept or asked[:_LONG_QUESTION]), True


def _named(asked: str, before: Sequence[Spoken]) -> tuple[str, bool]:
    """The question with the thing that "the second one" or "the latter" stands for, of those named last.

    Where it asks nothing else, it is the question in which they were named, of that one alone; True then.
    """
    found = _WHICH.search("".join((folded(letter) or letter)[0] for letter in asked))
    if found is None or len(asked.split()) > _LONGEST_POINTER:
        return asked, False
    place = _ORDINALS[found.group(2)]
    for each in reversed(before[-_FEW:]):
        items = _items(each.text)
        if len(items) > 1 and place < len(items):
            item = items[place][:_LONGEST_ITEM]
            rest = f"{asked[: found.start()]} {asked[found.end() :]}"
            whole = _asked_of(item, each.text) if _BARE.fullmatch(folded(rest)) and not each.is_ours else ""
            link = _LINKS.get(found.group(1), "")
            return whole or asked[: found.start()] + link + item + asked[found.end() :], bool(whole)
    return asked, False


def _asked_of(item: str, question: str) -> str:
    """A question about several things, of one of them; empty where it does not end with a series of them."""
    found = _ASKED_OF_SEVERAL.fullmatch(question.strip())
    return "" if found is None else f"{found['asked']} {_TO_ITEM.sub('', item)}?"


def _with_subject(asked: str, said: str) -> str:
    """The question with what somebody was told to speak of in the place of "they" or "it"."""
    subject = _SPEAK_OF.fullmatch(said.strip())
    if subject is None or len(asked.split()) > _LONGEST_POINTER:
        return asked
    named, count = _PRONOUN.subn(lambda _: subject["subject"], asked, count=1)
    bare = _GOING_ON.sub("", named, count=1) if count else asked
    return bare[:1].upper() + bare[1:]


def _items(text: str) -> list[str]:
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
    if len(series) < 2:
        return []
    items = [_LEADING.sub("", part, count=1).strip() or part for part in series]
    return items if is_announced else [_without_clause(items[0], items[1:-1] or items[1:]), *items[1:]]


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
