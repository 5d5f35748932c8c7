"""Ports for servers that are stopped and started again, while other tests have servers too."""

from __future__ import annotations

import random
import socket

_NEVER_LENT = range(20_000, 32_000)
"""Below those that a system hands out to whoever asks for any port at all."""
_TRIES = 100


def free_port() -> int:
    """A port on loopback that nobody listens on, and that nobody is handed while its server is away."""
    for port in random.SystemRandom().sample(_NEVER_LENT, _TRIES):
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue  # somebody has it
    raise AssertionError(f"{_TRIES} ports were tried, and each is taken.")
