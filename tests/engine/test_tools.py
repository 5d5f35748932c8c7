"""Tools of agents: added, listed, changed, removed, and set as a whole."""

import asyncio

import pytest

from vivavoce.domain.secrets import MARKER
from vivavoce.errors import Conflict, InvalidInput, NotFound

from .workspaces import a_request, an_agent

EXAMPLE = {
    "name": "Get User Order Details",
    "description": "Fetches specific order details for a given user from the e-commerce API.",
    "url": "https://api.yourecommerce.com/v1/users/{userId}/orders/{orderId}",
    "method": "GET",
    "headers": [
        {
            "key": "Authorization",
            "value": "Bearer YOUR_STATIC_API_KEY",
            "description": "API authentication token.",
            "acceptedValues": [],
            "isUserProvided": False,
        }
    ],
    "pathVariables": [
        {
            "key": "userId",
            "value": "",
            "description": "The unique ID of the user.",
            "acceptedValues": [],
            "isUserProvided": True,
        },
        {
            "key": "orderId",
            "value": "",
            "description": "The ID of the order to retrieve.",
            "acceptedValues": [],
            "isUserProvided": True,
        },
    ],
    "queryParameters": [
        {
            "key": "include_details",
            "value": "true",
            "description": "Set to 'true' to include full item details in the response.",
            "acceptedValues": ["true", "false"],
            "isUserProvided": True,
        }
    ],
    "body": [],
}
"""The complex example of the spec, to the letter."""

FOLLOW_UP = {"messages": "Still there? || Goodbye.", "max_sends": 2, "interval_hours": 24}
ADDED = {
    "addHttpTool": ("http", {"config": EXAMPLE}),
    "addDelayedResponsesTool": ("delayed_responses", {"delay": 8}),
    "addRequestHumanTool": ("request_human", {}),
    "addMarkAsResolvedTool": ("mark_as_resolved", {}),
    "addFollowUpMessagesTool": ("follow_up_messages", {"config": FOLLOW_UP}),
}


@pytest.fixture
async def agent(run) -> str:
    return (await run("create_agent", **an_agent()))["id"]


@pytest.fixture
async def datastore(run) -> str:
    return (await run("create_datastore", type="qdrant"))["id"]


async def tools_of(run, agent: str) -> list[dict]:
    return (await run("list_agent_tools", agentId=agent))["tools"]


# The spec's example


async def test_the_complex_example_of_the_spec_is_accepted_to_the_letter_and_read_back(run, agent):
    made = await run("addHttpTool", agentId=agent, config=EXAMPLE)

    for shown in (made, await run("get_agent_tool", agentId=agent, toolId=made["id"])):
        assert shown["type"] == "http"
        for name in ("name", "description", "url", "method", "body"):
            assert shown["config"][name] == EXAMPLE[name]
        for section in ("headers", "pathVariables", "queryParameters"):
            for parameter, given in zip(shown["config"][section], EXAMPLE[section], strict=True):
                expected = {**given, "value": MARKER} if section == "headers" else given
                assert {name: parameter[name] for name in given} == expected


async def test_what_was_read_can_be_written_back_and_keeps_the_secret(run, agent, engine):
    made = await run("addHttpTool", agentId=agent, config=EXAMPLE)

    after = await run("update_agent_tool", agentId=agent, toolId=made["id"], config=made["config"])

    assert after["config"] == made["config"]
    assert await secrets_of(engine, made["id"]) == ["Bearer YOUR_STATIC_API_KEY"]


async def test_a_new_secret_replaces_the_old_one_and_a_removed_header_takes_it_away(run, agent, engine):
    made = await run("addHttpTool", agentId=agent, config=EXAMPLE)
    renewed = {**EXAMPLE, "headers": [{"key": "Authorization", "value": "Bearer NEW"}]}

    await run("update_agent_tool", agentId=agent, toolId=made["id"], config=renewed)
    assert await secrets_of(engine, made["id"]) == ["Bearer NEW"]

    await run("update_agent_tool", agentId=agent, toolId=made["id"], config={**EXAMPLE, "headers": []})
    assert await secrets_of(engine, made["id"]) == []


