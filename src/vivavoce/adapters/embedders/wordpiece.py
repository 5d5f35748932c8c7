"""WordPiece: texts as the numbers that BERT models read, the same as the library of the models gives."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_LONGEST_WORD = 100
_KEPT = 200_000
"""Words whose pieces are remembered."""
_HAN = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Encoding(NamedTuple):
    """The numbers of a text, or of two that are read together."""

    ids: list[int]
    read: int
    """How many of them are read; what follows only asks."""
    second: int | None = None
    """Where the second text begins, where there is one."""


class WordPiece:
    """A tokenizer for lower-cased English BERT models, from the file that comes with the weights."""

    def __init__(self, file: Path) -> None:
        self._numbers: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
        self._unknown, self._first, self._last = (self._numbers[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
        self._pieces: dict[str, tuple[int, ...]] = {}
        self._marks = re.compile(r"\[(?:PAD|UNK|CLS|SEP|MASK)\]")

    def length(self, text: str) -> int:
        """How many pieces a text has."""
        return sum(len(self._word(word)) for word in self._words(text))

    def words(self, text: str) -> list[tuple[str, int]]:
        """The words of a text, and how many pieces each has."""
        return [(word, len(self._word(word))) for word in self._words(text)]

    def encoded(self, text: str, longest: int) -> Encoding:
        """A text between the two marks that every text stands between, cut to `longest` pieces."""
        ids = [self._first, *self._ids(text)[: longest - 2], self._last]
        return Encoding(ids, len(ids))

    def marked(self, text: str, mark: str, longest: int, *, at_least: int = 0) -> Encoding:
        """A text after a mark that says what it is; a short one is filled up with pieces to be guessed."""
        ids = [self._first, self._numbers[mark], *self._ids(text)[: longest - 3], self._last]
        guessed = [self._numbers["[MASK]"]] * (at_least - len(ids))
        return Encoding(ids + guessed, len(ids))

    def paired(self, first: str, second: str, longest: int) -> Encoding:
        """Two texts that are read together; the first has at most half of the room, the second the rest."""
        room = longest - 3
        one = self._ids(first)[: room // 2]
        other = self._ids(second)[: room - len(one)]
        ids = [self._first, *one, self._last, *other, self._last]
        return Encoding(ids, len(ids), second=len(one) + 2)

    def _ids(self, text: str) -> list[int]:
        return [number for word in self._words(text) for number in self._word(word)]

    def _words(self, text: str) -> Iterator[str]:
        place = 0
        for mark in self._marks.finditer(text):  # marks that stand in a text are read as marks
            yield from _split(text[place : mark.start()])
            yield mark.group()
            place = mark.end()
        yield from _split(text[place:])

    def _word(self, word: str) -> Sequence[int]:
        known = self._pieces.get(word)
        if known is None:
            known = self._cut(word)
            if len(self._pieces) < _KEPT:
                self._pieces[word] = known
        return known

    def _cut(self, word: str) -> tuple[int, ...]:
        """The longest pieces that the model knows, one after another; unknown if some part is not known."""
        if word in self._numbers:
            return (self._numbers[word],)
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(("##" if start else "") + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(found)


def _split(text: str) -> list[str]:
    """Words and signs, in lower case and without accents."""
    if text.isascii():
        return _ASCII.findall(_CONTROLS.sub("", text.lower()))
    spaced = "".join(_spaced(character) for character in text)
    plain = "".join(
        character.lower()  # one by one: a Greek sigma at the end of a word stays like the others
        for character in unicodedata.normalize("NFD", spaced)
        if unicodedata.category(character) != "Mn"
    )
    return [piece for word in plain.split() for piece in _at_signs(word)]


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ASCII = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")


def _spaced(character: str) -> str:
    if character in "\t\n\r":
        return " "
    category = unicodedata.category(character)
    if character in "\0\ufffd" or category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if category == "Zs":
        return " "
    number = ord(character)
    if any(low <= number <= high for low, high in _HAN):
        return f" {character} "
    return character


def _at_signs(word: str) -> Iterator[str]:
    start = 0
    for place, character in enumerate(word):
        if _is_sign(character):
            if start < place:
                yield word[start:place]
            yield character
            start = place + 1
    if start < len(word):
        yield word[start:]


def _is_sign(character: str) -> bool:
    number = ord(character)
    if 33 <= number <= 47 or 58 <= number <= 64 or 91 <= number <= 96 or 123 <= number <= 126:
        return True
    return unicodedata.category(character).startswith("P")
