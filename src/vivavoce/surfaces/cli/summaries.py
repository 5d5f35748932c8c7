"""Summaries: what a long piece of work came to, in numbers and reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from .terminal import harmless

_SHOWN = 20
"""How many reasons are shown one by one."""
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""What stands for a byte that is no UTF-8."""


def show_numbers(rows: Sequence[tuple[str, str]]) -> None:
    """Print a table of what was counted."""
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False)
    table.add_column("what", overflow="fold")
    table.add_column("number", justify="right", no_wrap=True)
    for what, number in rows:
        table.add_row(what, number)
    Console(markup=False, highlight=False).print(table)


def list_reasons(title: str, named: Sequence[tuple[str, str]]) -> None:
    """Say on stderr why, for each name; some of them if there are many."""
    if not named:
        return
    click.echo(f"{title}:", err=True)
    for name, reason in named[:_SHOWN]:
        click.echo(f"  {harmless(spelt(name))}: {harmless(spelt(reason))}", err=True)
    if len(named) > _SHOWN:
        click.echo(f"  and {len(named) - _SHOWN} more", err=True)


def spelt(name: str) -> str:
    """A name that can be read, with a sign in place of each byte of it that is no UTF-8."""
    return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", name)
