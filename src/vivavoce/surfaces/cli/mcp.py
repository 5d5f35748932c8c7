"""`vivavoce mcp` as it appears in help. The program itself is told apart before any command is loaded."""

from __future__ import annotations

import sys

import click


@click.command("mcp", context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> None:
    """Serve MCP over stdin and stdout, for a client."""
    from vivavoce.surfaces.mcp.command import main

    main(words or sys.argv[2:])
