"""Places: where an address leads, read so strictly that no two programs could disagree about it."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from vivavoce.domain.http.addresses import checked_address
from vivavoce.errors import InvalidInput

from .ranges import address_of

_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::([0-9]{1,5}))?", re.IGNORECASE | re.ASCII)
_LABEL = re.compile(r"[a-z0-9_-]{1,63}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_BLANK = re.compile(r"[\x00-\x20\x7f\\]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)
_SAFE = "/%:@!$&'()*+,;=~-._"


class Place(NamedTuple):
    """A server, and what to ask it for."""

    scheme: str
    host: str
    """A name in small letters, or a network address without brackets."""
    port: int
    target: str
    """The path and the query, as they are sent."""

    @property
    def authority(self) -> str:
        """The host and, where it is not the usual one, the port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """All that an error may say of an address: secrets stand in paths and queries."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole address."""
        return self.origin + self.target

    @property
    def page(self) -> str:
        """The address without its query."""
        return self.origin + self.target.partition("?")[0]


@lru_cache(maxsize=64)  # a provider is asked at the same few addresses, over and over
def place_of(url: str) -> Place:
    """Where a url leads; InvalidInput when it cannot be told for certain."""
    try:
        parts = urlsplit(checked_address(url))
        host, port = _host_and_port(_in_ascii(parts.netloc))
    except ValueError as fault:
        raise InvalidInput(
            f"The address cannot be used: {str(fault).removeprefix('url: ')}.",
            hint="Give a full http:// or https:// address.",
        ) from None
    scheme = parts.scheme.lower()
    query = f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query != "" else ""
    target = quote(parts.path, safe=_SAFE) or "/"
    return Place(scheme, host, _PORTS[scheme] if port is None else port, target + query)


def next_place(place: Place, location: str) -> Place:
    """Where a server sends on from a place; InvalidInput when one must not go there."""
    if _BLANK.search(location) or location.startswith("///"):
        raise InvalidInput(f"{place.origin} sends on to an address that programs read in different ways.")
    following = place_of(location if _SCHEME.match(location) else _joined(place, location))
    if (place.scheme, following.scheme) == ("https", "http"):
        raise InvalidInput(
            f"{place.origin} sends on from https to http, where anyone on the way can read along.",
            hint="Give the address where it leads in the end, if you trust it.",
        )
    return following


def opening(entry: str) -> tuple[str, int]:
    """The host and port that an operator allows with `host:port`; an IPv6 address stands in brackets."""
    try:
        host, port = _host_and_port(_in_ascii(entry))
        if port is None or not 0 < port < 65536:
            raise ValueError("the port is missing or cannot be one")
    except ValueError as fault:
        raise InvalidInput(
            f"{entry!r} does not name a host and a port: {fault}.",
            hint="Write it like ollama.internal:11434.",
        ) from None
    return host, port


def entry_for(host: str, port: int) -> str:
    """What an operator writes to allow a place: `host:port`, an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _joined(place: Place, location: str) -> str:
    try:
        return urljoin(place.url, location)
    except ValueError:
        raise InvalidInput(f"{place.origin} sends on to an address that cannot be read.") from None


def _in_ascii(authority: str) -> str:
    """The authority as it is sent; letters of other scripts become what the name system knows."""
    if authority.isascii():
        return authority
    import idna  # loaded when a name needs it

    host, colon, port = authority.partition(":")
    try:
        return idna.encode(host, uts46=True, std3_rules=True).decode() + colon + port
    except idna.IDNAError:
        raise ValueError("the host has letters that no name may have") from None


def _host_and_port(authority: str) -> tuple[str, int | None]:
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise ValueError("the host or the port cannot be read")
    number, name, port = match.groups()
    host = _numeric(number) if name is None else _named(name.lower())
    return host, None if port is None else int(port)


def _numeric(text: str) -> str:
    address = address_of(text)
    if not isinstance(address, IPv6Address):
        raise ValueError("what stands in brackets is no IPv6 address")
    return str(address)


def _named(text: str) -> str:
    """A host name, or an IPv4 address in its usual spelling.

    Resolvers also read 2130706433, 0x7f.1 and 127.1 as addresses: a host that ends in a number is an address,
    and an address has one spelling.
    """
    name = text.removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise ValueError("the host cannot be a name")
    if _NUMBER.fullmatch(labels[-1]) and address_of(name) is None:
        raise ValueError("the host is a number that is no usual IPv4 address")
    return name
