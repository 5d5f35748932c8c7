"""What the reading process says to the one that asked: frames of JSON, each behind its length."""

from __future__ import annotations

import json
import struct
from typing import Any

from vivavoce.domain.corpus.documents import Heading, Part
from vivavoce.errors import Unreadable

HEAD = struct.Struct(">I")
"""The length of the frame that follows."""
LONGEST = 4 * 1024 * 1024
"""More than any part needs; a longer frame is not ours."""
END = b"null"
"""The frame after the last part: nothing was lost on the way."""


def framed(body: bytes) -> bytes:
    """A body with its length before it."""
    return HEAD.pack(len(body)) + body


def part_frame(part: Part) -> bytes:
    """A part, on its way."""
    return framed(json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode())


def refusal_frame(error: Unreadable) -> bytes:
    """Why there are no more parts, on its way."""
    return framed(json.dumps({"message": error.message, "hint": error.hint}).encode())


def part_in(body: bytes) -> Part:
    """The part in a frame, or the refusal raised; ValueError where it is neither: the sender may be lost."""
    match json.loads(body):
        case [str(text), page, label, list(headings)]:
            return Part(_sound(text), _number(page), _label(label), tuple(map(_heading, headings)))
        case {"message": str(message), "hint": str(hint)}:
            raise Unreadable(_sound(message)[:500], hint=_sound(hint)[:500])
    raise ValueError("neither a part nor a refusal")


def _sound(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a text with NUL")
    text.encode()
    return text


def _number(value: Any) -> int | None:
    if value is None or (type(value) is int and 0 < value < 1_000_000_000):
        return value
    raise ValueError("no page number")


def _label(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else _sound(value)
    raise ValueError("no label")


def _heading(value: Any) -> Heading:
    match value:
        case [int(start), int(level), str(title)] if start >= 0 and 1 <= level <= 99:
            return Heading(start, level, _sound(title))
    raise ValueError("no heading")
