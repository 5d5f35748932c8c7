"""Word documents: paragraphs, headings, lists, tables and notes, without what was deleted or hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Part

from .archives import Archive
from .composing import Composer
from .office import is_on, main_part, part_events, relations
from .styles import Styles, styles_in
from .xml import End, Event, Start, Text

_MOST_ENTRIES = 2_000
_PAGE, _SHOWN = "\f", "\v"
"""Stand in a paragraph where its writer ended a page, and where a page ended when it was last shown."""
_ENDS = re.compile(f"([{_PAGE}{_SHOWN}])")
_SKIPPED = frozenset(("del", "moveFrom", "Fallback", "instrText", "delText"))
_MARKS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "lastRenderedPageBreak": _SHOWN}
_BREAKS = re.compile(rb"lastRenderedPageBreak|type=[\"']page[\"']")


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a document; they have page numbers where the file says where pages end."""
    archive = Archive(source, _MOST_ENTRIES)
    main = main_part(archive, "word/document.xml")
    others = {relation.kind: relation.target for relation in relations(archive, main)}
    body = Body(styles_in(part_events(archive, others.get("styles", ""))), _has_pages(archive, main))
    for event in part_events(archive, main):
        yield from body.take(event)
    for kind in ("footnote", "endnote"):
        yield from body.notes(kind, part_events(archive, others.get(f"{kind}s", "")))
    yield from body.composer.rest()


class Body:
    """Turns the events of a document into blocks."""

    def __init__(self, styles: Styles, has_pages: bool) -> None:
        self.composer = Composer()
        self._styles = styles
        self._page = 1 if has_pages else None
        self._has_ended_page = False
        self._skipped = 0
        self._paragraphs: list[_Paragraph] = []
        self._rows: list[list[str]] = []
        self._is_text = False
        self._numbers: dict[tuple[str, str], int] = {}
        if has_pages:
            list(self.composer.turn(1))

    def take(self, event: Event) -> Iterator[Part]:
        """The parts that an event completes."""
        if isinstance(event, Start):
            if self._skipped > 0 or event.name in _SKIPPED:
                self._skipped += 1
            else:
                self._begin(event)
        elif isinstance(event, End):
            if self._skipped > 0:
                self._skipped -= 1
            else:
                yield from self._end(event.name)
        elif self._is_text and self._skipped == 0 and self._paragraphs:
            self._paragraphs[-1].run += event.text

    def notes(self, kind: str, stream: Iterator[Event]) -> Iterator[Part]:
        """The notes that the text refers to, in the order in which it does."""
        found = _notes_in(kind, stream)
        for (noted, id), number in self._numbers.items():
            if noted == kind and found.get(id):
                yield from self.composer.add(f"[{number}] {found[id]}", close=number > 1)

    def _begin(self, event: Start) -> None:
        name, given = event.name, event.attributes
        if name == "p":
            self._paragraphs.append(_Paragraph())
        elif name == "tr":
            self._rows.append([])
        elif name == "tc" and self._rows:
            self._rows[-1].append("")
        elif name == "t":
            self._is_text = True
        elif self._paragraphs:
            self._within_paragraph(self._paragraphs[-1], name, given.get("val"), event)

    def _within_paragraph(self, paragraph: _Paragraph, name: str, value: str | None, event: Start) -> None:
        if name == "r":
            paragraph.run, paragraph.is_hidden = "", False
        elif name == "vanish":
            paragraph.is_hidden = is_on(value)
        elif name == "pStyle":
            paragraph.style = value
        elif name == "outlineLvl":
            paragraph.outline = value
        elif name == "numPr":
            paragraph.is_item = True
        elif name == "br":
            paragraph.run += _PAGE if event.attributes.get("type") == "page" else "\n"
        elif name in ("footnoteReference", "endnoteReference"):
            key = (name.removesuffix("Reference"), event.attributes.get("id", ""))
            paragraph.run += f"[{self._numbers.setdefault(key, len(self._numbers) + 1)}]"
        else:
            paragraph.run += _MARKS.get(name, "")

    def _end(self, name: str) -> Iterator[Part]:
        if name == "t":
            self._is_text = False
        elif name == "r" and self._paragraphs:
            self._paragraphs[-1].end_run()
        elif name == "p" and self._paragraphs:
            yield from self._paragraph(self._paragraphs.pop())
        elif name == "tr" and self._rows:
            yield from self._row(self._rows.pop())

    def _paragraph(self, paragraph: _Paragraph) -> Iterator[Part]:
        paragraph.end_run()
        text = "".join(paragraph.text)
        if self._rows and self._rows[-1]:
            self._rows[-1][-1] = f"{self._rows[-1][-1]} {text}".strip(" ")
            return
        level = self._styles.level(paragraph.style, paragraph.outline)
        is_item = level is None and (paragraph.is_item or self._styles.is_list(paragraph.style))
        yield from self._placed(_as_item(text) if is_item else text, level=level, is_close=is_item)

    def _row(self, cells: list[str]) -> Iterator[Part]:
        if self._rows and self._rows[-1]:
            self._rows[-1][-1] = " ".join((self._rows[-1][-1], *cells)).strip(" ")
            return
        plain = [" ".join(_ENDS.sub(" ", cell).split()) for cell in cells]
        if any(plain):
            yield from self._placed(" | ".join(plain), is_close=True)
        yield from self._placed("".join(end for cell in cells for end in _ENDS.findall(cell)))

    def _placed(self, text: str, *, level: int | None = None, is_close: bool = False) -> Iterator[Part]:
        """A block on its page, or on several if pages end inside it."""
        for piece in _ENDS.split(text):
            if piece in (_PAGE, _SHOWN):
                yield from self._page_ended(piece)
            elif piece.strip():
                yield from self.composer.add(piece, level=level, close=is_close)
                level, self._has_ended_page = None, False

    def _page_ended(self, end: str) -> Iterator[Part]:
        """The next page; the end that its writer set and the same end as it was shown are one."""
        if self._page is not None and not (end == _SHOWN and self._has_ended_page):
            self._page += 1
            yield from self.composer.turn(self._page)
        self._has_ended_page = end == _PAGE


