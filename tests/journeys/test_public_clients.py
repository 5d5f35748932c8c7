"""The published MCP server of the hosted service, `chatvolt-mcp`, works on a server of ours.

It is started as its users start it. Only the address is another: a preload leads what it fetches to us.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from processes import PROGRAM, Served, environment, serving, wait_until

from tests.docs.documents import ROOT, blocks_of
from tests.node_tools import installed

HERE = Path(__file__).parent
GUIDE = ROOT / "docs" / "how-to" / "use-programs-for-chatvolt.md"
PACKAGE = HERE / "node_modules" / "chatvolt-mcp"
PAGES = {
    "tools": "TOOL_DESCRIPTIONS.md",
    "models": "MODELS.md",
    "prompts": "SYSTEM_PROMPTS.md",
    "chatvolt_http_tools": "CHATVOLT_HTTP_TOOLS.md",
    "cal_com_http_tools": "CAL_COM_HTTP_TOOLS.md",
}
"""The files that it reads its documentation from. The package leaves them out."""

AGENTS = {
    "list_agents",
    "get_agent",
    "create_agent",
    "update_agent",
    "delete_agent",
    "agent_query",
    "enable_disable_agent_integration",
}
TOOLS = {
    "add_http_tool",
    "addDatastoreTool",
    "add_delayed_responses_tool",
    "addRequestHumanTool",
    "addMarkAsResolvedTool",
    "add_follow_up_messages_tool",
}
KNOWLEDGE = {"list_datastores", "get_datastore", "create_datastore", "create_datasource"}
CRM = {
    "list_crm_scenarios",
    "create_crm_scenario",
    "update_crm_scenario",
    "delete_crm_scenario",
    "list_crm_steps",
    "create_crm_step",
    "update_crm_step",
    "delete_crm_step",
}
ANA = {
    "name": "Ana",
    "description": "Answers in the shop",
    "modelName": "gpt_4o_mini",
    "systemPrompt": "Be kind.",
}
OPENING = "The shop opens at nine in the morning and closes at six in the evening."


@dataclass
class Program:
    """A `chatvolt-mcp` that is up, and the server of ours on which it works."""

    client: Client
    served: Served
    key: str
    notes: Path
    called: set[str] = field(default_factory=set)

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """What a tool answers, which it writes as JSON."""
        return json.loads(await self.said(tool, **arguments))

    async def said(self, tool: str, /, **arguments: Any) -> str:
        """What a tool answers, as text."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result
        self.called.add(tool)
        return str(result.content[0].text)

    def ours(self, path: str, **asked: str) -> Any:
        """What our own API shows."""
        return self._http("GET", path, params=asked)

    def found(self, datastore_id: str, question: str) -> Any:
        """What our own API finds in a datastore."""
        return self.makes(f"/datastores/{datastore_id}/query", query=question)

    def makes(self, path: str, **given: Any) -> Any:
        """What our own API answers to what it is given."""
        return self._http("POST", path, json=given)

    def requests(self, method: str) -> list[dict[str, Any]]:
        """What the program sent with a method."""
        noted = map(json.loads, self.notes.read_text(encoding="utf-8").splitlines())
        return [request for request in noted if request["method"] == method]

    def _http(self, method: str, path: str, **more: Any) -> Any:
        bearer = {"Authorization": f"Bearer {self.key}"}
        address = self.served.address + path
        with httpx2.Client(timeout=60, trust_env=False) as client:
            return client.request(method, address, headers=bearer, **more).raise_for_status().json()


