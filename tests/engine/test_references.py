"""Whatever refers to something that is not there is refused, with the operation that shows what is."""

import re

import pytest

from vivavoce.errors import NotFound
from vivavoce.operations import CATALOGUE

from .workspaces import a_request, an_agent, arguments_for_all, populated

MISSING = {
    kind: f"{kind}404"
    for kind in (
        *("agent", "tool", "datastore", "datasource", "document", "scenario", "step", "key"),
        *("conversation", "message", "contact", "note", "tag", "approval", "avatar", "answer"),
        *("twin", "gone", "log", "otherTalk", "channel", "arrival", "delivery", "failed", "barred"),
    )
}
NAMING_NOTHING = {
    *("create_avatar", "list_avatars", "list_deliveries", "list_failed_answers"),
    *("list_models", "list_providers", "set_provider", "remove_provider"),
    *("list_conversations", "list_contacts", "list_tags", "create_tag", "list_approvals"),
    *("export_conversations", "create_contacts", "import_contacts", "export_contacts"),
    "list_blacklist",
    *("create_agent", "list_agents", "create_crm_scenario", "list_crm_scenarios", "list_conversation_logs"),
    *(
        "create_datastore",
        "list_datastores",
        "page_datastores",
        "getDocumentation",
        "create_key",
        "list_keys",
    ),
}


@pytest.mark.parametrize("operation", sorted(CATALOGUE.keys() - NAMING_NOTHING))
async def test_an_operation_on_a_missing_thing_is_refused_with_the_next_step(run, operation):
    await populated(run)

    with pytest.raises(NotFound) as refusal:
        await run(operation, **arguments_for_all(MISSING)[operation])

    assert re.search(r"'\w+404'", refusal.value.message)
    assert names_an_operation(refusal.value.hint)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("create_agent", lambda ids: an_agent(tools=[{"type": "datastore", "datastoreId": "x404"}])),
        (
            "update_agent",
            lambda ids: {"id": ids["agent"], "tools": [{"type": "datastore", "datastoreId": "x404"}]},
        ),
        (
            "update_agent",
            lambda ids: {"id": ids["agent"], "tools": [{"id": "x404", "type": "request_human"}]},
        ),
        ("addDatastoreTool", lambda ids: {"agentId": ids["agent"], "datastoreId": "x404"}),
        ("get_agent_tool", lambda ids: {"agentId": ids["agent"], "toolId": "x404"}),
        ("update_agent_tool", lambda ids: {"agentId": ids["agent"], "toolId": "x404", "config": a_request()}),
        ("remove_agent_tool", lambda ids: {"agentId": ids["agent"], "toolId": "x404"}),
        ("create_crm_step", lambda ids: {"scenarioId": ids["scenario"], "name": "x", "agentId": "x404"}),
        (
            "create_crm_step",
            lambda ids: {"scenarioId": ids["scenario"], "name": "x", "autoNextStepId": "x404"},
        ),
        (
            "create_crm_step",
            lambda ids: {"scenarioId": ids["scenario"], "name": "x", "zapi": {"agentId": "x404"}},
        ),
        ("update_crm_step", lambda ids: {"id": ids["step"], "name": "x", "agentId": "x404"}),
        (
            "update_crm_step",
            lambda ids: {"id": ids["step"], "name": "x", "whatsapp": {"templateAgentId": "x404"}},
        ),
        ("list_crm_scenarios", lambda ids: {"agentId": "x404"}),
        ("list_crm_steps", lambda ids: {"scenarioId": ids["scenario"], "agentId": "x404"}),
        ("get_agent", lambda ids: {"id": "@x404"}),
    ],
)
async def test_an_argument_that_names_a_missing_thing_is_refused_and_nothing_changes(
    run, operation, arguments
):
    ids = await populated(run)
    before = await everything(run, ids)

    with pytest.raises(NotFound, match="x404") as refusal:
        await run(operation, **arguments(ids))

    assert names_an_operation(refusal.value.hint)
    assert await everything(run, ids) == before


@pytest.mark.parametrize("kind", ["tool", "datastore", "datasource", "scenario", "step", "key"])
async def test_an_id_of_another_kind_is_as_good_as_missing(run, kind):
    ids = await populated(run)

    with pytest.raises(NotFound):
        await run("get_agent", id=ids[kind])
    with pytest.raises(NotFound):
        await run("delete_agent", id=ids[kind])


def names_an_operation(hint: str) -> bool:
    return any(word.strip(".,") in CATALOGUE for word in hint.split()) or "vivavoce keys list" in hint


async def everything(run, ids: dict[str, str]) -> list[dict]:
    return [
        await run("list_agents"),
        await run("get_agent", id=ids["agent"]),
        await run("list_crm_scenarios"),
        await run("list_crm_steps", scenarioId=ids["scenario"]),
        await run("list_datastores"),
        await run("get_datastore", id=ids["datastore"]),
    ]