class _Paragraph:
    """A paragraph under way; nested ones, in text boxes, have their own."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.run = ""
        self.is_hidden = False
        self.style: str | None = None
        self.outline: str | None = None
        self.is_item = False

    def end_run(self) -> None:
        """Keep what the run says unless it is hidden; the end of a page is no secret."""
        self.text.append("".join(_ENDS.findall(self.run)) if self.is_hidden else self.run)
        self.run, self.is_hidden = "", False


def _as_item(text: str) -> str:
    said = text.lstrip(f" {_PAGE}{_SHOWN}")
    return f"{text[: len(text) - len(said)]}- {said}" if said else text


def _notes_in(kind: str, stream: Iterator[Event]) -> dict[str, str]:
    """The text of each note by its id."""
    notes: dict[str, list[str]] = {}
    id, is_text, skipped = "", False, 0
    for event in stream:
        if isinstance(event, Text):
            if is_text and skipped == 0:
                notes.setdefault(id, []).append(event.text)
            continue
        is_start = isinstance(event, Start)
        if event.name in _SKIPPED:
            skipped += 1 if is_start else -1
        elif event.name == "t":
            is_text = is_start
        elif event.name == "p" and not is_start:
            notes.setdefault(id, []).append(" ")
        elif isinstance(event, Start) and event.name == kind:
            id = event.attributes.get("id", "")
    return {id: " ".join("".join(pieces).split()) for id, pieces in notes.items()}


def _has_pages(archive: Archive, main: str) -> bool:
    """Whether the document says anywhere that a page ends."""
    tail = b""
    for chunk in archive.chunks(main):
        if _BREAKS.search(tail + chunk):
            return True
        tail = chunk[-40:]
    return False
