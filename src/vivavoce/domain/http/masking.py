"""Masking: secrets that an answer repeats or a model supplies are covered before anyone reads them."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from vivavoce.domain.secrets import MARKER, PLACEHOLDER, is_telling

_SHORTEST = 4
"""Shorter ones are too common to be told from other text."""
_LONG = 8
"""From here on a secret is covered inside longer words too."""


def masked(text: str, secrets: Iterable[Any]) -> str:
    """The text with every secret covered, also where it is written in another encoding."""
    spellings = {each for secret in secrets for part in _parts(secret) for each in _spellings(part)}
    lower = text.lower()
    there = [each for each in spellings if each.lower() in lower]  # most are not, and that is quick to see
    for spelling in sorted(there, key=lambda each: (-len(each), each)):
        if len(spelling) >= _LONG:
            text = re.sub(re.escape(spelling), MARKER, text, flags=re.IGNORECASE)
        elif len(spelling) >= _SHORTEST:
            text = re.sub(rf"(?<!\w){re.escape(spelling)}(?!\w)", MARKER, text)
    return text


def covered(value: Any, *, telling: bool = False) -> Any:
    """The same JSON with every value under a telling name covered, or every value if `telling`.

    Null, the empty text, true and false say nothing and stay.
    """
    if isinstance(value, dict):
        return {key: covered(item, telling=telling or is_telling(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [covered(item, telling=telling) for item in value]
    says_nothing = value is None or value == "" or isinstance(value, bool)
    return MARKER if telling and not says_nothing else value


def covered_text(text: str) -> str:
    """JSON as a model wrote it, covered; all of it where it cannot be read and has a telling name in it."""
    try:
        value = json.loads(text) if text.strip() else {}
        seen = covered(value)
        return text if seen == value else json.dumps(seen, ensure_ascii=False)
    except (ValueError, RecursionError):
        return MARKER if any(map(is_telling, re.findall(r"[\w-]+", text))) else text


def _parts(secret: Any) -> Iterator[str]:
    """A secret, its words, and what stands around the placeholders in it: `Bearer abc` is also `abc`."""
    if isinstance(secret, dict | list):
        for item in secret.values() if isinstance(secret, dict) else secret:
            yield from _parts(item)
        return
    if secret is None or isinstance(secret, bool):
        return
    text = str(secret)
    pieces = PLACEHOLDER.split(text)[::2]  # the odd ones are the names in braces
    yield from (piece.strip() for piece in pieces)
    words = [word for piece in pieces for word in piece.split()]
    yield from (word for word in words if len(word) >= _LONG)
    for word in words:
        yield from _credentials(word)


def _credentials(word: str) -> Iterator[str]:
    """The user and password that a word of basic authentication holds."""
    try:
        plain = base64.b64decode(word, validate=True).decode()
    except ValueError:
        return
    if ":" in plain and plain.isprintable():
        yield plain
        yield plain.partition(":")[2]


def _spellings(part: str) -> Iterator[str]:
    raw = part.encode("utf-8", "surrogatepass")
    yield part
    yield unquote(part)
    yield quote(part, safe="", errors="replace")
    yield quote_plus(part, errors="replace")
    yield json.dumps(part)[1:-1]
    yield json.dumps(part, ensure_ascii=False)[1:-1]
    yield html.escape(part)
    if len(part) >= _LONG:
        yield raw.hex()
        yield base64.b64encode(raw).decode().rstrip("=")
        yield base64.urlsafe_b64encode(raw).decode().rstrip("=")
