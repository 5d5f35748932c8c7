"""Which tools a server offers: by toolset, by name, reading only. Needs nothing but the names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ToolFacts:
    """What decides whether a tool is offered."""

    name: str
    toolset: str
    is_default: bool
    is_read_only: bool


@dataclass(frozen=True)
class Selection:
    """What the operator asked for. It is an upper bound: nothing beyond it is ever offered."""

    toolsets: tuple[str, ...] = ()
    """Whole groups, or `default`, or `all`; nothing means `default` unless tools are named."""
    tools: tuple[str, ...] = ()
    """Single tools to offer as well."""
    exclude: tuple[str, ...] = ()
    """Tools never to offer."""
    read_only: bool = False
    """Offer only tools that change nothing; beats everything else."""

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Selection:
        """The selection that was written as JSON."""
        lists = {name: tuple(written.get(name, ())) for name in ("toolsets", "tools", "exclude")}
        return cls(**lists, read_only=bool(written.get("read_only", False)))

    def names(self, known: Iterable[ToolFacts]) -> list[str]:
        """The names of the tools to offer, in their fixed order; ValueError for a name that is unknown."""
        known = list(known)
        self._check(known)
        return [facts.name for facts in known if self._offers(facts)]

    def _offers(self, facts: ToolFacts) -> bool:
        if facts.name in self.exclude or (self.read_only and not facts.is_read_only):
            return False
        if facts.name in self.tools:
            return True
        toolsets = self.toolsets or (() if self.tools else ("default",))
        return "all" in toolsets or facts.toolset in toolsets or (facts.is_default and "default" in toolsets)

    def _check(self, known: list[ToolFacts]) -> None:
        names = {facts.name for facts in known}
        toolsets = {facts.toolset for facts in known} | {"default", "all"}
        for given, allowed, what in (
            (self.toolsets, toolsets, "toolset"),
            (self.tools, names, "tool"),
            (self.exclude, names, "tool"),
        ):
            if unknown := sorted(set(given) - allowed):
                raise ValueError(f"no {what} {unknown[0]!r}; known: {', '.join(sorted(allowed))}")
