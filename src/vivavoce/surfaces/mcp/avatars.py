"""An avatar as an MCP server of its own: the tools that its configuration names, under its own name."""

from __future__ import annotations

from functools import partial
from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from vivavoce import __version__
from vivavoce.domain.avatars import Config, ToolName
from vivavoce.errors import VivavoceError
from vivavoce.operations import Backend
from vivavoce.operations.avatars import GenerateResponse

from .avatar_tools import INPUTS, KINDS, arguments, avatar_tool, readable
from .containing import contained
from .progress import progressing
from .server import CallerOf, Context, broken, failed, succeeded

_LISTS_STAY = CacheHint(ttl_ms=300_000, scope="private")
_LONGEST = 600
"""Characters of a description that are shown."""


def avatar_server(backend: Backend, about: Config, caller: CallerOf) -> Server[Any]:
    """The MCP server of one avatar, for whoever `caller` finds behind a request."""
    offered = {name: KINDS[name] for name in about.tools}

    async def list_tools(context: Context, page: PaginatedRequestParams | None) -> ListToolsResult:
        who = caller(context)
        return ListToolsResult(
            tools=[avatar_tool(name, about) for name, kind in offered.items() if who.may(kind.spec)]
        )

    async def call_tool(
        context: Context, call: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        name = next((known for known in offered if known == call.name), None)
        if name is None:
            text = f"There is no tool {call.name[:100]!r} here. List them with tools/list."
            raise MCPError(INVALID_PARAMS, text)
        try:
            return await _called(name, call, context)
        except VivavoceError as error:
            return failed(error)

    async def _called(name: ToolName, call: CallToolRequestParams, context: Context) -> CallToolResult:
        kind, who = offered[name], caller(context)
        who.check(kind.spec)
        op = kind.parse(arguments(kind, call.arguments or {}, about.id))
        if isinstance(op, GenerateResponse):
            asking = partial(backend.run, op, who.hurried())
            said = await progressing(asking, call, context.session.report_progress)
            return succeeded(said, readable(said))
        return succeeded(await backend.run(op, who))

    return Server(
        about.server_name,
        version=about.server_version,
        title=about.name,
        description=_cut(about.description),
        instructions=instructions(about),
        cache_hints={"tools/list": _LISTS_STAY, "server/discover": _LISTS_STAY},
        get_tool_input_schema=lambda name: next((INPUTS[each] for each in offered if each == name), None),
        on_list_tools=contained(list_tools),
        on_call_tool=contained(call_tool, broken),
    )


def instructions(about: Config) -> str:
    """What a client's model is told about the avatar."""
    lines = [
        f"This is an avatar: an AI that has studied {about.name}. It is not {about.name} and never speaks as "
        f"{about.name}.",
        f"It speaks for a fixed corpus: {_cut(about.corpus.description)}",
        *([f"That corpus ends on {about.ends.isoformat()}."] if about.ends is not None else []),
        *(_ABOUT_TOOLS[name] for name in about.tools),
        "Keep quotes as they are, name their source and page, and say that an AI speaks. Where the corpus is "
        "silent, leave it at that.",
    ]
    return "\n".join(lines)


def refusing(cause: VivavoceError) -> Server[Any]:
    """A server that tells every request why there is nothing to be served."""

    async def refuse(ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method.startswith("notifications/"):
            return await call_next(ctx)
        raise MCPError(INVALID_PARAMS, str(cause), {"code": cause.code})

    built: Server[Any] = Server("vivavoce", version=__version__)
    built.middleware.append(refuse)
    return built


_ABOUT_TOOLS: dict[ToolName, str] = {
    "query_corpus": "query_corpus finds passages of it, each with source, page and a score.",
    "generate_response": (
        "generate_response answers a question from it. Each claim cites source, page and the words "
        "themselves, which were checked against the stored text; where the corpus does not answer, the "
        "response says so."
    ),
    "get_avatar_info": "get_avatar_info says who the avatar is and how much it has read.",
}


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
