"""The catalogue as an OpenAPI document."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from vivavoce import __version__
from vivavoce.domain.corpus.documents import KINDS
from vivavoce.operations import CATALOGUE, Operation
from vivavoce.operations.answers import AgentQuery
from vivavoce.operations.knowledge import CreateDatasource

from . import openapi_events
from .arguments import IGNORED

Json = dict[str, Any]
_REF = "#/components/schemas/{model}"
_ERRORS = {
    "400": "The request breaks a rule; details names each field.",
    "401": "A key is needed.",
    "402": "The agent has spent its budget.",
    "403": "The key is missing or lacks a scope.",
    "404": "There is no such thing.",
    "406": "The channel takes nothing for the person now.",
    "409": "It is not in a state that allows this.",
    "413": "The request is too large.",
    "421": "The server does not answer to that Host.",
    "422": "The file cannot be read; the message says why.",
    "429": "Too much, too soon; try again later.",
    "501": "Not available here.",
    "502": "A service that is needed failed; try again later.",
    "503": "Not now, or the storage failed; nothing was stored.",
}
_ERROR: Json = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {"type": "string", "description": "The code of the wire, or what was invalid."},
        "message": {"type": "string", "description": "What is wrong."},
        "hint": {"type": "string", "description": "The next step."},
        "details": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


@cache
def document() -> Json:
    """Every operation that has a route, and where providers post events."""
    served = [kind for kind in CATALOGUE.values() if kind.spec.route]
    wanted = [(kind, "validation") for kind in served] + [
        (result, "serialization") for kind in served for result in _classes(kind)
    ]
    names, schemas = models_json_schema(wanted, by_alias=True, ref_template=_REF)  # type: ignore[arg-type]  # literals
    components = {name: _open(schema) for name, schema in schemas["$defs"].items()}
    paths: Json = {}
    for kind in served:
        assert kind.spec.route is not None
        argument_name = names[(kind, "validation")]["$ref"].rpartition("/")[2]
        described = _operation(kind, components[argument_name], names)
        paths.setdefault(kind.spec.route.path, {})[kind.spec.route.method.lower()] = described
    paths[openapi_events.PATH] = {"post": openapi_events.operation(_failures())}
    arguments = {names[(kind, "validation")]["$ref"].rpartition("/")[2] for kind in served}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "vivavoce",
            "version": __version__,
            "description": "Agents that you host yourself. Every path also answers below /api.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": [{"name": area} for area in dict.fromkeys(kind.spec.toolset for kind in served)],
        "paths": paths,
        "components": {
            "schemas": {name: of for name, of in components.items() if name not in arguments}
            | {"Error": _ERROR},
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer"},
                "channelToken": openapi_events.TOKEN_SCHEME,
            },
        },
    }


def _classes(kind: type[Operation[Any]]) -> list[type[BaseModel]]:
    """The classes that the wire schema of a result refers to."""
    found: list[type[BaseModel]] = []

    def note(named: type[BaseModel]) -> Json:
        found.append(named)
        return {}

    kind.spec.result.wire_schema(note)
    return found


def _operation(kind: type[Operation[Any]], schema: Json, names: Any) -> Json:
    """Arguments named in the path stand there; the others in the query or the body."""
    spec = kind.spec
    assert spec.route is not None
    summary, _, text = spec.description.partition("\n")
    in_query = spec.route.method == "GET" or spec.route.arguments == "query"
    required = [name for name in schema.get("required", ()) if name not in spec.rest_defaults]
    others = {
        name: of for name, of in schema.get("properties", {}).items() if name not in spec.route.path_names
    }
    described: Json = {
        "operationId": spec.name,
        "tags": [spec.toolset],
        "summary": summary,
        "description": f"{text.strip()}\n\nScope: {spec.scope}.".strip(),
        "parameters": [
            _parameter(name, schema["properties"][name], "path", True) for name in spec.route.path_names
        ],
        "responses": {str(spec.route.status): _response(spec, names), **_failures()},
    }
    if kind is AgentQuery:
        _describe_ways_to_answer(described)
    if spec.anonymous:
        described["security"] = [{"key": []}, {}]
    if in_query:
        described["parameters"] += [
            _parameter(name, of, "query", name in required) for name, of in others.items()
        ]
    elif others:
        needed = [name for name in required if name in others]
        body = _object(_with_rest_names(kind, others), needed)
        if spec.is_open:
            del body["additionalProperties"]
        content = {"application/json": {"schema": body}}
        if kind is CreateDatasource:
            content["multipart/form-data"] = {"schema": _upload(others)}
        described["requestBody"] = {"required": bool(needed), "content": content}
        if spec.echoes:
            passed_over = ", ".join(sorted(spec.echoes - others.keys()))
            described["requestBody"]["description"] = f"Accepted and passed over: {passed_over}."
        if spec.is_open:
            described["requestBody"]["description"] += f" Other keys are, too; {IGNORED} names them."
    return described


def _describe_ways_to_answer(described: Json) -> None:
    """An answer can also be streamed, or be sent later to an address."""
    encodings = {"type": "string", "enum": ["percent", "raw"]}
    about = {"description": "How the payloads of a stream are written."}
    described["parameters"].append({**_parameter("encoding", encodings, "query", False), **about})
    answers = described["responses"]
    answers["202"] = {**answers["200"], "description": "The answer is sent to callbackURL; the ids alone."}
    events = {"text/event-stream": {"schema": {"type": "string"}}}
    answers["200"] = {**answers["200"], "content": {**answers["200"]["content"], **events}}


def _object(properties: Json, required: list[str]) -> Json:
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, "required": required} if required else closed


def _with_rest_names(kind: type[Operation[Any]], properties: Json) -> Json:
    """The arguments, and beside them those that REST also knows by another name."""
    others = {
        theirs: {**properties[ours], "description": f"The same as {ours}, as the wire calls it."}
        for theirs, ours in kind.spec.rest_names.items()
    }
    return {**properties, **others}


def _upload(properties: Json) -> Json:
    """The form that carries a file."""
    named = {**properties["name"], "description": "What it is called; the file's own name when left out."}
    form = {
        "file": {
            "type": "string",
            "format": "binary",
            "description": f"The file itself: {', '.join(KINDS)}.",
        },
        "datastoreId": properties["datastoreId"],
        "type": {"type": "string", "enum": ["file"], "description": "A file is the only kind here."},
        "fileName": named,
        "name": {**named, "description": "The same as fileName."},
        "id": _without_null(properties["id"]),
        "custom_id": _without_null(properties["custom_id"]),
        "tags": {"type": "string", "description": "Tags, with commas between them."},
        "config": {"type": "string", "description": "Further settings, as a JSON object."},
    }
    return _object(form, ["file", "datastoreId"])


def _parameter(name: str, schema: Json, place: str, required: bool) -> Json:
    plain = _without_null(schema)
    described = {"name": name, "in": place, "required": required, "schema": plain}
    if "description" in plain:
        described["description"] = plain.pop("description")
    return described


def _without_null(schema: Json) -> Json:
    """An address cannot say null; leaving the parameter out means the same."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    rest = {
        key: value for key, value in schema.items() if key not in ("anyOf", "default", "title", "unlisted")
    }
    return {**rest, **(options[0] if len(options) == 1 else {"anyOf": options} if options else {})}


def _response(spec: Any, names: Any) -> Json:
    schema = spec.result.wire_schema(lambda named: names[(named, "serialization")])
    if schema == {"type": "null"}:
        return {"description": "Done."}
    return {"description": "Done.", "content": {"application/json": {"schema": schema}}}


def _failures() -> Json:
    error = {"application/json": {"schema": {"$ref": _REF.format(model="Error")}}}
    return {status: {"description": meaning, "content": error} for status, meaning in _ERRORS.items()}


def _open(node: Any) -> Any:
    """Without titles, and open to more fields than are named."""
    if isinstance(node, list):
        return [_open(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _open(value)
        for key, value in node.items()
        if not (key in ("title", "unlisted") and isinstance(value, str | bool))
        and not (key == "additionalProperties" and value is False)
    }
