"""The catalogue as an MCP server: tools, resources, prompts and completions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pydantic_core
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.caching import CacheHint
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from vivavoce import __version__
from vivavoce.errors import VivavoceError
from vivavoce.operations import ALIASES, CATALOGUE, Backend, Caller, Effect, Operation
from vivavoce.operations.answers import AgentQuery, GetAnswer
from vivavoce.operations.approvals import AnswerApproval
from vivavoce.operations.avatars import GenerateResponse
from vivavoce.operations.schemas import input_schema, output_schema

from . import prompts, resources
from .answers import readable
from .confirming import confirmed, wants_confirmation
from .containing import BROKEN, contained
from .previews import Reader
from .progress import progressing
from .selection import Selection, ToolFacts

Context = ServerRequestContext[Any, Any]
CallerOf = Callable[[Context], Caller]

NAME = "vivavoce"
INSTRUCTIONS = """vivavoce runs conversational agents. You build and operate them with the tools listed \
here; which ones those are, and whether they may change anything, whoever runs the server decides.
As far as they are offered, there are tools for:
- agents: who answers, with which model and instructions; and to talk to one.
- the tools of an agent: what it can do, e.g. call an API, consult a datastore, ask for a human, follow up.
- datastores and datasources: what it knows.
- CRM scenarios and steps: the process that its conversations follow.
- conversations and contacts: what was said, to whom; calls of tools that wait for approval.
- the documentation: read its page of tools before a task of several steps. It is a resource as well.
Ids come from list tools or from results; never make one up. Secrets are shown as ********; written back, \
that keeps the stored value. Errors name the next step."""

_LISTS_STAY = CacheHint(ttl_ms=300_000, scope="private")
_log = logging.getLogger(__name__)


def facts() -> list[ToolFacts]:
    """Every tool that can be offered, in the fixed order."""
    return [
        ToolFacts(
            name=name,
            toolset=kind.spec.toolset,
            is_default=kind.spec.offer == "default",
            is_read_only=kind.spec.effect is Effect.READ,
        )
        for name, kind in CATALOGUE.items()
        if kind.spec.offer != "never"
    ]


def server(
    backend: Backend, caller: CallerOf, *, state_key: bytes, selection: Selection | None = None
) -> Server[Any]:
    """An MCP server that offers the selected operations to whoever `caller` finds behind a request."""
    names = (selection or Selection()).names(facts())
    offered = {name: CATALOGUE[name] for name in names if backend.supports(CATALOGUE[name])}

    async def list_tools(context: Context, page: PaginatedRequestParams | None) -> ListToolsResult:
        scopes = caller(context).scopes
        return ListToolsResult(tools=[tool(kind) for kind in offered.values() if kind.spec.scope in scopes])

    async def call_tool(
        context: Context, call: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        name = ALIASES.get(call.name, call.name)
        if name not in offered:
            text = f"There is no tool {call.name[:100]!r} here. List them with tools/list."
            raise MCPError(INVALID_PARAMS, text)
        try:
            return await _called(offered[name], call, context)
        except VivavoceError as error:
            return failed(error)

    async def _called(
        kind: type[Operation[Any]], call: CallToolRequestParams, context: Context
    ) -> CallToolResult | InputRequiredResult:
        who = caller(context)
        who.check(kind.spec)  # before anybody is asked to confirm
        op = kind.parse(call.arguments or {})
        if wants_confirmation(op):
            question = await confirmed(op, call, context, Reader(backend, who))
            if question is not None:
                return question
        if isinstance(op, AgentQuery | GetAnswer):
            answer = await progressing(partial(backend.run, op, who), call, context.session.report_progress)
            return succeeded(answer, readable(answer))
        return succeeded(await backend.run(op, who.hurried() if isinstance(op, GenerateResponse) else who))

    built: Server[Any] = Server(
        NAME,
        version=__version__,
        title="vivavoce",
        description="Conversational agents that you host yourself.",
        instructions=INSTRUCTIONS,
        cache_hints={
            "tools/list": _LISTS_STAY,
            "resources/list": _LISTS_STAY,
            "resources/templates/list": _LISTS_STAY,
            "prompts/list": _LISTS_STAY,
            "server/discover": _LISTS_STAY,
        },
        get_tool_input_schema=lambda name: tool(offered[name]).input_schema if name in offered else None,
        on_list_tools=contained(list_tools),
        on_call_tool=contained(call_tool, broken),
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=contained(resources.reader(backend, caller)),
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=contained(prompts.get_prompt),
        on_completion=contained(prompts.completer(resources.suggester(backend, caller))),
    )
    confirmations = RequestStateSecurity(keys=[state_key], bind_principal=lambda context: caller(context).id)
    built.middleware.append(RequestStateBoundary(confirmations, default_audience=NAME))
    return built


@cache
def tool(kind: type[Operation[Any]]) -> Tool:
    """An operation as a tool. Made when it is asked for: the first call waits for no other tool's schemas."""
    spec = kind.spec
    return Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=input_schema(kind),
        output_schema=output_schema(spec.result),
        annotations=ToolAnnotations(
            read_only_hint=spec.effect is Effect.READ,
            # what an approval sends may change or remove anything on the other side
            destructive_hint=spec.effect in (Effect.CHANGE, Effect.DELETE) or kind is AnswerApproval,
            idempotent_hint=spec.effect in (Effect.READ, Effect.CHANGE, Effect.DELETE),
            open_world_hint=spec.effect is Effect.SEND,
        ),
    )


def succeeded(result: Any, text: str | None = None) -> CallToolResult:
    """A result, as data and as text: the same JSON where there is no better."""
    structured = result.model_dump(mode="json")
    if text is None:
        text = pydantic_core.to_json(structured).decode()
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def failed(error: VivavoceError) -> CallToolResult:
    """A failure that a model can read and act on. It has no structured content: it is not a result."""
    if error.status >= 500:
        _log.warning("%s: %s", error.code, error)
    return CallToolResult(
        content=[TextContent(type="text", text=f"{error.code}: {error}")],
        is_error=True,
    )


def broken() -> CallToolResult | InputRequiredResult:
    """A failure that nobody raised on purpose."""
    return CallToolResult(content=[TextContent(type="text", text=f"internal_error: {BROKEN}")], is_error=True)
