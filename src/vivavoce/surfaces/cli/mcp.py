"""`vivavoce mcp` for help and completion. The program itself is told apart before any command is loaded."""

from __future__ import annotations

from typing import Any

import click

from .limits import limited, words_of


@click.command("mcp")
@limited
def command(**limits: Any) -> None:
    """Serve MCP over stdin and stdout, for a client."""
    from vivavoce.surfaces.mcp.command import main

    main(words_of(**limits))
