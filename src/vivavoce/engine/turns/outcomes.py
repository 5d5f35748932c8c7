"""Outcomes: what a call of a tool gave, for the model and for the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vivavoce.domain.http.masking import masked
from vivavoce.domain.tools import Tool
from vivavoce.errors import InvalidInput, Unreached, VivavoceError

_UNCERTAIN = " Whether it took effect is not known: do not repeat it, say so."


@dataclass(frozen=True)
class Asked:
    """A call that waits for an operator."""

    tool: Tool
    arguments: dict[str, Any]
    payload: dict[str, Any]
    """What would be sent, secrets as markers."""
    reason: str
    variables: dict[str, str] = field(default_factory=dict)
    """What the prompt variables stand for in it."""


@dataclass(frozen=True)
class Outcome:
    """What a call gave."""

    text: str
    """What the model is told."""
    record: dict[str, Any]
    """What the trace keeps: name, arguments with secrets as markers, status, milliseconds, isError."""
    asked: Asked | None = None

    @classmethod
    def refused(cls, text: str) -> Outcome:
        """A call that was not made, and why."""
        return cls(text, {"isError": True})

    @classmethod
    def failed(
        cls,
        error: VivavoceError,
        sent: str,
        record: Mapping[str, Any],
        secrets: Sequence[str],
        *,
        is_reversible: bool,
    ) -> Outcome:
        """A call to the address `sent` without an answer; what an operator can do goes to the trace alone."""
        is_uncertain = not (is_reversible or isinstance(error, InvalidInput | Unreached))
        words = error.message.replace(sent, record["request"]["url"])
        text = masked(f"The call failed: {words}", secrets) + (_UNCERTAIN if is_uncertain else "")
        known = {**record, "status": None, "isError": True, "isUncertain": is_uncertain}
        if error.hint and not error.retryable:
            known["hint"] = masked(error.hint, secrets)
        return cls(text, known)
