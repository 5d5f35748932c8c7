"""The options that limit which tools are offered: the same for every command that starts a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from vivavoce.surfaces.mcp import options
from vivavoce.surfaces.mcp.selection import Selection

_OPTIONS = (
    click.option("--toolsets", default="", metavar="LIST", help=options.TOOLSETS),
    click.option("--tools", default="", metavar="LIST", help=options.TOOLS),
    click.option("--exclude-tools", default="", metavar="LIST", help=options.EXCLUDE),
    click.option("--read-only", is_flag=True, help=options.READ_ONLY),
)


def limited(callback: Callable[..., Any]) -> Callable[..., Any]:
    """The callback of a command that takes these options."""
    for option in reversed(_OPTIONS):
        callback = option(callback)
    return callback


def selection_of(toolsets: str, tools: str, exclude_tools: str, read_only: bool) -> Selection:
    """What the options ask for; a name that does not exist is refused."""
    from vivavoce.surfaces.mcp.server import facts

    selection = options.chosen(toolsets, tools, exclude_tools, read_only)
    try:
        selection.names(facts())
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return selection


def words_of(toolsets: str, tools: str, exclude_tools: str, read_only: bool) -> list[str]:
    """The options as they are written on a command line; those left out stay out."""
    lists = {"--toolsets": toolsets, "--tools": tools, "--exclude-tools": exclude_tools}
    words = [word for option, listed in lists.items() if listed for word in (option, listed)]
    return [*(["--read-only"] if read_only else []), *words]
