"""Runs the crash test and prints its ledger; the exit code is 1 if a promise was broken."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from .journey import crash_test
from .ledger import Ledger

_CI, _FULL = 20_000, 100_000


def main() -> None:
    """Read the words, run, report."""
    words = argparse.ArgumentParser(prog="crash-test", description="Kill everything, lose nothing.")
    words.add_argument("--messages", type=int, default=_CI, help=f"how many (default {_CI:,})")
    words.add_argument("--full", action="store_true", help=f"{_FULL:,} messages")
    words.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    words.add_argument("--seed", type=int, default=1, help="of all that is left to chance here")
    words.add_argument("--no-kills", action="store_true", help="the same load in peace")
    words.add_argument("--keep", action="store_true", help="keep the database and the logs")
    given = words.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="vivavoce-crash-"))
    number = _FULL if given.full else given.messages
    try:
        found = crash_test(number, given.database, folder, seed=given.seed, kills=not given.no_kills)
    except pytest.skip.Exception as reason:
        sys.exit(f"Not run: {reason}")
    finally:
        if given.keep:
            print(f"Kept in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    _print(found)
    sys.exit(1 if found.wrongs else 0)


def _print(found: Ledger) -> None:
    table = Table("ledger", "", title="Crash test")
    for name, figure in found.figures.items():
        table.add_row(name, f"{figure:,}" if isinstance(figure, int) else str(figure))
    console = Console()
    console.print(table)
    for wrong in found.wrongs:
        console.print(f"[bold red]broken[/] {wrong}")
    if not found.wrongs:
        console.print("Nothing lost, nothing doubled, order kept.")


if __name__ == "__main__":
    main()
