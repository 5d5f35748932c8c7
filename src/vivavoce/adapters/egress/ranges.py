"""Ranges: which network addresses belong to the public internet.

The lists are our own, because what Python calls global differs between its versions and lets through
addresses that carry a private one inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_CLOUD = (
    IPv4Network("169.254.0.0/16"),
    IPv4Network("100.100.100.200/32"),
    IPv4Network("168.63.129.16/32"),
    IPv4Network("192.0.0.192/32"),
    IPv6Network("fd00:ec2::/32"),
    IPv6Network("fd20:ce::254/128"),
    IPv6Network("fe80::a9fe:a9fe/128"),
)
"""Where clouds answer their own machines, with credentials among it: never a place for anyone's request."""

_SPECIAL = (
    IPv4Network("0.0.0.0/8"),  # this network
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),  # shared by the customers of a provider
    IPv4Network("127.0.0.0/8"),
    IPv4Network("169.254.0.0/16"),  # this link
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.0.0.0/24"),  # protocols
    IPv4Network("192.0.2.0/24"),  # documentation
    IPv4Network("192.88.99.0/24"),  # relays of 6to4
    IPv4Network("192.168.0.0/16"),
    IPv4Network("198.18.0.0/15"),  # benchmarks
    IPv4Network("198.51.100.0/24"),  # documentation
    IPv4Network("203.0.113.0/24"),  # documentation
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, and broadcast
    IPv6Network("2001::/23"),  # protocols, with Teredo among them
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4
    IPv6Network("3fff::/20"),  # documentation
)
_UNICAST = IPv6Network("2000::/3")
"""All that was ever handed out of the public IPv6 internet."""

_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_TEREDO = IPv6Network("2001::/32")
_6TO4 = IPv6Network("2002::/16")
_COMPATIBLE = IPv6Network("::/96")
_TRANSLATED = IPv6Network("::ffff:0:0:0/96")
_ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")


def address_of(text: str) -> Address | None:
    """The network address that a text is, in its one usual spelling."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether the address, and every address that it carries inside, is on the public internet."""
    if is_cloud(address) or any(address in network for network in _SPECIAL):
        return False
    if isinstance(address, IPv4Address):
        return address.is_global
    if address in _MAPPED or address in _NAT64:
        return all(map(is_public, _inside(address)))
    return address in _UNICAST and address.is_global and all(map(is_public, _inside(address)))


def is_cloud(address: Address) -> bool:
    """Whether a cloud answers its own machines there, also when the address is carried inside another."""
    carried = _inside(address) if isinstance(address, IPv6Address) else ()
    return any(address in network for network in _CLOUD) or any(map(is_cloud, carried))


def _inside(address: IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses to which a gateway, a tunnel or the system itself would hand it on."""
    packed = address.packed
    if any(address in network for network in (_MAPPED, _NAT64, _LOCAL_NAT64, _COMPATIBLE, _TRANSLATED)):
        yield IPv4Address(packed[12:])
    if address in _LOCAL_NAT64:
        yield IPv4Address(packed[6:8] + packed[9:11])
    if address in _6TO4:
        yield IPv4Address(packed[2:6])
    if address in _TEREDO:
        yield IPv4Address(packed[4:8])
        yield IPv4Address(bytes(byte ^ 0xFF for byte in packed[12:]))
    if packed[8:12] in _ISATAP:
        yield IPv4Address(packed[12:])
