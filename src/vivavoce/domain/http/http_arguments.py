"""What a model must supply to call an HTTP tool: the schema it reads, and the check of what it wrote."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from vivavoce.domain.prompting import PROMPT_VARIABLES
from vivavoce.domain.secrets import PLACEHOLDER, is_telling
from vivavoce.domain.values import storable
from vivavoce.errors import InvalidInput

from .http_tools import HttpConfig, Parameter
from .masking import covered

LONGEST_NAME = 64
_LONGEST = 100_000
"""Characters of the arguments of one call."""
_SECTIONS = {"path_variables": "path", "query_parameters": "query", "headers": "header", "body": "body"}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_HINT = "Correct the arguments and call again."


class Argument(NamedTuple):
    """One value that the model supplies."""

    name: str
    """What the model calls it."""
    section: str
    place: int
    """Which parameter of its section it is."""
    key: str
    field: Mapping[str, Any]
    """What is known of it: type, description, enum, properties, items."""
    is_required: bool


def arguments_of(config: HttpConfig) -> list[Argument]:
    """The values that the model supplies, in the order of the sections."""
    found: list[Argument] = []
    names: set[str] = set()
    declared = {parameter.key for section in _SECTIONS for parameter in getattr(config, section)}
    for section, word in _SECTIONS.items():
        for place, each in enumerate(getattr(config, section)):
            if each.is_user_provided:
                name, field = _free_name(each.key, word, names), field_of(each)
                found.append(Argument(name, section, place, each.key, field, is_required=not each.value))
    for place, key in enumerate(_names_in(config.raw_body)):
        if key not in declared and key not in PROMPT_VARIABLES:
            name = _free_name(key, "body", names)
            found.append(Argument(name, "raw_body", place, key, {}, is_required=True))
    return found


def schema_of(config: HttpConfig) -> dict[str, Any]:
    """The JSON schema of what the model supplies: nothing else is accepted."""
    arguments = arguments_of(config)
    return {
        "type": "object",
        "properties": {each.name: _schema(each.field) for each in arguments},
        "required": [each.name for each in arguments if each.is_required],
        "additionalProperties": False,
    }


def read_arguments(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a model wrote; InvalidInput that names each fault, without the values."""
    if len(text) > _LONGEST:
        raise InvalidInput(f"The arguments are longer than {_LONGEST} characters.", hint=_HINT)
    try:
        given = storable(json.loads(text, parse_constant=_no_number)) if text.strip() else {}
    except (ValueError, RecursionError):
        raise InvalidInput("The arguments are no JSON that can be read.", hint=_HINT) from None
    faults = list(_faults(schema, given, ""))
    if faults:
        raise InvalidInput(" ".join(faults[:10]), hint=_HINT)
    return dict(given)


def shown_arguments(config: HttpConfig, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as people see them: what a telling name has is covered, unless it is one of a choice."""
    free = [each for each in arguments_of(config) if "enum" not in each.field]
    telling = {each.name for each in free if is_telling(each.key)}
    return {name: covered(value, telling=name in telling) for name, value in arguments.items()}


def field_of(parameter: Parameter) -> dict[str, Any]:
    """What a schema says of a parameter."""
    choices = parameter.accepted_values or parameter.enum
    known = {
        "type": parameter.type,
        "description": parameter.description,
        "enum": choices or None,
        "properties": parameter.properties,
        "items": parameter.items,
    }
    return {name: value for name, value in known.items() if value}


def completed(field: Mapping[str, Any], value: Any) -> Any:
    """A supplied value with the constants that its nested fields have, which nothing supplied overrides."""
    properties, items = field.get("properties"), field.get("items")
    if isinstance(value, dict) and isinstance(properties, dict):
        constants = {
            name: typed(str(of["value"]), of) if isinstance(of["value"], str) else of["value"]
            for name, of in properties.items()
            if _is_constant(of)
        }
        given = {name: completed(_mapping(properties.get(name)), item) for name, item in value.items()}
        return given | constants
    if isinstance(value, list) and isinstance(items, dict):
        return [completed(items, item) for item in value]
    return value


def typed(text: str, field: Mapping[str, Any]) -> Any:
    """A constant as its type has it; the text itself where it is none of that type."""
    kind = field.get("type")
    if kind not in _TYPES or kind == "string":
        return text
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text
    return value if _is_of(kind, value) else text


def safe_name(name: str, otherwise: str) -> str:
    """A name in the letters that every provider takes."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", plain).strip("_-")[:LONGEST_NAME] or otherwise


