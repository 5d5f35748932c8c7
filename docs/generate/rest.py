"""The page of the REST API, from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from vivavoce.operations import CATALOGUE
from vivavoce.surfaces.openapi import document
from vivavoce.surfaces.openapi_events import PATH

from .words import AREAS, NOTE, Json, cell, type_of

_OPENING = """\
What `vivavoce serve` answers beside MCP. Every path also answers below `/api`. Bodies are JSON; the key
stands in `Authorization: Bearer KEY`. A running server shows the same at `/docs`, and gives it to programs
at `/openapi.json`, with the schemas that are named here. `GET /health` says to anyone whether it is up.

A request may carry at most 8 MB. Failures are described in [errors](errors.md)."""


def lines() -> Iterator[str]:
    """The page."""
    api = document()
    yield from ("# REST API", "", NOTE, "")
    yield from (_OPENING, "")
    routed = [kind for kind in CATALOGUE.values() if kind.spec.route is not None]
    for area, kinds in groupby(routed, key=lambda kind: kind.spec.toolset):
        yield from (f"## {AREAS[area]}", "")
        for kind in kinds:
            assert kind.spec.route is not None
            yield from _route(kind.spec.route.method, kind.spec.route.path, api)
        if area == "channels":
            yield from _route("POST", PATH, api)
    yield from ("## Errors", "", "| status | meaning |", "|---|---|")
    some = next(iter(next(iter(api["paths"].values())).values()))
    for status, response in some["responses"].items():
        if status >= "400":
            yield f"| {status} | {cell(response['description'])} |"


def _route(method: str, path: str, api: Json) -> Iterator[str]:
    described = api["paths"][path][method.lower()]
    yield from (f"### {method} {path}", "", f"`{described['operationId']}`. {described['summary']}", "")
    rest = described["description"].strip()
    yield from (rest, "")
    rows = [
        (parameter["name"], parameter["in"], parameter["schema"], parameter["required"], parameter)
        for parameter in described["parameters"]
    ]
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    body = body["anyOf"][-1] if "anyOf" in body else body  # one alone, of what may come in a list
    rows += [
        (name, "body", of, name in body.get("required", ()), of)
        for name, of in body.get("properties", {}).items()
    ]
    if rows:
        yield from ("| name | in | type | required | meaning |", "|---|---|---|---|---|")
        for name, place, of, required, described_by in rows:
            cells = (cell(type_of(of)), "yes" if required else "", cell(described_by.get("description", "")))
            yield f"| `{name}` | {place} | {' | '.join(cells)} |"
        yield ""
    status, response = next(iter(described["responses"].items()))
    shape = _shape(response["content"]["application/json"]["schema"]) if "content" in response else "no body"
    yield from (f"Answers {status} with {shape}.", "")


def _shape(schema: Json) -> str:
    if "$ref" in schema:
        return f"one `{schema['$ref'].rpartition('/')[2]}`"
    if schema.get("type") == "array":
        return f"a list of `{schema['items']['$ref'].rpartition('/')[2]}`"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_shape, schema["anyOf"])))
    return f"a {schema['type']}"
