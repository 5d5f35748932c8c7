"""What is wrong with some arguments, said in words that a model can act on and without their values."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from pydantic import BaseModel, ValidationError

from vivavoce.domain.faults import faults_of, in_words
from vivavoce.errors import InvalidInput

_SHOWN = 12


def explained(error: ValidationError, kind: type[BaseModel], *, by_name: bool = False) -> InvalidInput:
    """The fault as our own error: one detail for each field, never a value.

    `by_name` is for a fault that a rule of the domain found, which knows fields by their Python names.
    """
    details = faults_of(error)
    if by_name:
        details = {_on_the_wire(place, kind): said for place, said in details.items()}
    if len(details) > _SHOWN:
        details = dict(list(details.items())[:_SHOWN]) | {"…": "more faults were found"}
    return InvalidInput(_sentence(in_words(details)), hint=" ".join(_hints(error, kind)), details=details)


def _on_the_wire(place: str, kind: type[BaseModel]) -> str:
    head, dot, rest = place.partition(".")
    field = kind.model_fields.get(head)
    return ((field and field.alias) or head) + dot + rest


def _sentence(message: str) -> str:
    return message if message.endswith(".") else message + "."


def _hints(error: ValidationError, kind: type[BaseModel]) -> Iterator[str]:
    known = [field.alias or name for name, field in kind.model_fields.items()]
    unknown = [
        str(fault["loc"][0])
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
        if fault["type"] == "extra_forbidden" and len(fault["loc"]) == 1
    ]
    for name in unknown[:3]:
        if close := difflib.get_close_matches(_camel(name[:100]), known, n=1, cutoff=0.6):
            yield f"Did you mean {close[0]}?"
    if unknown:
        yield f"Known arguments: {', '.join(known)}." if known else "It takes no arguments."


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
