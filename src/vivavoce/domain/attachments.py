"""Attachments: the files and pictures of a message, what was read of them, and what a model is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .prompting import fitting, tokens_of

_NAME = 120
_ADDRESS = 500
_REASON = 300
_PICTURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)
"""How pictures begin that models see."""


class Enclosure(NamedTuple):
    """A file of a message, and what was read of it: a text, a picture, or the reason why nothing was."""

    name: str
    line: str
    """What it is called, what kind it is, and where it is."""
    text: str = ""
    is_whole: bool = True
    """Whether the text is all that stands in it."""
    picture: bytes = b""
    mime_type: str = ""
    """Of a picture."""
    reason: str = ""

    @property
    def is_read(self) -> bool:
        """Whether a model is given what is in it."""
        return bool(self.text or self.picture)

    @property
    def told(self) -> str:
        """What a model is told of a file that was not read."""
        return f"{self.line} (not read: {self.reason})" if self.reason else self.line

    def unread(self, reason: str) -> Enclosure:
        """The same file, only named."""
        return Enclosure(self.name, self.line, reason=_short(reason, _REASON))

    def traced(self) -> dict[str, Any]:
        """What the trace of a turn says of it: nothing of what is in it."""
        if self.picture:
            return {"name": self.name, "mimeType": self.mime_type, "bytes": len(self.picture)}
        if self.text:
            return {"name": self.name, "characters": len(self.text), "isWhole": self.is_whole}
        return {"name": self.name, "reason": self.reason}


def named(attachment: Mapping[str, Any], reason: str = "") -> Enclosure:
    """A file that is only named."""
    return Enclosure(_short(attachment.get("name"), _NAME), _line(attachment), reason=reason)


def names_in(attachments: Iterable[Mapping[str, Any]]) -> str:
    """What the files are called, in one line."""
    return ", ".join(_short(each.get("name"), _NAME) for each in attachments)


def picture_type(content: bytes) -> str:
    """The type of a picture that models see, told by its first bytes; empty where it is none."""
    return next((type for begins, type in _PICTURES if begins.match(content)), "")


def cut_to(tokens: float, enclosures: Sequence[Enclosure]) -> tuple[Enclosure, ...]:
    """The same files with texts that have so many tokens together: each has its share, the short ones first.

    What a short text does not need is left to the longer ones.
    """
    cut = list(enclosures)
    places = sorted(
        (place for place, each in enumerate(cut) if each.text), key=lambda place: len(cut[place].text)
    )
    for number, place in enumerate(places):
        whole, share = cut[place], tokens / (len(places) - number)
        text = "".join(fitting([whole.text], share))
        if not text:
            cut[place] = whole.unread("there is no room for it")
        elif len(text) < len(whole.text):
            cut[place] = whole._replace(text=text, is_whole=False)
        tokens -= min(share, tokens_of(text))
    return tuple(cut)


def _line(attachment: Mapping[str, Any]) -> str:
    kind = _short(attachment.get("mimeType"), _NAME)
    name = _short(attachment.get("name"), _NAME)
    return f"{name}{f' ({kind})' if kind else ''}: {_short(attachment.get('url'), _ADDRESS)}"


def _short(text: Any, most: int) -> str:
    """One line of what a caller wrote, cut where it is long."""
    line = " ".join(text.split()) if isinstance(text, str) else ""
    return line if len(line) <= most else f"{line[: most - 1]}\u2026"
