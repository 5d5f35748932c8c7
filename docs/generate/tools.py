"""The page of MCP tools, resources and prompts, and the README's table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from vivavoce.operations import CATALOGUE, Effect, Operation
from vivavoce.operations.pages import fields_of
from vivavoce.operations.schemas import input_schema, output_schema
from vivavoce.surfaces.mcp.command import MANIFEST

from .words import AREAS, NOTE, cell, first_sentence, listed, meaning_of, type_of

Kind = type[Operation[Any]]

_OPENING = """\
Every tool that `vivavoce mcp` and the `/mcp` address of `vivavoce serve` can offer. Arguments and results
are the same on the [command line](command-line.md) and, on the wire of the [REST API](rest.md), nearly the
same. A failure is a tool error with the texts of [errors](errors.md).

A tool that is offered on request is offered with `--toolsets` or `--tools`, as [limit what an assistant may
do](../how-to/limit-what-an-assistant-may-do.md) shows."""
_EFFECTS = {
    Effect.READ: "changes nothing",
    Effect.CREATE: "adds something",
    Effect.CHANGE: "changes something",
    Effect.DELETE: "removes something, and asks first where the client can ask",
    Effect.SEND: "reaches a model or a person",
    Effect.ADMIN: "changes who may do what",
}


def table() -> Iterator[str]:
    """Every tool with its first sentence."""
    yield from ("| tool | what it does |", "|---|---|")
    for area, kinds in groupby(_offered(), key=lambda kind: kind.spec.toolset):
        yield f"| **{AREAS[area]}** | |"
        for kind in kinds:
            mark = " ¹" if kind.spec.offer == "extra" else ""
            link = f"docs/reference/tools.md#{kind.spec.name.lower()}"
            yield f"| [`{kind.spec.name}`]({link}){mark} | {cell(first_sentence(kind.spec.description))} |"


def lines() -> Iterator[str]:
    """The page."""
    yield from ("# MCP tools, resources and prompts", "", NOTE, "")
    yield from (_OPENING, "")
    for area, kinds in groupby(_offered(), key=lambda kind: kind.spec.toolset):
        yield from (f"## {AREAS[area]}", "", f"Toolset `{area}`.", "")
        for kind in kinds:
            yield from _tool(kind)
    yield from _resources_and_prompts()


def _offered() -> list[Kind]:
    """Those of a toolset stand together, where its first one stands in the catalogue."""
    kinds = [kind for kind in CATALOGUE.values() if kind.spec.offer != "never"]
    areas = list(dict.fromkeys(kind.spec.toolset for kind in kinds))
    return sorted(kinds, key=lambda kind: areas.index(kind.spec.toolset))


def _tool(kind: Kind) -> Iterator[str]:
    spec = kind.spec
    yield from (f"### {spec.name}", "", spec.description, "")
    facts = [f"Scope `{spec.scope}`; {_EFFECTS[spec.effect]}."]
    if spec.offer == "extra":
        facts.append("Offered on request.")
    if spec.takes_along:
        facts.append(f"Also removed: {spec.takes_along}.")
    if spec.anonymous:
        facts.append(f"Over REST, a public {_opened_by(kind)} needs no key.")
    facts.append(f"Command `vivavoce {spec.command}`.")
    if spec.route is not None:
        facts.append(f"REST `{spec.route.method} {spec.route.path}`.")
    if spec.aliases:
        facts.append(f"Also answers to {listed(spec.aliases)}.")
    yield from (" ".join(facts), "")
    yield from _arguments(kind)
    names = _result_fields(kind)
    yield from (f"Result: {listed(names)}.", "")


def _opened_by(kind: Kind) -> str:
    """What its owner makes public, so that strangers may ask."""
    route = kind.spec.route
    return "avatar" if route is not None and route.path.startswith("/avatars") else "agent"


def _arguments(kind: Kind) -> Iterator[str]:
    schema = input_schema(kind)
    if not schema["properties"]:
        yield from ("No arguments.", "")
        return
    yield from ("| argument | type | required | meaning |", "|---|---|---|---|")
    for name, of, required in fields_of(schema):
        yield f"| `{name}` | {cell(type_of(of))} | {'yes' if required else ''} | {cell(meaning_of(of))} |"
    yield ""
    unlisted = [
        field.alias or name
        for name, field in kind.model_fields.items()
        if (field.alias or name) not in schema["properties"]
    ]
    if unlisted:
        yield from (f"Accepted as well, and described with the [REST API](rest.md): {listed(unlisted)}.", "")


def _result_fields(kind: Kind) -> list[str]:
    return list(output_schema(kind.spec.result)["properties"])


def _resources_and_prompts() -> Iterator[str]:
    recorded = json.loads(Path(MANIFEST).read_text(encoding="utf-8"))["legacy"]
    yield from ("## Resources", "", "| address | what it is |", "|---|---|")
    for resource in recorded["resources/list"]["resources"]:
        yield f"| `{resource['uri']}` | {cell(resource['description'])} |"
    for template in recorded["resources/templates/list"]["resourceTemplates"]:
        yield f"| `{template['uriTemplate']}` | {cell(template['description'])} |"
    yield from ("", "## Prompts", "", "| prompt | what it is for | arguments |", "|---|---|---|")
    for prompt in recorded["prompts/list"]["prompts"]:
        asked = [
            f"`{argument['name']}`{'' if argument['required'] else ' (optional)'}"
            for argument in prompt["arguments"]
        ]
        yield f"| `{prompt['name']}` | {cell(prompt['description'])} | {', '.join(asked)} |"
