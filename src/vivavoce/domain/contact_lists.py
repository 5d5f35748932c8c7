"""Lists of contacts as tables of text with commas between, which spreadsheets read and write."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

from vivavoce.errors import InvalidInput

MOST = 5_000
"""Rows of a list."""
COLUMNS = ("email", "phoneNumber", "firstName", "lastName", "externalId")
"""The columns of a list, in the names of the wire."""
_OTHERWISE = {
    **{"mail": "email", "emailaddress": "email", "phone": "phoneNumber", "telefone": "phoneNumber"},
    **{"name": "firstName", "nome": "firstName", "sobrenome": "lastName", "userid": "externalId"},
}
"""What else the columns are called, in small letters alone."""
_KNOWN = {name.lower(): name for name in COLUMNS} | _OTHERWISE
_BEGINS = r"(?:^|(?<=[;\t\r\n]))"
"""Where a cell begins, also for a spreadsheet that parts them by semicolons, tabs or lines."""
_ACTIVE = r"(?='*[=+\-@\t\r])"
"""Before what a spreadsheet would work out, and before our mark for it."""
_UNMARKED, _MARKED = re.compile(_BEGINS + _ACTIVE), re.compile(_BEGINS + "'" + _ACTIVE)


def rows_in(text: str) -> list[dict[str, str]]:
    """The rows of a list, by the names of the wire; the first row says what stands where.

    Columns of other names are passed over, and so are empty cells.
    """
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=_delimiter(text))
    try:
        rows = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise _unreadable(f"the table cannot be read: {error}") from error
    names = [_KNOWN.get(re.sub(r"[^a-z]", "", cell.lower())) for cell in rows[0]] if rows else []
    if not any(names):
        raise _unreadable(f"the first row must name columns: some of {', '.join(COLUMNS)}")
    if len(rows) > MOST + 1:
        raise _unreadable(f"must not have more than {MOST} rows")
    return [_row(names, row) for row in rows[1:]]


def table_of(contacts: Iterable[Mapping[str, Any]]) -> str:
    """A list with these contacts, which `rows_in` reads back; no cell is worked out by a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for contact in contacts:
        writer.writerow([_still(contact.get(name) or "") for name in COLUMNS])
    return out.getvalue()


def _delimiter(text: str) -> str:
    """What stands between the cells of the first row; some spreadsheets write semicolons."""
    first = text.partition("\n")[0]
    return ";" if first.count(";") > first.count(",") else ","


def _row(names: list[str | None], row: list[str]) -> dict[str, str]:
    cells = zip(names, row, strict=False)
    return {name: value for name, cell in cells if name is not None and (value := _plain(cell.strip()))}


def _still(cell: str) -> str:
    return _UNMARKED.sub("'", cell)


def _plain(cell: str) -> str:
    return _MARKED.sub("", cell)


def _unreadable(what: str) -> InvalidInput:
    return InvalidInput(f"csv: {what}.", details={"csv": what})
