"""The catalogue as commands: an operation's fields are its arguments and options."""

from __future__ import annotations

import asyncio
import io
import sys
from functools import cache
from pathlib import Path
from typing import Any

import click
import pydantic_core
from pydantic.fields import FieldInfo

from vivavoce.app import open_app
from vivavoce.errors import Declined, InvalidInput
from vivavoce.operations import CATALOGUE, OPERATOR, Effect, Operation, Result
from vivavoce.settings import Settings

from .output import check_field, show
from .terminal import harmless

Kind = type[Operation[Any]]

_ANYTHING = {"string", "object", "array"}
"""What an argument takes whose schema names no type."""


@cache
def command_named(name: str) -> click.Command | None:
    """The command for the operation of this name."""
    for kind in CATALOGUE.values():
        if kind.spec.command == name:
            return command_for(kind)
    return None


def command_for(kind: Kind) -> click.Command:
    """A command whose parameters are the fields of `kind`."""
    schemas = kind.model_json_schema(by_alias=True)["properties"]
    parameters = [
        _parameter(field_name, field, schemas.get(field.alias or field_name, {}), kind)
        for field_name, field in kind.model_fields.items()
    ]
    parameters.sort(key=lambda parameter: isinstance(parameter, click.Option))
    return click.Command(
        kind.spec.command,
        callback=lambda **values: _invoked(kind, values),
        params=[*parameters, *_common(kind)],
        help=kind.spec.description,
        short_help=kind.spec.description.partition("\n")[0],
    )


def run(op: Operation[Any]) -> Result:
    """Carry out an operation on the workspace that the settings name."""

    async def carried_out() -> Result:
        async with open_app(Settings.read()) as app:
            result: Result = await app.backend.run(op, OPERATOR)
            return result

    return asyncio.run(carried_out())


def stdin_text(option: str) -> str:
    """All of stdin, which can be read once."""
    try:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="strict")
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{option}: what stdin gives is not UTF-8.", hint="Convert it first.") from error
    except (io.UnsupportedOperation, AttributeError) as error:  # read before, or closed
        raise InvalidInput(f"{option}: there is nothing to read from stdin.") from error


def _invoked(kind: Kind, values: dict[str, Any]) -> None:
    as_json, field = values.pop("as_json"), values.pop("field")
    check_field(field, kind.spec.result)
    is_sure = values.pop("yes", True)
    given = _json(values.pop("input_") or "{}", "--input")
    if not isinstance(given, dict):
        raise InvalidInput("--input: must be a JSON object.")
    cleared = values.pop("clear", ())
    for field_name, value in values.items():
        if value is not None:
            alias = kind.model_fields[field_name].alias or field_name
            given[alias] = value
    given |= {_alias(kind, field_name): None for field_name in cleared}
    op = kind.parse(given)
    if not is_sure:
        _ask(op)
    show(run(op), as_json=as_json, field=field)


def _ask(op: Operation[Any]) -> None:
    if sys.stdin.isatty():
        given = ", ".join(f"{name} {value}" for name, value in op.model_dump(mode="json").items())
        question = f"{op.spec.title} ({given})? This also removes {op.spec.takes_along}."
        if not click.confirm(harmless(question), err=True):
            raise Declined("Nothing was deleted.")


def _parameter(name: str, field: FieldInfo, schema: dict[str, Any], kind: Kind) -> click.Parameter:
    route = kind.spec.route
    in_path = route is not None and (field.alias or name) in route.path_names
    types = _types(schema) or _ANYTHING
    is_named = field.is_required() and "null" not in types and (name == "id" or name.endswith("_id"))
    reads = _Reader(types, _choices(schema))
    if in_path or is_named:
        metavar = "|".join(reads.choices) or name.upper()
        return click.Argument([name], type=reads, metavar=metavar, required=False)
    option = f"--{name.replace('_', '-')}"
    if types <= {"boolean", "null"}:
        declared = [f"{option}/--no-{option[2:]}", name]
        return click.Option(declared, default=None, help=field.description)
    required = " [required]" if field.is_required() else ""
    metavar = "|".join(reads.choices) or ("JSON" if reads.name == "json" else "TEXT")
    return click.Option(
        [option, name], type=reads, metavar=metavar, help=(field.description or "") + required
    )


def _common(kind: Kind) -> list[click.Option]:
    options = [
        click.Option(
            ["--input", "input_"], metavar="JSON", help="All arguments as JSON, @FILE or - for stdin."
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print JSON, also on a terminal."),
        click.Option(["--field"], metavar="NAME", help="Print only this field of the result, e.g. id."),
    ]
    if kind.spec.effect is Effect.CHANGE:
        options.insert(
            0, click.Option(["--clear"], multiple=True, metavar="FIELD", help="Set a field to null.")
        )
    if kind.spec.effect is Effect.DELETE:
        options.insert(0, click.Option(["--yes", "-y"], is_flag=True, help="Do not ask."))
    return options


class _Reader(click.ParamType[Any]):
    """Reads the text of an option or an argument into the JSON type that the field has."""

    def __init__(self, types: set[str], choices: list[str]) -> None:
        self.types, self.choices = types, choices
        self.name = "|".join(choices) if choices else "json" if types & {"object", "array"} else "text"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """The value; text stays text unless the field wants something else."""
        if self.types & {"integer", "number"} and "string" not in self.types:
            try:
                return pydantic_core.from_json(value.encode(), allow_inf_nan=False)
            except ValueError:
                self.fail("must be a number", parameter, context)
        if self.types & {"object", "array"} and not (
            "string" in self.types and not value.startswith(("{", "[", "@"))
        ):
            return _json(value, parameter.opts[0] if parameter else "")
        return (
            stdin_text(parameter.opts[0]) if value == "-" and isinstance(parameter, click.Option) else value
        )

    def shell_complete(
        self, context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """The choices that begin with what was typed."""
        return [
            click.shell_completion.CompletionItem(choice)
            for choice in self.choices
            if choice.startswith(incomplete)
        ]


def _json(text: str, option: str) -> Any:
    try:
        if text == "-":
            text = stdin_text(option)
        elif text.startswith("@"):
            text = Path(text[1:]).read_text(encoding="utf-8")
        return pydantic_core.from_json(text.encode(), allow_inf_nan=False)
    except OSError as error:
        raise InvalidInput(f"{option}: the file cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{option}: the file is not UTF-8.") from error
    except ValueError as error:
        raise InvalidInput(
            f"{option}: is not valid JSON.", hint="Quote it for your shell, or use @FILE."
        ) from error


def _alias(kind: Kind, name: str) -> str:
    field_name = name.replace("-", "_")
    if field_name not in kind.model_fields:
        raise InvalidInput(f"--clear: there is no field {name!r}.")
    return kind.model_fields[field_name].alias or field_name


def _types(schema: dict[str, Any]) -> set[str]:
    if "$ref" in schema:
        return {"object"}
    found = {schema["type"]} if "type" in schema else set()
    for option in schema.get("anyOf", ()):
        found |= _types(option)
    return found


def _choices(schema: dict[str, Any]) -> list[str]:
    choices = list(schema.get("enum", ()))
    for option in schema.get("anyOf", ()):
        choices += option.get("enum", ())
    return [choice for choice in choices if isinstance(choice, str)]
