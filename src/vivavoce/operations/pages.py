"""Pages of documentation, written from the catalogue, so that they cannot be out of date."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from vivavoce.domain.http.http_templates import HTTP_TEMPLATES, HttpTemplate
from vivavoce.domain.models import models

from .base import Operation
from .prompts import PROMPTS
from .schemas import input_schema


@cache
def tools_page() -> str:
    """Every tool with its arguments."""
    from . import CATALOGUE  # the catalogue holds the operation that shows this page

    tools = [kind for kind in CATALOGUE.values() if kind.spec.offer != "never"]
    return "\n".join(["# Tools", "", *(line for kind in tools for line in _tool(kind))])


@cache
def models_page() -> str:
    """Every model name."""
    lines = ["# Models", "", "Write the name into modelName. Other names are accepted as well.", ""]
    lines += ["| modelName | model | maker |", "|---|---|---|"]
    lines += [f"| `{model.name}` | {model.title} | {model.maker} |" for model in models().values()]
    return "\n".join(lines)


@cache
def prompts_page() -> str:
    """Every prompt, as it reads with its arguments left open."""
    lines = ["# Prompts"]
    for prompt in PROMPTS:
        open_arguments = {argument.name: f"<{argument.name}>" for argument in prompt.arguments}
        lines += ["", f"## {prompt.name}", "", prompt.description, "", prompt.write(open_arguments)]
    return "\n".join(lines)


def http_tools_page(group: str | None = None) -> str:
    """Templates for addHttpTool, all of them or one group."""
    templates = [template for template in HTTP_TEMPLATES if group in (None, template.group)]
    lines = [
        "# Templates for HTTP tools",
        "",
        "Change what each one names, then pass it as config to addHttpTool.",
    ]
    return "\n".join([*lines, *(line for template in templates for line in _template(template))])


Json = dict[str, Any]

PAGES: dict[str, Callable[[], str]] = {
    "tools": tools_page,
    "models": models_page,
    "prompts": prompts_page,
    "http_tools": http_tools_page,
    "chatvolt_http_tools": lambda: http_tools_page("chatvolt_http_tools"),
    "cal_com_http_tools": lambda: http_tools_page("cal_com_http_tools"),
}
"""Each page by its docType."""


def fields_of(schema: Json) -> Iterator[tuple[str, Json, bool]]:
    """Every field of a schema with those inside it: where it stands, its schema, and whether it is required.

    A shape that was spelled out once is named afterwards.
    """
    return _fields(schema, "", {})


def _fields(schema: Json, under: str, known: dict[str, str]) -> Iterator[tuple[str, Json, bool]]:
    for name, of in schema["properties"].items():
        place, required = f"{under}{name}", name in schema.get("required", ())
        inside = of.get("items", of)
        if "properties" not in inside:
            yield place, of, required
            continue
        shape = json.dumps(inside["properties"], sort_keys=True)
        if shape in known:
            said = f"{of.get('description', '')} Fields as in `{known[shape]}`."
            yield place, {**of, "description": said}, required
            continue
        known[shape] = place
        yield place, of, required
        yield from _fields(inside, f"{place}." if inside is of else f"{place}[].", known)


def _tool(kind: type[Operation[Any]]) -> Iterator[str]:
    yield from (f"## {kind.spec.name}", "", kind.spec.description, "")
    if kind.spec.offer == "extra":
        switches = f"`--toolsets {kind.spec.toolset}`, `--toolsets all` or `--tools {kind.spec.name}`"
        yield from (f"Not offered by default, only with {switches}.", "")
    if kind.spec.takes_along:
        yield from (f"Also removed: {kind.spec.takes_along}.", "")
    schema = input_schema(kind)
    if not schema["properties"]:
        yield from ("It takes no arguments.", "")
        return
    yield from ("| argument | type | required | meaning |", "|---|---|---|---|")
    for place, of, required in fields_of(schema):
        meaning = " ".join(of.get("description", "").split()).replace("|", "\\|")
        yield f"| `{place}` | {_type(of)} | {'yes' if required else 'no'} | {meaning} |"
    yield ""


def _type(of: dict[str, Any]) -> str:
    if "enum" in of:
        return ", ".join(f"`{json.dumps(value)}`" for value in of["enum"])
    if "anyOf" in of:
        return " or ".join(map(_type, of["anyOf"]))
    kinds = of.get("type", "any")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    inside = _type(of.get("items", {})) if "array" in kinds else ""
    return " or ".join(f"array of {inside}" if kind == "array" else kind for kind in kinds)


def _template(template: HttpTemplate) -> Iterator[str]:
    config = template.config.model_dump(mode="json", exclude_defaults=True)
    yield from ("", f"## {template.title}", "", f"Change: {template.to_change}", "")
    yield from ("```json", json.dumps(config, indent=2, ensure_ascii=False), "```")
