"""Cleaning: what may stand in a text, no control characters and no marks that hide or turn it."""

from __future__ import annotations

import re


def cleaned(text: str) -> str:
    """The text without what nobody can see, and with one kind of line end."""
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    # Whatever is taken out below is not printable: most texts need no second look.
    if text.replace("\n", " ").replace("\t", " ").isprintable():
        return text
    return _SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text))


_LINE_END = re.compile(r"\r\n?")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f"  # controls other than tab and line end
    "\u00ad"  # soft hyphens, which keep a word from being found
    "\u200b\u2060\ufeff"  # blanks without width; joiners stay, some scripts need them
    "\u202a-\u202e\u2066-\u2069"  # marks that turn the direction of what follows
    "\ufffe\uffff"  # no characters
    "\U000e0000-\U000e007f]"  # tags, which smuggle text that nobody sees
)
_SURROGATE = re.compile("[\ud800-\udfff]")
