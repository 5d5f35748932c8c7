"""Plots drawn by hand as SVG: each says in words what it shows, and takes its colours from the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vivavoce.domain.answers.scoring import Refusals, Share

from .marks import number, plain

_WIDTH = 460.0
_BINS = 16
_TICKS = 4
_LABEL = 85.0
"""The room that a label of a mark takes."""


class Bar(NamedTuple):
    """A bar: how far a share goes, and where it should."""

    name: str
    value: float | None
    said: str
    bound: float | None = None
    is_held: bool = True


def matrix(refusals: Refusals) -> str:
    """Who was answered and who was refused, against who should have been."""
    cells = (
        (0, 0, refusals.rightly_answered, "good", "answered"),
        (1, 0, refusals.wrongly_refused, "bad", "false refusals"),
        (0, 1, refusals.wrongly_answered, "bad", "wrong answers"),
        (1, 1, refusals.rightly_refused, "good", "rightly refused"),
    )
    said = ", ".join(f"{count} {meaning}" for _, _, count, _, meaning in cells)
    return _figure("Answered and refused", said, 230, "".join(_matrix(cells)))


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Shares from 0 to 1 as bars; a line marks what was asked for."""
    said = ", ".join(f"{row.name} {row.said}" for row in rows)
    return _figure(title, said, 24 + 34.0 * len(rows), "".join(_bars(rows)))


def histogram(title: str, values: Sequence[float], marks: Sequence[tuple[str, float]]) -> str:
    """How often values of each size occur, with some of them marked by name."""
    said = "; ".join((f"{len(values)} answers", *(f"{name} {value:.2f} s" for name, value in marks)))
    return _figure(title, said, 230, "".join(_histogram(values, marks)))


def columns(title: str, rows: Sequence[tuple[str, Share]]) -> str:
    """Shares side by side, each with how many it was counted from."""
    said = ", ".join(f"{name}: {share.part} of {share.whole}" for name, share in rows)
    return _figure(title, said, 230, "".join(_columns(rows)))


def _figure(title: str, said: str, height: float, body: str) -> str:
    name = "plot-" + "".join(letter if letter.isalnum() else "-" for letter in title.lower())
    return (
        f'<figure><figcaption id="{name}">{plain(title)}</figcaption>'
        f'<svg viewBox="0 0 {number(_WIDTH)} {number(height)}" role="img" '
        f'aria-labelledby="{name}" aria-describedby="{name}-said">'
        f'<desc id="{name}-said">{plain(said)}</desc>{body}</svg></figure>'
    )


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    classes = f' class="{kind}"' if kind else ""
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{classes}>{plain(text)}</text>'


def _box(x: float, y: float, width: float, height: float, kind: str, round: float = 3) -> str:
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
        f'rx="{number(round)}" class="{kind}"/>'
    )


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return f'<line x1="{number(x)}" y1="{number(y)}" x2="{number(to_x)}" y2="{number(to_y)}" class="{kind}"/>'


def _matrix(cells: Sequence[tuple[int, int, int, str, str]]) -> Iterator[str]:
    left, top, width, height = 116.0, 28.0, 166.0, 94.0
    yield _text(left + width / 2, 18, "answered", "soft", "middle")
    yield _text(left + 1.5 * width + 6, 18, "refused", "soft", "middle")
    for row, name in enumerate(("has an answer", "has none")):
        yield _text(left - 10, top + height / 2 + row * (height + 6) + 4, name, "soft", "end")
    totals = [sum(cell[2] for cell in cells if cell[1] == row) for row in (0, 1)]
    for column, row, count, kind, meaning in cells:
        x, y = left + column * (width + 6), top + row * (height + 6)
        share = count / totals[row] if totals[row] else 0.0
        yield _box(x, y, width, height, "empty")
        yield _box(x, y, width, height, f"{kind} at{round(share * 4)}")
        yield _text(x + width / 2, y + 46, str(count), "big", "middle")
        percent = f" ({100 * share:.0f} %)" if totals[row] else ""
        yield _text(x + width / 2, y + 68, f"{meaning}{percent}", "", "middle")


