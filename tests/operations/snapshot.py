"""The public API as a file, so that a change of it is seen in review.

Rewrite the file with `python -m tests.operations.snapshot`.
"""

import json
from pathlib import Path
from typing import Any

from vivavoce.operations import CATALOGUE, Operation
from vivavoce.operations.schemas import input_schema, output_schema

FILE = Path(__file__).with_name("public_api.json")


def public_api() -> dict[str, Any]:
    """What callers rely on, by the name of the operation; the wording is free to change."""
    return {name: _fingerprint(kind) for name, kind in CATALOGUE.items()}


def _fingerprint(kind: type[Operation[Any]]) -> dict[str, Any]:
    spec, listed = kind.spec, input_schema(kind)
    wire_names = [field.alias or name for name, field in kind.model_fields.items()]
    return {
        "effect": spec.effect,
        "offer": spec.offer,
        "toolset": spec.toolset,
        "aliases": list(spec.aliases),
        "anonymous": spec.anonymous,
        "route": None if spec.route is None else " ".join(str(part) for part in spec.route),
        "input": _without_words(listed),
        "unlisted": [name for name in wire_names if name not in listed["properties"]],
        "output": _without_words(output_schema(spec.result)),
    }


def _without_words(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_words(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_words(part)
        for key, part in schema.items()
        if key != "description" or not isinstance(part, str)
    }


def written(api: dict[str, Any]) -> str:
    """The API as text, in which a change shows as a few changed lines."""
    return json.dumps(api, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(public_api()), encoding="utf-8")
    print(f"wrote {FILE}")
