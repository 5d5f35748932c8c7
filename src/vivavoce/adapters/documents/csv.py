"""Tables as text: values between commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Part
from vivavoce.errors import Unreadable

from .composing import Composer
from .decoding import text_of
from .tables import lines

_DELIMITERS = ",;\t|"
_SAMPLE = 64 * 1024
_SAMPLE_ROWS = 50
_LONGEST_CELL = 1_000_000


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a table, one line for each row."""
    text = text_of(source)
    sample = text.read(_SAMPLE)
    text.seek(0)
    delimiter = _said_in(sample)
    if delimiter is None:
        delimiter = _seen_in(sample)
    else:
        text.readline()
    composer = Composer()
    for line in lines(_rows(text, delimiter)):
        yield from composer.add(line, close=True)
    yield from composer.rest()


def _said_in(sample: str) -> str | None:
    """The delimiter that a first line such as `sep=;` names."""
    first = sample.partition("\n")[0].strip(' "')
    return first[4:] if first.startswith("sep=") and len(first) == 5 else None


def _seen_in(sample: str) -> str:
    """The delimiter that divides the most rows into the same number of cells, more than one."""
    best, most = ",", 0
    for delimiter in _DELIMITERS:
        widths: Counter[int] = Counter()
        try:
            for number, row in enumerate(csv.reader(io.StringIO(sample), delimiter=delimiter)):
                if number == _SAMPLE_ROWS:
                    break
                widths[len(row)] += 1
        except csv.Error:
            continue
        same = max((count * (width - 1) for width, count in widths.items() if width > 1), default=0)
        if same > most:
            best, most = delimiter, same
    return best


def _rows(text: io.TextIOBase, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(text, delimiter=delimiter)
    while True:
        begun = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            raise Unreadable(
                f"The table cannot be read: what begins on line {begun} does not end.",
                hint="Look for a quotation mark without its pair.",
            ) from None
        yield row
