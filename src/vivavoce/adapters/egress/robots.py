"""Robots: what a site's robots.txt asks of programs that read it, as RFC 9309 says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

_TOKEN = re.compile(r"[a-z_-]+", re.ASCII)
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]", re.ASCII)


class Rule(NamedTuple):
    """Paths that may or may not be fetched."""

    allows: bool
    pattern: str

    def matches(self, path: str) -> bool:
        """Whether the path begins as the pattern says: * stands for anything, $ for the end."""
        pieces = self.pattern.removesuffix("$").split("*")
        if not path.startswith(pieces[0]):
            return False
        if not self.pattern.endswith("$"):
            return _end_of(pieces[1:], path, len(pieces[0])) >= 0
        if len(pieces) == 1:
            return path == pieces[0]
        end = _end_of(pieces[1:-1], path, len(pieces[0]))
        return end >= 0 and path.endswith(pieces[-1]) and len(path) - len(pieces[-1]) >= end


class Robots(NamedTuple):
    """What a robots.txt says to one program."""

    rules: tuple[Rule, ...] = ()
    delay: float = 0.0
    """How many seconds it wants between two pages."""
    sitemaps: tuple[str, ...] = ()

    def allows(self, target: str) -> bool:
        """Whether a path with its query may be fetched: the longest rule that matches decides."""
        path = _normal(target)
        matching = [rule for rule in self.rules if rule.matches(path)]
        return max(matching, key=lambda rule: (len(rule.pattern), rule.allows), default=_ANYTHING).allows


def robots_of(text: str, agent: str) -> Robots:
    """What a robots.txt says to an agent: the groups that name it, or else those for everyone."""
    groups: dict[str, _Group] = {}
    sitemaps: list[str] = []
    named: set[str] = set()
    is_naming = False
    for key, value in _lines(text):
        if key == "sitemap":
            sitemaps.append(value)
        elif key == "user-agent":
            named = (named if is_naming else set()) | ({_agent(value)} & {agent.lower(), "*"})
            is_naming = True
        elif key in ("allow", "disallow", "crawl-delay"):
            is_naming = False
            for name in named:
                groups.setdefault(name, _Group()).add(key, value)
    group = groups.get(agent.lower(), groups.get("*", _Group()))
    return Robots(tuple(group.rules), group.delay, tuple(sitemaps))


_ANYTHING = Rule(True, "/")


class _Group:
    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.delay = 0.0

    def add(self, key: str, value: str) -> None:
        if key == "crawl-delay":
            self.delay = max(self.delay, _seconds(value))
        elif value:
            self.rules.append(Rule(key == "allow", _normal(value)))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _agent(value: str) -> str:
    """The name of a program without its version."""
    match = _TOKEN.match(value.lower())
    return "*" if value.startswith("*") else match.group() if match else ""


def _seconds(value: str) -> float:
    return float(value) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", value, re.ASCII) else 0.0


def _normal(path: str) -> str:
    """One spelling for paths that mean the same: needless escapes undone, letters beyond ASCII escaped."""

    def unescaped(match: re.Match[str]) -> str:
        character = chr(int(match.group(1), 16))
        return character if _UNRESERVED.fullmatch(character) else match.group().upper()

    return _ESCAPE.sub(unescaped, quote(path, safe="%/:@!$&'()*+,;=~?#[]"))


def _end_of(pieces: list[str], path: str, start: int) -> int:
    """Where the last piece ends when each stands, as early as possible, behind the one before; or -1."""
    for piece in pieces:
        found = path.find(piece, start)
        if found < 0:
            return -1
        start = found + len(piece)
    return start
