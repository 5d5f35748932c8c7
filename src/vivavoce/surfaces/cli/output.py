"""Results on a terminal as tables, elsewhere as JSON."""

from __future__ import annotations

import sys
from typing import Any

import click
import pydantic_core

from vivavoce.errors import InvalidInput
from vivavoce.operations import Listing, Result

_FIRST = ("id", "name", "handle", "type", "modelName", "status", "description", "index", "updatedAt")
_COLUMNS = 6


def show(result: Result, *, as_json: bool, field: str | None = None) -> None:
    """Print a result, or one field of it, for whoever reads it."""
    shown = result.model_dump(mode="json")
    if field is not None:
        _print_field(shown, field)
    elif as_json or not sys.stdout.isatty():
        click.echo(pydantic_core.to_json(shown, indent=2).decode())
    elif isinstance(result, Listing):
        ((noun, rows),) = shown.items()
        _print_rows(noun, rows)
    elif "content" in shown and "docType" in shown:
        _print_markdown(shown["content"])
    else:
        _print_fields(shown)


def _print_field(shown: dict[str, Any], field: str) -> None:
    if field not in shown:
        raise InvalidInput(f"--field: the result has no {field!r}.", hint=f"It has {', '.join(shown)}.")
    value = shown[field]
    click.echo(value if isinstance(value, str) else pydantic_core.to_json(value).decode())


def _print_rows(noun: str, rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not rows:
        click.echo(f"No {noun} yet.")
        return
    known = [name for name in _FIRST if any(row.get(name) not in (None, "") for row in rows)]
    names = (known or list(rows[0]))[:_COLUMNS]
    table = Table(*names, caption=f"{len(rows)} {noun}")
    for row in rows:
        table.add_row(*(_plain(row.get(name)) for name in names))
    Console().print(table)


def _print_fields(shown: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("field", "value", show_header=False)
    for name, value in shown.items():
        if value not in (None, "", [], {}):
            table.add_row(name, _plain(value))
    Console().print(table)


def _print_markdown(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


def _plain(value: Any) -> Any:
    from rich.text import Text

    if value is None:
        return Text("")
    if isinstance(value, dict | list):
        return Text(pydantic_core.to_json(value, indent=1).decode())
    return Text(str(value))
