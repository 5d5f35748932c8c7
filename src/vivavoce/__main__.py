"""The program. The stdio server is told apart first, because it must not wait for the rest to load."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name."""
    if sys.argv[1:2] == ["mcp"]:
        from vivavoce.surfaces.mcp.command import main as serve_stdio

        serve_stdio(sys.argv[2:])
    else:
        from vivavoce.surfaces.cli import main as run_command

        run_command()


if __name__ == "__main__":
    main()
