"""The doors: every surface as a function from a name and arguments to an outcome."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any
from unittest import mock

import anyio.to_thread
import httpx2
from mcp import Client
from mcp.types import CallToolResult, TextContent
from script import Call, Json, Outcome

from vivavoce.errors import VivavoceError
from vivavoce.operations import CATALOGUE, OPERATOR, Backend
from vivavoce.operations.tools import AddsTool
from vivavoce.surfaces import cli
from vivavoce.surfaces.cli.operations import command_named

CODES = {error.wire: error.code for error in VivavoceError.__subclasses__()} | {"UNAUTHORIZED": "not_allowed"}
EXIT_CODES = {error.code: error.exit_code for error in VivavoceError.__subclasses__()}


def engine_door(backend: Backend) -> Call:
    """No surface at all: what the others are compared with."""

    async def call(name: str, arguments: Json) -> Outcome:
        try:
            return Outcome(name, await backend.run(CATALOGUE[name].parse(arguments), OPERATOR))
        except VivavoceError as error:
            return Outcome(name, error=(error.code, str(error)))

    return call


def mcp_door(client: Client) -> Call:
    """MCP, over whatever the client is connected with."""

    async def call(name: str, arguments: Json) -> Outcome:
        if CATALOGUE[name].spec.offer == "never":
            return Outcome(name)
        answer = await client.call_tool(name, arguments)
        if answer.is_error:
            code, _, sentence = text_of(answer).partition(": ")
            assert answer.structured_content is None
            return Outcome(name, error=(code, sentence))
        if name not in ("agent_query", "get_answer"):  # which read as words
            assert json.loads(text_of(answer)) == answer.structured_content
        return Outcome(name, answer.structured_content)

    return call


def text_of(answer: CallToolResult) -> str:
    """The one text of an answer."""
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return content.text


def rest_door(client: httpx2.AsyncClient, prefix: str = "") -> Call:
    """REST; a tool is added by its type there."""

    async def call(name: str, arguments: Json) -> Outcome:
        kind = CATALOGUE[name]
        if issubclass(kind, AddsTool):
            kind, arguments = CATALOGUE["add_agent_tool"], _by_type(kind, arguments)
        if kind.spec.route is None:
            return Outcome(name)
        method, path, status, place = kind.spec.route
        rest = {key: value for key, value in arguments.items() if key not in kind.spec.route.path_names}
        path = prefix + path.format(**arguments)
        if method == "GET" or place == "query":
            answer = await client.request(method, path, params=rest)
        else:
            answer = await client.request(method, path, json=rest)
        body = answer.json() if answer.content else None
        if answer.status_code == status:
            return Outcome(name, body)
        return Outcome(name, error=_wire_error(answer.status_code, body))

    return call


def cli_door(spelled: str) -> Call:
    """The command line, in this process; `spelled` says whether arguments are options or one JSON."""

    async def call(name: str, arguments: Json) -> Outcome:
        words = _key_words(name, arguments) or [
            CATALOGUE[name].spec.command,
            "--json",
            *(_options(name, arguments) if spelled == "options" else ("--input", json.dumps(arguments))),
        ]
        code, output, errors = await anyio.to_thread.run_sync(run_command, words)
        if code == 0:
            return Outcome(name, json.loads(output))
        name_of_error, _, sentence = errors.strip().partition(": ")
        assert output == ""
        assert code == EXIT_CODES[name_of_error], errors
        return Outcome(name, error=(name_of_error, sentence))

    return call


def run_command(words: list[str]) -> tuple[int, str, str]:
    """Run `vivavoce` with these words here: exit code, stdout and stderr."""
    output, errors = io.StringIO(), io.StringIO()
    code: Any = 0
    with (
        mock.patch.object(sys, "argv", ["vivavoce", *words]),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code or 0
    return int(code), output.getvalue(), errors.getvalue()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def _by_type(kind: type[AddsTool[Any]], arguments: Json) -> Json:
    rest = {key: value for key, value in arguments.items() if key != "delay"}
    delay = {"config": {"delay": arguments["delay"]}} if "delay" in arguments else {}
    return {**rest, **delay, "type": kind.tool_type}


def _wire_error(status: int, body: Json) -> tuple[str, str]:
    """The error that a body tells of, in our own words; it must have the status that goes with it."""
    assert body.keys() <= {"error", "message", "hint", "details"}
    code = "invalid_input" if body["error"].startswith("error invalid request ") else CODES[body["error"]]
    assert status == next(error.status for error in VivavoceError.__subclasses__() if error.code == code)
    assert ("details" in body) == (code == "invalid_input")
    return code, f"{body['message']} {body.get('hint', '')}".strip()


def _key_words(name: str, arguments: Json) -> list[str]:
    match name:
        case "create_key":
            return ["keys", "create", arguments["name"], "--scopes", ",".join(arguments["scopes"]), "--json"]
        case "list_keys":
            return ["keys", "list", "--json"]
        case "revoke_key":
            return ["keys", "revoke", arguments["id"], "--json"]
    return []


def _options(name: str, arguments: Json) -> list[str]:
    """Every argument by its own word; what no word can say goes into --input."""
    kind = CATALOGUE[name]
    command = command_named(kind.spec.command)
    assert command is not None
    by_alias = {field.alias: python_name for python_name, field in kind.model_fields.items()}
    positions = [parameter.name for parameter in command.params if parameter.param_type_name == "argument"]
    places: dict[str, str] = {}
    words: list[str] = []
    left: Json = {}
    for alias, value in arguments.items():
        python_name = by_alias.get(alias)
        if python_name is None or "\0" in str(value):
            left[alias] = value
        elif python_name in positions:
            places[python_name] = value if isinstance(value, str) else json.dumps(value)
        elif value is None:
            words += ["--clear", python_name.replace("_", "-")]
        elif isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{python_name.replace('_', '-')}")
        else:
            written = value if isinstance(value, str) else json.dumps(value)
            words += [f"--{python_name.replace('_', '-')}", written]
    if left:
        words += ["--input", json.dumps(left)]
    return [*words, "--", *(places[name] for name in positions)] if places else words
