"""What a vivavoce server refuses, as the very error that it raised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vivavoce.errors import (
    InvalidInput,
    NotAllowed,
    NotAuthenticated,
    NotAvailable,
    UpstreamFailed,
    VivavoceError,
)
from vivavoce.hosted.exchanges import Refused, Service
from vivavoce.hosted.failing import LATER, LOOK_FIRST, UNSURE, object_in

_BAD_ARGUMENTS = "error invalid request "
_NO_ROUTE = "Not Found"


def error_of(refused: Refused) -> VivavoceError:
    """The error that an answer which is no success stands for, with its hint and its details."""
    body = object_in(refused.body)
    code, message, hint = (_text(body.get(name)) for name in ("error", "message", "hint"))
    if refused.status == 405 or (refused.status == 404 and message in ("", _NO_ROUTE)):
        return NotAvailable("The server has no such route.", hint="It may be older than this client.")
    kind = _kind(code, refused)
    if kind is None:
        return _failed(refused, message or code)
    said = body.get("details")
    details = {str(name): _text(why) for name, why in said.items()} if isinstance(said, dict) else None
    return kind(
        message or f"The server answers {refused.status}.",
        hint=hint,
        details=details,
        retry_after=refused.retry_after if kind.retryable else None,
    )


def broken_off(code: str) -> VivavoceError:
    """The error that a stream breaks off with."""
    kind = next((kind for (wire, _), kind in reversed(_KINDS.items()) if wire == code), UpstreamFailed)
    return kind(f"The answer broke off: {code}.", hint=LOOK_FIRST)


SERVED = Service("the server", "the key", "the url", error_of, needs_key=False)


def _kind(code: str, refused: Refused) -> type[VivavoceError] | None:
    if code.startswith(_BAD_ARGUMENTS):
        return InvalidInput
    if code == NotAuthenticated.wire:  # which two errors share; the one asks for a key
        asks = refused.status == 401 or "www-authenticate" in refused.headers
        return NotAuthenticated if asks else NotAllowed
    if code == "" and refused.status < 500:  # something in front of the server says so
        return next((kind for (_, status), kind in _KINDS.items() if status == refused.status), None)
    return _KINDS.get((code, refused.status))


def _failed(refused: Refused, said: str) -> UpstreamFailed:
    text = f"The server answers {refused.status}{': ' if said else ''}{said}".rstrip(".")
    if refused.repeats:
        return UpstreamFailed(f"{text}.", hint=LATER)
    return UpstreamFailed(f"{text}. {UNSURE}", hint=LOOK_FIRST)


def _text(said: Any) -> str:
    return said if isinstance(said, str) else ""


def _all(kind: type[VivavoceError]) -> Iterator[type[VivavoceError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _all(each)


_KINDS = {(kind.wire, kind.status): kind for kind in reversed([*_all(VivavoceError)])}
"""Every error by how the wire says it; of those that say it alike, the most general."""
