"""Citation styles: how an answer names what it quotes, from the wish that a configuration puts in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded

Kind = Literal["title", "author-year", "mla", "chicago", "notes"]


class Cited(NamedTuple):
    """A place in a work, as a reader looks for it."""

    title: str
    authors: tuple[str, ...]
    year: int | None
    page: str | None
    """As it is printed."""


class Style(NamedTuple):
    """How works are named."""

    kind: Kind = "title"
    is_italic: bool = False
    """Whether titles stand in italics, as Markdown has them, and not in quotation marks."""
    has_pages: bool = True
    """Whether the page is named."""

    def titled(self, title: str) -> str:
        """A title as it stands in a sentence."""
        plain = one_line(title)
        return f"*{plain}*" if self.is_italic else f"\u201c{plain}\u201d" if '"' in plain else f'"{plain}"'

    def mark(self, cited: Cited, number: int, *, is_introduced: bool, pages: str = "p.") -> str:
        """What stands behind a statement; empty where nothing is left to say.

        `is_introduced`: the sentence itself has named the work and its year.
        """
        page = cited.page if self.has_pages else None
        if self.kind == "notes":
            return f"[{number}]"
        if self.kind == "mla":
            return _bracketed(" ".join(_known(_surnames(cited, "and"), page)))
        if self.kind == "chicago":
            return _bracketed(", ".join(_known(" ".join(_known(_surnames(cited, "and"), cited.year)), page)))
        named_page = None if page is None else f"{pages} {page}"
        if self.kind == "author-year":
            return _bracketed(", ".join(_known(_surnames(cited, "&"), cited.year or "n.d.", named_page)))
        if is_introduced:
            return _bracketed(named_page or "")
        return _bracketed(", ".join(_known(self.titled(cited.title), cited.year, named_page)))

    def note(self, cited: Cited, number: int, pages: str = "p.") -> str:
        """The entry of a numbered note."""
        page = f"{pages} {cited.page}" if cited.page is not None and self.has_pages else None
        year = None if cited.year is None else f"({cited.year})"
        work = " ".join(_known(self.titled(cited.title), year))
        return f"[{number}] " + ", ".join(_known(", ".join(names_of(cited.authors)[:3]), work, page)) + "."

    @property
    def introduces(self) -> bool:
        """Whether the sentence that leads to a quote names title and year."""
        return self.kind in ("title", "notes")


def style_in(wish: str) -> Style:
    """The style that a wish in words asks for; title, year and page where it names none that we know."""
    plain = folded(wish)
    kind: Kind = next((kind for kind, names in _KINDS if names.search(plain) is not None), "title")
    if kind == "chicago" and _NOTES.search(plain) is not None:
        kind = "notes"
    return Style(
        kind,
        is_italic=_ITALIC.search(plain) is not None,
        has_pages=_NO_PAGES.search(plain) is None,
    )


class Notes(NamedTuple):
    """An answer with numbered notes of its own, as its citation style wishes."""

    text: str
    """The answer without the notes at its end."""
    notes: dict[int, str]
    numbers: list[int]
    """The number of its note behind each claim."""


def own_notes(response: str, claims: Iterable[str]) -> Notes | None:
    """The notes of an answer; None where a claim has no number, or where they are not those of the claims."""
    text, _, below = response.rpartition("\n\n")
    notes = {int(found[1]): found[0] for found in _NOTE.finditer(below)}
    found = [_OWN_NUMBER.search(each) for each in claims]
    numbers = [int(each[1]) for each in found if each is not None]
    is_numbered = bool(numbers) and len(numbers) == len(found) and set(numbers) == notes.keys()
    return Notes(text, notes, numbers) if is_numbered and not _NOTE.sub("", below).strip() else None


def referenced(title: str, year: int | None, page: object) -> str:
    """A place of a work in one line, as lists of citations name it."""
    return f"{one_line(title)}{'' if year is None else f' ({year})'}{'' if page is None else f', p. {page}'}"


def one_line(text: str) -> str:
    """The words as they would be read aloud: blanks and line ends are one blank."""
    return " ".join(text.split())


def names_of(authors: Iterable[str]) -> list[str]:
    """The authors as a sentence names them: "Ostrom, Elinor" is Elinor Ostrom, and blanks are nobody."""
    return [name for name in map(_full_name, authors) if name]


def surname_of(name: str) -> str:
    """The family name, as an author is called the second time; empty where there is no name."""
    before, _, after = one_line(name).strip(" ,").partition(",")
    if after and not _is_suffix(after):
        return before.strip()
    parts = before.split()
    first = max(0, len(parts) - 1)
    while first > 1 and parts[first - 1] in _PARTICLES:
        first -= 1
    return " ".join(parts[first:])


_NOTE = re.compile(r"^\[(\d{1,4})\] .+$", re.MULTILINE)
_OWN_NUMBER = re.compile(r"\[(\d{1,4})\][.!?]?$")
_NOTES = re.compile(
    r"\b(?:foot ?notes?|end ?notes?|notes and bibliography|numbered|numeric(?:al|os?)?|in brackets? numbers?"
    r"|square brackets|notas? de rodape|numerad[oa]s?|notas? al pie|\[1\]|superscripts?)(?!\w)|\[1\]"
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("chicago", re.compile(r"\b(?:chicago|turabian)\b")),
    ("mla", re.compile(r"\bmla\b|\bmodern language association\b")),
    (
        "author-year",
        re.compile(
            r"\b(?:apa|harvard|abnt|author[ ,/-]+(?:and[ -])?(?:year|date)|autor[ ,/-]+(?:e[ -]"
            r"|y[ -])?(?:data|ano|fecha))\b"
        ),
    ),
    ("notes", re.compile(rf"{_NOTES.pattern}|\b(?:ieee|vancouver|ama)\b")),
)
_ITALIC = re.compile(r"\bital(?:ic|ics|ico|icos|icas|icised|icized)\b|\bcursivas?\b")
_NO_PAGES = re.compile(
    r"\b(?:no|without|omit|sem|sin)\s+(?:the\s+|as\s+|las\s+|n[u]meros? de\s+)?(?:page(?:s| numbers?)?"
    r"|paginas?)\b"
)
_PARTICLES = words("de da do dos das del van von der la le di du y e")
_SUFFIXES = words("jr sr ii iii iv jnr snr filho neto")


def _full_name(name: str) -> str:
    plain = one_line(name).strip(" ,")
    before, _, after = plain.partition(",")
    return plain if not after or "," in after or _is_suffix(after) else f"{after.strip()} {before.strip()}"


def _is_suffix(part: str) -> bool:
    """Whether what stands behind a comma is no first name, as in King, Jr."""
    return part.strip(" .").lower() in _SUFFIXES


def _surnames(cited: Cited, joined: str) -> str:
    """The family names of the authors; the title where the work names no author."""
    names = [name for name in map(surname_of, cited.authors) if name]
    if not names:
        return one_line(cited.title)
    if len(names) > 2:
        return f"{names[0]} et al."
    return f" {joined} ".join(names)


def _known(*parts: object) -> list[str]:
    return [str(part) for part in parts if part is not None and str(part)]


def _bracketed(text: str) -> str:
    return f"({text})" if text else ""
