"""Secrets inside configurations: which values are secret, and the marker that stands for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vivavoce.errors import InvalidInput

MARKER = "********"
"""What a reader sees instead of a secret. Written back, it keeps what is stored."""

_TELLING = re.compile(
    r"auth|bearer|cookie|credential|jwt|passw|passphrase|pwd|secret|session|signature|token"
    r"|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|subscription[-_ ]?key|^key$|[-_]key$|senha|chave",
    re.IGNORECASE,
)
_HARMLESS_HEADERS = frozenset(
    (
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"),
        *("content-encoding", "content-language", "content-type", "prefer", "user-agent", "x-requested-with"),
    )
)


def is_telling(key: str) -> bool:
    """Whether a name says that its value is a secret."""
    return _TELLING.search(key) is not None


def is_secret_header(key: str) -> bool:
    """Whether a header's value is secret: every header but a few that never carry credentials."""
    return key.strip().lower() not in _HARMLESS_HEADERS


def within(location: str, *names: str) -> str:
    """The location of a part, such as config/token: no two parts have the same one."""
    return "/".join([location, *(name.replace("~", "~0").replace("/", "~1") for name in names)])


class Cover:
    """Takes secrets out of a configuration and leaves markers in their place.

    `stored` holds the secrets known so far by location; `found` those of the covered configuration.
    """

    def __init__(self, stored: Mapping[str, str]) -> None:
        self.stored = stored
        self.found: dict[str, str] = {}

    def over(self, location: str, value: str) -> str:
        """The marker, after keeping `value`; a marker written back keeps the stored secret."""
        if value == MARKER:
            if location not in self.stored:
                raise InvalidInput(
                    f"The marker at {location} stands for a stored secret, and none is stored there.",
                    hint="Write the secret itself.",
                )
            value = self.stored[location]
        self.found[location] = value
        return MARKER

    def over_json(self, location: str, value: Any, *, telling: bool = False) -> Any:
        """The same JSON with every text under a telling name covered, or every text if `telling`."""
        if isinstance(value, dict):
            return {
                key: self.over_json(within(location, key), item, telling=telling or is_telling(key))
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [
                self.over_json(within(location, str(place)), item, telling=telling)
                for place, item in enumerate(value)
            ]
        return self.over(location, value) if telling and isinstance(value, str) and value else value
