"""Time, ids and keys from the machine."""

from __future__ import annotations

import secrets
import threading
import time
from datetime import UTC, datetime

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


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

    def __call__(self) -> str:
        with self._lock:
            self._last = max(self._last + 1, time.time_ns() // 1_000)
            moment = self._last
        noise = secrets.randbelow(36**13)
        return f"c{_written(moment, 11)}{_written(noise, 13)}"


def _written(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
