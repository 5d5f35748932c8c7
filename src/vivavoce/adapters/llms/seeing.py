"""Seeing: pictures as the OpenAI protocol has them, and which models take none."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from .rendering import Message

_BLIND = 600.0
"""Seconds for which a model that says so is shown no more pictures."""
_MAYBE = frozenset({400, 413, 415, 422})
"""Statuses of a refusal that may be for the pictures, whatever it says."""
_NO_PICTURES = re.compile(
    r"(?:image|vision|picture|multi-?modal).{0,60}(?:only|not|n't) (?:supported|enabled|available)"
    r"|(?<!un)support.{0,60}(?:image|vision|picture|multi-?modal)"
    r"|(?:unknown variant|missing data required for).{0,20}image"
    r"|content.{0,60}(?:must be|should be|expected) an? (?:valid )?string",
    re.IGNORECASE | re.DOTALL,
)
"""How a refusal says that a model takes no pictures at all."""


class Sight:
    """Whether a model takes pictures, as its refusals tell, for a while: a picture may have been at fault."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._blind_until = float("-inf")
        self._has_seen = False

    @property
    def takes_pictures(self) -> bool:
        """Whether it is worth a try to show it one."""
        return self._now() >= self._blind_until

    def saw(self) -> None:
        """Note that it took pictures: what it refuses from now on is one of them, not all."""
        self._has_seen = True

    def is_refused(self, status: int, words: str) -> bool:
        """Whether to ask again without pictures; for a while, where the words say that it takes none."""
        is_said = _NO_PICTURES.search(words) is not None
        if is_said and not self._has_seen:
            self._blind_until = self._now() + _BLIND
        return is_said or status in _MAYBE


def in_parts(message: Message) -> Message:
    """A message as the protocol has it: its pictures as parts of its content."""
    if "pictures" not in message:
        return message
    parts: list[dict[str, Any]] = [{"type": "text", "text": message["content"]}]
    for picture in message["pictures"]:
        url = f"data:{picture.mime_type};base64,{b64encode(picture.content).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": message["role"], "content": parts}
