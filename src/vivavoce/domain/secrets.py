"""Secrets inside configurations: which values are secret, and the marker that stands for them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from vivavoce.errors import InvalidInput

MARKER = "********"
"""What a reader sees instead of a secret. Written back, it keeps what is stored."""

PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.-]*)\}")
"""A name in braces, filled in before a request is made."""

_TELLING = re.compile(
    r"auth|bearer|cookie|credential|hmac|jwt|passw|passphrase|pwd|secret|session|signature|token"
    r"|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|subscription[-_ ]?key|^key$|[-_]key$|senha|chave"
    r"|(^|[-_ ])sig($|[-_ ])|(?-i:[a-z]Sig$)",
    re.IGNORECASE,
)
_COUNTING = re.compile(r"(max|min|total|num|nb)(imum)?(?=[-_ A-Z])")
"""How many tokens there may be is no secret."""

_HARMLESS_HEADERS = frozenset(
    (
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"),
        *("content-encoding", "content-language", "content-type", "prefer", "user-agent", "x-requested-with"),
    )
)
_IN_LIST = re.compile(r"~2[0-9a-f.]+")


def is_telling(key: str) -> bool:
    """Whether a name says that its value is a secret."""
    return _TELLING.search(key) is not None and _COUNTING.match(key) is None


def is_secret_header(key: str) -> bool:
    """Whether a header's value is secret: every header but a few that never carry credentials."""
    return key.strip().lower() not in _HARMLESS_HEADERS


def is_secret_query(name: str, value: str) -> bool:
    """Whether a parameter in an address is secret; a lone placeholder is not."""
    return bool(value) and is_telling(unquote_plus(name)) and PLACEHOLDER.fullmatch(value) is None


def is_address(value: Any) -> bool:
    """Whether a value is a text that begins like an address of any scheme."""
    return isinstance(value, str) and re.match(r"\s*[a-z][a-z0-9+.-]*://", value, re.IGNORECASE) is not None


def within(location: str, *names: str) -> str:
    """The location of a part, such as config/token: no two parts have the same one."""
    return "/".join([location, *(name.replace("~", "~0").replace("/", "~1") for name in names)])


def outside(location: str, secrets: Mapping[str, Any]) -> dict[str, Any]:
    """The secrets that do not stand at a location or in a part of it."""
    return {
        place: secret
        for place, secret in secrets.items()
        if place != location and not place.startswith(f"{location}/")
    }


def counted(names: Iterable[str]) -> Iterator[str]:
    """For each name its number among its equals and their count: a marker does not outlive a removal."""
    names = list(names)
    totals, seen = Counter(names), Counter[str]()
    for name in names:
        seen[name] += 1
        yield f"{seen[name]}.{totals[name]}"


