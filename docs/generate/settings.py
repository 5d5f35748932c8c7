"""The page of settings, from the class that reads them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from vivavoce.settings import Settings, settable, variable

from .words import NOTE, cell

_OPENING = """\
Settings are environment variables. Those left out or empty have their default. `vivavoce doctor` shows what
they come to."""
_CLOSING = """\
The data folder is `~/.local/share/vivavoce` on Linux (below `XDG_DATA_HOME` where that is set),
`~/Library/Application Support/vivavoce` on macOS and `%LOCALAPPDATA%\\vivavoce` on Windows."""


def lines() -> Iterator[str]:
    """The page."""
    yield from ("# Settings", "", NOTE, "", _OPENING, "")
    yield from ("| variable | default | meaning |", "|---|---|---|")
    meanings = _meanings()
    for field in settable():
        default = _default(field.name, field.default)
        yield f"| `{variable(field.name)}` | {default} | {cell(meanings[field.name])} |"
    yield from ("", _CLOSING)


def _meanings() -> dict[str, str]:
    """What each setting's own sentence says; the sentence stands below the field."""
    (declared,) = ast.parse(inspect.getsource(Settings)).body
    assert isinstance(declared, ast.ClassDef)
    found: dict[str, str] = {}
    for field, below in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            assert isinstance(below, ast.Expr), field.target.id
            found[field.target.id] = ast.literal_eval(below.value)
    return found


def _default(name: str, value: Any) -> str:
    if name == "database":
        return "`vivavoce.db` in the data folder"
    if name == "key_file":
        return "beside the database, with the ending `.key`"
    return f"`{value}`" if value not in ("", ()) else "none"
