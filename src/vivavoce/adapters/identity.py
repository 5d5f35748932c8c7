"""Time, ids and keys from the machine."""

from __future__ import annotations

import os
import secrets
import threading
import time
from datetime import UTC, datetime

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NOISE = 16
"""Bytes of noise in an id, more than its characters can say."""
_AT_ONCE = 256
"""For how many ids noise is fetched: each time, other threads get in between."""


def now() -> datetime:
    """This moment, to the millisecond that the wire can say."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def new_secret() -> str:
    """32 random bytes as text."""
    return secrets.token_urlsafe(32)


class Ids:
    """Ids in the shape of a cuid: 25 characters, later ones sort after earlier ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._noise, self._fetched_by = b"", 0

    def __call__(self) -> str:
        with self._lock:
            self._last = max(self._last + 1, time.time_ns() // 1_000)
            moment = self._last
            if not self._noise or self._fetched_by != os.getpid():  # a fork must not repeat its parent's
                self._noise, self._fetched_by = os.urandom(_NOISE * _AT_ONCE), os.getpid()
            noise, self._noise = self._noise[:_NOISE], self._noise[_NOISE:]
        return f"c{_written(moment, 11)}{_written(int.from_bytes(noise) % 36**13, 13)}"


def _written(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