async def test_a_marker_where_nothing_is_stored_is_refused(run, agent):
    masked = {**EXAMPLE, "headers": [{"key": "Authorization", "value": MARKER}]}

    with pytest.raises(InvalidInput, match="none is stored") as refusal:
        await run("addHttpTool", agentId=agent, config=masked)

    assert refusal.value.hint == "Write the secret itself."
    assert await tools_of(run, agent) == []


async def test_the_marker_of_one_tool_does_not_open_the_secret_of_another(run, agent):
    await run("addHttpTool", agentId=agent, config=EXAMPLE)
    plain = {**EXAMPLE, "name": "Other", "headers": []}
    other = await run("addHttpTool", agentId=agent, config=plain)
    masked = {**plain, "headers": [{"key": "Authorization", "value": MARKER}]}

    with pytest.raises(InvalidInput, match="none is stored"):
        await run("update_agent_tool", agentId=agent, toolId=other["id"], config=masked)


# Adding


@pytest.mark.parametrize("operation", ADDED)
async def test_each_kind_of_tool_is_added_at_the_end_and_listed(run, agent, operation):
    await run("add_agent_tool", agentId=agent, type="form", formId="f1")
    type, arguments = ADDED[operation]

    made = await run(operation, agentId=agent, **arguments)

    assert (made["type"], made["agentId"]) == (type, agent)
    assert [tool["type"] for tool in await tools_of(run, agent)] == ["form", type]
    assert (await run("get_agent", id=agent))["tools"] == await tools_of(run, agent)


async def test_a_datastore_tool_names_its_datastore(run, agent, datastore):
    made = await run("addDatastoreTool", agentId=agent, datastoreId=datastore)

    assert (made["type"], made["datastoreId"]) == ("datastore", datastore)


async def test_a_delay_and_follow_ups_are_kept_in_the_settings(run, agent):
    delay = await run("addDelayedResponsesTool", agentId=agent, delay=8)
    follow_up = await run("addFollowUpMessagesTool", agentId=agent, config=FOLLOW_UP)

    assert (delay["config"], follow_up["config"]) == ({"delay": 8}, FOLLOW_UP)


@pytest.mark.parametrize("operation", ADDED)
async def test_a_second_tool_that_cannot_stand_beside_the_first_is_refused(run, agent, operation):
    _, arguments = ADDED[operation]
    await run(operation, agentId=agent, **arguments)

    with pytest.raises(Conflict, match="already has") as refusal:
        await run(operation, agentId=agent, **arguments)

    assert "update_agent_tool" in refusal.value.hint
    assert len(await tools_of(run, agent)) == 1


async def test_the_same_tool_may_stand_on_two_agents(run, agent, datastore):
    other = (await run("create_agent", **an_agent()))["id"]

    for owner in (agent, other):
        await run("addHttpTool", agentId=owner, config=EXAMPLE)
        await run("addDatastoreTool", agentId=owner, datastoreId=datastore)

    assert len(await tools_of(run, other)) == 2


async def test_thirty_tools_added_at_once_are_all_there_in_one_order(run, agent):
    made = await asyncio.gather(
        *(run("addHttpTool", agentId=agent, config=a_request(name=f"Tool {place}")) for place in range(30))
    )

    listed = await tools_of(run, agent)
    assert sorted(tool["id"] for tool in listed) == sorted(tool["id"] for tool in made)
    assert {tool["config"]["name"] for tool in listed} == {f"Tool {place}" for place in range(30)}
    assert listed == await tools_of(run, agent)


async def test_of_thirty_equal_tools_added_at_once_one_is_kept(run, agent):
    outcomes = await asyncio.gather(
        *(run("addRequestHumanTool", agentId=agent) for _ in range(30)), return_exceptions=True
    )

    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 29
    assert len(await tools_of(run, agent)) == 1


async def test_an_agent_may_start_with_tools(run, datastore):
    drafts = [
        {"type": "http", "config": EXAMPLE},
        {"type": "datastore", "datastoreId": datastore},
        {"type": "delayed_responses", "config": {"delay": 8}},
    ]

    agent = await run("create_agent", **an_agent(tools=drafts))

    assert [tool["type"] for tool in agent["tools"]] == ["http", "datastore", "delayed_responses"]
    assert agent["tools"] == await tools_of(run, agent["id"])


