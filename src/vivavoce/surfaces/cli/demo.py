"""`vivavoce demo`: a question with its citations, then an assistant at work, on a workspace of its own."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from vivavoce.app import open_app
from vivavoce.errors import NotAvailable, StorageFailed
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatars import GenerateResponse
from vivavoce.settings import Settings
from vivavoce.upkeep.guide import GUIDE, ensure_guide

from .footnotes import answer_lines
from .terminal import harmless

_FOR_THE_GUIDE = ("What happens if I lose the key file?", "How long must I boil an egg?")
"""What its documentation answers, and what it does not."""
_MANUAL = {
    "hours.txt": "Our shop is open from Monday to Friday, 9 to 18, and on Saturday from 9 to 13.",
    "returns.txt": "Parcels are sent within two working days. Returns are free within 30 days.",
}
_QUESTION = "How many days do I have to return something?"
_PATIENCE = 30.0
"""Seconds that the text has to be indexed; it takes about one."""
_BETWEEN_LOOKS = 0.1
_OPEN = ("pending", "running")
_ORDERS = {
    "name": "Get order",
    "description": "Shows the state of an order. Use it when someone asks where an order is.",
    "url": "https://api.example.com/orders/{orderId}",
    "method": "GET",
    "headers": [{"key": "Authorization", "value": "Bearer a-key-that-nobody-reads-again"}],
    "pathVariables": [{"key": "orderId", "description": "The order number.", "isUserProvided": True}],
}


@click.command("demo")
@click.option(
    "--keep", type=click.Path(path_type=Path, file_okay=False), help="Keep the workspace in this folder."
)
def command(keep: Path | None) -> None:
    """Watch vivavoce answer from its documentation, then an assistant set up a shop's agent through MCP.

    It starts the server as a client would, on a workspace of its own, and needs no key and no network.
    """
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageFailed(f"--keep: {keep} cannot be made: {error.strerror}.") from error
        asyncio.run(_shown(keep))
        return
    with tempfile.TemporaryDirectory(prefix="vivavoce-demo-") as folder:
        asyncio.run(_shown(Path(folder)))


class _Stage:
    """Calls tools and tells what happens."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def call(self, says: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that succeeds; its result."""
        _say(says, f"{tool}({_brief(arguments)})")
        answer = await self.client.call_tool(tool, arguments)
        if answer.is_error:
            raise click.ClickException(answer.content[0].text)
        result: dict[str, Any] = answer.structured_content
        return result

    async def refused(self, says: str, tool: str, **arguments: Any) -> str:
        """Call a tool that fails; what it says."""
        _say(says, f"{tool}({_brief(arguments)})")
        answer = await self.client.call_tool(tool, arguments)
        text: str = answer.content[0].text
        return text


async def _shown(folder: Path) -> None:
    from mcp import Client, StdioServerParameters

    database = folder / "workspace.db"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "vivavoce", "mcp"],
        env={"VIVAVOCE_DATABASE": str(database)},
    )
    try:
        await _guided(database)
    except NotAvailable as error:  # the rest needs no embedder
        _result(f"That is not possible here: {error}")
    began = time.perf_counter()
    click.secho("\nAn assistant sets up a shop's agent over MCP\n", bold=True)
    async with Client(server) as client:
        _say("Start the server and shake hands", "vivavoce mcp")
        _result(f"ready after {(time.perf_counter() - began) * 1000:.0f} ms, in {database}")
        tools = (await client.list_tools()).tools
        _say("Ask what it can do", "tools/list")
        _result(f"{len(tools)} tools, such as {', '.join(tool.name for tool in tools[:4])}")
        await _built(_Stage(client))
    click.secho("\nEverything above ran on this machine, with no key and no network.", bold=True)
    click.echo('Next: ask the guide more, such as `vivavoce ask guide "What is an avatar?"`,')
    click.echo("connect your assistant with `vivavoce connect claude-code` (or claude-desktop, cursor,")
    click.echo("vscode, codex), look around with `vivavoce --help`, check with `vivavoce doctor`.")


