"""A workspace with one of everything in it, and arguments for every operation on it."""

from typing import Any

CANARY = "canary-7f3a9c"
"""Stands in every place that is secret, and must never be read again."""

DELETES_LAST = (
    *("remove_agent_tool", "delete_crm_step", "delete_crm_scenario", "delete_datasource"),
    *("delete_datastore", "delete_agent", "revoke_key"),
)


async def populated(run) -> dict[str, str]:
    """Make one of everything; the ids by what they stand for."""
    datastore = await run("create_datastore", type="qdrant", name="Manuals")
    datasource = await run(
        "create_datasource",
        datastoreId=datastore["id"],
        name="one.txt",
        text="Turn it on.",
        config={"source_url": f"https://docs.example/one?token={CANARY}", "apiKey": CANARY},
    )
    agent = await run(
        "create_agent",
        **an_agent(),
        handle="ana",
        visibility="public",
        configUrlExternal={"url": f"https://crm.example?token={CANARY}", "header": CANARY},
        interfaceConfig={"apiKey": CANARY},
        configUrlInfosSystemExternal={"url_webhook_external": "https://hooks.example", "headerKey": CANARY},
    )
    tool = await run("addHttpTool", agentId=agent["id"], config=a_request())
    library = await run("create_datastore", type="qdrant", name="Library")
    await run("addDatastoreTool", agentId=agent["id"], datastoreId=library["id"])
    await run("enable_disable_agent_integration", id=agent["id"], type="telegram", enabled=True)
    scenario = await run("create_crm_scenario", name="Sale", description="From contact to sale.")
    step = await run(
        "create_crm_step",
        scenarioId=scenario["id"],
        name="New",
        trigger="Somebody writes.",
        agentId=agent["id"],
        webhookUrl=f"https://hooks.example?sig={CANARY}",
        webhookHeader={"X-Any": CANARY},
    )
    key = await run("create_key", name="console", scopes=["read"])
    return {
        "agent": agent["id"],
        "tool": tool["id"],
        "datastore": datastore["id"],
        "datasource": datasource["id"],
        "document": await document_of(run, datasource["id"]),
        "scenario": scenario["id"],
        "step": step["id"],
        "key": key["id"],
    }


async def document_of(run, datasource_id: str, state: str = "current") -> str | None:
    """The id of the version of a datasource that is in this state."""
    find = run.engine.ports.store.read
    found = await find(lambda tables: tables.documents.of(datasource_id, state))
    return None if found is None else found.id


def arguments_for_all(ids: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Arguments with which each operation succeeds on a populated workspace, deletions last."""
    agent, on_agent, on_tool = (
        {"id": ids["agent"]},
        {"agentId": ids["agent"]},
        {"agentId": ids["agent"], "toolId": ids["tool"]},
    )
    messages = {"messages": "Still there? || Goodbye.", "max_sends": 2, "interval_hours": 24}
    every = {
        "create_agent": an_agent(name="Bia"),
        "update_agent": agent | {"temperature": 0.5},
        "delete_agent": agent,
        "list_agents": {},
        "get_agent": agent,
        "agent_query": agent | {"query": "Hello?"},
        "enable_disable_agent_integration": agent | {"type": "whatsapp", "enabled": True},
        "addHttpTool": on_agent | {"config": a_request(name="Find order")},
        "addDatastoreTool": on_agent | {"datastoreId": ids["datastore"]},
        "addDelayedResponsesTool": on_agent | {"delay": 8},
        "addRequestHumanTool": on_agent,
        "addMarkAsResolvedTool": on_agent,
        "addFollowUpMessagesTool": on_agent | {"config": messages},
        "add_agent_tool": on_agent | {"type": "form", "formId": "f1"},
        "list_agent_tools": on_agent,
        "get_agent_tool": on_tool,
        "update_agent_tool": on_tool | {"config": a_request(name="Get order again")},
        "remove_agent_tool": on_tool,
        "create_crm_scenario": {"name": "Support"},
        "update_crm_scenario": {"id": ids["scenario"], "name": "Sales"},
        "delete_crm_scenario": {"id": ids["scenario"]},
        "list_crm_scenarios": {},
        "create_crm_step": {"scenarioId": ids["scenario"], "name": "Won", "prompt": "Congratulate."},
        "update_crm_step": {"id": ids["step"], "name": "First contact"},
        "delete_crm_step": {"id": ids["step"]},
        "list_crm_steps": {"scenarioId": ids["scenario"]},
        "create_datastore": {"type": "qdrant"},
        "update_datastore": {"id": ids["datastore"], "description": "All manuals."},
        "delete_datastore": {"id": ids["datastore"]},
        "get_datastore": {"id": ids["datastore"]},
        "list_datastores": {},
        "page_datastores": {},
        "create_datasource": {"datastoreId": ids["datastore"], "name": "two.txt", "text": "Turn it off."},
        "list_datasources": {"datastoreId": ids["datastore"]},
        "get_datasource": {"id": ids["datasource"]},
        "synch_datasource": {"id": ids["datasource"]},
        "query_datastore": {"id": ids["datastore"], "query": "How do I turn it on?"},
        "read_document": {"documentId": ids["document"]},
        "delete_datasource": {"id": ids["datasource"]},
        "getDocumentation": {"docType": "tools"},
        "create_key": {"name": "phone"},
        "list_keys": {},
        "revoke_key": {"id": ids["key"]},
    }
    return {name: every[name] for name in sorted(every, key=_late)}


def an_agent(**more: Any) -> dict[str, Any]:
    """What every new agent needs."""
    known = {"name": "Ana", "description": "Answers.", "modelName": "gpt_4_o", "systemPrompt": "Be kind."}
    return {**known, **more}


def a_request(**more: Any) -> dict[str, Any]:
    """The settings of an HTTP tool with secrets in every place that can hold one."""
    return {
        "name": "Get order",
        "description": "Shows an order.",
        "url": f"https://api.example/{{shop}}/orders?access_token={CANARY}",
        "method": "POST",
        "headers": [{"key": "Authorization", "value": f"Bearer {CANARY}"}, {"key": "X-Any", "value": CANARY}],
        "pathVariables": [{"key": "shop", "isUserProvided": True}],
        "queryParameters": [{"key": "apiKey", "value": CANARY}],
        "body": [{"key": "password", "value": CANARY}],
        **more,
    }


def _late(name: str) -> int:
    return DELETES_LAST.index(name) if name in DELETES_LAST else -1
