"""Chunks: an answer over the OpenAI protocol as it comes in, event by event."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_CALLS = 48
"""How many calls an answer may have."""
_LONGEST_LINE = 8_000_000
_LONGEST_BLANK = 1_000
"""Characters of white space after which a model that thinks aloud is not reckoned with any more."""
_THINKS, _THOUGHT = "<think>", "</think>"


class Unreadable(Exception):
    """What came is no answer of the protocol."""


class Refused(Exception):
    """The provider says in the middle of a stream that it failed."""

    def __init__(self, status: int | None) -> None:
        super().__init__("an error in the stream")
        self.status = status


async def events_in(pieces: AsyncIterable[bytes]) -> AsyncIterator[dict[str, Any] | None]:
    """The events of a stream as JSON objects, None for comments; ends with [DONE] or with the stream."""
    parts: list[bytes] = []
    size = 0
    async for piece in pieces:
        lines: list[bytes] = []
        if b"\n" in piece:
            *lines, piece = b"".join((*parts, piece)).split(b"\n")
            parts, size = [], 0
        parts.append(piece)
        size += len(piece)
        if size > _LONGEST_LINE:
            raise Unreadable
        for line in lines:
            data = _data(line)
            if data == b"[DONE]":
                return
            if data is not None:
                yield object_in(data) if data else None
    if (data := _data(b"".join(parts))) and data != b"[DONE]":
        yield object_in(data)


def object_in(text: bytes) -> dict[str, Any]:
    """A JSON object, or Unreadable."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable from None
    if not isinstance(read, dict):
        raise Unreadable
    return read


def _data(line: bytes) -> bytes | None:
    """What a line says; nothing for comments and other fields, None for the blank line after an event."""
    line = line.strip()
    if not line:
        return None
    return line[5:].strip() if line.startswith(b"data:") else b""


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    written: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return "".join(self.written)


@dataclass
class Hearing:
    """What was heard of an answer so far."""

    finish: str | None = None
    usage: dict[str, Any] | None = None
    calls: list[_Call] = field(default_factory=list)
    has_spoken: bool = False
    _at: dict[int, _Call] = field(default_factory=dict)
    """The call that is being written at each place."""
    _before: str = ""
    """The beginning, while it is not clear whether the model thinks aloud."""
    _thinks: bool | None = None
    """Whether it is thinking aloud; None until that is clear."""

    def take(self, event: dict[str, Any]) -> str:
        """What an event says, without what the model thinks; Unreadable or Refused where it is no answer."""
        error = event.get("error")
        if error is not None:
            raise Refused(_status(error))
        usage = event.get("usage")
        if isinstance(usage, dict):
            self.usage = usage
        said = ""
        for choice in _rows(event.get("choices")):
            if choice.get("index") not in (None, 0):  # one answer was asked for
                continue
            finish = choice.get("finish_reason")
            self.finish = finish if isinstance(finish, str) and finish else self.finish
            part = choice.get("delta", choice.get("message"))
            if part is None:
                continue
            if not isinstance(part, dict):
                raise Unreadable
            self._take_calls(part.get("tool_calls"))
            said += _text(part.get("content"))
        return self._spoken(said)

    def rest(self) -> str:
        """What was held back until the end."""
        held, self._before = ("" if self._thinks else self._before), ""
        self.has_spoken = self.has_spoken or bool(held)
        return held

    def _take_calls(self, calls: object) -> None:
        for place, call in enumerate(_rows(calls)):
            index = call.get("index")
            kept = self._call(index if isinstance(index, int) else place, _string(call.get("id")))
            function = call.get("function")
            if not isinstance(function, dict):
                continue
            kept.name += _string(function.get("name"))
            arguments = function.get("arguments")
            kept.written.append(json.dumps(arguments) if isinstance(arguments, dict) else _string(arguments))

    def _call(self, place: int, id: str) -> _Call:
        """The call at a place; another id begins another call, whatever place it names."""
        kept = self._at.get(place)
        if kept is None or (id and kept.id and id != kept.id):
            if len(self.calls) >= MOST_CALLS:
                raise Unreadable
            kept = self._at[place] = _Call()
            self.calls.append(kept)
        kept.id = kept.id or id
        return kept

    def _spoken(self, text: str) -> str:
        """The text without thoughts at its beginning, which some servers leave in it."""
        if self._thinks is False or not text:
            self.has_spoken = self.has_spoken or bool(text)
            return text
        self._before += text
        if self._thinks is None:
            begins = self._before.lstrip()
            if begins.startswith(_THINKS):
                self._thinks = True
            elif not _THINKS.startswith(begins) or len(self._before) > _LONGEST_BLANK:
                self._thinks = False
        if self._thinks and _THOUGHT in self._before:
            self._before = self._before.partition(_THOUGHT)[2].lstrip()
            self._thinks = False
        if self._thinks is False:
            text, self._before = self._before, ""
            self.has_spoken = self.has_spoken or bool(text)
            return text
        if self._thinks:
            self._before = self._before[-len(_THOUGHT) :]  # its end may come in pieces
        return ""


def _rows(given: object) -> Iterator[dict[str, Any]]:
    """The objects of a list that may be missing."""
    if given is None:
        return
    if not isinstance(given, list):
        raise Unreadable
    for row in given:
        if not isinstance(row, dict):
            raise Unreadable
        yield row


def _text(content: object) -> str:
    """A text, or the texts of several parts."""
    if isinstance(content, list):
        return "".join(_string(part.get("text")) for part in _rows(content))
    return _string(content)


def _string(given: object) -> str:
    if given is None:
        return ""
    if not isinstance(given, str):
        raise Unreadable
    return given


def _status(error: object) -> int | None:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else None
