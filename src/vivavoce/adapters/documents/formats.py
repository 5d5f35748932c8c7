"""How a workbook shows its numbers: as days, hours, shares, or as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from .xml import End, Event, Start

_DAYS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_SHARES = frozenset((9, 10))
_SAID = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
"""What a format says word for word, and its colours and conditions."""
_LAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_DATE = re.compile(r"[dyhs]|m", re.IGNORECASE)
_LONGEST_CODE = 255
_LAST_DAY = 2_958_465
"""The last day of the year 9999."""


class Formats:
    """The formats of a workbook, by the number of a cell's style."""

    def __init__(self, kinds: list[str], from_1904: bool) -> None:
        self._kinds = kinds
        self._epoch = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)

    def shown(self, number: str, style: str) -> str:
        """A number as a person sees it, near enough; dates as ISO dates."""
        try:
            value = float(number)
        except ValueError:
            return number
        at = int(style) if style.isascii() and style.isdigit() and len(style) < 9 else -1
        kind = self._kinds[at] if 0 <= at < len(self._kinds) else "number"
        if kind == "date" and 0 <= value <= _LAST_DAY:
            return self._date(value)
        if kind == "share":
            return f"{value * 100:.10g}%"
        return f"{value:.15g}" if "." in number or "e" in number.lower() else number

    def _date(self, value: float) -> str:
        moment = self._epoch + timedelta(seconds=round(value * 86_400))
        if value < 1:
            return moment.time().isoformat()
        return moment.date().isoformat() if value == int(value) else moment.isoformat()


def formats_in(stream: Iterator[Event], from_1904: bool) -> Formats:
    """The formats that a workbook explains."""
    codes: dict[str, str] = {}
    kinds: list[str] = []
    is_for_cells = False
    for event in stream:
        if isinstance(event, Start):
            if event.name == "numFmt":
                codes[event.attributes.get("numFmtId", "")] = event.attributes.get("formatCode", "")
            elif event.name == "cellXfs":
                is_for_cells = True
            elif event.name == "xf" and is_for_cells:
                kinds.append(_kind(event.attributes.get("numFmtId", "0"), codes))
        elif isinstance(event, End) and event.name == "cellXfs":
            is_for_cells = False
    return Formats(kinds, from_1904)


def _kind(id: str, codes: dict[str, str]) -> str:
    code = codes.get(id)
    if code is None:
        number = int(id) if id.isascii() and id.isdigit() and len(id) < 6 else 0
        return "date" if number in _DAYS else "share" if number in _SHARES else "number"
    bare = _SAID.sub("", code[:_LONGEST_CODE]).split(";")[0]
    if "%" in bare:
        return "share"
    is_date = bare.lower() != "general" and _DATE.search(bare) and not _LAPSED.search(bare)
    return "date" if is_date else "number"
