"""Replies: what a server answered to a tool, in words that a model can work with."""

from __future__ import annotations

import re
from collections.abc import Callable

from vivavoce.ports import Reply

MOST_TEXT = 20_000
"""Characters of an answer that a model reads."""
_MARGIN = 4_096
"""Where an answer was cut, half of a secret may stand: its end is not shown."""
MOST_BYTES = 4 * (MOST_TEXT + _MARGIN)
"""Bytes of an answer that are read."""
_CHARSETS = re.compile(
    r"utf-?8|utf-?16(?:-?[lb]e)?|(?:us-)?ascii|latin-?1|iso-?8859-\d{1,2}|windows-125\d|cp125\d|koi8-[ru]"
    r"|shift-?jis|windows-31j|euc-?jp|gb2312|gbk|gb18030|big5|euc-?kr"
)
"""Charsets of texts; what else a server may name is read as UTF-8, for some take very long to read."""
_TEXTS = re.compile(r"text/.*|.*[/+](?:json|xml|yaml|x-ndjson|javascript|csv|x-www-form-urlencoded)")


def is_failure(reply: Reply) -> bool:
    """Whether the server did not do what was asked."""
    return not 200 <= reply.status < 300


def told(reply: Reply, mask: Callable[[str], str]) -> str:
    """The status and the masked text of a reply; what cannot be read or was cut is said."""
    if 300 <= reply.status < 400:
        return (
            f"The call failed: the server sends on to another address ({reply.status}), which is not allowed."
        )
    head = f"The call failed: status {reply.status}." if is_failure(reply) else f"Status {reply.status}."
    if not reply.body:
        return f"{head} The answer is empty."
    text = _text(reply)
    if text is None:
        kind = _kind(reply) or "of an unknown kind"
        return f"{head} The answer is no text but {kind[:100]}, which cannot be read here."
    text = mask(text)[:-_MARGIN] if reply.is_cut else mask(text)
    if reply.is_cut or len(text) > MOST_TEXT:
        head = f"{head} The answer is long: only its first {MOST_TEXT} characters follow."
    return f"{head}\n{text[:MOST_TEXT]}"


def _text(reply: Reply) -> str | None:
    """The body as text; None where it is none."""
    kind = _kind(reply)
    if kind and _TEXTS.fullmatch(kind) is None:
        return None
    found = re.search(r"charset=[\"']?([\w-]{1,40})", reply.headers.get("content-type", ""), re.IGNORECASE)
    named = found.group(1).lower().replace("_", "-") if found else "utf-8"
    try:
        text = reply.body.decode(named if _CHARSETS.fullmatch(named) else "utf-8", "replace")
    except LookupError:  # a charset that is none
        text = reply.body.decode("utf-8", "replace")
    is_garbage = "\0" in text or (not kind and text.count("\ufffd") > len(text) / 10)
    return None if is_garbage else text


def _kind(reply: Reply) -> str:
    return reply.headers.get("content-type", "").partition(";")[0].strip().lower()
