"""How the pages are worded: types, meanings and cells of tables, the same on each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from vivavoce.surfaces.cli.groups import TITLES

Json = dict[str, Any]

NOTE = "<!-- Written by bin/docs from the code. Do not edit it by hand. -->"

AREAS = {toolset: title for toolset, title in TITLES.items() if toolset}
"""The title of each toolset."""


def type_of(of: Json) -> str:
    """The type that a schema asks for, in words."""
    if "$ref" in of:
        return "object"
    if "enum" in of:
        return ", ".join(f"`{'null' if value is None else value}`" for value in of["enum"])
    if "const" in of:
        return f"`{of['const']}`"
    if "anyOf" in of:
        return " or ".join(dict.fromkeys(type_of(option) for option in of["anyOf"]))
    kinds = of.get("type", "any")
    if kinds == "array":
        return f"list of {_plural(type_of(of.get('items', {})))}"
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def meaning_of(of: Json) -> str:
    """What a field means, with its default and its bounds where the words do not tell them."""
    said = [of.get("description", "")]
    if "default" in of:
        said.append(f"Default {json.dumps(of['default'])}.")
    if "minimum" in of and of.get("maximum", 1_000_000) < 1_000_000 and not re.search(r"\d", said[0]):
        said.append(f"{of['minimum']} to {of['maximum']}.")
    return " ".join(part for part in said if part)


def first_sentence(text: str) -> str:
    """The first sentence of a text."""
    return re.split(r"(?<=\.)\s", text.replace("\n", " "), maxsplit=1)[0]


def cell(text: str) -> str:
    """A text that can stand in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def listed(names: Iterable[str]) -> str:
    """Names as code, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


def joined(lines: Iterable[str]) -> str:
    """Lines as text."""
    return "\n".join(lines).rstrip("\n")


def page(lines: Iterable[str]) -> str:
    """Lines as a whole file."""
    return joined(lines) + "\n"


def _plural(kind: str) -> str:
    return f"{kind}s" if kind.isalpha() else kind
