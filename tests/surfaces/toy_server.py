"""A small server for tests of the front: see `--help`."""

import argparse
import os
import signal
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

from vivavoce.surfaces.mcp import front

VERSION = "1.2.3"
TOOLS = ("echo", "wait", "ask", "print", "fail", "half", "block", "kill")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--manifest", type=Path, default=Path("none"))
    parser.add_argument("--allow", nargs="*")
    parser.add_argument("--sdk", action="store_true", help="serve with the SDK's own transport")
    parser.add_argument("--broken", action="store_true", help="fail to build the server")
    options = parser.parse_args()
    if options.sdk:
        serve_with_the_sdk()
    else:
        front.run(
            front.read_manifest(options.manifest, VERSION),
            None if options.allow is None else set(options.allow),
            build_nothing if options.broken else build,
        )


def build():
    print("the SDK is loaded", file=sys.stderr, flush=True)
    return opened()


def build_nothing():
    raise RuntimeError("no database")


@asynccontextmanager
async def opened():
    yield server()
    print("the server is closed", file=sys.stderr, flush=True)


def server():  # noqa: C901 - a handful of tools
    import anyio
    import mcp.types as types
    from mcp.server.lowlevel import Server

    async def list_tools(ctx, params):
        if params is not None and params.cursor is not None:
            return types.ListToolsResult(tools=[])
        return types.ListToolsResult(tools=[described(name) for name in TOOLS])

    def described(name):
        schema = {"type": "object", "properties": {"text": {"type": "string", "description": "Olá ✓"}}}
        hints = types.ToolAnnotations(read_only_hint=True)
        return types.Tool(
            name=name, title=name.title(), description="x" * 60, input_schema=schema, annotations=hints
        )

    async def call_tool(ctx, params):
        arguments = params.arguments or {}
        text = arguments.get("text", "")
        match params.name:
            case "wait":
                print("waiting", file=sys.stderr, flush=True)
                await anyio.sleep(float(text))
            case "ask":
                schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
                reply = await ctx.session.elicit_form("Sure?", schema, related_request_id=ctx.request_id)
                text = f"{reply.action} {reply.content}"
            case "print":
                print("stray print")
                os.write(1, b"stray write\n")
                os.system("echo stray child; cat")
            case "fail":
                raise RuntimeError("the tool broke")
            case "half":
                return types.CallToolResult(content=[], structured_content={"text": "\ud800"})
            case "block":
                print("blocking", file=sys.stderr, flush=True)
                threading.Event().wait(float(text))
            case "kill":
                threading.Timer(0.2, signal_here, [int(text)]).start()
                await anyio.sleep(600)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def list_resources(ctx, params):
        return types.ListResourcesResult(resources=[types.Resource(uri="toy://one", name="one")])

    async def list_templates(ctx, params):
        template = types.ResourceTemplate(uri_template="toy://{name}", name="any")
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def list_prompts(ctx, params):
        return types.ListPromptsResult(prompts=[types.Prompt(name="greet")])

    return Server(
        "toy",
        version=VERSION,
        instructions="Play.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_list_prompts=list_prompts,
    )


def signal_here(number: int) -> None:
    """Take a signal in this thread, so that no system call of the main one is broken off."""
    signal.pthread_kill(threading.get_ident(), number)


def serve_with_the_sdk() -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve():
        async with stdio_server() as (reading, writing):
            toy = server()
            await toy.run(reading, writing, toy.create_initialization_options())

    anyio.run(serve)


if __name__ == "__main__":
    main()
