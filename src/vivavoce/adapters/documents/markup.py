"""HTML as blocks: what a person who opens the page can read, in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

_BLANKS = re.compile(r"[ \t\n\r\f\v\xa0]+")
_HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\s*(?:!|;|$)", re.IGNORECASE)
_VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr"
))  # fmt: skip
_UNSEEN = frozenset((
    "script", "style", "noscript", "template", "iframe", "object", "svg", "canvas", "audio", "video",
    "select", "textarea", "datalist", "dialog"
))  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hgroup", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section",
    "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"
))  # fmt: skip
_CLOSE = frozenset(("dd", "dt", "li", "tr", "summary"))
"""Blocks that stand under each other without a blank line."""
_BESIDE = frozenset(("nav", "footer", "aside"))
_CLOSED_BY = {
    "li": frozenset(("li",)),
    "dt": frozenset(("dt", "dd")),
    "dd": frozenset(("dt", "dd")),
    "tr": frozenset(("tr", "td", "th")),
    "td": frozenset(("td", "th")),
    "th": frozenset(("td", "th")),
    **{heading: frozenset(_HEADINGS) for heading in _HEADINGS},
}
"""What ends where a tag begins, though nobody wrote its end."""
_LONGEST_TITLE = 1000
_ENOUGH = 500
"""With so many characters beside it, navigation is left out even where a page marks no main part."""


class Block(NamedTuple):
    """A paragraph, heading, item, row or line."""

    text: str
    level: int | None
    is_close: bool
    beside: str | None
    """Which of nav, footer and aside it stands in."""


class Page(HTMLParser):
    """A page that is read; `blocks` gives what it says."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._blocks: list[Block] = []
        self._line: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._count: Counter[str] = Counter()
        self._unseen = 0
        self._has_main = False
        self._is_close = False
        self._item = ""
        self._has_cell = False

    def blocks(self, *, is_book: bool = False) -> Iterator[Block]:
        """What the page says, without what stands beside it; in a book, notes beside its text stay."""
        self._end_block(close=False)
        main = sum(len(block.text) for block in self._blocks if block.beside is None)
        drop: frozenset[str] = frozenset()
        if is_book:
            drop = frozenset(("nav",))
        elif (self._has_main and main > 0) or main >= _ENOUGH:
            drop = _BESIDE
        return (block for block in self._blocks if block.beside not in drop)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Open an element, and close what ends where it begins."""
        if tag == "br":
            self._put("\n")
        if tag in _VOID:
            if tag == "hr":
                self._end_block(close=False)
            return
        self._close_implied(tag)
        if tag in _BLOCKS and not (
            self._is_in_cell() and tag not in _HEADINGS and tag not in ("table", "tr")
        ):
            self._end_block(close=tag in _CLOSE)
        # Many pages hide their whole body until a script has run.
        is_unseen = tag in _UNSEEN or (tag not in ("html", "body") and _hides(attributes))
        self._open.append((tag, is_unseen))
        self._count[tag] += 1
        self._unseen += is_unseen
        if self._unseen > 0:
            return
        self._has_main = self._has_main or tag in ("main", "article")
        if tag == "li":
            self._item = "- "
        elif tag == "tr":
            self._has_cell = False
        elif tag in ("td", "th"):
            self._put(" | " if self._has_cell else "")
            self._has_cell = True
        elif tag in _BLOCKS and self._is_in_cell():
            self._put(" ")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """An element without content, as XHTML writes it."""
        self.handle_starttag(tag, attributes)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element and all that was left open in it."""
        if tag == "br":
            self._put("\n")
        if self._count[tag] == 0:
            return
        while self._pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Text."""
        if self._count["title"] > 0:
            if self._count["svg"] == 0 and len(self.title) < _LONGEST_TITLE:
                self.title += data[:_LONGEST_TITLE]
        elif self._unseen == 0:
            self._put(data if self._count["pre"] > 0 else _BLANKS.sub(" ", data))

    def _close_implied(self, tag: str) -> None:
        if tag in _BLOCKS:
            for never_around in ("title", "p"):
                if self._count[never_around] > 0:
                    self.handle_endtag(never_around)
        ends = _CLOSED_BY.get(tag, frozenset())
        while self._open and self._open[-1][0] in ends:
            self._pop()

    def _pop(self) -> str:
        tag, was_unseen = self._open[-1]
        if tag in _HEADINGS or (tag in _BLOCKS and not self._is_in_cell()) or tag == "tr":
            self._end_block(close=tag in _CLOSE)
        elif tag in _BLOCKS:
            self._put(" ")
        if tag == "li":
            self._item = ""
        self._open.pop()
        self._count[tag] -= 1
        self._unseen -= was_unseen
        return tag

    def _is_in_cell(self) -> bool:
        return self._count["td"] > 0 or self._count["th"] > 0

    def _put(self, text: str) -> None:
        if self._unseen == 0:
            self._line.append(" " if text == "\n" and self._is_in_cell() else text)

    def _end_block(self, *, close: bool) -> None:
        """Finish the block under way, if it says anything; the next one is close if both are."""
        raw, self._line = "".join(self._line), []
        text = raw.strip("\n").rstrip() if self._count["pre"] > 0 else _tidy(raw)
        if text.strip(" |\n"):
            level = next((level for tag, level in _HEADINGS.items() if self._count[tag] > 0), None)
            beside = next((tag for tag in ("nav", "footer", "aside") if self._count[tag] > 0), None)
            if beside != "nav" and (self._count["main"] > 0 or self._count["article"] > 0):
                beside = None
            text = " ".join(text.split()) if level is not None else self._item + text
            self._blocks.append(Block(text, level, self._is_close and level is None, beside))
            self._item = ""
            self._is_close = close and level is None
        else:
            self._is_close = self._is_close and close


def _hides(attributes: list[tuple[str, str | None]]) -> bool:
    for name, value in attributes:
        if name == "hidden" and (value or "").lower() != "until-found":
            return True
        if name == "aria-hidden" and (value or "").strip().lower() == "true":
            return True
        if name == "style" and value is not None and _HIDING.search(value):
            return True
    return False


def _tidy(text: str) -> str:
    """Lines with single blanks and none at their ends."""
    lines = (re.sub(" {2,}", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
