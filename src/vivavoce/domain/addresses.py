"""Addresses: what a url must keep to before it is stored, and which of its values are secret."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import SplitResult, unquote_plus, urlsplit

from .secrets import MARKER, Cover, is_telling, within

PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.-]*)\}")
"""A name in braces, filled in before the request is made."""


def checked_address(url: str) -> str:
    """The url itself, refused when programs could disagree about where it leads."""
    if re.search(r"[\x00-\x20\x7f\\]", url) or not url.isprintable():
        raise ValueError("url: must not contain blanks, backslashes or control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("url: the host or the port cannot be read") from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError("url: must be a full http:// or https:// address")
    if parts.username is not None or parts.password is not None:
        raise ValueError("url: must not contain a user or a password; send them in a header")
    if port == 0:
        raise ValueError("url: the port must be between 1 and 65535")
    _check_host(parts)
    return url


def covered_address(location: str, url: str, cover: Cover) -> str:
    """The url with the values of telling query parameters covered."""
    address, hash_mark, fragment = url.partition("#")
    address, question_mark, query = address.partition("?")
    counted: dict[str, int] = {}
    pieces = []
    for piece in query.split("&"):
        name, equals, value = piece.partition("=")
        if _is_secret(name, value):
            place = counted[name] = counted.get(name, 0) + 1
            value = MARKER if unquote_plus(value) == MARKER else value
            value = cover.over(within(location, name, str(place)), value)
        pieces.append(name + equals + value)
    return address + question_mark + "&".join(pieces) + hash_mark + fragment


def mixed_secrets(url: str) -> list[str]:
    """The query parameters whose value is partly a secret and partly a placeholder."""
    pieces = (piece.partition("=") for piece in urlsplit(url).query.split("&"))
    return [name for name, _, value in pieces if _is_secret(name, value) and PLACEHOLDER.search(value)]


def _check_host(parts: SplitResult) -> None:
    """Digits and dots of other scripts lead resolvers to addresses that a reader does not see."""
    for character in parts.netloc:
        plain = unicodedata.normalize("NFKC", character)
        if not character.isascii() and (plain != character or character.isnumeric() or character == "。"):
            raise ValueError("url: the host must not contain digits or dots of other scripts")


def _is_secret(name: str, value: str) -> bool:
    return bool(value) and is_telling(unquote_plus(name)) and PLACEHOLDER.fullmatch(value) is None
