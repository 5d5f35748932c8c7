"""What may stand in the text and in the titles of a part."""

from __future__ import annotations

from vivavoce.domain.language.cleaning import cleaned

__all__ = ["cleaned", "titled"]

_LONGEST_TITLE = 300


def titled(text: str) -> str:
    """A title in one line of a bearable length."""
    return " ".join(cleaned(text[: 4 * _LONGEST_TITLE]).split())[:_LONGEST_TITLE].rstrip()
