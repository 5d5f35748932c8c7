"""Bounds: how long a request may take, how much it may bring and where it may lead."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

WEB_PORTS = (80, 443)


@dataclass(frozen=True)
class Bounds:
    """What a request may cost and where it may go."""

    timeout: float = 15.0
    """Seconds for everything together."""
    connect: float = 3.0
    """Seconds until there is a connection."""
    max_bytes: int = 1_000_000
    """How much of a body is taken; what goes beyond is cut."""
    redirects: int = 3
    """How many are followed. Without any, one is an answer like any other."""
    ports: Collection[int] = WEB_PORTS
    """The ports that are open to a request, beside those that the operator allows."""
