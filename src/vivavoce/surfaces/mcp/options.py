"""The words of `vivavoce mcp` and `vivavoce serve` that choose the tools."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from .selection import Selection, ToolFacts

TOOLSETS = (
    "groups of tools, separated by commas: "
    "agents, conversations, tools, crm, knowledge, deliveries, channels, avatars, providers, documentation, "
    "default, all"
)
TOOLS = "single tools to offer, separated by commas"
EXCLUDE = "tools never to offer, separated by commas"
READ_ONLY = "offer only tools that change nothing"
AVATAR = "serve this avatar alone, with the tools that its config.json names"


def selected(words: Sequence[str], facts: Iterable[Sequence[object]]) -> tuple[Selection, set[str] | None]:
    """The selection that the words ask for, and the tool names it comes to where they are known."""
    parser = _parser()
    given = parser.parse_args(words)
    selection = chosen(given.toolsets, given.tools, given.exclude_tools, given.read_only)
    known = [ToolFacts(*fact) for fact in facts]  # type: ignore[arg-type]  # as the manifest recorded them
    if not known:
        return selection, None
    try:
        return selection, set(selection.names(known))
    except ValueError as error:
        parser.error(str(error))


def avatar_in(words: Sequence[str]) -> str | None:
    """The avatar to serve alone, if the words name one; it has its own tools, so nothing else is chosen."""
    parser = _parser()
    given = parser.parse_args(words)
    if given.avatar is None:
        return None
    if given.toolsets or given.tools or given.exclude_tools or given.read_only:
        parser.error("--avatar stands alone: the avatar's config.json names its tools")
    return str(given.avatar)


def chosen(toolsets: str, tools: str, exclude: str, read_only: bool) -> Selection:
    """The selection from lists that are separated by commas."""
    return Selection(_listed(toolsets), _listed(tools), _listed(exclude), read_only)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vivavoce mcp",
        description="Serve MCP over stdin and stdout, for a client that starts this program itself.",
        epilog="The workspace is the file that VIVAVOCE_DATABASE names.",
    )
    parser.add_argument("--toolsets", default="", metavar="LIST", help=TOOLSETS)
    parser.add_argument("--tools", default="", metavar="LIST", help=TOOLS)
    parser.add_argument("--exclude-tools", default="", metavar="LIST", help=EXCLUDE)
    parser.add_argument("--read-only", action="store_true", help=READ_ONLY)
    parser.add_argument("--avatar", metavar="ID", help=AVATAR)
    return parser


def _listed(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",") if word.strip())
