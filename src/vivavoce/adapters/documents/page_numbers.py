"""Numbers of pages as lines of a PDF show them, told from numbers that count something else."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple


class PageNumber(NamedTuple):
    """A number in a line that may be that of its page: it is where other pages count on from it."""

    name: str
    """What the numbers of other pages that count with it have, too."""
    beside: str
    """What its line says beside it."""
    takes_turns: bool
    """Whether it is known only by standing first on one page and last on the next."""


class Place(NamedTuple):
    """Where a line stands in its file."""

    page: int
    """Which one of the pages it is on."""
    pages: int
    """How many the file has."""
    label: str | None
    """What the file calls its page."""
    is_lowest: bool
    """Whether nothing on the page is under it."""


def page_number_in(text: str, place: Place, is_apart: Callable[[int, int], bool]) -> PageNumber | None:
    """The number in a line of a page that may be that of the page.

    "Day 3" counts pages as well as "Handbook 3" does, if each day has a page: so a number is that of its page
    where it says so ("page 3"), or stands apart from words, by a bar, by room or on the other side by turns,
    and is near the place of the page or what the file calls it. A year is neither. "3 / 10" is that of the
    third of ten pages; "(3)" may be that of what follows it, so that nothing may do.
    """
    known = _alone_in(text, place)
    if known is not None:
        return PageNumber(known, "", takes_turns=False)
    found, takes_turns = _NAMED.search(text), False
    is_named = found is not None
    if found is None:
        found, takes_turns = _apart_in(text, is_apart)
    if found is None:
        return None
    number, (start, end) = found["number"].lower(), found.span("number")
    offset = _value(number) - place.page
    is_its_own = abs(offset) <= _FAR if place.label is None else number == place.label.lower()
    if not (is_named or is_its_own):
        return None
    side = (start == 0) ^ place.page % 2 if takes_turns else ""
    beside = plain(f"{text[:start]} {text[end:]}")
    return PageNumber(f"\0{offset}\0{side}", beside if has_letters(beside) else "", takes_turns)


def plain(text: str) -> str:
    """A text in small letters, with one space between words."""
    return " ".join(text.casefold().split())


def has_letters(text: str) -> bool:
    """Whether it says something beside numbers and signs."""
    return any(map(str.isalpha, text))


_FAR = 100
"""How far the number of a page is from its place: what stands before page 1 is shorter, years are farther."""
_ROMAN = "(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_NUMBER = rf"(?P<number>\d{{1,5}}|{_ROMAN})"
"""Roman ones in small letters only: those of chapters and poems are in large ones."""
_NAMED = re.compile(
    rf"(?<!\w)(?:page|seite|página|pagina|pág\.|pag\.|pg\.|p\.)\s*{_NUMBER}(?!\w)", re.IGNORECASE
)
_OF_ALL = re.compile(r"(?P<number>\d{1,5})\s*(?:/|of|von|sur|de|di)\s*(?P<all>\d{1,5})")
_LAST_THING = re.compile(r"(?P<mark>(\[)|(\()|p|S\.\s?)(?P<number>\d{1,5})(?(2)\])(?(3)\))")
"""What counts sections, problems and paragraphs too, but then stands over them. "S." is short for "Seite"."""
_STRETCH = re.compile("[^|\u2502\u00a6\u00b7\u2022]+")
"""What stands between bars."""
_CELL = re.compile(
    rf"\s*(?P<dash>[-\u2010\u2013\u2014~]\s*)?{_NUMBER}(?(dash)\s*[-\u2010\u2013\u2014~\u0002])\s*"
)
_FIRST, _LAST = re.compile(rf"{_NUMBER}\s+"), re.compile(rf"\s{_NUMBER}$")
_WORTH = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def _alone_in(text: str, place: Place) -> str | None:
    """What the number of a page has in common with those of others where it is all that its line says."""
    of_all = _OF_ALL.fullmatch(text)
    if of_all is not None:
        is_known = int(of_all["number"]) == place.page and int(of_all["all"]) == place.pages
        return "\0of all" if is_known else None
    found = _LAST_THING.fullmatch(text) if place.is_lowest else None
    if found is None or found["number"] != (place.label or str(place.page)):
        return None
    return f"\0{int(found['number']) - place.page}\0{found['mark']}"


def _apart_in(text: str, is_apart: Callable[[int, int], bool]) -> tuple[re.Match[str] | None, bool]:
    """The one number that stands by itself or at an end of the line, and whether words are next to it."""
    cells = [_CELL.fullmatch(text, *stretch.span()) for stretch in _STRETCH.finditer(text)]
    alone = [cell for cell in cells if cell is not None]
    if alone:
        return (alone[0], False) if len(alone) == 1 else (None, False)
    first, last = _FIRST.match(text), _LAST.search(text)
    if first is not None and last is None:
        return first, not is_apart(first.end("number") - 1, first.end() + 1)
    if last is not None and first is None:
        return last, not is_apart(last.start() - 1, last.start("number") + 1)
    return None, False


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    values = [_WORTH[letter] for letter in number]
    return sum(-value if value < after else value for value, after in pairwise([*values, 0]))
