"""The values that entities are made of: texts, names, ids and JSON that may be stored."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

NAME = 200
LINE = 2_000
TEXT = 100_000
DOCUMENT = 4_000_000
"""The most characters that a name, a line, a text and a document may have."""

Unlisted = Field(json_schema_extra={"unlisted": True})
"""Marks a field that a tool's schema does not show: accepted, and returned, all the same."""


def unlisted(description: str) -> Any:
    """An argument that is accepted but not shown in a tool's schema, which must stay short."""
    return Field(description=description, json_schema_extra={"unlisted": True})


_DEPTH = 20
_NODES = 5_000
_INTEGER = 2**53
_HALF = re.compile("[\ud800-\udfff]")


class Value(BaseModel):
    """A frozen value. Fields are snake_case in Python and camelCase on the wire."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        defer_build=True,  # a start needs few of them
    )


def without_nul(text: str) -> str:
    """The text itself, refused when it holds a NUL character, which no database column keeps."""
    if "\0" in text:
        raise ValueError("must not contain a NUL character")
    return text


def not_blank(text: str) -> str:
    """The text itself, refused when it holds blanks alone."""
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def one_line(text: str) -> str:
    """The text without blanks around it, refused when empty or when it holds control characters."""
    text = text.strip()
    if not text:
        raise ValueError("must not be blank")
    if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text):
        raise ValueError("must be one line without control characters")
    return text


def storable(value: Any) -> Any:
    """JSON that can be written and read back unchanged: bounded depth, size and numbers, no NUL."""
    _walk(value, depth=0, seen=[0])
    return value


Name = Annotated[str, Field(max_length=NAME), AfterValidator(one_line)]
Line = Annotated[str, Field(max_length=LINE), AfterValidator(without_nul)]
Text = Annotated[str, Field(max_length=TEXT), AfterValidator(without_nul)]
Document = Annotated[str, Field(max_length=DOCUMENT), AfterValidator(without_nul)]
Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
JsonObject = Annotated[dict[str, Any], AfterValidator(storable)]


def _walk(value: Any, *, depth: int, seen: list[int]) -> None:
    seen[0] += 1
    if depth > _DEPTH:
        raise ValueError(f"must not be nested deeper than {_DEPTH} levels")
    if seen[0] > _NODES:
        raise ValueError(f"must not hold more than {_NODES} values")
    for item in (
        (*value, *value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        _walk(item, depth=depth + 1, seen=seen)
    _check_leaf(value)


def _check_leaf(value: Any) -> None:
    if isinstance(value, str):
        without_nul(value)
        if len(value) > TEXT:
            raise ValueError(f"must not hold a text longer than {TEXT} characters")
        if not value.isascii() and _HALF.search(value):
            raise ValueError("must not hold half of a surrogate pair")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must hold finite numbers only")
    elif isinstance(value, int) and abs(value) > _INTEGER:
        raise ValueError("must not hold whole numbers beyond 2**53")