async def _guided(database: Path) -> None:
    """Ask the avatar that has read vivavoce's documentation, once with success and once in vain."""
    click.secho("vivavoce demo: an avatar answers from the documentation that it has read\n", bold=True)
    async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(database)})) as app:
        began = time.perf_counter()
        _say("Let the guide read the documentation that comes with vivavoce", "once, on first use")
        await ensure_guide(app)
        _result(f"ready after {time.perf_counter() - began:.1f} s")
        for question in _FOR_THE_GUIDE:
            _say(f"Ask it: {question}", f'vivavoce ask guide "{question}"')
            answer = await app.backend.run(GenerateResponse(avatar_id=GUIDE, question=question), OPERATOR)
            click.echo(harmless("\n".join(answer_lines(answer, indent="  "))))


async def _built(stage: _Stage) -> None:
    store = await stage.call(
        "Give it something to know", "create_datastore", type="qdrant", name="Shop manual"
    )
    for name, text in _MANUAL.items():
        source = await stage.call(
            f"Put {name} in", "create_datasource", datastoreId=store["id"], name=name, text=text
        )
        _result(f"stored {source['textSize']} characters; they are indexed while we go on")
    agent = await stage.call(
        "Create an agent",
        "create_agent",
        name="Ana",
        description="Answers customers of the shop.",
        modelName="gpt_4o_mini",
        systemPrompt="You are Ana. Answer in the customer's language, briefly and kindly.",
        temperature=0,
    )
    _result(f"agent {agent['id']}, temperature {agent['temperature']}")
    await stage.call(
        "Let it consult the manual", "addDatastoreTool", agentId=agent["id"], datastoreId=store["id"]
    )
    await _asked(stage, store["id"])
    tool = await stage.call("Let it look orders up", "addHttpTool", agentId=agent["id"], config=_ORDERS)
    _result(f"the API key is stored encrypted and reads {tool['config']['headers'][0]['value']}")
    await stage.call("Let it call a person", "addRequestHumanTool", agentId=agent["id"])
    await stage.call(
        "Let it write again after a silence",
        "addFollowUpMessagesTool",
        agentId=agent["id"],
        config={
            "messages": "Are you still there?||I close this for now.",
            "max_sends": 2,
            "interval_hours": 24,
        },
    )
    scenario = await stage.call("Draw the sales process", "create_crm_scenario", name="Sales")
    for name in ("New", "Offer", "Won"):
        await stage.call(
            f"Add the step {name}",
            "create_crm_step",
            scenarioId=scenario["id"],
            name=name,
            agentId=agent["id"],
        )
    shown = await stage.call("Read the agent back", "get_agent", id=agent["id"])
    _result("its tools: " + ", ".join(tool["type"] for tool in shown["tools"]))
    said = await stage.refused(
        "Make a mistake on purpose", "addDatastoreTool", agentId=agent["id"], datastoreId="x"
    )
    _result(said)
    gone = await stage.call("Delete the agent", "delete_agent", id=agent["id"])
    counts = {re.sub("([A-Z])", r" \1", what).lower(): number for what, number in gone["alsoRemoved"].items()}
    _result("went with it: " + ", ".join(f"{number} {what}" for what, number in counts.items() if number))


async def _asked(stage: _Stage, datastore_id: str) -> None:
    """Ask the datastore a question once its texts are indexed, and show the passages that it finds."""
    began = time.perf_counter()
    while time.perf_counter() - began < _PATIENCE:
        looked = await stage.client.call_tool("get_datastore", {"id": datastore_id})
        if all(source["status"] not in _OPEN for source in looked.structured_content["datasources"]):
            break
        await asyncio.sleep(_BETWEEN_LOOKS)
    asked = {"id": datastore_id, "search": _QUESTION}
    found = await stage.call(f"Ask the manual: {_QUESTION}", "get_datastore", **asked)
    for chunk in found["chunks"]:
        where = f"{chunk['datasource_name']}, characters {chunk['start']} to {chunk['end']}"
        _result(f"score {chunk['score']:.2f}: {chunk['text']!r} ({where})")
    if not found["chunks"]:
        _result("nothing is indexed yet; `vivavoce doctor` says why")


def _say(what: str, how: str) -> None:
    click.echo(f"{click.style('>', fg='cyan')} {what}  {click.style(how, dim=True)}")


def _result(text: str) -> None:
    click.echo(f"  {text}")


def _brief(arguments: dict[str, Any]) -> str:
    shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return shown if len(shown) <= 60 else shown[:57] + "..."
