"""An answer that comes as server-sent events, percent-encoded or not: which of the two, the stream tells."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from urllib.parse import unquote

from vivavoce.errors import UpstreamFailed, VivavoceError
from vivavoce.operations import Hear, Told

from .failing import LOOK_FIRST, UNSURE, told_error

LARGEST = 32 * 2**20
_DONE, _ERROR = "[DONE]", "[ERROR]"
_ENCODED = re.compile(r"(?:[A-Za-z0-9\-_.!~*'()]|%[0-9A-Fa-f]{2})*")
"""All that encodeURIComponent writes."""
_ENDS = re.compile(rb"\r\n|\n|\r(?!\Z)")
"""A carriage return at the very end may be the first half of an ending."""


async def heard(
    coming: AsyncIterator[bytes],
    hear: Hear,
    hidden: Callable[[str], str],
    error_of: Callable[[str], VivavoceError] = told_error,
) -> str:
    """The whole answer, as JSON; its pieces are told before, each with what must be `hidden` out of it.

    `error_of` knows what the code stands for with which a stream breaks off.
    """
    decoded, events, whole = _Decoding(), _Events(), None
    async for piece in coming:
        for name, payload in events.of(piece):
            if name == "endpoint_response":
                whole = hidden(unquote(payload) if payload[:3].upper() == "%7B" else payload)
            elif payload.startswith(_ERROR):
                raise error_of(hidden(unquote(payload.removeprefix(_ERROR)).strip()))
            elif name == "answer":
                hear(Told("answer", hidden(decoded(payload))))
            elif name == "tool_call":
                hear(Told("tool_call", hidden(decoded(payload))))
            elif payload == _DONE and whole is not None:
                return whole
    if whole is None:
        raise UpstreamFailed(
            f"The service broke off before its answer was complete. {UNSURE}", hint=LOOK_FIRST
        )
    return whole


class _Decoding:
    """Decodes payloads as soon as one shows whether they are encoded; until then both read the same."""

    def __init__(self) -> None:
        self._is_encoded: bool | None = None

    def __call__(self, payload: str) -> str:
        if self._is_encoded is None:
            if _ENCODED.fullmatch(payload) is None:
                self._is_encoded = False
            elif "%" in payload:
                self._is_encoded = True
        return unquote(payload) if self._is_encoded else payload


class _Events:
    """Finds the events in bytes that may be cut anywhere."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._size = 0
        self._name, self._lines = "", list[str]()

    def of(self, piece: bytes) -> Iterator[tuple[str, str]]:
        """The name and the payload of each event that these bytes complete."""
        self._size += len(piece)
        if self._size > LARGEST:
            raise UpstreamFailed(f"The service answers with more than {LARGEST // 2**20} MB.")
        self._rest.append(piece)
        if b"\n" not in piece and b"\r" not in piece:
            return
        *lines, rest = _ENDS.split(b"".join(self._rest))
        self._rest = [rest]
        for line in lines:
            if line:
                self._take(line.decode("utf-8", "replace"))
            else:
                if self._lines:
                    yield self._name, "\n".join(self._lines)
                self._name, self._lines = "", []

    def _take(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._lines.append(value)