@pytest.fixture(scope="session")
def node() -> str:
    """The Node with which to run it, once it is installed."""
    return installed(HERE, "chatvolt-mcp", oldest_node=(22, 19), install="install --no-save")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> Iterator[tuple[Served, str]]:
    """A server of ours, and a key of it; whoever has none is turned away."""
    folder = tmp_path_factory.mktemp("workspace")
    command = [*PROGRAM, "keys", "create", "client", "--scopes", "read,write,send", "--field", "key"]
    made = subprocess.run(command, env=environment(folder), capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    with serving(folder) as served:
        yield served, made.stdout.strip()


@asynccontextmanager
async def running(
    node: str, workspace: tuple[Served, str], folder: Path, preload: Path = HERE / "redirect.mjs"
) -> AsyncIterator[Program]:
    """The program at work in a folder."""
    served, key = workspace
    notes = folder / "requests.jsonl"
    described = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    started = StdioServerParameters(
        command=node,
        args=[str(PACKAGE / described["bin"]["chatvolt-mcp"])],
        env={
            "CHATVOLT_API_KEY": key,
            "NODE_OPTIONS": f"--import={preload.as_uri()}",
            "SERVED_AT": served.address,
            "NOTED_IN": str(notes),
        },
        cwd=folder,
    )
    async with Client(started, read_timeout_seconds=60) as client:
        yield Program(client, served, key, notes)


async def test_its_26_tools_are_those_that_are_tried_here(node, workspace, tmp_path):
    async with running(node, workspace, tmp_path) as program:
        listed = (await program.client.list_tools()).tools

    assert {tool.name for tool in listed} == AGENTS | TOOLS | KNOWLEDGE | CRM | {"getDocumentation"}
    assert len(listed) == 26


async def test_it_makes_changes_switches_asks_and_deletes_agents(node, workspace, tmp_path):
    async with running(node, workspace, tmp_path) as program:
        made = await program.call("create_agent", **ANA, temperature=0, tools=[{"type": "request_human"}])
        agent = program.ours(f"/agents/{made['id']}")
        assert {name: agent[name] for name in ANA} == ANA
        assert [tool["type"] for tool in agent["tools"]] == ["request_human"]
        sent = json.loads(program.requests("POST")[0]["body"])
        assert "temperature" not in sent  # it drops 0, so our default must be what was meant
        assert agent["temperature"] == 0

        changes = {"temperature": 0, "handle": "ana_shop", "interfaceConfig": {"theme": "dark"}}
        changed = await program.call("update_agent", id=made["id"], visibility="public", **changes)
        agent = program.ours(f"/agents/{made['id']}")
        assert {name: agent[name] for name in changes} == changes
        assert agent["visibility"] == changed["visibility"] == "public"
        assert [tool["type"] for tool in agent["tools"]] == ["request_human"]  # it sent none, so they stay

        assert await program.call("get_agent", id="@ana_shop") == agent
        listed = await program.call("list_agents")
        assert listed == program.ours("/agents")
        assert made["id"] in [each["id"] for each in listed]

        bridge = {"url": "https://bridge.shop.example/", "channel": "telegram"}
        channel = program.makes("/channels", agentId=made["id"], name="Bot", config=bridge)
        for enabled in (False, True):
            said = await program.call(
                "enable_disable_agent_integration", id=made["id"], type="telegram", enabled=enabled
            )
            assert isinstance(said, str)
            assert program.ours(f"/channels/{channel['id']}")["enabled"] is enabled

        asked = await program.call(
            "agent_query", id=made["id"], query="Hello?", contact={"email": "bo@shop.example"}
        )
        assert asked["answer"]
        told = program.ours(f"/conversation/{asked['conversationId']}/messages/10")["messages"]
        assert [message["text"] for message in told] == ["Hello?", asked["answer"]]
        assert program.ours("/contacts", search="bo@shop.example")["count"] == 1

        deleted = await program.call("delete_agent", id=made["id"])
        assert deleted["id"] == made["id"]
        assert made["id"] not in [each["id"] for each in program.ours("/agents")]

        bodiless = [*program.requests("GET"), *program.requests("DELETE")]
        assert {(each["type"], each["body"], each["status"]) for each in bodiless} == {
            ("application/json", None, 200)
        }
    assert program.called == AGENTS


async def test_it_adds_every_tool_beside_those_that_it_sends_back_as_it_read_them(node, workspace, tmp_path):
    async with running(node, workspace, tmp_path) as program:
        made = await program.call("create_agent", **ANA)
        datastore = await program.call("create_datastore", type="qdrant", name="Hours")
        program.called.clear()
        orders = {
            "name": "find_order",
            "description": "Looks up an order.",
            "url": "https://orders.shop.example/:number",
            "method": "GET",
            "headers": [{"key": "X-Token", "value": "s3cret-token"}],
            "pathVariables": [{"key": "number", "isUserProvided": True, "description": "Its number."}],
            "queryParameters": [{"key": "lang", "value": "en"}],
        }
        follow_up = {"messages": "Still there?||Good bye.", "max_sends": 2, "interval_hours": 4}

        agent = made["id"]
        await program.call("add_http_tool", agentId=agent, config=orders)
        await program.call("addDatastoreTool", agentId=agent, datastoreId=datastore["id"])
        await program.call("add_delayed_responses_tool", agentId=agent, delay=10)
        await program.call("addRequestHumanTool", agentId=agent)
        await program.call("addMarkAsResolvedTool", agentId=agent)
        last = await program.call("add_follow_up_messages_tool", agentId=agent, config=follow_up)

        tools = program.ours(f"/agents/{agent}")["tools"]
        assert last["tools"] == tools
        assert [tool["type"] for tool in tools] == [
            "http",
            "datastore",
            "delayed_responses",
            "request_human",
            "mark_as_resolved",
            "follow_up_messages",
        ]
        http, store, delay, *_, follow = tools
        assert http["config"]["url"] == "https://orders.shop.example/:number?lang=en"
        assert http["config"]["headers"][0]["value"] == "********"  # it read and sent back the marker
        assert store["datastoreId"] == datastore["id"]
        assert delay["config"] == {"delay": 10}
        assert follow["config"] == follow_up

        echoed = [json.loads(request["body"])["tools"] for request in program.requests("PATCH")]
        assert [len(each) for each in echoed] == [1, 2, 3, 4, 5, 6]
        assert [tool["id"] for tool in echoed[-1][:-1]] == [tool["id"] for tool in tools[:-1]]
        assert all("createdAt" in tool for tool in echoed[-1][:-1])  # whole objects, as it read them
        assert "s3cret-token" not in json.dumps(echoed[1:])
    assert program.called == TOOLS


async def test_a_text_that_it_gives_is_found_and_answers_a_question(node, workspace, tmp_path):
    async with running(node, workspace, tmp_path) as program:
        store = await program.call(
            "create_datastore", type="qdrant", name="Hours", description="When we are open", isPublic=False
        )
        assert "isPublic" not in json.loads(program.requests("POST")[0]["body"])  # it drops false
        assert program.ours(f"/datastores/{store['id']}")["visibility"] == "private"
        assert store["id"] in [each["id"] for each in await program.call("list_datastores")]

        source = await program.call(
            "create_datasource", datastoreId=store["id"], name="Opening hours: when? (2026)", text=OPENING
        )
        path = f"/datasources/{source['id']}"
        assert wait_until(lambda: program.ours(path)["status"] == "synched", program.served.process)
        assert program.found(store["id"], "When does the shop open?")[0]["text"] == OPENING

        named = await program.call(
            "get_datastore", id=store["id"], search="opening hours", status="synched", type="file", limit=5
        )
        assert [each["name"] for each in named["datasources"]] == ["Opening hours: when? (2026)"]
        assert (await program.call("get_datastore", id=store["id"], offset=1))["datasources"] == []
        assert program.called == KNOWLEDGE

        agent = await program.call(
            "create_agent", **ANA, tools=[{"type": "datastore", "datastoreId": store["id"]}]
        )
        asked = await program.call("agent_query", id=agent["id"], query="When does the shop open?")
        assert "nine in the morning" in asked["answer"]
        assert [each["datasource_id"] for each in asked["sources"]] == [source["id"]]


async def test_it_builds_changes_and_clears_a_crm(node, workspace, tmp_path):
    async with running(node, workspace, tmp_path) as program:
        sales = await program.call("create_crm_scenario", name="Sales", description="From hello to paid")
        await program.call("update_crm_scenario", id=sales["id"], name="Selling")
        listed = await program.call("list_crm_scenarios")
        assert listed == program.ours("/crm/scenario")
        assert [(each["name"], each["description"]) for each in listed] == [("Selling", "From hello to paid")]

        agent = await program.call("create_agent", **ANA)
        paid = await program.call(
            "create_crm_step", scenarioId=sales["id"], name="Paid", prompt="Thank them."
        )
        given = {
            "agentId": agent["id"],
            "trigger": "They say hello.",
            "prompt": "Ask what they look for.",
            "initialMessage": "Hello!",
            "autoNextStepId": paid["id"],
            "autoNextTime": 3600,
            "defaultStatus": "UNRESOLVED",
            "defaultPriority": "HIGH",
            "assigneeLogicType": "single_user",
            "selectedMembershipIdsForAssignee": ["bo"],
            "isRequired": True,
        }
        hello = await program.call("create_crm_step", scenarioId=sales["id"], name="Hello", **given)
        steps = program.ours("/crm/step", scenarioId=sales["id"])
        assert await program.call("list_crm_steps", scenarioId=sales["id"]) == steps
        assert [step["name"] for step in steps] == ["Paid", "Hello"]
        assert {name: steps[1][name] for name in given} == given

        nothing = {"autoNextTime": 0, "isRequired": False}  # it drops both, so both stay
        await program.call(
            "update_crm_step", id=hello["id"], name="Welcome", description="First", trigger="Hi.", **nothing
        )
        step = program.ours("/crm/step", scenarioId=sales["id"])[1]
        assert {name: step[name] for name in given} == {**given, "trigger": "Hi."}
        assert step["name"] == "Welcome"

        await program.call("delete_crm_step", id=hello["id"])
        assert [each["id"] for each in program.ours("/crm/step", scenarioId=sales["id"])] == [paid["id"]]
        await program.call("delete_crm_scenario", id=sales["id"])
        assert program.ours("/crm/scenario") == []
        deletes = program.requests("DELETE")
        assert [json.loads(each["body"]) for each in deletes] == [{"id": hello["id"]}, {"id": sales["id"]}]
        assert [each["path"] for each in deletes] == ["/crm/step", "/crm/scenario"]
    assert program.called == CRM | {"create_agent"}


async def test_it_tells_our_documentation_where_the_files_are_ours(node, workspace, tmp_path):
    async with running(node, workspace, tmp_path) as program:
        for topic, name in PAGES.items():
            page = program.ours(f"/documentation/{topic}")["content"]
            (tmp_path / name).write_text(page, encoding="utf-8")
            # It writes a line that is no message before each answer.
            assert await program.said("getDocumentation", docType=topic) == page


async def test_the_module_that_the_documents_tell_of_leads_it_to_us(node, workspace, tmp_path):
    (module,) = (block.text for block in blocks_of(GUIDE) if block.language == "js")
    (tmp_path / "redirect.mjs").write_text(module, encoding="utf-8")
    async with running(node, workspace, tmp_path, tmp_path / "redirect.mjs") as program:
        made = await program.call("create_agent", **ANA)
        assert program.ours(f"/agents/{made['id']}")["name"] == "Ana"


@pytest.mark.parametrize(
    "asked", ["ADDRESS, OPTIONS", "new URL(ADDRESS), OPTIONS", "new Request(ADDRESS, OPTIONS)"]
)
def test_the_module_leads_whatever_fetch_takes_elsewhere(node, tmp_path, asked):
    (module,) = (block.text for block in blocks_of(GUIDE) if block.language == "js")
    seen = "globalThis.fetch = async (...asked) => { const sent = new Request(...asked);"
    seen += "console.log(sent.method, sent.url, sent.headers.get('authorization'), await sent.text()); };"
    (tmp_path / "seen.mjs").write_text(seen, encoding="utf-8")
    (tmp_path / "redirect.mjs").write_text(module, encoding="utf-8")
    program = "const ADDRESS = 'https://api.chatvolt.ai/agents?a=1', OPTIONS = { method: 'POST', body: 'x',"
    program += f"headers: {{ authorization: 'Bearer k' }} }}; await fetch({asked});"
    done = subprocess.run(
        [
            node,
            *(f"--import=./{name}.mjs" for name in ("seen", "redirect")),
            "--input-type=module",
            "-e",
            program,
        ],
        cwd=tmp_path,
        env={**os.environ, "SERVED_AT": "http://127.0.0.1:8377"},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.stdout == "POST http://127.0.0.1:8377/agents?a=1 Bearer k x\n", done.stderr


async def test_what_we_refuse_reaches_its_user_with_our_hint(node, workspace, tmp_path):
    async with running(node, workspace, tmp_path) as program:
        with pytest.raises(MCPError, match=r"failed with status 404: .*NOT_FOUND.*list_agents"):
            await program.client.call_tool("get_agent", {"id": "nobody"})
        made = await program.call("create_agent", **ANA)
        with pytest.raises(MCPError, match=r"failed with status 400: .*delay"):
            await program.client.call_tool("add_delayed_responses_tool", {"agentId": made["id"], "delay": 1})
