"""Help in sections: what an operator does, then the catalogue by its nouns."""

from __future__ import annotations

from functools import cache

import click

TITLES = {
    "": "Run it",
    "agents": "Agents",
    "tools": "Tools of agents",
    "crm": "CRM scenarios and steps",
    "channels": "Channels",
    "deliveries": "Deliveries and webhooks",
    "knowledge": "Datastores and datasources",
    "avatars": "Avatars",
    "conversations": "Conversations and contacts",
    "providers": "Models and their providers",
    "documentation": "Documentation",
}
"""The heading of each toolset; of what an operator does, without a name."""


class Sectioned(click.Group):
    """A group whose help lists commands under headings."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, heading by heading."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(context):
            command = self.get_command(context, name)
            if command is not None and not command.hidden:
                rows.setdefault(_section(name), []).append((name, command.get_short_help_str(limit=72)))
        for section, commands in rows.items():
            with formatter.section(TITLES[section]):
                formatter.write_dl(commands)


@cache
def names_of_operations() -> tuple[str, ...]:
    """The commands of the catalogue. Keys have a group of their own."""
    from vivavoce.operations import CATALOGUE

    return tuple(kind.spec.command for kind in CATALOGUE.values() if kind.spec.toolset != "keys")


def _section(name: str) -> str:
    from vivavoce.operations import CATALOGUE

    return next((kind.spec.toolset for kind in CATALOGUE.values() if kind.spec.command == name), "")
