"""Failures: what went wrong on the way to a server, in plain words and without the address's secrets."""

from __future__ import annotations

import socket
import ssl
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpcore2

from vivavoce.errors import InvalidInput, Unreached, UpstreamFailed

from .places import Place

_FAILURES = (
    httpcore2.NetworkError,
    httpcore2.TimeoutException,
    httpcore2.RemoteProtocolError,
    ssl.SSLError,  # a secure connection that is damaged later says so itself
    zlib.error,
)


class Journey:
    """How far a request has come: from when on the server may have seen it."""

    def __init__(self, left: Callable[[], None] | None = None) -> None:
        self.has_left = False
        self._left = left

    async def note(self, step: str, about: object) -> None:
        """Be told by the connection what it does."""
        if step.endswith("send_request_headers.started"):
            self.has_left = True
        elif self._left is not None and step.endswith("send_request_body.complete"):
            self._left()

    def failed(self, message: str) -> UpstreamFailed:
        """The error that says whether the server may have seen the request."""
        kind = UpstreamFailed if self.has_left else Unreached
        return kind(message, hint="Try again later.")


@contextmanager
def in_plain_words(place: Place, journey: Journey) -> Iterator[None]:
    """Turns what the network says into our own errors."""
    try:
        yield
    except _FAILURES as failure:
        raise journey.failed(f"{place.origin} {_said(failure)}.") from None
    except httpcore2.LocalProtocolError:
        raise InvalidInput(
            f"What was to be sent to {place.origin} is no valid request.",
            hint="Check its method and headers.",
        ) from None


def too_slow(place: Place, seconds: float, journey: Journey) -> UpstreamFailed:
    """The time for the whole exchange is over."""
    return journey.failed(f"{place.origin} took longer than {seconds:g} seconds.")


def _said(failure: Exception) -> str:
    cause = failure.args[0] if failure.args else None
    if isinstance(cause, socket.gaierror):
        return "cannot be found: the name is not known"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"shows a certificate that cannot be trusted: {cause.verify_message.lower().rstrip('.')}"
    if isinstance(cause, ssl.SSLError):
        return "does not agree on a secure connection"
    if isinstance(failure, httpcore2.TimeoutException):
        return "does not answer"
    if isinstance(failure, httpcore2.ConnectError):
        return "does not accept connections"
    if isinstance(failure, zlib.error):
        return "sends something that cannot be decompressed"
    return "broke off before its answer was complete"
