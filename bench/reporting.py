"""Figures as a table, and as JSON where it is asked for."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


def words(**options: int | str) -> argparse.Namespace:
    """The script's own options, each of the kind that its default is, and --json."""
    parser = argparse.ArgumentParser()
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def at(part: float, figures: Sequence[float]) -> float:
    """The figure below which this part of them lies."""
    return sorted(figures)[min(int(len(figures) * part), len(figures) - 1)]


def report(title: str, rows: list[dict[str, Any]], to: Path | None) -> None:
    """Print the rows; write them, with the machine, where asked."""
    load = os.getloadavg()[0]
    table = Table(*rows[0], title=f"{title} (load {load:.1f})")
    for row in rows:
        table.add_row(*(f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=150).print(table)
    if to is not None:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "load": load}
        to.write_text(
            json.dumps({"title": title, "machine": machine, "rows": rows}, indent=1), encoding="utf-8"
        )
