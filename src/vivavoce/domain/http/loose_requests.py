"""Requests as anyone may write them, such as those of tools that do nothing: what may be secret in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from vivavoce.domain.secrets import Cover, is_secret_header, is_telling, within

from .http_tools import DESCRIPTIVE, each_once

_SECTIONS = ("headers", "queryParameters", "pathVariables", "body")
_VALUES = frozenset(("value", "acceptedValues", "enum", "default", "example", "examples"))
"""Names under which a parameter says which values it has or may have."""


def is_request(config: Mapping[str, Any]) -> bool:
    """Whether settings are those of a request, or of a tool of a type that is not known here."""
    return any(name in config for name in ("importedType", "rawBody", *_SECTIONS))


def covered_request(config: Mapping[str, Any], cover: Cover) -> dict[str, Any]:
    """The settings of a request, which need not be as they should be, with what may be secret covered."""
    return {name: _covered(name, value, cover) for name, value in config.items()}


def _covered(name: str, value: Any, cover: Cover) -> Any:
    if name in _SECTIONS and isinstance(value, list):
        return [_covered_parameter(name, item, cover) for item in value]
    if name == "headers" and isinstance(value, dict):
        return {
            key: cover.over_json(within(name, key), item, telling=is_secret_header(key))
            for key, item in value.items()
        }
    if name == "rawBody" and isinstance(value, str):
        return _covered_body(value, cover)
    return cover.over_json(name, value, telling=is_telling(name))


def _covered_parameter(section: str, given: Any, cover: Cover) -> Any:
    if not isinstance(given, dict):
        return cover.over_json(section, given, telling=section == "headers" and isinstance(given, str))
    key = str(given.get("key", ""))
    is_fixed = given.get("isUserProvided") is not True
    is_known = is_fixed or bool(given.get("value"))
    is_secret = is_secret_header(key) if section == "headers" and is_fixed else is_telling(key)

    def is_covered(name: str) -> bool:
        if name in _VALUES:
            return is_secret and is_known
        return is_telling(key) if name in ("properties", "items") else is_telling(name)

    return {
        name: item
        if name == "key"
        else cover.over_json(within(section, name), item, telling=is_covered(name), spared=DESCRIPTIVE)
        for name, item in given.items()
    }


def _covered_body(raw: str, cover: Cover) -> str:
    """A body with its secrets covered; as a whole where it cannot be told what they are."""
    try:
        value = json.loads(raw, object_pairs_hook=each_once)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict | list):
        return cover.over("rawBody", raw) if raw else raw
    covered = cover.over_json("rawBody", value)
    return raw if covered == value else json.dumps(covered, ensure_ascii=False)
