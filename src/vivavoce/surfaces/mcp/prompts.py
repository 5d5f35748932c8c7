"""Prompts and completions over MCP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    PromptArgument,
    PromptMessage,
    PromptReference,
    TextContent,
)
from mcp.types import Prompt as ListedPrompt

from vivavoce.operations.prompts import PROMPTS, Prompt

from .resources import Suggester

Context = ServerRequestContext[Any, Any]

_AT_MOST = 100
_LONGEST = 20_000


async def list_prompts(context: Context, page: PaginatedRequestParams | None) -> ListPromptsResult:
    """The prompts with their arguments."""
    return ListPromptsResult(
        prompts=[
            ListedPrompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    PromptArgument(name=asked.name, description=asked.description, required=asked.required)
                    for asked in prompt.arguments
                ],
            )
            for prompt in PROMPTS
        ]
    )


async def get_prompt(context: Context, params: GetPromptRequestParams) -> GetPromptResult:
    """One prompt with its arguments filled in."""
    prompt = _named(params.name)
    given = params.arguments or {}
    _check(prompt, given)
    text = TextContent(type="text", text=prompt.write(given))
    return GetPromptResult(
        description=prompt.description, messages=[PromptMessage(role="user", content=text)]
    )


def completer(
    suggest: Suggester,
) -> Callable[[Context, CompleteRequestParams], Awaitable[CompleteResult]]:
    """Completes arguments of prompts from their suggestions, and ids of resources from what exists."""

    async def complete(context: Context, params: CompleteRequestParams) -> CompleteResult:
        typed = params.argument.value
        if isinstance(params.ref, PromptReference):
            found = _suggested(_named(params.ref.name), params.argument.name, typed)
        else:
            found = await suggest(context, params.ref.uri, typed)
        return CompleteResult(
            completion=Completion(values=found[:_AT_MOST], total=len(found), has_more=len(found) > _AT_MOST)
        )

    return complete


def _named(name: str) -> Prompt:
    for prompt in PROMPTS:
        if prompt.name == name:
            return prompt
    raise MCPError(INVALID_PARAMS, f"There is no prompt {name[:100]!r} here.")


def _check(prompt: Prompt, given: dict[str, str]) -> None:
    known = {argument.name for argument in prompt.arguments}
    if unknown := sorted(given.keys() - known):
        raise MCPError(
            INVALID_PARAMS, f"{prompt.name} knows {', '.join(sorted(known))}, not {unknown[0][:100]!r}."
        )
    for argument in prompt.arguments:
        if argument.required and not given.get(argument.name, "").strip():
            raise MCPError(INVALID_PARAMS, f"{prompt.name} needs {argument.name}: {argument.description}")
    if any(len(value) > _LONGEST for value in given.values()):
        raise MCPError(INVALID_PARAMS, f"An argument may have at most {_LONGEST} characters.")


def _suggested(prompt: Prompt, argument_name: str, typed: str) -> list[str]:
    wanted = typed.casefold()
    return [
        suggestion
        for argument in prompt.arguments
        if argument.name == argument_name
        for suggestion in argument.suggestions
        if wanted in suggestion.casefold()
    ]
