"""Connections to one service: requests as they go out, answers as they come in, and what breaks on the way.

A whole HTTP client would look for cookies and redirects at each call, and none here has any. This module is
loaded when the service is first called.
"""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import httpcore2
import httpx2

from vivavoce import __version__
from vivavoce.errors import InvalidInput, Unreached, UpstreamFailed

from .exchanges import CONNECT, Again, Asked
from .failing import LATER, LOOK_FIRST, UNSURE

_HEADERS = (
    (b"Accept", b"application/json"),
    (b"Accept-Encoding", b"identity"),  # so that a small answer cannot unfold into a huge one
    (b"User-Agent", f"vivavoce/{__version__}".encode()),
)
_TIMES = {"timeout": {"connect": CONNECT}}
_MOST, _IDLE, _SECONDS = 100, 20, 5.0
"""Connections at once, those that are kept when nothing is asked, and for how long."""
_UNOPENED = (httpcore2.ConnectError, httpcore2.ConnectTimeout, httpcore2.PoolTimeout)
_BROKEN = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpx2.DecodingError,
    ssl.SSLError,  # a secure connection that is damaged later says so itself
)

_Headers = list[tuple[bytes, bytes]]


class Answer:
    """An answer that has begun; its body is still coming."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response, self.status = response, response.status
        self.headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers
        }
        """By their names in small letters."""

    @property
    def kind(self) -> str:
        """The type of the body, without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def pieces(self) -> AsyncGenerator[bytes]:
        """The body as it comes, unfolded where the service has compressed it all the same."""
        if "content-encoding" not in self.headers:
            return self._response.aiter_stream()
        stream = _Stream(self._response)
        return httpx2.Response(self.status, headers=self._response.headers, stream=stream).aiter_bytes()


class Connections:
    """A pool of connections to one address, with HTTP/2 where that is offered over TLS, or without."""

    def __init__(self, base: str, place: str, *, is_http2: bool) -> None:
        self._base, self._place = httpx2.URL(base), place
        self._path = self._base.raw_path.decode().rstrip("/")
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_trust(),
            max_connections=_MOST,
            max_keepalive_connections=_IDLE,
            keepalive_expiry=_SECONDS,
            http2=is_http2,
        )
        for name in ("httpcore2", "hpack"):
            logging.getLogger(name).setLevel(logging.INFO)  # in their details stand headers, as they came

    @asynccontextmanager
    async def answering(self, asked: Asked, key: str) -> AsyncGenerator[Answer]:
        """The answer as it begins; what breaks before its end is one of our errors, or Again."""
        try:
            response = await self._pool.handle_async_request(self._request(asked, key))
            try:
                yield Answer(response)
            finally:
                await response.aclose()
        except _UNOPENED as error:
            if "certificate verify failed" in str(error):
                text = f"The certificate of {self._place} is not trusted; nothing was sent."
                raise Unreached(text, hint="Let SSL_CERT_FILE name a file with its authority.") from None
            raise Again(
                Unreached(f"{self._place} cannot be reached; nothing was sent.", hint=LATER)
            ) from None
        except _BROKEN:
            text = f"{self._place} broke off before its answer was complete."
            if asked.repeats:
                raise Again(UpstreamFailed(text, hint=LATER)) from None
            raise UpstreamFailed(f"{text} {UNSURE}", hint=LOOK_FIRST) from None

    async def close(self) -> None:
        """Let go of them."""
        await self._pool.aclose()

    def _request(self, asked: Asked, key: str) -> httpcore2.Request:
        base = self._base
        query = f"?{urlencode(asked.query)}" if asked.query else ""
        target = f"{self._path}{asked.path}{query}"
        told, content = _content(asked)
        bearer = [(b"Authorization", f"Bearer {key}".encode())] if key else []
        return httpcore2.Request(
            asked.method,
            httpcore2.URL(scheme=base.raw_scheme, host=base.raw_host, port=base.port, target=target),
            headers=[(b"Host", base.netloc), *_HEADERS, *bearer, *told],
            content=content,
            extensions=_TIMES,
        )


class _Stream(httpx2.AsyncByteStream):
    """The body of an answer, for one who can unfold it."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async with aclosing(self._response.aiter_stream()) as pieces:
            async for piece in pieces:
                yield piece


def _trust() -> ssl.SSLContext:
    try:
        return httpcore2.default_ssl_context()  # SSL_CERT_FILE is heeded, as egress does
    except OSError as error:
        text = f"The file that SSL_CERT_FILE names cannot be read: {error.strerror or error}."
        raise InvalidInput(text, hint="Let it name a file with certificates.") from None


def _content(asked: Asked) -> tuple[_Headers, Any]:
    """The body of a request, and the headers that tell of it."""
    if asked.file is not None or asked.form is not None:
        files = None if asked.file is None else {"file": asked.file}
        try:
            form = httpx2.Request(asked.method, "", data=asked.form, files=files)
        except ValueError as error:
            raise InvalidInput(f"The file cannot be sent: {error}.") from None
        return form.headers.raw, form.stream
    if asked.body is None:
        return [(b"Content-Length", b"0")] if asked.method in ("POST", "PUT", "PATCH") else [], None
    body = json.dumps(asked.body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return [(b"Content-Type", b"application/json"), (b"Content-Length", b"%d" % len(body))], body