def _free_name(key: str, section: str, names: set[str]) -> str:
    """A name for an argument that no other one has."""
    fits = re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", key) is not None
    base = key if fits else safe_name(key, section)
    name, number = base, 1
    while name in names:
        number += 1
        ending = f"_{section}" if number == 2 else f"_{section}_{number - 1}"
        name = base[: LONGEST_NAME - len(ending)] + ending
    names.add(name)
    return name


def _names_in(raw_body: str | None) -> list[str]:
    """The names in braces that stand in texts of a raw body."""
    if raw_body is None:
        return []
    texts = _texts(json.loads(raw_body))
    return list(dict.fromkeys(name for text in texts for name in PLACEHOLDER.findall(text)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _schema(field: Mapping[str, Any]) -> dict[str, Any]:
    kind = _kind(field)
    schema: dict[str, Any] = {"type": kind}
    if isinstance(field.get("description"), str):
        schema["description"] = field["description"]
    choices = field.get("enum") or field.get("acceptedValues")
    if isinstance(choices, list) and choices:
        schema["enum"] = [typed(each, field) if isinstance(each, str) else each for each in choices]
    properties = field.get("properties")
    if kind == "object" and isinstance(properties, dict) and properties:
        asked = {name: _mapping(of) for name, of in properties.items() if not _is_constant(of)}
        schema["properties"] = {name: _schema(of) for name, of in asked.items()}
        schema["required"] = [name for name, of in asked.items() if not _is_optional(name, of, field)]
        schema["additionalProperties"] = False
    if kind == "array":
        schema["items"] = _schema(_mapping(field.get("items")))
    return schema


def _kind(field: Mapping[str, Any]) -> str:
    kind = field.get("type")
    if isinstance(kind, str) and kind in _TYPES:
        return kind
    return "object" if field.get("properties") else "array" if field.get("items") else "string"


def _is_constant(of: Any) -> bool:
    """Whether a nested field has its value already."""
    field = _mapping(of)
    asked = field.get("isUserProvided") or field.get("is_user_provided")
    return not asked and field.get("value") not in (None, "")


def _is_optional(name: str, field: Mapping[str, Any], parent: Mapping[str, Any]) -> bool:
    listed = parent.get("required")
    if isinstance(listed, list):
        return name not in listed
    return field.get("required") is False or field.get("isRequired") is False


def _faults(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    """What is wrong with a value, in words."""
    place = path or "The arguments"
    kind = schema["type"]
    if not _is_of(kind, value):
        yield f"{place}: must be of type {kind}."
    elif "enum" in schema and not _is_among(value, schema["enum"]):
        yield f"{place}: must be one of {json.dumps(schema['enum'], ensure_ascii=False)}."
    elif kind == "array":
        for number, item in enumerate(value):
            yield from _faults(schema["items"], item, f"{place}[{number}]")
    elif kind == "object" and "properties" in schema:
        known = schema["properties"]
        for name in schema["required"]:
            if name not in value:
                yield f"{_joined(path, name)}: is missing."
        for name, item in value.items():
            if name in known:
                yield from _faults(known[name], item, _joined(path, name))
            else:
                yield f"{_joined(path, name[:LONGEST_NAME])}: is not an argument of this tool."


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _is_of(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _is_among(value: Any, choices: Collection[Any]) -> bool:
    return any(type(value) is type(choice) and value == choice for choice in choices)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")
