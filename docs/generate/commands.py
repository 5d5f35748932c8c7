"""The page of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

import click

from vivavoce.operations import CATALOGUE
from vivavoce.surfaces.cli import program

from .words import AREAS, NOTE, cell

_OPENING = """\
`vivavoce COMMAND --help` says the same in a terminal. Commands of the catalogue print a table on a terminal
and JSON elsewhere; `--json` prints JSON everywhere. Failures go to stderr as `code: message`, and the [exit
code](errors.md) tells them apart. The workspace is the file that [`VIVAVOCE_DATABASE`](settings.md) names.

An option that takes JSON also takes `@FILE`, or `-` for stdin; an option that takes text takes `-`.
`--input` takes all arguments at once, by their names on the wire; options beside it win."""


def lines() -> Iterator[str]:
    """The page."""
    yield from ("# Command line", "", NOTE, "")
    yield from (_OPENING, "")
    section = ""
    for name, command in commands():
        kind = next((kind for kind in CATALOGUE.values() if kind.spec.command == name), None)
        title = AREAS[kind.spec.toolset] if kind is not None else "Run it"
        if title != section:
            section = title
            yield from (f"## {title}", "")
        yield from _command(name, command)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command that is not hidden, with its words; groups are followed by what they hold."""
    context = click.Context(program, info_name="vivavoce")
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        if command is None or command.hidden:
            continue
        yield name, command
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                assert found is not None
                yield f"{name} {inner}", found


def _command(name: str, command: click.Command) -> Iterator[str]:
    yield from (f"### vivavoce {name}", "", _prose(inspect.cleandoc(command.help or "")), "")
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    written = " ".join(_written_argument(argument) for argument in arguments)
    if isinstance(command, click.Group):
        return
    yield from (f"`vivavoce {name}{f' {written}' if written else ''} [OPTIONS]`", "")
    given = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    if given:
        yield from _rows((_written_option(option), _option_meaning(option)) for option in given)


def _rows(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield from ("| option | meaning |", "|---|---|")
    for option, meaning in rows:
        yield f"| {cell(option)} | {cell(_prose(meaning))} |"
    yield ""


def _written_argument(argument: click.Argument) -> str:
    if isinstance(argument.type, click.Choice):
        return "|".join(argument.type.choices)
    return argument.metavar or (argument.name or "").upper()


def _option_meaning(option: click.Option) -> str:
    if option.show_default is True and option.default is not None:
        return f"{option.help} [default: {option.default}]"
    return option.help or ""


def _written_option(option: click.Option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return f"`{names}`"
    if isinstance(option.type, click.IntRange):
        return f"`{names} N`"
    plain = option.type.name
    return f"`{names} {option.metavar or (plain if '|' in plain else plain.upper())}`"


def _prose(text: str) -> str:
    return text.replace("\b", "").strip()
