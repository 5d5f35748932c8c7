"""Attachments: the files and pictures of a message, as a model is told of them. It cannot open them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_NAME = 120
_ADDRESS = 500


def files_in(attachments: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """A line for each file: what it is called, what kind it is, and where it is."""
    return tuple(_line(each) for each in attachments)


def names_in(attachments: Iterable[Mapping[str, Any]]) -> str:
    """What the files are called, in one line."""
    return ", ".join(_short(each.get("name"), _NAME) for each in attachments)


def _line(attachment: Mapping[str, Any]) -> str:
    kind = _short(attachment.get("mimeType"), _NAME)
    name = _short(attachment.get("name"), _NAME)
    return f"{name}{f' ({kind})' if kind else ''}: {_short(attachment.get('url'), _ADDRESS)}"


def _short(text: Any, most: int) -> str:
    """One line of what a caller wrote, cut where it is long."""
    line = " ".join(text.split()) if isinstance(text, str) else ""
    return line if len(line) <= most else f"{line[: most - 1]}\u2026"
