"""`vivavoce mcp` for help and completion. The program itself is told apart before any command is loaded."""

from __future__ import annotations

from typing import Any

import click

from vivavoce.surfaces.mcp import options

from .limits import limited, words_of


@click.command("mcp")
@limited
@click.option("--avatar", metavar="ID", help=options.AVATAR)
def command(avatar: str | None, **limits: Any) -> None:
    """Serve MCP over stdin and stdout, for a client."""
    from vivavoce.surfaces.mcp.command import main

    main([*words_of(**limits), *(() if avatar is None else ("--avatar", avatar))])
