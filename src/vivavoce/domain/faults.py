"""What a validation found wrong, field by field, in words and without the values."""

from __future__ import annotations

import re

from pydantic import ValidationError

_NAMED = re.compile(r"([A-Za-z]\w*(?:\.\w+)*): (.+)", re.DOTALL)
_LENGTH = re.compile(r"(\w+) should have at (most|least) (\d+) items? after validation, not \w+")
"""What is told of a length: a value is a text, lists are called lists."""
_OBJECT = 'input should be an object, such as {"key": "value"}'


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
        case "model_type" | "model_attributes_type" | "dataclass_type" | "dict_type" | "mapping_type":
            return _OBJECT
        case "too_long" | "too_short":
            return _LENGTH.sub(_counted, message)
        case "value_error":
            return message.removeprefix("Value error, ")
        case _:
            return message[:1].lower() + message[1:]


def _counted(found: re.Match[str]) -> str:
    """How long something must be; of a text as it is said where nothing was looked at before its length."""
    kind, bound, number = found.groups()
    plural = "" if number == "1" else "s"
    if kind == "Value":
        return f"string should have at {bound} {number} character{plural}"
    return f"must have at {bound} {'one' if number == '1' else number} item{plural}"
