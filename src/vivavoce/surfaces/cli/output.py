"""Results on a terminal as tables, elsewhere as JSON."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click
import pydantic_core

from vivavoce.errors import InvalidInput
from vivavoce.operations import Listing, Result

from .terminal import harmless, is_unicode

_FIRST = ("id", "name", "handle", "type", "modelName", "status", "description", "index", "updatedAt")
_COLUMNS = 6
_NARROW = 12
"""How wide a column must be to be worth its room. What it holds is folded there."""
_FRAME = 3
"""What each column takes beside its text: a line and a blank on both sides."""


def check_field(field: str | None, kind: type[Result]) -> None:
    """Refuse a field that no result of this kind has, before anything is done for the sake of it."""
    if field is None:
        return
    kind.model_rebuild()  # its names on the wire are known only then
    there = [of.alias or name for name, of in kind.model_fields.items() if not of.exclude]
    there += [of.alias or name for name, of in kind.model_computed_fields.items()]
    if field not in there:
        raise InvalidInput(
            f"--field: the result has no {field!r}. Nothing was done.", hint=f"It has {', '.join(there)}."
        )


def show(result: Result, *, as_json: bool, field: str | None = None) -> None:
    """Print a result, or one field of it, for whoever reads it."""
    shown = result.model_dump(mode="json")
    if field is not None:
        _print_field(shown, field)
    elif as_json or not sys.stdout.isatty():
        click.echo(_json(shown, indent=2))
    elif isinstance(result, Listing):
        ((noun, rows),) = shown.items()
        _print_rows(noun, rows)
    elif "content" in shown and "docType" in shown:
        _print_markdown(shown["content"])
    else:
        _print_fields(shown)


def _print_field(shown: dict[str, Any], field: str) -> None:
    if field not in shown:
        click.echo(_json(shown, indent=2))  # what was done cannot be asked for again, such as a new token
        raise InvalidInput(f"--field: the result has no {field!r}; all of it was printed.")
    value = shown[field]
    text = value if isinstance(value, str) else _json(value)
    click.echo(harmless(text) if sys.stdout.isatty() else text)


def _print_rows(noun: str, rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not rows:
        click.echo(f"No {noun} yet.")
        return
    console = Console()
    known = [name for name in _FIRST if any(row.get(name) not in (None, "") for row in rows)]
    table = Table(caption=f"{len(rows)} {noun}")
    names = _fitting((known or list(rows[0]))[:_COLUMNS], rows, console.width)
    for name in names:
        # An id is what the next command needs: it stays on one line where the terminal is wide enough.
        width = _needed(name, rows) if name == "id" else None
        is_whole = width is not None and width + _FRAME < console.width
        table.add_column(name, overflow="fold", no_wrap=is_whole, min_width=width if is_whole else None)
    for row in rows:
        table.add_row(*(_plain(row.get(name)) for name in names))
    console.print(table)


def _fitting(names: list[str], rows: list[dict[str, Any]], width: int) -> list[str]:
    """The first of the columns, as many as the terminal has room for; always one."""
    fitting: list[str] = []
    room = width - 1
    for name in names:
        room -= _needed(name, rows) + _FRAME
        if room < 0 and fitting:
            break
        fitting.append(name)
    return fitting


def _needed(name: str, rows: list[dict[str, Any]]) -> int:
    """The width that a column cannot do without."""
    longest: int = max(len(name), *(_plain(row.get(name)).cell_len for row in rows))
    return longest if name == "id" else max(len(name), min(longest, _NARROW))


def _print_fields(shown: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False)
    table.add_column("field", overflow="fold")
    table.add_column("value", overflow="fold")
    for name, value in shown.items():
        if value not in (None, "", [], {}):
            table.add_row(name, _plain(value))
    Console().print(table)


def _print_markdown(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(harmless(text)))


def _plain(value: Any) -> Any:
    from rich.text import Text

    if value is None:
        return Text("")
    if isinstance(value, dict | list):
        return Text(_json(value, indent=1))
    return Text(harmless(str(value)))


def _json(value: Any, *, indent: int | None = None) -> str:
    """JSON in which no character steers a terminal, and none is lost in a locale without Unicode."""
    if not is_unicode(sys.stdout):
        return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")
    text = pydantic_core.to_json(value, indent=indent).decode()
    return re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)
