"""Carrying over: things that others stored under rules of their own, as entities of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import pydantic_core
from pydantic import ValidationError

from vivavoce.errors import InvalidInput

from .entities import Entity
from .faults import faults_of, in_words

E = TypeVar("E", bound=Entity)

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_UNNAMED = "Untitled"


class Carried(NamedTuple):
    """An entity, and what of the thing that it was could not be kept."""

    thing: Any
    losses: list[str]


def carried(kind: type[E], given: Mapping[str, Any]) -> Carried:
    """The entity that has these fields. A text that is too long is cut, what breaks another rule is left out.

    InvalidInput where it cannot be without what it breaks a rule with.
    """
    id = given.get("id")
    if not isinstance(id, str) or _ID.fullmatch(id) is None:
        raise InvalidInput("Its id has letters that an id cannot have here.")
    fields, losses = storable(dict(given)), dict[str, str]()
    for _ in range(len(kind.model_fields)):
        try:
            return Carried(
                kind.model_validate(fields), [f"{place}: {said}" for place, said in losses.items()]
            )
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            mended = {_field_of(kind, fault["loc"]): fault for fault in faults}
            if not all(name in fields for name in mended):
                raise InvalidInput(f"It cannot be kept here: {in_words(faults_of(error))}.") from None
            said = {place.partition(".")[0]: said for place, said in faults_of(error).items()}
        for name, fault in mended.items():
            alias = kind.model_fields[name].alias or name
            told = _mend(kind, fields, name, fault)
            if told is None:
                raise InvalidInput(f"It cannot be kept here: {alias}: {said.get(alias, 'is not valid')}.")
            losses[alias] = told.replace("{said}", said.get(alias, "is not valid"))
    raise InvalidInput("It cannot be kept here: it breaks one rule after another.")


def storable(value: Any) -> Any:
    """The same without NUL characters and halves of surrogate pairs, which no database keeps."""
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [storable(item) for item in value]
    return re.sub("[\0\ud800-\udfff]", "", value) if isinstance(value, str) else value


def _field_of(kind: type[Entity], place: tuple[int | str, ...]) -> str:
    """The field that a fault is in, by its Python name."""
    first = place[0] if place else ""
    return next(
        (name for name, field in kind.model_fields.items() if first in (name, field.alias)), str(first)
    )


def _mend(
    kind: type[Entity], fields: dict[str, Any], name: str, fault: pydantic_core.ErrorDetails
) -> str | None:
    """Change what breaks a rule so that it does not any more; what was done, or None where nothing can be."""
    value = fields[name]
    if fault["type"] == "string_too_long" and isinstance(value, str) and len(fault["loc"]) <= 2:
        most = fault["ctx"]["max_length"]
        fields[name] = value[:most]
        return f"was cut to {most} characters"
    if not kind.model_fields[name].is_required():
        del fields[name]
        return f"{value!r} is not known here" if fault["type"] == "literal_error" else "was left out: {said}"
    if name == "name" and isinstance(value, str):
        line = _CONTROL.sub(" ", value).strip()
        fields[name] = line or _UNNAMED
        return "was changed: {said}"
    return None
