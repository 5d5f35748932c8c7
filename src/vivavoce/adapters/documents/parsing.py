"""From a file to its parts: each kind has a module of its name, and what holds for all kinds stands here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Part
from vivavoce.errors import Unreadable

from .composing import cut

MOST_CHARACTERS = 50_000_000
"""How much text a file may hold, a small library of books."""

Parser = Callable[[BinaryIO], Iterator[Part]]


def parser_of(kind: str) -> Parser:
    """What reads this kind of file, with all that it needs already imported."""
    parser: Parser = import_module(f".{kind}", __package__).parts
    return parser


def parts_of(source: BinaryIO, parser: Parser, most: int = MOST_CHARACTERS) -> Iterator[Part]:
    """The parts of a file, none of them long; Unreadable where there are none or far too many."""
    total, has_text = 0, False
    for whole in parser(source):
        for part in cut(whole):
            total += len(part.text)
            if total > most:
                raise Unreadable(
                    f"The file holds more than {most:,} characters of text.",
                    hint="Split it and take the pieces.",
                )
            has_text = has_text or not part.text.isspace()
            yield part
    if not has_text:
        raise Unreadable("The file is empty.", hint="Take a file that holds text.")
