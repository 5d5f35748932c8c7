"""Speeches: words that stand in quotation marks, and who is told to say them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded


def speaker_of(text: str, start: int, end: int) -> str | None:
    """Who says the words of a stretch: somebody's name, or empty where that is not told.

    None where some of them stand outside quotation marks: then they are the writer's, and tell by themselves
    who speaks.
    """
    first = max(0, start - _AROUND)
    speeches = list(_speeches(text, first, min(len(text), end + _AROUND)))
    place = next((n for n, each in enumerate(speeches) if each.holds(text, start, end)), None)
    if place is None:
        return None
    return next(filter(None, _named(text, speeches, place, first)), "")


class _Speech(NamedTuple):
    """What stands between two marks, or between one and the end of its paragraph."""

    start: int
    end: int
    is_closed: bool

    def holds(self, text: str, start: int, end: int) -> bool:
        """Whether all words of a stretch stand in it."""
        before, after = text[start : max(start, self.start)], text[min(end, self.end) : end]
        is_near = self.start <= end and start <= self.end
        return is_near and not any(map(str.isalnum, _NOTE_MARK.sub("", before + after)))


_AROUND = 3_000
_GAP = 90
"""The most characters between the parts of what one person says."""
_MARK = re.compile(
    r"(?P<opens>\u201e|(?<![\w.,!?\u2026])[\u201c\u00ab]|(?<![^\s(\[\u2014_-])(?:\"(?=\S)|\u00bb(?=\w)))"
    r"|(?P<closes>[\u201c\u201d\u00ab\u00bb\"])|(?P<breaks>\n[ \t]*\n)"
)
"""German closes with the marks with which others open, and turns theirs round: where they stand tells it."""
_LEADS_TO = re.compile(r"(?:^|[\n.,:;!?\u2026\u2013\u2014-]|[\"\u201d\u00bb])[ \t_*]*$")
"""What stands before words that somebody says, and not before a term in the middle of a sentence."""
_NOTE_MARK = re.compile(r"\[\d{1,3}\]")
_VERB = (
    r"(?:said|says|replied|replies|answered|answers|cried|cries|asked|asks|exclaimed|continued|added|returned"
    r"|rejoined|whispered|shouted|observed|remarked|muttered|declared|interrupted|resumed|disse|respondeu"
    r"|perguntou|exclamou|continuou|acrescentou|gritou|dijo|respondi\u00f3|pregunt\u00f3|exclam\u00f3"
    r"|continu\u00f3|a\u00f1adi\u00f3|grit\u00f3|sagte|fragte|antwortete|erwiderte|rief|dit|r\u00e9pondit|rispose|chiese)"
)
_SMALL = (
    r"(?:to|in|at|on|of|with|who|which|as|and|when|then|he|she|it|they|once|softly|aloud|again|that|from|by|for|a|com|ao"
    r"|em|para|que|y|e|con|en|[a-z]+ly)"
)
_NAME = r"(?:[A-Z\u00c0-\u00dd][a-z]{0,3}\.(?=\s[A-Z])|[A-Z\u00c0-\u00dd][\w'\u2019-]*)"
_WHO = (
    rf"(?P<who>{_NAME}(?:\s+(?:(?:of|de|da|do|von|van)\s+)?{_NAME}){{0,3}}"
    rf"|(?:[Tt]he|[Hh]is|[Hh]er|[Aa]n?|[OoAa]|[Ee]l|[Ll]a)(?:\s+(?!{_SMALL}\b)[^\W\d_]+){{1,3}}?)"
)
_AFTER = re.compile(rf"[\s,;:\u2014-]*{_VERB}\s+{_WHO}(?=\s*[,.;:!?]|\s+{_SMALL}\b)")
_BEFORE = re.compile(
    rf"(?:^|(?<=[\s\"\u201d\u00bb])){_WHO}\s+(?:[a-z]+ly\s+)?{_VERB}[^.!?\"\u201d\u00bb]{{0,40}}[,:]\s*$"
)
_SAID = re.compile(rf"\b{_VERB}\b")
_ANOTHER = re.compile(rf"\b{_VERB}\b[^.!?]*(?<!Mr)(?<!Mrs)(?<!Dr)(?<!St)(?<!Sr)(?<!Sra)[.!?]\s+[^\W\d_]")
"""A further sentence after the one that says who speaks: it may lead to somebody else."""
_NOBODY = words(
    "i he she it they we you who one and but then so when",
    "eu ele ela eles elas nos yo \u00e9l ella ellos ellas",
)


def _speeches(text: str, start: int, end: int) -> Iterator[_Speech]:
    opened: int | None = None
    for mark in _MARK.finditer(text, start, end):
        if mark["opens"] is not None:
            opened = mark.end() if opened is None else opened
        elif opened is not None:
            if mark["closes"] is not None or _is_open(text, opened, mark.end()):
                yield _Speech(opened, mark.start(), is_closed=mark["closes"] is not None)
            opened = None
    if opened is not None and _is_open(text, opened, end):
        yield _Speech(opened, end, is_closed=False)


def _is_open(text: str, opened: int, end: int) -> bool:
    """Whether words whose mark is not closed are a speech: they begin as one, or it goes on afterwards."""
    following = _MARK.match(text, end)
    goes_on = following is not None and following["opens"] is not None
    return goes_on or _LEADS_TO.search(text[max(0, opened - 1 - _GAP) : opened - 1]) is not None


def _named(text: str, speeches: list[_Speech], place: int, first: int) -> Iterator[str]:
    """The names that stand by a speech, then by the parts of it before and after, the nearest first."""
    own = speeches[place]
    yield _after(text, own)
    yield _before(text, own, first)
    for step in (-1, 1):
        near, at = own, place
        while 0 <= (at := at + step) < len(speeches) and _is_one(text, *sorted((near, speeches[at]))):
            near = speeches[at]
            yield _after(text, near)
            yield _before(text, near, first)


def _is_one(text: str, one: _Speech, other: _Speech) -> bool:
    """Whether two speeches are parts of one: somebody is said to speak between them, or none has ended."""
    between = text[one.end : other.start]
    if not one.is_closed:
        return not any(map(str.isalnum, between))
    if "\n\n" in between or len(between) > _GAP:
        return False
    return _SAID.search(between) is not None and _ANOTHER.search(between) is None


def _after(text: str, speech: _Speech) -> str:
    found = _AFTER.match(text, speech.end + 1, speech.end + _GAP) if speech.is_closed else None
    return _who(found)


def _before(text: str, speech: _Speech, first: int) -> str:
    return _who(_BEFORE.search(text[max(first, speech.start - 1 - _GAP) : speech.start - 1]))


def _who(found: re.Match[str] | None) -> str:
    if found is None or folded(found["who"]) in _NOBODY:
        return ""
    who = " ".join(found["who"].split())
    return who if who.split()[0].lower() not in _ARTICLES else who[0].lower() + who[1:]


_ARTICLES = words("the his her a an o el la")
