"""The styles of a Word document: which make a heading, and which a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .xml import Event, Start

_HEADING = re.compile(r"heading ?([1-9])")
_DEEPEST = 20
"""How many styles may rest on each other; programs make four."""


@dataclass
class Style:
    """A style, as far as it matters here."""

    name: str = ""
    rests_on: str | None = None
    outline: str | None = None


class Styles:
    """The styles of a document by their ids."""

    def __init__(self, by_id: dict[str, Style]) -> None:
        self._by_id = by_id

    def level(self, style: str | None, outline: str | None) -> int | None:
        """The level of the heading that a paragraph is, seen from its style and its own outline level."""
        if outline is not None:
            return _outlined(outline)
        for found in self._line(style):
            name = found.name.lower()
            if name == "title":
                return 1
            if heading := _HEADING.fullmatch(name):
                return int(heading.group(1))
            if found.outline is not None:
                return _outlined(found.outline)
        return None

    def is_list(self, style: str | None) -> bool:
        """Whether a paragraph of this style is an item of a list."""
        return any(
            found.name.lower().startswith(("list bullet", "list number")) for found in self._line(style)
        )

    def _line(self, style: str | None) -> Iterator[Style]:
        """A style and those it rests on; one that the document does not explain is known by its id alone."""
        for _ in range(_DEEPEST):
            if style is None:
                return
            found = self._by_id.get(style, Style(name=style))
            yield found
            style = found.rests_on


def styles_in(stream: Iterator[Event]) -> Styles:
    """The styles that a document explains."""
    by_id: dict[str, Style] = {}
    style = Style()
    for event in stream:
        if not isinstance(event, Start):
            continue
        value = event.attributes.get("val")
        if event.name == "style":
            style = by_id.setdefault(event.attributes.get("styleId", ""), Style())
        elif event.name == "name":
            style.name = value or ""
        elif event.name == "basedOn":
            style.rests_on = value
        elif event.name == "outlineLvl":
            style.outline = value
    return Styles(by_id)


def _outlined(outline: str) -> int | None:
    """Word counts levels from 0, and 9 means that it is no heading."""
    return int(outline) + 1 if outline in tuple("012345678") else None
