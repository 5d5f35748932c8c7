"""Answers: what a server said, whole or still on its way."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from typing import NamedTuple

import anyio.lowlevel

from .decoding import Decoder

_SLACK = 64 * 1024
"""How much longer than its content a compressed body may be."""


class Answer(NamedTuple):
    """What a server said."""

    status: int
    url: str
    """Where it was found in the end, after redirects."""
    headers: Mapping[str, str]
    """By their names in small letters."""
    body: bytes
    is_cut: bool
    """Whether there was more of the body than was asked for."""


class Opened:
    """An answer whose body is still on its way."""

    def __init__(self, status: int, url: str, headers: Mapping[str, str]) -> None:
        self.status = status
        self.url = url
        self.headers = headers
        self.is_cut = False
        """Whether there was more of the body than was asked for; known when its pieces were taken."""
        self.pieces: AsyncIterator[bytes]
        """The body, decompressed, as it comes in."""

    @property
    def encoding(self) -> str:
        """How the body is compressed."""
        return self.headers.get("content-encoding", "").strip().lower()

    async def decoded(self, coming: AsyncGenerator[bytes], limit: int) -> AsyncGenerator[bytes]:
        """The pieces of a body that comes in, up to a limit."""
        decoder, left, left_raw = Decoder(self.encoding), limit, limit + _SLACK
        async with aclosing(coming):
            async for chunk in coming:
                left_raw -= len(chunk)
                for piece in decoder.pieces(chunk):
                    yield piece[:left]
                    left -= len(piece)
                    if left < 0:
                        break
                    await anyio.lowlevel.checkpoint()
                self.is_cut = left < 0 or left_raw < 0
                if self.is_cut:
                    return
        if not decoder.is_whole:
            raise zlib.error("the end is missing")


def headers_of(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers of an answer, those of one name joined."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        headers[key] = f"{headers[key]}, {_text(value)}" if key in headers else _text(value)
    return headers


def _text(value: bytes) -> str:
    """Most who send letters beyond ASCII mean UTF-8; the standard's own reading never fails."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