async def test_an_agent_does_not_start_with_tools_that_cannot_stand_together(run):
    with pytest.raises(Conflict):
        await run("create_agent", **an_agent(tools=[{"type": "request_human"}, {"type": "request_human"}]))

    assert (await run("list_agents"))["agents"] == []


# Changing and removing


async def test_changed_settings_are_the_new_whole_settings(run, agent, clock):
    made = await run("addHttpTool", agentId=agent, config={**EXAMPLE, "withApproval": True})
    clock.advance(minutes=1)
    new = {"name": "Ping", "description": "Pings.", "url": "https://api.example/ping"}

    after = await run("update_agent_tool", agentId=agent, toolId=made["id"], config=new)

    assert {name: after["config"][name] for name in new} == new
    assert (after["config"]["withApproval"], after["config"]["headers"]) == (False, [])
    assert (after["id"], after["updatedAt"]) == (made["id"], "2026-01-31T09:31:00.000Z")
    assert await tools_of(run, agent) == [after]


async def test_an_update_without_settings_keeps_settings_and_secrets(run, agent, engine):
    made = await run("addHttpTool", agentId=agent, config=a_request())
    secrets = await secrets_of(engine, made["id"])

    after = await run("update_agent_tool", agentId=agent, toolId=made["id"], isRaw=True)

    assert (after["isRaw"], after["config"]) == (True, made["config"])
    assert await secrets_of(engine, made["id"]) == secrets != []


async def test_a_tool_may_consult_another_datastore(run, agent, datastore):
    other = (await run("create_datastore", type="qdrant"))["id"]
    made = await run("addDatastoreTool", agentId=agent, datastoreId=datastore)

    after = await run("update_agent_tool", agentId=agent, toolId=made["id"], datastoreId=other)

    assert after["datastoreId"] == other


async def test_a_tool_keeps_its_kind(run, agent):
    made = await run("addRequestHumanTool", agentId=agent)

    with pytest.raises(InvalidInput, match="of type request_human"):
        await run("update_agent_tool", agentId=agent, toolId=made["id"], type="mark_as_resolved")


async def test_a_change_that_would_make_two_equal_tools_is_refused(run, agent):
    await run("addHttpTool", agentId=agent, config=EXAMPLE)
    other = await run("addHttpTool", agentId=agent, config={**EXAMPLE, "name": "Other"})

    with pytest.raises(Conflict):
        await run("update_agent_tool", agentId=agent, toolId=other["id"], config=EXAMPLE)

    assert [tool["config"]["name"] for tool in await tools_of(run, agent)] == [EXAMPLE["name"], "Other"]


async def test_a_removed_tool_is_gone_and_its_datastore_stays(run, agent, datastore):
    made = await run("addDatastoreTool", agentId=agent, datastoreId=datastore)

    removed = await run("remove_agent_tool", agentId=agent, toolId=made["id"])

    assert removed == {"success": True, "tool": made}
    assert await tools_of(run, agent) == []
    assert (await run("get_datastore", id=datastore))["id"] == datastore


@pytest.mark.parametrize("operation", ["get_agent_tool", "update_agent_tool", "remove_agent_tool"])
async def test_a_tool_is_not_reached_through_another_agent(run, agent, operation):
    made = await run("addRequestHumanTool", agentId=agent)
    other = (await run("create_agent", **an_agent()))["id"]

    with pytest.raises(NotFound) as refusal:
        await run(operation, agentId=other, toolId=made["id"])

    assert "list_agent_tools" in refusal.value.hint
    assert await tools_of(run, agent) == [made]


async def test_a_tool_added_after_one_was_removed_comes_last(run, agent):
    for name in ("one", "two", "three"):
        await run("addHttpTool", agentId=agent, config={**EXAMPLE, "name": name})
    first = (await tools_of(run, agent))[0]

    await run("remove_agent_tool", agentId=agent, toolId=first["id"])
    await run("addHttpTool", agentId=agent, config={**EXAMPLE, "name": "four"})

    assert [tool["config"]["name"] for tool in await tools_of(run, agent)] == ["two", "three", "four"]


# The final state, as update_agent sets it


