"""Policy: which calls a model may make by itself. No text that it reads changes these rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from .http.http_tools import HttpConfig

REVERSIBLE = frozenset({"GET", "HEAD"})
"""Methods that change nothing on the other side."""


class Trust(StrEnum):
    """Whose words a model has before it when it calls."""

    OWN = "own"
    """The operator's and the person's alone."""
    MIXED = "mixed"
    """Text from outside too: passages, what tools returned, what the agent itself said before."""
    STRANGER = "stranger"
    """The person shows no key: nothing vouches for what is asked."""


class Verdict(StrEnum):
    """What becomes of a call."""

    CALL = "call"
    CONFIRM = "confirm"
    """Only as the model calls it when it reads nothing but the operator's and the person's words."""
    ASK = "ask"
    """Only after an operator has approved it."""


BY_TOOL = "The tool asks for approval before each call."
BY_STRANGER = "The call changes something, and a person without a key asks for it."
BY_TAINT = "The call changes something, and text from outside may have asked for it."


def verdict_on(config: HttpConfig, trust: Trust) -> tuple[Verdict, str]:
    """What becomes of a call of an HTTP tool, and why an operator would be asked."""
    if config.with_approval:
        return Verdict.ASK, BY_TOOL
    if is_reversible(config) or trust is Trust.OWN:
        return Verdict.CALL, ""
    if trust is Trust.STRANGER:
        return Verdict.ASK, BY_STRANGER
    return Verdict.CONFIRM, BY_TAINT


def is_reversible(config: HttpConfig) -> bool:
    """Whether a call of the tool changes nothing on the other side."""
    return config.method in REVERSIBLE


def agreed(called: Mapping[str, Any], confirmed: Mapping[str, Any]) -> bool:
    """Whether a confirmation asks for the same: only how sentences are worded may differ.

    Who, which and how much have no blanks in them: ids, addresses, numbers, dates and choices must be equal.
    """
    ours, theirs = dict(_leaves("", called)), dict(_leaves("", confirmed))
    return ours.keys() == theirs.keys() and all(_alike(ours[place], theirs[place]) for place in ours)


_SHAPES = {
    "user-name": re.compile(r"[^\W\d_]+(?:[ '.-]{1,2}[^\W\d_]+){0,3}\.?"),
    "user-email": re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+){1,5}"),
    "user-phone-number": re.compile(r"\+?[\d ()-]{5,25}"),
    "conversation-id": re.compile(r"[\w-]{1,64}"),
}
_OURS = frozenset(
    (
        *("conversation-channel", "channel", "created-at", "status", "priority"),
        *("total-messages", "frustration-level", "today"),
    )
)


def vouched(variables: Mapping[str, str]) -> dict[str, str]:
    """The prompt variables that cannot hold an instruction: what is counted here, and short plain facts."""
    return {
        name: value
        for name, value in variables.items()
        if value == ""
        or name in _OURS
        or ((shape := _SHAPES.get(name)) is not None and shape.fullmatch(value))
    }


def _leaves(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(f"{place}/{key}", item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _leaves(f"{place}/{number}", item)
    else:
        yield place, value


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return (_is_sentence(one) and _is_sentence(other)) or one.casefold() == other.casefold()
    return type(one) is type(other) and one == other


def _is_sentence(text: str) -> bool:
    return len(text.split()) > 1
