"""What a validation found wrong, field by field, in words and without the values."""

from __future__ import annotations

import re

from pydantic import ValidationError

_NAMED = re.compile(r"([A-Za-z]\w*(?:\.\w+)*): (.+)", re.DOTALL)
_LENGTH = re.compile(r"Value (should have at (?:most|least) (\d+)) items? after validation, not \d+")
"""What is told of the length of a text: lists are called lists."""


def faults_of(error: ValidationError, under: str = "") -> dict[str, str]:
    """What is wrong at each place; the place of a fault in the whole is the empty text."""
    found: dict[str, str] = {}
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        place, said = _place(fault["loc"], under), _said(fault["type"], fault["msg"])
        named = _NAMED.fullmatch(said) if place == "" else None  # a rule of the whole that names the part
        found.setdefault(*((named[1], named[2]) if named else (place, said)))
    return found


def in_words(faults: dict[str, str]) -> str:
    """All faults in one line."""
    return "; ".join(f"{place}: {said}" if place else said for place, said in faults.items())


def _place(location: tuple[int | str, ...], under: str) -> str:
    parts = [under, *(str(part) for part in location if not _is_branch(part))]
    return ".".join(part for part in parts if part)[:200]


def _is_branch(part: int | str) -> bool:
    """Unions put the name of the tried branch into the path; it says nothing to a caller."""
    return isinstance(part, str) and ("[" in part or part in ("str", "dict", "constrained-str"))


def _said(kind: str, message: str) -> str:
    match kind:
        case "extra_forbidden":
            return "is not a known argument"
        case "missing":
            return "is required"
        case "string_unicode":
            return "must be valid Unicode"
        case "json_invalid" if "recursion" in message:
            return "the arguments are nested too deep"
        case "too_long" | "too_short":
            return _LENGTH.sub(_in_characters, message)
        case "value_error":
            return message.removeprefix("Value error, ")
        case _:
            return message[:1].lower() + message[1:]


def _in_characters(found: re.Match[str]) -> str:
    """As it is said of a text whose length is looked at before anything else."""
    return f"string {found[1]} character{'' if found[2] == '1' else 's'}"
