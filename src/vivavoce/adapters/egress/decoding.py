"""Decoding: bodies that were sent compressed, piece by piece, so that a bomb does no harm."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""The content encodings that can be read."""

_STEP = 256 * 1024
_MEMBERS = 64
_GZIP, _ZLIB, _RAW = 31, 15, -15


class Decoder:
    """Undoes one content encoding; zlib.error when the bytes are not what they claim to be."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._inflating: zlib._Decompress | None = None
        self._members = 0

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What the chunk holds, in pieces of at most 256 KB."""
        if self._encoding in ("", "identity"):
            yield chunk
            return
        while chunk and self._members <= _MEMBERS:
            if self._inflating is None or self._inflating.eof:
                self._inflating = self._begun(chunk)
            yield from _inflated(self._inflating, chunk)
            chunk = self._inflating.unused_data

    @property
    def is_whole(self) -> bool:
        """Whether what was compressed came to its end, or never began."""
        return self._inflating is None or self._inflating.eof

    def _begun(self, chunk: bytes) -> zlib._Decompress:
        """The files in one gzip body follow each other; deflate comes with a header and, wrongly, without."""
        self._members += 1
        if self._encoding == "deflate":
            return zlib.decompressobj(_ZLIB if chunk[0] & 0x0F == 8 else _RAW)
        return zlib.decompressobj(_GZIP)


def unpacked(body: bytes, limit: int) -> bytes:
    """What a gzip file holds, up to a limit; the body itself where it is no gzip file."""
    if not body.startswith(b"\x1f\x8b"):
        return body
    content = bytearray()
    for piece in Decoder("gzip").pieces(body):
        content += piece[: limit - len(content)]
        if len(content) >= limit:
            break
    return bytes(content)


def _inflated(inflating: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    while True:
        piece = inflating.decompress(chunk, _STEP)
        chunk = inflating.unconsumed_tail
        if piece:
            yield piece
        if inflating.eof or (not chunk and len(piece) < _STEP):
            return