class Cover:
    """Takes secrets out of a configuration and leaves markers in their place.

    `stored` holds the secrets known so far by location; `found` those of the covered configuration. Where the
    configuration `leads_elsewhere` than the stored one, no marker is accepted: a secret stays with its host.
    """

    def __init__(self, stored: Mapping[str, Any], *, leads_elsewhere: bool = False) -> None:
        self.stored, self.leads_elsewhere = stored, leads_elsewhere
        self.found: dict[str, Any] = {}

    def over(self, location: str, value: Any) -> str:
        """The marker, after keeping `value`; a marker written back keeps the stored secret."""
        if value == MARKER:
            value = self._kept(location)
        elif isinstance(value, str) and MARKER in value:
            raise InvalidInput(
                f"The marker at {_readable(location)} stands for the whole secret, not for a part of it.",
                hint="Write the marker alone, or the secret itself.",
            )
        self.found[location] = value
        return MARKER

    def beside(self, location: str, value: Any) -> Any:
        """The value itself, which is not secret; refused when it is the marker, which is no value."""
        if value == MARKER:
            raise InvalidInput(
                f"The marker stands at {_readable(location)}, where nothing is kept secret.",
                hint="Write the value itself.",
            )
        return value

    def over_json(
        self, location: str, value: Any, *, telling: bool = False, spared: Set[str] = frozenset()
    ) -> Any:
        """The same JSON with every value under a telling name covered, or every value if `telling`.

        Null, the empty text, true and false say nothing and stay; so does what stands under a spared name.
        """
        if isinstance(value, dict):
            return {
                key: self.over_json(within(location, key), item, spared=spared)
                if key in spared and not isinstance(item, dict)
                else self.over_json(
                    within(location, key), item, telling=telling or is_telling(key), spared=spared
                )
                for key, item in value.items()
            }
        if isinstance(value, list):
            likenesses = [_likeness(item, telling) for item in value]
            return [
                self.over_json(f"{location}/~2{likeness}.{number}", item, telling=telling, spared=spared)
                for likeness, number, item in zip(likenesses, counted(likenesses), value, strict=True)
            ]
        if value is None or value == "" or isinstance(value, bool):
            return value
        if telling or _has_password(value) or (value == MARKER and location in self.stored):
            return self.over(location, value)
        return self.over_address(location, value) if is_address(value) else self.beside(location, value)

    def over_address(self, location: str, url: str) -> str:
        """The url with the values of telling query parameters covered."""
        address, hash_mark, fragment = url.partition("#")
        address, question_mark, query = address.partition("?")
        pieces = [piece.partition("=") for piece in query.split("&")]
        numbers = counted(name for name, _, _ in pieces)
        covered = "&".join(
            name + equals + self._over_query(within(location, name, number), name, value)
            for (name, equals, value), number in zip(pieces, numbers, strict=True)
        )
        return address + question_mark + covered + hash_mark + fragment

    def _over_query(self, location: str, name: str, value: str) -> str:
        value = MARKER if unquote_plus(value) == MARKER else value
        covered = self.over if is_secret_query(name, value) else self.beside
        return str(covered(location, value))

    def _kept(self, location: str) -> Any:
        place = _readable(location)
        if self.leads_elsewhere:
            raise InvalidInput(
                f"The address leads to another host, and the secret at {place} was stored for the old one.",
                hint="Write the secret again for the new address.",
            )
        if location in self.stored:
            return self.stored[location]
        if place in map(_readable, self.stored):
            raise InvalidInput(
                f"What stands around the marker at {place} has changed: which secret is meant is unclear.",
                hint="Write the secret itself.",
            )
        raise InvalidInput(
            f"The marker at {place} stands for a stored secret, and none is stored there.",
            hint="Write the secret itself.",
        )


def uncovered_address(location: str, url: str, secrets: Mapping[str, Any]) -> str:
    """The url with its secrets in place of the markers, for the moment in which it is used."""
    address, hash_mark, fragment = url.partition("#")
    address, question_mark, query = address.partition("?")
    pieces = [piece.partition("=") for piece in query.split("&")]
    numbers = counted(name for name, _, _ in pieces)
    opened = "&".join(
        name + equals + str(secrets.get(within(location, name, number), value))
        for (name, equals, value), number in zip(pieces, numbers, strict=True)
    )
    return address + question_mark + opened + hash_mark + fragment


def _readable(location: str) -> str:
    """A location as a caller reads it; an item of a list is a star."""
    return _IN_LIST.sub("*", location)


def _likeness(item: Any, telling: bool) -> str:
    """What tells an item of a list from others without its secrets."""
    plain = json.dumps(_without_secrets(item, telling), sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def _without_secrets(value: Any, telling: bool) -> Any:
    if isinstance(value, dict):
        return {key: _without_secrets(item, telling or is_telling(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_secrets(item, telling) for item in value]
    if value is None or value == "":
        return value
    if telling or _has_password(value):
        return MARKER
    return value.partition("?")[0] if is_address(value) else value


def _has_password(value: Any) -> bool:
    """Whether a text is an address with a user or a password in it."""
    if not is_address(value):
        return False
    try:
        return "@" in urlsplit(value).netloc
    except ValueError:
        return "@" in value
