"""Addresses: what a url must keep to before it is stored, and where it leads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from vivavoce.domain.secrets import PLACEHOLDER, is_address, is_secret_query, within
from vivavoce.errors import InvalidInput


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


def checked_setting(name: str, value: Any) -> None:
    """Refuse an address in a configuration that is there and breaks the rules; `name` says which it is."""
    if value is None or value == "":
        return
    try:
        checked_address(_text(value))
    except ValueError as error:
        fault = str(error).removeprefix("url: ")
        raise InvalidInput(
            f"{name}: {fault}.", hint="Give a full https:// address.", details={name: fault}
        ) from None


def origin_of(url: str) -> str:
    """Where an address leads, without what stands behind the host: scheme, host and port."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme.lower(), 0)
    except ValueError:
        return url
    host = parts.netloc if "{" in parts.netloc else parts.hostname
    return f"{parts.scheme.lower()}://{host}:{port}"


def leads_elsewhere(location: str, after: Any, before: Any, secrets: Mapping[str, Any]) -> bool:
    """Whether a JSON configuration leads to a host where the one `before`, with its secrets, did not lead."""
    hidden = {(place, origin_of(secret)) for place, secret in secrets.items() if is_address(secret)}
    return not set(_origins(location, after)) <= set(_origins(location, before)) | hidden


def mixed_secrets(url: str) -> list[str]:
    """The query parameters whose value is partly a secret and partly a placeholder."""
    pieces = (piece.partition("=") for piece in urlsplit(url).query.split("&"))
    return [name for name, _, value in pieces if is_secret_query(name, value) and PLACEHOLDER.search(value)]


def _check_host(parts: SplitResult) -> None:
    """Digits and dots of other scripts lead resolvers to addresses that a reader does not see."""
    for character in parts.netloc:
        plain = unicodedata.normalize("NFKC", character)
        if not character.isascii() and (plain != character or character.isnumeric() or character == "。"):
            raise ValueError("url: the host must not contain digits or dots of other scripts")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    return value


def _origins(location: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every address in a JSON value: at which location, and which origin."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _origins(within(location, key), item)
    elif isinstance(value, list):
        for item in value:
            yield from _origins(within(location, "*"), item)
    elif is_address(value):
        yield location, origin_of(value)
