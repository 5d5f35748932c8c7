"""Exchanges with the hosted service: what is asked, what is answered, and where a key may go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from vivavoce.domain.secrets import MARKER
from vivavoce.errors import InvalidInput, VivavoceError

CONNECT = 10.0
WHOLE = 60.0
ANSWER = 300.0
"""Seconds for a connection, for a whole call, and for one that waits for a model or carries a file."""
_SHORTEST_KEY = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """One request in the words of the wire."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None
    """JSON; None for no body."""
    form: Mapping[str, str] | None = None
    file: tuple[str, Any, str] | None = None
    """Its name, its contents or an open file, and its type; it goes out with the form."""
    repeats: bool = False
    """Whether doing it twice does no harm."""
    seconds: float = WHOLE


@dataclass(frozen=True, slots=True)
class Reply:
    """A successful answer, without the key wherever that stood."""

    status: int
    kind: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that is no success, without the key wherever that stood."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    repeats: bool
    """Whether doing it twice does no harm."""
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """Who is called: how errors name it, its key and its address, and what its refusals stand for."""

    name: str
    key: str
    url: str
    error_of: Callable[[Refused], VivavoceError]
    needs_key: bool = True


class Again(Exception):
    """A failure after which the same request may be sent once more."""

    def __init__(
        self, failure: VivavoceError, asked_wait: float | None = None, *, is_asked_to_wait: bool = False
    ) -> None:
        super().__init__()
        self.failure, self._asked_wait, self._is_asked = failure, asked_wait, is_asked_to_wait

    def wait(self, tries: int, chance: float) -> float:
        """Seconds until the next try: what the service asks for, else a moment that grows; never in step."""
        least: float = (1.0 if self._is_asked else 0.2) * 2**tries
        return max(least, self._asked_wait or 0.0) + least * chance / 2


def hidden(body: bytes, key: str) -> bytes:
    """A body with the marker wherever the key stood in it."""
    secret = key.encode()
    return body.replace(secret, MARKER.encode()) if len(secret) >= _SHORTEST_KEY and secret in body else body


def checked_base(url: str, name: str, *, is_ours: bool = False) -> str:
    """The address of a service, by `name` in errors; refused where a key would travel in the clear.

    One of ours may be spoken to in the clear within a private network.
    """
    try:
        parts = urlsplit(url.strip())
        is_whole = bool(parts.hostname) and parts.port != 0 and parts.username is None
    except ValueError:
        is_whole = False
        parts = urlsplit("")
    name = name[:1].upper() + name[1:]
    host = parts.hostname or ""
    is_near = host in ("127.0.0.1", "::1", "localhost") or (is_ours and _is_private(host))
    if not is_whole or parts.query or parts.fragment or parts.scheme not in ("https", "http"):
        raise InvalidInput(
            f"{name} must be the address of the service.", hint="It begins with https:// and a host."
        )
    if parts.scheme == "http" and not is_near:
        raise InvalidInput(
            f"{name} must begin with https://: the key would travel in the clear.",
            hint="Plain http is for this machine alone" + (", or for a private network." if is_ours else "."),
        )
    return url.strip().rstrip("/")


def _is_private(host: str) -> bool:
    """Whether a host is of a private network: such an address, or a name without a domain."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host[:1].isalpha() and "." not in host  # a bare number is an address too
