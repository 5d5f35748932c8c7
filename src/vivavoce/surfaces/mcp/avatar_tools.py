"""The three tools of an avatar: what the Avatar MCP specification says of them, and their results as text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from mcp.types import Tool

from vivavoce.domain.avatars import Config, ToolName
from vivavoce.domain.claims.citation_styles import own_notes
from vivavoce.domain.framing import noted
from vivavoce.operations import Operation
from vivavoce.operations.avatar_results import AvatarResponse
from vivavoce.operations.avatars import GenerateResponse, GetAvatarInfo, QueryCorpus
from vivavoce.operations.schemas import output_schema

from .server import tool

KINDS: dict[ToolName, type[Operation[Any]]] = {
    "query_corpus": QueryCorpus,
    "generate_response": GenerateResponse,
    "get_avatar_info": GetAvatarInfo,
}
"""The operation behind each tool."""

INPUTS: dict[ToolName, dict[str, Any]] = {
    "query_corpus": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "The search query to find relevant passages"},
            "limit": {
                "type": "integer",
                "default": 5,
                "description": "Maximum number of passages to return",
            },
            "threshold": {
                "type": "number",
                "default": 0.7,
                "description": "Minimum similarity score (0-1)",
            },
        },
        "required": ["query"],
    },
    "generate_response": {
        "type": "object",
        "properties": {
            "context": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"role": {"type": "string"}, "content": {"type": "string"}},
                },
                "description": "Conversation history for context",
            },
            "question": {"type": "string", "description": "The current question or topic to respond to"},
            "passages": {"type": "array", "description": "Retrieved passages to ground the response"},
        },
        "required": ["question"],
    },
    "get_avatar_info": {"type": "object", "properties": {}},
}
"""The specification, word for word. Other spellings are accepted and not listed."""

_DESCRIPTIONS: dict[ToolName, str] = {
    "query_corpus": "Retrieve relevant passages from the avatar's corpus using semantic search.",
    "generate_response": (
        "Generate a grounded response based on retrieved passages and conversation context. "
        "Every claim cites its source with a quote, or the response says that the corpus is silent."
    ),
    "get_avatar_info": "Return metadata about the avatar.",
}


def avatar_tool(name: ToolName, about: Config) -> Tool:
    """A tool as the avatar's server lists it."""
    kind = KINDS[name]
    return tool(kind).model_copy(
        update={
            "description": f"{_DESCRIPTIONS[name]} The avatar is a student of {about.name}.",
            "input_schema": INPUTS[name],
            "output_schema": _output(kind),
        }
    )


def arguments(kind: type[Operation[Any]], given: dict[str, Any], avatar_id: str) -> dict[str, Any]:
    """What a client sent, for the operation. The specification leaves its objects open, so we do.

    Where an argument has two names, that of the specification counts.
    """
    named = [[name for name in _spellings(field) if name in given] for field in kind.model_fields.values()]
    chosen = (next((name for name in names if given[name] is not None), names[0]) for names in named if names)
    return {name: given[name] for name in chosen} | {"avatarId": avatar_id}


def readable(said: AvatarResponse) -> str:
    """A response as a text: the words, what they rest on, and who speaks."""
    return "\n".join(_lines(said))


@cache
def _output(kind: type[Operation[Any]]) -> dict[str, Any]:
    return output_schema(kind.spec.result, is_whole=True)


def _lines(said: AvatarResponse) -> Iterator[str]:
    yield said.response
    if said.citations:
        yield ""
        yield "Citations:"
        own = own_notes(said.response, (each.claim for each in said.citations))
        numbers = range(1, len(said.citations) + 1) if own is None else own.numbers
        yield from (f"[{number}] {noted(each)}" for number, each in zip(numbers, said.citations, strict=True))
    yield ""
    yield f"Confidence: {said.confidence}. {said.disclosure}"


def _spellings(field: Any) -> list[str]:
    """The names by which an argument may be sent."""
    spelled = field.validation_alias
    return [field.alias] if isinstance(spelled, str | None) else list(spelled.choices)
