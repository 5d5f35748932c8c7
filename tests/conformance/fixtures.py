"""The server that the conformance suite examines: tools, resources and prompts, as the suite names them."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Annotated, Any

from anyio import sleep
from mcp.server import MCPServer, ServerRequestContext
from mcp.server.mcpserver import Audio, Context, Image, UserMessage
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    EmbeddedResource,
    EmptyResult,
    PromptReference,
    ResourceTemplateReference,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from pydantic import Field

from tests.conformance import questions


def fixtures() -> MCPServer[Any]:
    """A fresh server with everything that the suite asks for, in both protocol eras."""
    server = MCPServer[Any](
        "vivavoce-conformance", version="1.0.0", log_level="ERROR", tools=[_tool_with_its_own_schema()]
    )
    for tool in (*PLAIN_TOOLS, *questions.TOOLS):
        server.add_tool(tool, structured_output=False)
    for prompt in (*PROMPTS, *questions.PROMPTS):
        server.prompt()(prompt)
    _add_resources(server)
    server.completion()(_completion)
    _add_handshake_era_methods(server)
    return server


# Tools


def test_simple_text() -> str:
    """Answer with one text."""
    return "This is a simple text response for testing."


def test_image_content() -> Image:
    """Answer with one image."""
    return Image(data=RED_PIXEL, format="png")


def test_audio_content() -> Audio:
    """Answer with one sound."""
    return Audio(data=SILENCE, format="wav")


def test_embedded_resource() -> EmbeddedResource:
    """Answer with a resource inside the result."""
    return _embedded("test://embedded-resource", "This is an embedded resource content.")


def test_multiple_content_types() -> list[Any]:
    """Answer with a text, an image and a resource, in this order."""
    document = _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return ["Multiple content types test:", Image(data=RED_PIXEL, format="png"), document]


def test_error_handling() -> str:
    """Fail in a way that the model can read."""
    raise ToolError("This tool intentionally returns an error for testing")


async def test_tool_with_logging(ctx: Context) -> str:
    """Send three log messages while working."""
    await ctx.log("info", "Tool execution started")
    await sleep(PAUSE)
    await ctx.log("info", "Tool processing data")
    await sleep(PAUSE)
    await ctx.log("info", "Tool execution completed")
    return "Three messages were logged."


async def test_logging_tool(ctx: Context) -> str:
    """Log one message, which only a client that asked for logs may receive."""
    await ctx.log("info", "A message for those who listen")
    return "One message was logged."


async def test_tool_with_progress(ctx: Context) -> str:
    """Report progress three times while working."""
    await ctx.report_progress(0, 100)
    await sleep(PAUSE)
    await ctx.report_progress(50, 100)
    await sleep(PAUSE)
    await ctx.report_progress(100, 100)
    return "Progress was reported three times."


async def test_reconnection(ctx: Context) -> str:
    """Close the stream in the middle of the call; the client comes back for the answer."""
    await ctx.close_sse_stream()
    await sleep(PAUSE)
    return "You came back for the answer."


def test_x_mcp_header(
    region: Annotated[str, Field(description="Any region.", json_schema_extra={"x-mcp-header": "Region"})],
) -> str:
    """Take an argument that the client must repeat in a header."""
    return f"The region is {region}."


async def test_trigger_tool_change(ctx: Context) -> str:
    """Tell the subscribers that the list of tools changed."""
    await ctx.notify_tools_changed()
    return "The tools changed."


async def test_trigger_prompt_change(ctx: Context) -> str:
    """Tell the subscribers that the list of prompts changed."""
    await ctx.notify_prompts_changed()
    return "The prompts changed."


def json_schema_2020_12_tool() -> str:
    """Show that a schema reaches the client with every keyword it has."""
    return "Only the schema of this tool is of interest."


PLAIN_TOOLS: tuple[Callable[..., Any], ...] = (
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_logging,
    test_logging_tool,
    test_tool_with_progress,
    test_reconnection,
    test_x_mcp_header,
    test_trigger_tool_change,
    test_trigger_prompt_change,
)


# Prompts


def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(
    arg1: Annotated[str, Field(description="The first argument.")],
    arg2: Annotated[str, Field(description="The second argument.")],
) -> str:
    """A prompt that repeats its two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def test_prompt_with_embedded_resource(
    resource_uri: Annotated[
        str, Field(alias="resourceUri", description="The address of the resource to embed.")
    ],
) -> list[UserMessage]:
    """A prompt with a resource inside."""
    document = _embedded(resource_uri, "Embedded resource content for testing.")
    return [UserMessage(document), UserMessage("Please process the embedded resource above.")]


def test_prompt_with_image() -> list[UserMessage]:
    """A prompt with an image inside."""
    return [UserMessage(Image(data=RED_PIXEL, format="png")), UserMessage("Please analyze the image above.")]


PROMPTS: tuple[Callable[..., Any], ...] = (
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
)


PAUSE = 0.05
"""Seconds between two notifications: the suite wants to see them arrive one by one."""

RED_PIXEL = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
)
"""The smallest PNG: one red pixel."""

SILENCE = b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==")
"""The smallest WAV: two samples of nothing."""

SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""A schema with the keywords that a careless server drops on the way to the client."""


def _tool_with_its_own_schema() -> Tool:
    tool = Tool.from_function(json_schema_2020_12_tool, structured_output=False)
    return tool.model_copy(update={"parameters": SCHEMA_2020_12})


def _add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        """A text that never changes."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        """An image that never changes."""
        return RED_PIXEL

    @server.resource("test://watched-resource", mime_type="text/plain")
    def watched_resource() -> str:
        """A text that clients subscribe to."""
        return "Watch this text."

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def data_of(id: str) -> dict[str, Any]:
        """What is known under an id."""
        return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


async def _completion(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion:
    values = [city for city in ("paris", "parma", "porto") if city.startswith(argument.value)]
    return Completion(values=values, total=len(values), has_more=False)


def _add_handshake_era_methods(server: MCPServer[Any]) -> None:
    """Methods that 2026-07-28 removed and older clients still call."""
    subscribed: set[str] = set()

    async def set_level(ctx: ServerRequestContext, params: SetLevelRequestParams) -> EmptyResult:
        return EmptyResult()

    async def subscribe(ctx: ServerRequestContext, params: SubscribeRequestParams) -> EmptyResult:
        subscribed.add(str(params.uri))
        return EmptyResult()

    async def unsubscribe(ctx: ServerRequestContext, params: UnsubscribeRequestParams) -> EmptyResult:
        subscribed.discard(str(params.uri))
        return EmptyResult()

    # MCPServer has no public way to these: the SDK itself points to the server underneath.
    add = server._lowlevel_server.add_request_handler
    add("logging/setLevel", SetLevelRequestParams, set_level)
    add("resources/subscribe", SubscribeRequestParams, subscribe)
    add("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))
