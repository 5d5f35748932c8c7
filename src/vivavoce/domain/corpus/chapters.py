"""Chapters: the titles of a book in plain text, told by their words, their numbers and their capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .documents import Heading


def chapters_in(text: str) -> Iterator[Heading]:
    """The titles that stand by themselves between blank lines and have a text below them.

    A number and the title under it are one. What is followed by nothing but further titles is none: it
    stands in a list of contents or on a title page. Nor are capitals a title that state or order something,
    or where all is written in them.
    """
    run: list[_Title] = []
    tell_capitals = not text.isupper()
    for block in _BLOCK.finditer(text):
        title = _title(block.group(), block.start(), tell_capitals=tell_capitals)
        if title is not None:
            run.append(title)
            continue
        yield from _headings(run)
        run = []
    yield from _headings(run)


class _Title(NamedTuple):
    start: int
    text: str
    level: int
    is_label: bool
    """Whether it is a number alone, of which the title stands below."""


_BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")
_LONGEST = 240
_LONGEST_TITLE = 200
_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,8})"
_KINDS = {
    1: r"book|part|volume|act|livro|parte|libro|tomo|ato|acto|livre|partie|teil|buch",
    2: r"chapter|chap\.?|letter|canto|lecture|essay|discourse|dialogue|cap[i\u00ed]tulo|carta|ensaio|ensayo"
    r"|chapitre|kapitel|capitolo",
    3: r"section|sect\.?|scene|se[c\u00e7][\u00e3c]?[o\u00f3]n?|cena|escena|abschnitt|sezione",
}
_ALONE = (
    r"(?:(?:a|the|author['\u2019]s|editor['\u2019]s|translator['\u2019]s|o|a|el|la)\s+)?"
    r"(?:preface|introduction|foreword|afterword|prologue|epilogue|conclusion|appendix|postscript|dedication"
    r"|contents|(?:foot|end)?notes?|pref\u00e1cio|prefacio|introdu\u00e7\u00e3o|introducci\u00f3n|pr\u00f3logo"
    r"|ep\u00edlogo|conclus\u00e3o|conclusi\u00f3n|ap\u00eandice|ap\u00e9ndice|notas|sum\u00e1rio|\u00edndice"
    r"|pr\u00e9face|vorwort|einleitung|nachwort|anhang|prefazione|introduzione|conclusione|appendice)"
)
_NUMBERED = {
    level: re.compile(rf"(?:{kinds})\s+{_NUMBER}(?P<stop>[.:]?)(?P<rest>\W.*)?", re.IGNORECASE | re.DOTALL)
    for level, kinds in _KINDS.items()
}
_BARE_NUMBER = re.compile(r"[IVXLC]{1,8}\.?")
_NAMED = re.compile(rf"{_ALONE}(?:\s+{_NUMBER})?\W*", re.IGNORECASE)
_OPEN_ENDS = (",", ";", "-", "\u2013", "\u2014", ":")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NO_TITLE = re.compile(r"[|\t]|\.{4}|\*\s*\*|[-_=]{4}|\$|@|\d{3}|^[\[(>+*\u2022\"'\u201c\u201e\u00ab-]")
_SENTENCE = re.compile(r"[.!?][\"'\u201d]?\s+\S+\s+\S+\s+\S")
_ORDERS = re.compile(
    r"(?:DO|NO|NEVER|ALWAYS|PLEASE|WARNING|CAUTION|DANGER|ATTENTION|N\u00c3O|NUNCA|SEMPRE|FAVOR|ATEN\u00c7\u00c3O"
    r"|CUIDADO|PERIGO|SIEMPRE|PELIGRO)\b"
)
_STATES = re.compile(
    r"(?!(?:THAT|OF|ON|HOW|WHY|WHETHER|WHEREIN|IN\s+WHICH|DE|D[OA]S?|QUE|COMO|SOBRE)\b)"
    r".*\b(?:SHALL|MUST|CANNOT|NOT|IS|ARE|DEVE|DEVEM|N\u00c3O|PODE|PODEM|\u00c9|S\u00c3O|DEBE|DEBEN|PUEDE)\b"
    r".*[.!]"
)
"""What is printed in capitals and is no title: a notice, or a clause of a contract."""


def _title(block: str, start: int, *, tell_capitals: bool) -> _Title | None:
    written = " ".join(block.split())
    if len(written) > _LONGEST or _NO_TITLE.search(block.strip()) is not None:
        return None
    if _NAMED.fullmatch(written) is not None and written[0].isupper():
        return _Title(start, written, 2, is_label=False)
    if written.endswith(_OPEN_ENDS):
        return None
    if _BARE_NUMBER.fullmatch(written):
        return _Title(start, written, 2, is_label=True)
    for level, pattern in _NUMBERED.items():
        found = pattern.fullmatch(written)
        if found is not None and written[0].isupper():
            rest = (found["rest"] or "").strip(" .:-\u2013\u2014")
            if not rest:
                return _Title(start, written, level, is_label=True)
            is_heading = rest.isupper() or (rest[0].isupper() and not _SENTENCE.search(rest))
            return _Title(start, written, level, is_label=False) if is_heading else None
    is_capital = tell_capitals and written.isupper() and _WORD.search(written) is not None
    return _Title(start, written, 2, is_label=False) if is_capital and not _is_said(written) else None


def _is_said(capitals: str) -> bool:
    """Whether a line in capitals says something by itself, and is not the title of what does."""
    return _ORDERS.match(capitals) is not None or _STATES.fullmatch(capitals) is not None


def _headings(run: Sequence[_Title]) -> Iterator[Heading]:
    """The titles right above a text: the last of them, and wider ones that it stands under."""
    joined: list[_Title] = []
    for each in run:
        if joined and joined[-1].is_label and not each.is_label and each.level >= joined[-1].level:
            above = joined.pop()
            each = above._replace(text=f"{above.text} {each.text}", is_label=False)
        elif joined and joined[-1].level >= each.level:
            joined.pop()
        joined.append(each)
    kept: list[_Title] = []
    for each in reversed(joined):
        if not kept or each.level < kept[-1].level:
            kept.append(each)
    for each in reversed(kept):
        yield Heading(each.start, each.level, each.text[:_LONGEST_TITLE])
