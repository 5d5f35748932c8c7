"""Offering: the tools of an agent as a model is told of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from vivavoce.domain.http.http_arguments import LONGEST_NAME, safe_name, schema_of
from vivavoce.domain.http.http_tools import HttpConfig
from vivavoce.domain.prompting import filled
from vivavoce.domain.tools import Tool
from vivavoce.errors import InvalidInput
from vivavoce.ports import Offered

HUMAN = "request_human"
RESOLVED = "mark_as_resolved"
SEARCH = "search_knowledge"
WORDS: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What to look for, in a few words."}},
    "required": ["query"],
    "additionalProperties": False,
}
"""What a search needs."""
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
_BUILT_IN = {
    HUMAN: Offered(HUMAN, "Hands over to a person. Use it when someone asks for one.", _NOTHING),
    RESOLVED: Offered(RESOLVED, "Closes the conversation. Use it when nothing is left to do.", _NOTHING),
    SEARCH: Offered(
        SEARCH,
        "Searches the documents again, in other words than the person's. Each passage begins with its "
        "number: after a statement that rests on it, write the number in brackets, as in [9].",
        WORDS,
    ),
}
QUESTION: dict[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string", "description": "A whole question, as one would ask it."}},
    "required": ["question"],
    "additionalProperties": False,
}
"""What an avatar needs to be asked."""
_TYPES = {HUMAN: "request_human", RESOLVED: "mark_as_resolved", SEARCH: "datastore"}


class Offers:
    """The tools of an agent under the names by which a model calls them."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        types = {tool.type for tool in tools}
        self.built_in = {name: _BUILT_IN[name] for name, type in _TYPES.items() if type in types}
        """Those that need no settings."""
        self.configs = {tool.id: config for tool in tools if (config := config_of(tool)) is not None}
        """The settings of the HTTP tools, by their ids."""
        self.avatars = {_ask_name(tool): tool for tool in tools if tool.type == "avatar"}
        """The avatars that can be consulted, by the names for the model."""
        self.http = _names([tool for tool in tools if tool.id in self.configs], self.avatars)
        """The HTTP tools, by the names for the model."""
        self._made: dict[str, _Plain] = {}

    def to_ask(self) -> list[Offered]:
        """The avatars as tools."""
        return [
            Offered(
                name,
                f"Asks the avatar {avatar_of(tool)}, which answers from its corpus with sources and quotes.",
                QUESTION,
            )
            for name, tool in self.avatars.items()
        ]

    def tool(self, name: str) -> Tool | None:
        """An HTTP tool by the name for the model, or by the one that people gave it."""
        by_people = (tool for tool in self.http.values() if tool.name == name)
        return self.http.get(name) or next(by_people, None)

    def name_of(self, tool: Tool) -> str:
        """The name for the model."""
        return next(name for name, each in self.http.items() if each.id == tool.id)

    def offered(self, name: str, variables: Mapping[str, str]) -> Offered:
        """An HTTP tool with the prompt variables of its descriptions filled in."""
        plain = self._plain(name)
        if not plain.has_variables:
            return plain.offered
        schema = plain.offered.parameters
        properties = {
            key: {**of, "description": filled(of["description"], variables)} if "description" in of else of
            for key, of in schema["properties"].items()
        }
        description = filled(plain.offered.description, variables)
        return Offered(name, description, {**schema, "properties": properties})

    def is_the_same(self, variables: Mapping[str, str], others: Mapping[str, str]) -> bool:
        """Whether all tools read the same with these variables as with the others."""
        return all(self.offered(name, variables) == self.offered(name, others) for name in self.http)

    def _plain(self, name: str) -> _Plain:
        """A tool as its settings describe it; made once."""
        if name not in self._made:
            config = self.configs[self.http[name].id]
            schema = schema_of(config)
            texts = [config.description, *(of.get("description", "") for of in schema["properties"].values())]
            offered = Offered(name, config.description, schema)
            self._made[name] = _Plain(offered, has_variables=any("{" in text for text in texts))
        return self._made[name]


class _Plain(NamedTuple):
    offered: Offered
    has_variables: bool


def avatar_of(tool: Tool) -> str:
    """The avatar that a tool consults."""
    return str((tool.config or {}).get("avatarId", ""))


def _ask_name(tool: Tool) -> str:
    return f"ask_{safe_name(avatar_of(tool), 'avatar')}"[:LONGEST_NAME]


def config_of(tool: Tool) -> HttpConfig | None:
    """The settings of an HTTP tool; None where it is none, or has none that can be used."""
    if tool.type != "http" or tool.config is None:
        return None
    try:
        return HttpConfig.model_validate(tool.config)
    except ValidationError:
        return None


def checked_config(tool: Tool) -> HttpConfig:
    """The settings of an HTTP tool, or InvalidInput."""
    config = config_of(tool)
    if config is None:
        raise InvalidInput(f"The tool {tool.name!r} cannot be used as it is.")
    return config


def _names(tools: Sequence[Tool], taken: Iterable[str]) -> dict[str, Tool]:
    """A name for each tool; where two would have the same, the later one's ends with its id."""
    names: dict[str, Tool] = {}
    for tool in sorted(tools, key=lambda each: (each.created_at, each.id)):
        name = safe_name(tool.name, "tool")
        if name.lower() in (each.lower() for each in (*names, *_BUILT_IN, *taken)):
            ending = f"_{safe_name(tool.id, 'tool')[-24:]}"
            name = name[: LONGEST_NAME - len(ending)] + ending
        names[name] = tool
    return {name: tool for tool in tools for name, each in names.items() if each.id == tool.id}
