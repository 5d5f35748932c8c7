"""The command line: the catalogue as commands, and what an operator needs beside it."""

from __future__ import annotations

import sys

import click

from vivavoce import __version__
from vivavoce.errors import VivavoceError

from .groups import Sectioned, names_of_operations
from .terminal import harmless, spell_out_the_unwritable


class Program(Sectioned):
    """Every command, loaded when it is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Commands of the operator first, then the catalogue in its own order."""
        return [*_OPERATOR, *names_of_operations()]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        if name in _OPERATOR:
            return _loaded(name)
        from .operations import command_named

        return command_named(name)


@click.command(
    "vivavoce",
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help="Conversational agents and knowledge avatars that you host yourself.\n\n"
    "Begin with `vivavoce demo`, then `vivavoce connect` to use it from your assistant.",
)
@click.version_option(__version__, "-V", "--version", message="vivavoce %(version)s")
def program() -> None:
    """Run a command."""


def main() -> None:
    """Run the command that the arguments name; errors become a sentence and an exit code."""
    spell_out_the_unwritable()
    try:
        program.main(prog_name="vivavoce", standalone_mode=False)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except VivavoceError as error:
        click.echo(f"{error.code}: {harmless(str(error))}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone
        sys.exit(0)


_OPERATOR = (
    "demo",
    "ask",
    "chat",
    "connect",
    "mcp",
    "serve",
    "work",
    "keys",
    "ingest",
    "avatar",
    "eval",
    "reindex",
    "calibrate",
    "doctor",
    "backup",
    "export",
    "import",
    "forget-secrets",
    "completion",
)


def _loaded(name: str) -> click.Command:
    from importlib import import_module
    from keyword import iskeyword

    module = f"{name}_" if iskeyword(name) else name.replace("-", "_")
    command: click.Command = import_module(f"{__package__}.{module}").command
    return command