def _bars(rows: Sequence[Bar]) -> Iterator[str]:
    left, width, top = 146.0, 236.0, 6.0
    bottom = top + 34.0 * len(rows)
    for tick in range(_TICKS + 1):
        x = left + width * tick / _TICKS
        yield _line(x, top, x, bottom - 8, "grid")
        yield _text(x, bottom + 8, f"{100 * tick // _TICKS} %", "soft small", "middle")
    for place, row in enumerate(rows):
        y = top + 34.0 * place
        yield _text(left - 10, y + 17, row.name, "", "end")
        yield _box(left, y + 3, width, 20, "empty")
        if row.value is not None:
            kind = "accent" if row.is_held else "bad"
            yield _box(left, y + 3, width * min(max(row.value, 0.0), 1.0), 20, f"{kind} solid")
        if row.bound is not None:
            x = left + width * min(max(row.bound, 0.0), 1.0)
            yield _line(x, y - 1, x, y + 27, "bound")
        yield _text(left + width + 10, y + 17, row.said, "" if row.is_held else "failed")


def _histogram(values: Sequence[float], marks: Sequence[tuple[str, float]]) -> Iterator[str]:
    left, width, top, height = 34.0, 410.0, 42.0, 150.0
    if not values:
        yield _text(left + width / 2, top + height / 2, "nothing to show", "soft", "middle")
        return
    most = _rounded_up(max(values))
    counts = [0] * _BINS
    for value in values:
        counts[min(int(_BINS * value / most), _BINS - 1)] += 1
    highest = max(counts)
    yield _text(left - 6, top + 8, str(highest), "soft small", "end")
    yield _text(left - 6, top + height, "0", "soft small", "end")
    step = width / _BINS
    for place, count in enumerate(counts):
        tall = height * count / highest
        if count:
            yield _box(left + place * step + 1, top + height - tall, step - 2, tall, "accent solid", 2)
    yield _line(left, top + height, left + width, top + height, "axis")
    for tick in range(_TICKS + 1):
        x = left + width * tick / _TICKS
        yield _text(x, top + height + 18, f"{most * tick / _TICKS:g} s", "soft small", "middle")
    for place, (name, value) in enumerate(marks):
        x, above = left + width * min(value / most, 1.0), top - 8 - 15 * (len(marks) - 1 - place)
        beside, anchor = (x - 5, "end") if x + _LABEL > left + width else (x + 5, "start")
        yield _line(x, above - 10, x, top + height, "bound")
        yield _text(beside, above, f"{name} {value:.2f} s", "small", anchor)


def _columns(rows: Sequence[tuple[str, Share]]) -> Iterator[str]:
    left, width, top, height = 50.0, 390.0, 20.0, 150.0
    for tick in range(_TICKS + 1):
        y = top + height - height * tick / _TICKS
        yield _line(left, y, left + width, y, "grid")
        yield _text(left - 8, y + 4, f"{100 * tick // _TICKS} %", "soft small", "end")
    step = width / max(len(rows), 1)
    for place, (name, share) in enumerate(rows):
        middle = left + step * (place + 0.5)
        if share.value is not None:
            tall = height * share.value
            yield _box(middle - 36, top + height - tall, 72, tall, "accent solid")
            yield _text(middle, top + height - tall - 5, f"{100 * share.value:.0f} %", "", "middle")
        yield _text(middle, top + height + 20, name, "", "middle")
        counted = f"{share.part} of {share.whole}" if share.whole else "none"
        yield _text(middle, top + height + 38, counted, "soft small", "middle")


def _rounded_up(value: float) -> float:
    """The next number above that reads well in quarters."""
    size = 10.0 ** math.floor(math.log10(max(value, 1e-3)))
    return next(factor * size for factor in (1, 1.2, 1.6, 2, 3, 4, 6, 8, 10) if factor * size >= value)
