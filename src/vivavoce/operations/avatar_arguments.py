"""What clients send to an avatar, read leniently: they speak slightly different shapes of the same tools."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from vivavoce.domain.values import TEXT, JsonObject, Value

MOST_PASSAGES = 50
"""However many are asked for."""
PASSAGES, THRESHOLD = 5, 0.7
"""The defaults of the Avatar MCP specification."""
_NUMERAL = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")


class Spoken(Value):
    """A message of the conversation. Roles are free: assistant, alice, bob."""

    model_config = ConfigDict(extra="ignore")

    role: Annotated[str, Field(max_length=200)] = ""
    content: Annotated[str, Field(max_length=TEXT)] = ""


def _limit(given: Any) -> Any:
    """A whole number may be written 5.0 or "5"; nothing is the default."""
    if given is None:
        return PASSAGES
    given = _number(given)
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    return min(given, MOST_PASSAGES) if isinstance(given, int) and not isinstance(given, bool) else given


def _threshold(given: Any) -> Any:
    return THRESHOLD if given is None else _number(given)


def _number(given: Any) -> Any:
    """A number, also from a text: some clients send what a schema does not declare as text."""
    return float(given) if isinstance(given, str) and _NUMERAL.fullmatch(given) else given


def _conversation(given: Any) -> Any:
    """Messages, from messages, one message, a text, an object that holds messages, or nothing."""
    if isinstance(given, dict):
        given = given.get("messages", [given])
    elif isinstance(given, str):
        given = [given]
    return [_message(each) for each in given] if isinstance(given, list) else _listed(given)


def _passages(given: Any) -> Any:
    """Passages, from passages, texts, the whole result of query_corpus, or nothing."""
    if isinstance(given, dict):
        given = given.get("passages", [given])
    elif isinstance(given, str):
        given = [given]
    if not isinstance(given, list):
        return _listed(given)
    return [{"content": each} if isinstance(each, str) else each for each in given]


def _listed(given: Any) -> Any:
    return [] if given is None else given


def _message(given: Any) -> Any:
    if isinstance(given, str):
        return {"content": given}
    if not isinstance(given, dict):
        return given
    said = given.get("content", given.get("text"))
    named = {"role": given.get("role"), "content": _text(said)}
    return {name: value for name, value in named.items() if value is not None}


def _text(said: Any) -> Any:
    """The text of a message whose content is a list of blocks; blocks that are no text say nothing."""
    if not isinstance(said, list):
        return said
    blocks = [each.get("text") if isinstance(each, dict) else each for each in said]
    return "\n".join(each for each in blocks if isinstance(each, str))


Limit = Annotated[
    int,
    Field(
        ge=1,
        description="Maximum number of passages to return",
        validation_alias=AliasChoices("limit", "max_results", "maxResults"),
    ),
    BeforeValidator(_limit),
]
Threshold = Annotated[
    float, Field(ge=0, le=1, description="Minimum similarity score (0-1)"), BeforeValidator(_threshold)
]
Conversation = Annotated[
    list[Spoken],
    Field(
        max_length=1_000,
        description="Conversation history for context",
        validation_alias=AliasChoices("context", "conversation_context", "conversationContext"),
    ),
    BeforeValidator(_conversation),
]
Passages = Annotated[
    list[JsonObject],
    Field(max_length=100, description="Retrieved passages to ground the response"),
    BeforeValidator(_passages),
]
Context = Annotated[
    Any,
    Field(
        description="What was said before: a text, an object or messages.",
        json_schema_extra={"unlisted": True},
        validation_alias=AliasChoices("context", "conversation_context", "conversationContext"),
    ),
]