async def test_tools_echoed_as_they_were_read_stay_as_they_are(run, agent, datastore, engine):
    await run("addHttpTool", agentId=agent, config=a_request())
    await run("addDatastoreTool", agentId=agent, datastoreId=datastore)
    for operation in ("addDelayedResponsesTool", "addRequestHumanTool", "addFollowUpMessagesTool"):
        await run(operation, agentId=agent, **ADDED[operation][1])
    before = (await run("get_agent", id=agent))["tools"]
    secrets = await secrets_of(engine, before[0]["id"])
    echoed = [{**tool, "datastore": {"id": "x", "_count": {}}, "form": None, "extra": 1} for tool in before]

    after = await run("update_agent", id=agent, tools=echoed)

    assert after["tools"] == before == await tools_of(run, agent)
    assert await secrets_of(engine, before[0]["id"]) == secrets != []


async def test_the_final_state_adds_changes_orders_and_removes(run, agent):
    one = await run("addHttpTool", agentId=agent, config={**EXAMPLE, "name": "one"})
    two = await run("addHttpTool", agentId=agent, config={**EXAMPLE, "name": "two"})
    await run("addRequestHumanTool", agentId=agent)
    renamed = {"id": one["id"], "type": "http", "config": {**one["config"], "name": "uno"}}

    await run("update_agent", id=agent, tools=[{"type": "mark_as_resolved"}, two, renamed])

    listed = await tools_of(run, agent)
    assert [tool["type"] for tool in listed] == ["mark_as_resolved", "http", "http"]
    assert [tool["id"] for tool in listed[1:]] == [two["id"], one["id"]]
    assert [tool["config"]["name"] for tool in listed[1:]] == ["two", "uno"]


async def test_a_known_tool_named_without_settings_keeps_them(run, agent, engine):
    kept = await run("addHttpTool", agentId=agent, config=a_request())
    delay = await run("addDelayedResponsesTool", agentId=agent, delay=8)
    await run("addRequestHumanTool", agentId=agent)
    secrets = await secrets_of(engine, kept["id"])
    listed = (await run("list_agents"))["agents"][0]["tools"]

    for echoed in ([{"id": tool["id"], "type": tool["type"]} for tool in listed], listed):
        after = await run("update_agent", id=agent, tools=echoed[:2])
        assert [tool["config"] for tool in after["tools"]] == [kept["config"], delay["config"]]

    assert await secrets_of(engine, kept["id"]) == secrets != []


async def test_a_new_tool_needs_its_settings_whatever_id_it_claims(run):
    with pytest.raises(InvalidInput, match=r"config\.name: is required"):
        await run("create_agent", **an_agent(tools=[{"id": "t1", "type": "http"}]))


async def test_no_tools_given_leaves_them_and_an_empty_list_removes_them(run, agent):
    await run("addRequestHumanTool", agentId=agent)

    assert len((await run("update_agent", id=agent, name="Bia"))["tools"]) == 1
    assert len((await run("update_agent", id=agent, tools=None))["tools"]) == 1
    assert (await run("update_agent", id=agent, tools=[]))["tools"] == []
    assert await tools_of(run, agent) == []


@pytest.mark.parametrize(
    ("tools", "error"),
    [
        (lambda tool: [tool, tool], InvalidInput),
        (lambda tool: [tool, {"type": "request_human"}], Conflict),
        (lambda tool: [{**tool, "id": "t404"}], NotFound),
        (lambda tool: [{**tool, "type": "mark_as_resolved"}], InvalidInput),
        (lambda tool: [tool, {"type": "datastore", "datastoreId": "d404"}], NotFound),
        (lambda tool: [tool, {"type": "http", "config": {}}], InvalidInput),
    ],
    ids=["an id twice", "two equal tools", "an unknown id", "another kind", "no datastore", "no settings"],
)
async def test_a_final_state_that_cannot_be_changes_nothing(run, agent, tools, error):
    tool = await run("addRequestHumanTool", agentId=agent)

    with pytest.raises(error):
        await run("update_agent", id=agent, name="Changed", tools=tools(tool))

    assert await tools_of(run, agent) == [tool]
    assert (await run("get_agent", id=agent))["name"] == "Ana"


async def secrets_of(engine, tool_id: str) -> list[str]:
    """The secrets that are stored for a tool, which no operation shows."""
    return await engine.ports.store.read(lambda tables: list(tables.tools.find(tool_id).secrets.values()))
