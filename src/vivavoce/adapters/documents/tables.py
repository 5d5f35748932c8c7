"""Rows of cells as lines of text that can be found and understood alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_NUMBER = re.compile(r"[-+]?[\d.,\s]*\d[\d.,\s]*%?|\d{4}-\d\d-\d\d.*")
_LONGEST_NAME = 100


def lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A line for each row: `name: value; name: value` under a row of names, else its cells side by side."""
    header: Sequence[str] | None = None
    held: Sequence[str] | None = None
    is_first = True
    for row in ([" ".join(cell.split()) for cell in row] for row in rows):
        if not any(row):
            continue
        if is_first:
            is_first = False
            if _is_header(row):
                header = held = row
                continue
        held = None
        yield _side_by_side(row) if header is None else _named(header, row)
    if held is not None:
        yield _side_by_side(held)


def _is_header(row: Sequence[str]) -> bool:
    """Whether a first row names columns: at least two, each its own name, and none of them a number."""
    names = [cell for cell in row if cell]
    if len(names) < 2 or len(set(names)) < len(names) or len(names) < len(row) - 1:
        return False
    return all(len(name) <= _LONGEST_NAME and not _NUMBER.fullmatch(name) for name in names)


def _named(header: Sequence[str], row: Sequence[str]) -> str:
    names = (*header, *[""] * (len(row) - len(header)))
    return "; ".join(
        f"{name}: {value}" if name else value for name, value in zip(names, row, strict=False) if value
    )


def _side_by_side(row: Sequence[str]) -> str:
    last = max(number for number, cell in enumerate(row) if cell)
    return " | ".join(row[: last + 1])
