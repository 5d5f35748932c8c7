"""The catalogue: every operation, declared once, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from vivavoce.domain.keys import Scope

from . import (
    access,
    agents,
    answers,
    approvals,
    avatars,
    channels,
    contact_lists,
    contacts,
    conversations,
    crm,
    crm_logs,
    crm_moves,
    deliveries,
    documentation,
    follow_ups,
    keys,
    knowledge,
    messages,
    notes,
    providers,
    ratings,
    tags,
    tools,
    variables,
    visitors,
)
from .base import Effect, Listing, Operation, Result, Route, Spec
from .names import *  # noqa: F403  # every operation, for those who write programs
from .running import OPERATOR, STRANGER, Backend, Caller, Hear, Told

__all__ = [
    "ALIASES",
    "CATALOGUE",
    "OPERATOR",
    "STRANGER",
    "TOOLSETS",
    "Backend",
    "Caller",
    "Effect",
    "Hear",
    "Listing",
    "Operation",
    "Result",
    "Route",
    "Scope",
    "Spec",
    "Told",
]

_AREAS = (
    agents,
    answers,
    tools,
    access,
    crm,
    crm_moves,
    crm_logs,
    knowledge,
    conversations,
    messages,
    follow_ups,
    ratings,
    visitors,
    deliveries,
    approvals,
    notes,
    variables,
    tags,
    contacts,
    contact_lists,
    channels,
    avatars,
    providers,
    documentation,
    keys,
)


def _declared_in(area: ModuleType) -> Iterator[type[Operation[Any]]]:
    for kind in vars(area).values():
        declared = isinstance(kind, type) and issubclass(kind, Operation) and "spec" in vars(kind)
        if declared and kind.__module__ == area.__name__:
            yield kind


CATALOGUE: dict[str, type[Operation[Any]]] = {
    kind.spec.name: kind for area in _AREAS for kind in _declared_in(area)
}
"""Every operation by its name."""

ALIASES: dict[str, str] = {alias: name for name, kind in CATALOGUE.items() for alias in kind.spec.aliases}
"""Names under which other clients know a tool."""

TOOLSETS: tuple[str, ...] = tuple(
    dict.fromkeys(kind.spec.toolset for kind in CATALOGUE.values() if kind.spec.offer != "never")
)
"""The groups of tools that can be switched on by themselves."""
