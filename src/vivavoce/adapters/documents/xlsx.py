"""Workbooks: each visible sheet under its name, each row as a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Part
from vivavoce.errors import Unreadable

from .archives import Archive, damaged
from .composing import Composer
from .formats import Formats, formats_in
from .office import is_on, main_part, part_events, relations
from .tables import lines
from .xml import End, Event, Start, Text

_MOST_ENTRIES = 2_000
_MOST_CELLS = 1_000_000
_MOST_COLUMNS = 16_384


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a workbook: the values that a person sees, with formulas as they were last counted."""
    archive = Archive(source, _MOST_ENTRIES)
    main = main_part(archive, "xl/workbook.xml")
    pointed = relations(archive, main)
    others = {relation.kind: relation.target for relation in pointed}
    targets = {relation.id: relation.target for relation in pointed}
    sheets, from_1904 = _sheets_in(part_events(archive, main))
    formats = formats_in(part_events(archive, others.get("styles", "")), from_1904)
    cells = _Cells(_strings_in(part_events(archive, others.get("sharedStrings", ""))), formats)
    _check_size(archive, [targets.get(id, "") for _, id in sheets])
    composer = Composer()
    for name, id in sheets:
        is_first = True
        for line in lines(cells.rows(part_events(archive, targets.get(id, "")))):
            if is_first:
                yield from composer.add(name, level=1)
            yield from composer.add(line, close=not is_first)
            is_first = False
    yield from composer.rest()


def _sheets_in(stream: Iterator[Event]) -> tuple[list[tuple[str, str]], bool]:
    """The name and reference of each sheet that is not hidden, and whether days count from 1904."""
    sheets, from_1904 = [], False
    for event in stream:
        if isinstance(event, Start):
            given = event.attributes
            if event.name == "sheet" and given.get("state", "visible") == "visible":
                sheets.append((given.get("name", ""), given.get("r:id", "")))
            elif event.name == "workbookPr":
                from_1904 = is_on(given.get("date1904", "0"))
    return sheets, from_1904


def _check_size(archive: Archive, sheets: list[str]) -> None:
    """Refuse a workbook that is far too large before its cells are looked at one by one."""
    count = 0
    for name in sheets:
        for chunk in archive.chunks(name) if name in archive else ():
            count += chunk.count(b"<c ") + chunk.count(b"<c>")
            if count > _MOST_CELLS:
                raise _too_many()


def _too_many() -> Unreadable:
    return Unreadable(f"The file has more than {_MOST_CELLS:,} cells.", hint="Split it.")


def _strings_in(stream: Iterator[Event]) -> list[str]:
    """The texts that cells refer to by number."""
    strings: list[str] = []
    pieces: list[str] = []
    is_text, phonetic = False, 0
    for event in stream:
        if isinstance(event, Text):
            if is_text and phonetic == 0:
                pieces.append(event.text)
        elif event.name == "rPh":
            phonetic += 1 if isinstance(event, Start) else -1
        elif event.name == "t":
            is_text = isinstance(event, Start)
        elif event.name == "si" and isinstance(event, End):
            strings.append("".join(pieces))
            pieces = []
    return strings


class _Cells:
    """Reads the rows of one sheet after another and counts their cells."""

    def __init__(self, strings: list[str], formats: Formats) -> None:
        self._strings, self._formats = strings, formats
        self._count = 0

    def rows(self, stream: Iterator[Event]) -> Iterator[list[str]]:
        row: dict[int, str] = {}
        cell, said, is_said, column = Start("c", {}), "", False, -1
        for event in stream:
            if isinstance(event, Text):
                said += event.text if is_said else ""
            elif event.name in ("v", "t"):
                is_said = isinstance(event, Start)
            elif isinstance(event, Start):
                if event.name == "c":
                    self._count_one()
                    cell, said, column = event, "", _column(event.attributes.get("r"), column)
            elif event.name == "c":
                if said:
                    row[column] = self._shown(cell, said)
            elif event.name == "row":
                if row:
                    yield [row.get(number, "") for number in range(max(row) + 1)]
                row, column = {}, -1

    def _count_one(self) -> None:
        self._count += 1
        if self._count > _MOST_CELLS:
            raise _too_many()

    def _shown(self, cell: Start, said: str) -> str:
        kind = cell.attributes.get("t", "n")
        if kind == "s":
            number = int(said) if said.isascii() and said.isdigit() and len(said) < 9 else -1
            return self._strings[number] if 0 <= number < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if said.strip() == "1" else "FALSE"
        if kind == "n":
            return self._formats.shown(said, cell.attributes.get("s", ""))
        return said


def _column(reference: str | None, before: int) -> int:
    """The column of a cell, counted from 0; one that does not say so stands beside the one before."""
    column = before + 1
    if reference is not None:
        letters = reference.rstrip("0123456789")
        if not (letters.isascii() and letters.isalpha() and len(letters) <= 3):
            raise damaged()
        column = -1
        for letter in letters.upper():
            column = 26 * (column + 1) + ord(letter) - ord("A")
    if column >= _MOST_COLUMNS:
        raise damaged()
    return column
