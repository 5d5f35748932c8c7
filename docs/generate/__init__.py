"""Writes the reference pages and the README's table of tools from the code, which is the one source."""

from __future__ import annotations

from pathlib import Path

from . import commands, errors, rest, settings, tools
from .words import joined, page

ROOT = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- tools: written by bin/docs -->", "<!-- end of tools -->"


def pages() -> dict[Path, str]:
    """Every generated file with the text that it must have."""
    reference = ROOT / "docs" / "reference"
    readme = ROOT / "README.md"
    return {
        reference / "tools.md": page(tools.lines()),
        reference / "rest.md": page(rest.lines()),
        reference / "command-line.md": page(commands.lines()),
        reference / "settings.md": page(settings.lines()),
        reference / "errors.md": page(errors.lines()),
        readme: with_table(readme.read_text(encoding="utf-8")),
    }


def with_table(readme: str) -> str:
    """A README with the current table of tools between its markers."""
    before, begun, rest_of_it = readme.partition(BEGIN)
    _, ended, after = rest_of_it.partition(END)
    if not begun or not ended:
        raise ValueError(f"README.md lacks the markers {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{joined(tools.table())}\n\n{END}{after}"
