"""Framing: how a student of a thinker speaks: quotes with attribution, limits in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from .claims.citation_styles import Cited, Style, names_of, one_line, referenced, surname_of
from .claims.grounds import unbroken
from .language.languages import language_of
from .phrasebook import PHRASES

SPOKEN = tuple(PHRASES)
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
    speaker: str | None = None
    """Who says it in the work, empty where that is not told; None where it is the work's own voice."""


def spoken_language(question: str, earlier: Sequence[str] = (), likely: str = "") -> str:
    """The language to answer in: that of the question, else of what was said before, else the likely one.

    English where nothing tells.
    """
    for text in (question, *reversed(earlier[-3:])):
        if language_of(text):
            return language_of(text, likely)
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
    words = PHRASES[language]
    sentences: list[str] = []
    before: Quotation | None = None
    for place, each in enumerate(given):
        if before is not None and _voice_of(before) == _voice_of(each):
            leading = _again(each, words, place if each.start >= before.start else _EARLIER)
        else:
            is_same_work = before is not None and before.cited.title == each.cited.title
            leading = _leading(each, style, words, place, is_same_work=is_same_work)
        mark = style.mark(each.cited, numbers[place], is_introduced=True, pages=words["page"])
        sentences.append(_ended(f"{leading} {quoted(each.text)}", mark))
        before = each
    return sentences


def stated(text: str, cited: Cited, style: Style, language: str, number: int) -> str:
    """A statement in the student's own words, with the place that it rests on."""
    mark = style.mark(cited, number, is_introduced=False, pages=PHRASES[language]["page"])
    return _ended(one_line(text), mark)


def page_word(language: str) -> str:
    """How a page is abbreviated."""
    return PHRASES[language]["page"]


def said(name: str, language: str, /, **values: str) -> str:
    """A sentence of the student about itself and its corpus."""
    return PHRASES[language][name].format(**values)


def listed(names: Sequence[str], language: str, *, last: str = "and") -> str:
    """Names as a series: one, two and three."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {PHRASES[language][last]} {names[-1]}"


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


def _voice_of(each: Quotation) -> tuple[str, str, str, str | None]:
    return each.cited.title, each.part, each.voice, each.speaker


def _leading(
    each: Quotation, style: Style, words: Mapping[str, str], place: int, *, is_same_work: bool
) -> str:
    """The beginning of a sentence that names who speaks and where."""
    work = style.titled(each.cited.title)
    if each.cited.year is not None and style.introduces:
        work = f"{work} ({each.cited.year})"
    if each.speaker is not None:
        spoken = words["spoken_there" if is_same_work else "spoken"]
        return spoken.format(work=work, who=each.speaker or words["someone"])
    names = names_of(each.cited.authors)
    kind = "part" if each.part else each.voice if names else "read"
    start = "first" if place == 0 else "next"
    return words[f"{start}_{kind}"].format(
        work=work, who=_who(names, 3, words), part=one_line(each.part), **_verbs(names, words)
    )


def _again(each: Quotation, words: Mapping[str, str], place: int) -> str:
    """The beginning of a further sentence from the same work, not always the same."""
    names = [name for name in map(surname_of, each.cited.authors) if name]
    if each.speaker is not None:
        names = [each.speaker] if each.speaker else []
    is_bare = each.speaker is None and (bool(each.part) or each.voice == "read")
    kind = "again_part" if is_bare or not names else "again"
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
