"""Text for a terminal: stored text cannot steer it, and no character of ours can stop it."""

from __future__ import annotations

import io
import re
import sys
from typing import TextIO

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def harmless(text: str) -> str:
    """The text with a sign in place of each control character but newline and tab."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def is_unicode(stream: TextIO) -> bool:
    """Whether every character can be written there."""
    encoding = stream.encoding or "utf-8"  # a stream of text in memory has none
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def spell_out_the_unwritable() -> None:
    """Write what the locale cannot write as its number, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not is_unicode(stream):
            stream.reconfigure(errors="backslashreplace")
