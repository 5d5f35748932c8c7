"""Marks: text and numbers as they stand in a page, where nothing that was stored can become markup."""

from __future__ import annotations

import re
from html import escape

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def plain(text: str) -> str:
    """The text for a page: markup becomes text, what no page may hold becomes a sign."""
    return escape(_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text))


def number(value: float) -> str:
    """A length in a drawing, without digits that nobody sees."""
    return f"{value:.1f}".removesuffix(".0")
