"""Seeing: pictures as the OpenAI protocol has them, and which models take none."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any

from .rendering import Message

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
    """Whether a model takes pictures, as its refusals tell."""

    def __init__(self) -> None:
        self.takes_pictures = True

    def is_refused(self, status: int, words: str) -> bool:
        """Whether to ask again without pictures; from now on, where the words say that it takes none."""
        is_said = _NO_PICTURES.search(words) is not None
        self.takes_pictures = self.takes_pictures and not is_said
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
