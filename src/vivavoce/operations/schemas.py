"""JSON schemas of operations and results, without what says nothing to a reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from .base import Listing

Json = dict[str, Any]

_NEVER = ("title", "unlisted", "additionalProperties")
_ONLY_IN = ("description", "required", "default", "enum", "minimum", "maximum")
_UNINTERESTING = ("pattern", "format", "maxItems", "minItems", "minLength", "maxLength")


def input_schema(kind: type[BaseModel]) -> Json:
    """The schema of a tool's arguments: listed fields, references resolved, no noise."""
    schema = kind.model_json_schema(by_alias=True)
    lean = _resolved(schema, schema.get("$defs", {}), _told)
    lean.pop("description", None)
    needed = lean.get("required", [])
    fields: Json = lean.pop("properties", {})
    ordered = {name: fields[name] for name in sorted(fields, key=lambda name: name not in needed)}
    return {"type": "object", "properties": ordered, **lean, "additionalProperties": False}


def output_schema(kind: type[BaseModel], *, is_whole: bool = False) -> Json:
    """The schema of a result: names and types, objects inside objects left open unless `is_whole`."""
    schema = kind.model_json_schema(by_alias=True, mode="serialization")
    lean = _resolved(schema, schema.get("$defs", {}), _typed)
    fields: Json = lean["properties"]
    if issubclass(kind, Listing):
        (rows,) = fields.values()
        fields = rows["items"]["properties"]
    for name, of in fields.items():
        fields[name] = of if is_whole else _opened(of)
    return {"type": "object", **lean}


def _resolved(node: Any, defs: Json, keep: Callable[[str, Any], bool]) -> Any:
    if isinstance(node, list):
        return [_resolved(item, defs, keep) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        named = defs[node["$ref"].rpartition("/")[2]]
        target = {key: value for key, value in named.items() if key != "description"}
        return _resolved(
            {**target, **{key: value for key, value in node.items() if key != "$ref"}}, defs, keep
        )
    shown: Json = {key: value for key, value in node.items() if keep(key, value)}
    if "properties" in shown:
        fields = {name: of for name, of in shown["properties"].items() if not of.get("unlisted")}
        shown["properties"] = {name: _resolved(of, defs, keep) for name, of in fields.items()}
    return _joined(
        {key: value if key == "properties" else _resolved(value, defs, keep) for key, value in shown.items()}
    )


def _told(key: str, value: Any) -> bool:
    """What a caller must know of an argument."""
    if key in _NEVER or key in _UNINTERESTING or key == "$defs":
        return isinstance(value, dict) and key != "$defs" and "type" in value
    if key == "default":
        return value not in (None, "", [], {}, False)
    return True


def _typed(key: str, value: Any) -> bool:
    """What a reader of a result must know."""
    return key not in (*_NEVER, *_ONLY_IN, *_UNINTERESTING, "$defs") or (
        isinstance(value, dict) and "type" in value
    )


def _opened(node: Json) -> Json:
    """An object whose fields are not spelled out."""
    if node.get("type") == "array" and isinstance(node.get("items"), dict):
        return {**node, "items": _opened(node["items"])}
    return {key: value for key, value in node.items() if key not in ("properties", "items")}


def _joined(node: Json) -> Json:
    """`anyOf` of one type and null as a list of types, which says the same in fewer words."""
    options = node.get("anyOf")
    if not options or {"type": "null"} not in options or len(options) != 2:
        return node
    (other,) = [option for option in options if option != {"type": "null"}]
    if not isinstance(other.get("type"), str):
        return node
    joined = {**other, **{key: value for key, value in node.items() if key != "anyOf"}}
    joined["type"] = [other["type"], "null"]
    if "enum" in joined:
        joined["enum"] = [*joined["enum"], None]
    return joined
