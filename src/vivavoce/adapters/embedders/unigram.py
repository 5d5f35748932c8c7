"""Unigram: texts as the numbers that sentencepiece models read, and where in the text each number stands."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_KEPT, _LONGEST_KEPT = 200_000, 64
"""Words whose pieces are remembered, and how long they may be."""
_SPACE = "▁"
"""What a word begins with, where a text has a space."""
_UNKNOWN_COSTS = 10.0
"""How much worse than the worst piece a character is that no piece has."""


class Piece(NamedTuple):
    """A number that the model reads, and the characters of the text it stands for."""

    number: int
    start: int
    end: int


class Pair(NamedTuple):
    """A question and a text that are read together."""

    ids: list[int]
    second: int
    """Where the pieces of the text begin."""
    pieces: list[Piece]
    """The pieces of the text, as far as there was room for them."""

    def characters(self, first: int, last: int) -> tuple[int, int]:
        """The place in the text of what stands between two numbers, both included."""
        return self.pieces[first - self.second].start, self.pieces[last - self.second].end


class Unigram:
    """A tokenizer for XLM-R models, from a file with a piece and its score on each line.

    Its numbers are those of sentencepiece, with one difference: a mark such as `</s>` that stands in a text
    is read as the characters it is written with.
    """

    def __init__(self, file: Path) -> None:
        self._known: dict[str, int] = {}
        self._scores = array("d")
        marks: dict[str, int] = {}
        with file.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines):
                piece, score = line.rsplit("\t", 1)
                self._scores.append(float(score))
                (self._known if self._scores[-1] else marks)[piece] = number
        self._first, self._last, self._unknown = marks["<s>"], marks["</s>"], marks["<unk>"]
        self._longest = max(map(len, self._known))
        self._worst = min(self._scores) - _UNKNOWN_COSTS
        self._words: dict[str, tuple[tuple[int, int], ...]] = {}

    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text, in order."""
        plain, places = _plain(text)
        found: list[Piece] = []
        for word in _WORD.finditer(plain):
            start = word.start()
            for number, length in self._word(word.group()):
                end = start + length
                inked = start + 1 if plain[start] == _SPACE and length > 1 else start
                found.append(Piece(number, places[inked][0], places[end - 1][1]))
                start = end
        return found

    def length(self, text: str) -> int:
        """How many pieces a text has."""
        return sum(len(self._word(word)) for word in _WORD.findall(_plain(text)[0]))

    def known(self, text: str) -> float:
        """The share of the letters of a text that pieces have; all of none."""
        letters = sum(map(str.isalpha, text))
        strange = (text[each.start : each.end] for each in self.pieces(text) if each.number == self._unknown)
        return 1 - sum(map(str.isalpha, "".join(strange))) / letters if letters else 1.0

    def encoded(self, text: str, longest: int, *, leaves_unknown: bool = False) -> list[int]:
        """A text between the two marks that every text stands between, cut to `longest` numbers.

        It may be told to leave out what no piece has.
        """
        pieces = self.pieces(text)
        numbers = [each.number for each in pieces if not leaves_unknown or each.number != self._unknown]
        return [self._first, *numbers[: longest - 2], self._last]

    def paired(self, question: str, text: str, longest: int) -> Pair:
        """A question and a text; the question has at most half of the room, the text the rest."""
        room = longest - 4
        asked = [piece.number for piece in self.pieces(question)[: room // 2]]
        told = self.pieces(text)[: room - len(asked)]
        numbers = [piece.number for piece in told]
        ids = [self._first, *asked, self._last, self._last, *numbers, self._last]
        return Pair(ids, len(asked) + 3, told)

    def _word(self, word: str) -> tuple[tuple[int, int], ...]:
        known = self._words.get(word)
        if known is None:
            known = tuple(self._cut(word))
            if len(word) <= _LONGEST_KEPT and len(self._words) < _KEPT:
                self._words[word] = known
        return known

    def _cut(self, word: str) -> list[tuple[int, int]]:
        """The likeliest pieces of a word, each with its length (Viterbi); no piece crosses a space."""
        best = [0.0, *[float("-inf")] * len(word)]
        back = [(self._unknown, 0)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(start + self._longest, len(word)) + 1):
                number = self._known.get(word[start:end], self._unknown)
                if number == self._unknown and end > start + 1:
                    continue
                score = self._worst if number == self._unknown else self._scores[number]
                if best[start] + score > best[end]:
                    best[end], back[end] = best[start] + score, (number, end - start)
        found = []
        place = len(word)
        while place:
            found.append(back[place])
            place -= back[place][1]
        return found[::-1]


_WORD = re.compile(f"{_SPACE}?[^{_SPACE}]+|{_SPACE}")
_GAPS = frozenset("\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd")
_LEFT = frozenset("\uff5e")
"""Full-width, but kept as it is."""


def _plain(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text as the model was taught to read it (NFKC, one space for many), and where each character was."""
    written: list[str] = [_SPACE]
    places: list[tuple[int, int]] = [(0, 0)]
    for start, end, cluster in _clusters(text):
        for character in _read(cluster):
            if character != " ":
                written.append(character)
                places.append((start, end))
            elif written[-1] != _SPACE:
                written.append(_SPACE)
                places.append((start, end))
    return "".join(written), places


def _clusters(text: str) -> Iterator[tuple[int, int, str]]:
    """Characters, each with the accents that are written after it, and their places."""
    if text.isascii():
        yield from ((place, place + 1, character) for place, character in enumerate(text))
        return
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not unicodedata.combining(text[place]):
            yield start, place, text[start:place]
            start = place


@lru_cache(4096)
def _read(cluster: str) -> str:
    if cluster in _GAPS:
        return " "
    if cluster in _LEFT:
        return cluster
    if cluster != "\0" and unicodedata.category(cluster[0]) == "Cc":
        return cluster[1:]
    return unicodedata.normalize("NFKC", cluster)
