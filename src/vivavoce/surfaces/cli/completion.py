"""`vivavoce completion`: completion of commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that completes commands in your shell.

    For bash: eval "$(vivavoce completion bash)" in ~/.bashrc.
    """
    from . import program

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(program, {}, "vivavoce", "_VIVAVOCE_COMPLETE").source())
