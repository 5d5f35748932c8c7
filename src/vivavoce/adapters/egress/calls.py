"""Calls: what is sent to a server, and what of it goes along when the server sends it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vivavoce.domain.http.headers import is_written_here
from vivavoce.errors import InvalidInput, UpstreamFailed

from .places import Place, next_place, place_of

_HARMLESS = frozenset({"accept", "accept-language", "user-agent"})
"""The headers that may go along to another server. Any other may be a key."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Call:
    """A method, a place, headers and a body."""

    method: str
    place: Place
    headers: tuple[tuple[str, str], ...]
    content: bytes | None

    def redirected(self, status: int, location: str) -> Call:
        """The call that a redirect asks for, without what is no concern of another server."""
        place = next_place(self.place, location)
        call = replace(self, place=place)
        if (status == 303 and self.method != "HEAD") or (status in (301, 302) and self.method == "POST"):
            headers = tuple(item for item in self.headers if not item[0].lower().startswith("content-"))
            call = replace(call, method="GET", headers=headers, content=None)
        if place.origin == self.place.origin:
            return call
        if call.content is not None:
            raise UpstreamFailed(
                f"{self.place.origin} sends on to {place.origin}, which must not see what was sent.",
                hint="Give the address where it leads in the end, if you trust it.",
            )
        return replace(call, headers=tuple(item for item in call.headers if item[0].lower() in _HARMLESS))

    @property
    def sent_headers(self) -> list[tuple[bytes, bytes]]:
        """The headers as they are sent, with the host that was meant."""
        own = [("Host", self.place.authority), ("Accept-Encoding", "gzip")]
        return [(name.encode("ascii"), value.encode()) for name, value in (*own, *self.headers)]


def call_of(method: str, url: str, headers: Mapping[str, str] | None, content: bytes | None) -> Call:
    """A call as it was asked for; InvalidInput when it says something that it may not."""
    given = tuple((headers or {}).items())
    for name, value in given:
        if is_written_here(name):
            raise InvalidInput(
                f"The header {name} cannot be set.", hint="Leave it out: it is written for you."
            )
        if not name.isascii() or any(mark in value for mark in "\r\n\0"):
            raise InvalidInput(f"The header {name!r} has characters that no header may have.")
    if not (method.isascii() and method.isalpha()) or method.upper() in ("CONNECT", "TRACE"):
        raise InvalidInput(f"The method {method!r} cannot be used.")
    return Call(method.upper(), place_of(url), given, content)


def leads_on(status: int, headers: Mapping[str, str]) -> bool:
    """Whether an answer sends the caller elsewhere."""
    return status in _REDIRECTS and headers.get("location", "") != ""
