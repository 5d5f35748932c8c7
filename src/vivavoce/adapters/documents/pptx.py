"""Presentations: a part for each slide, its title first, its notes last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Part

from .archives import Archive
from .composing import Composer
from .office import main_part, part_events, relations
from .xml import End, Event, Start, Text

_TITLES = frozenset(("title", "ctrTitle"))
_FURNITURE = frozenset(("sldNum", "dt", "ftr", "hdr", "sldImg"))


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a presentation, in the order in which it is shown."""
    archive = Archive(source)
    main = main_part(archive, "ppt/presentation.xml")
    slides = {
        relation.id: relation.target for relation in relations(archive, main) if relation.kind == "slide"
    }
    composer = Composer()
    for number, id in enumerate(_order(part_events(archive, main)), 1):
        yield from composer.turn(number)
        slide = slides.get(id, "")
        for kind, text in sorted(_blocks(part_events(archive, slide)), key=lambda block: block[0] != "title"):
            yield from composer.add(text, level=1 if kind == "title" else None, close=kind == "row")
        for relation in relations(archive, slide):
            if relation.kind == "notesSlide":
                notes = "\n".join(text for _, text in _blocks(part_events(archive, relation.target)))
                yield from composer.add(f"Notes: {notes}" if notes.strip() else "")
    yield from composer.rest()


def _order(stream: Iterator[Event]) -> list[str]:
    return [
        event.attributes.get("r:id", "")
        for event in stream
        if isinstance(event, Start) and event.name == "sldId"
    ]


def _blocks(stream: Iterator[Event]) -> list[tuple[str, str]]:
    """What stands on a slide: the title, texts and rows, as the file orders them."""
    slide = _Slide()
    for event in stream:
        slide.take(event)
    return slide.blocks


class _Slide:
    def __init__(self) -> None:
        self.blocks: list[tuple[str, str]] = []
        self._lines: list[str] = []
        self._line: list[str] = []
        self._cells: list[str] = []
        self._role = ""
        self._is_text = False
        self._fallback = 0

    def take(self, event: Event) -> None:
        if isinstance(event, Text):
            if self._is_text and self._fallback == 0:
                self._line.append(event.text)
        elif event.name == "Fallback":
            self._fallback += 1 if isinstance(event, Start) else -1
        elif isinstance(event, Start):
            self._begin(event)
        else:
            self._end(event)

    def _begin(self, event: Start) -> None:
        if event.name == "sp":
            self._role, self._lines = "", []
        elif event.name == "ph":
            self._role = event.attributes.get("type", "")
        elif event.name == "t":
            self._is_text = True
        elif event.name == "br":
            self._line.append("\n")
        elif event.name == "tr":
            self._cells = []
        elif event.name in ("tc", "txBody"):
            self._lines = []

    def _end(self, event: End) -> None:
        if event.name == "t":
            self._is_text = False
        elif event.name == "p":
            self._lines.append("".join(self._line))
            self._line = []
        elif event.name == "tc":
            self._cells.append(" ".join(" ".join(self._lines).split()))
            self._lines = []
        elif event.name == "tr":
            if any(self._cells):
                self.blocks.append(("row", " | ".join(self._cells)))
        elif event.name == "sp":
            text = "\n".join(line for line in self._lines if line.strip())
            if text and self._role not in _FURNITURE:
                is_title = self._role in _TITLES
                self.blocks.append(("title", " ".join(text.split())) if is_title else ("text", text))
            self._lines = []
