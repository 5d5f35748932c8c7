"""The REST API as a page to read. It is one file: no script, nothing fetched from elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any

from .openapi import document

Json = dict[str, Any]
_HEAD = "<th>name</th><th>in</th><th>type</th><th>meaning</th>"
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #0a6; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 17rem 1fr; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; margin: 1.2rem 0 .3rem; opacity: .7; }
nav a { display: block; overflow-wrap: anywhere; color: inherit; text-decoration: none; font-size: .9rem; padding: .1rem 0; }
nav a:hover { color: var(--accent); }
main { padding: 1.5rem 2.5rem 6rem; max-width: 62rem; min-width: 0; }
section { border-top: 1px solid var(--line); padding: 1.2rem 0; }
h3 { margin: 0 0 .3rem; font-size: 1.05rem; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
.verb { display: inline-block; min-width: 4.6rem; font-weight: 700; color: var(--accent); }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--soft); }
th { font-weight: 600; opacity: .75; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
"""


@cache
def page() -> str:
    """The whole page."""
    api = document()
    body = "".join(_sections(api))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>vivavoce API</title><style>{_STYLE}</style></head>"
        f'<body><nav aria-label="Operations"><strong>vivavoce {escape(api["info"]["version"])}</strong>'
        f"{''.join(_links(api))}</nav><main><h1>REST API</h1><p>{escape(api['info']['description'])} "
        "Send your key as <code>Authorization: Bearer KEY</code>. "
        'The machine-readable form is <a href="/openapi.json">openapi.json</a>.</p>'
        f"{body}<h1>Objects</h1>{''.join(_objects(api))}</main></body></html>"
    )


def _operations(api: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in api["paths"].items():
        for method, described in methods.items():
            yield method.upper(), path, described


def _links(api: Json) -> Iterator[str]:
    for tag in api["tags"]:
        yield f"<h2>{escape(tag['name'])}</h2>"
        for _, _, described in _operations(api):
            if tag["name"] in described["tags"]:
                name = escape(described["operationId"])
                yield f'<a href="#{name}">{name}</a>'


def _sections(api: Json) -> Iterator[str]:
    for method, path, described in _operations(api):
        name = escape(described["operationId"])
        yield f'<section id="{name}"><h3><span class="verb">{method}</span> <code>{escape(path)}</code></h3>'
        yield f"<p>{escape(described['summary'])} {escape(described['description'])}</p>"
        rows = [*_parameters(described), *_body(described)]
        if rows:
            yield f"<table><thead><tr>{_HEAD}</tr></thead><tbody>"
            yield from rows
            yield "</tbody></table>"
        yield f"<p>Answers {_linked(_success(described))}.</p></section>"


def _objects(api: Json) -> Iterator[str]:
    for name, schema in sorted(api["components"]["schemas"].items()):
        yield f'<section id="{escape(name)}"><h3>{escape(name)}</h3><p>{escape(schema.get("description", ""))}</p>'
        yield "<table><tbody>"
        for field, of in schema.get("properties", {}).items():
            yield _row(field, "", of, field in schema.get("required", ()), of.get("description", ""))
        yield "</tbody></table></section>"


def _parameters(described: Json) -> Iterator[str]:
    for parameter in described["parameters"]:
        yield _row(
            parameter["name"],
            parameter["in"],
            parameter["schema"],
            parameter["required"],
            parameter.get("description", ""),
        )


def _body(described: Json) -> Iterator[str]:
    places = {"application/json": "body", "multipart/form-data": "form"}
    for media, content in described.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"]
        schema = schema["anyOf"][-1] if "anyOf" in schema else schema  # one alone, of what may be a list
        for name, of in schema["properties"].items():
            yield _row(name, places[media], of, name in schema.get("required", ()), of.get("description", ""))


def _row(name: str, place: str, schema: Json, required: bool, meaning: str) -> str:
    mark = " *" if required else ""
    return (
        f"<tr><td><code>{escape(name)}</code>{mark}</td><td>{place}</td>"
        f"<td><code>{_linked(_type(schema))}</code></td><td>{escape(meaning)}</td></tr>"
    )


def _linked(text: str) -> str:
    """The names of objects in a type lead to where they are described."""
    return re.sub(
        r"[A-Z]\w+",
        lambda name: f'<a href="#{name[0]}">{name[0]}</a>' if name[0] in _known() else name[0],
        escape(text),
    )


@cache
def _known() -> frozenset[str]:
    return frozenset(document()["components"]["schemas"])


def _type(schema: Json) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"{_type(schema.get('items', {}))}[]"
    return str(schema.get("type", schema.get("const", "any")))


def _success(described: Json) -> str:
    status, response = next(iter(described["responses"].items()))
    if "content" not in response:
        return str(status)
    return f"{status} with {_type(response['content']['application/json']['schema'])}"
