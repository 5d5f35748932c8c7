"""What goes over the wire: paths, queries, bodies and forms as the hosted service knows them."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

import pytest
from fake import AGENT, KEY, hosting, says

from vivavoce.errors import Conflict, NotAuthenticated, NotAvailable, NotFound, UpstreamFailed
from vivavoce.hosted.asking import file_upload, opened
from vivavoce.hosted.exchanges import ANSWER, WHOLE
from vivavoce.hosted.offered import OFFERED
from vivavoce.operations import CATALOGUE, OPERATOR, STRANGER
from vivavoce.operations.uploads import AddFile

STEP = {"id": "cstep", "name": "Offer", "scenarioId": "cs", "index": 0}
STORE = {"id": "cstore", "name": "Prices", "visibility": "public", "datasources": []}
SOURCE = {"id": "csource", "name": "a.txt", "type": "file", "status": "pending", "config": {}}
HTTP = {"name": "Order", "description": "Looks it up.", "url": "https://shop.example.com/o", "method": "GET"}


async def test_the_key_goes_along_as_a_bearer_token():
    async with hosting(says(200, [])) as fake:
        await fake.ask("list_agents")

    assert fake.calls == ["GET /agents"]
    assert fake.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert fake.requests[0].body == b""


async def test_one_connection_serves_one_call_after_another():
    async with hosting(says(200, [])) as fake:
        for _ in range(5):
            await fake.ask("list_agents")

    assert len(fake.lines) == 1


async def test_zero_false_and_nothing_arrive_as_they_are():
    async with hosting(says(200, AGENT), says(201, STEP), says(200, STORE), says(200, AGENT)) as fake:
        await fake.ask(
            "create_agent", name="Ana", description="", modelName="m", systemPrompt="", temperature=0
        )
        await fake.ask(
            "create_crm_step", scenarioId="cs", name="Offer", autoNextTime=0, isRequired=False, prompt=""
        )
        await fake.ask("create_datastore", type="qdrant", isPublic=False)
        await fake.ask("update_agent", id="cagent", temperature=0, handle=None, description="")

    assert [request.json for request in fake.requests] == [
        {"name": "Ana", "description": "", "modelName": "m", "systemPrompt": "", "temperature": 0},
        {"scenarioId": "cs", "name": "Offer", "autoNextTime": 0, "isRequired": False, "prompt": ""},
        {"type": "qdrant", "isPublic": False},
        {"temperature": 0, "handle": None, "description": ""},
    ]


async def test_what_is_left_out_is_not_sent():
    async with hosting(says(200, AGENT)) as fake:
        await fake.ask("update_agent", id="@ana", name="Ana")

    assert fake.calls == ["PATCH /agents/@ana"]
    assert fake.requests[0].json == {"name": "Ana"}


async def test_a_datasource_is_asked_for_with_the_datastore_that_it_is_in():
    async with hosting(says(200, SOURCE)) as fake:
        await fake.ask("get_datasource", id="csource", datastoreId="cstore")
        await fake.ask("get_datasource", id="csource")

    assert fake.calls == ["GET /datasources/csource?idstore=cstore", "GET /datasources/csource"]


@pytest.mark.parametrize("enabled", [True, False])
async def test_an_integration_is_switched_in_the_address(enabled):
    said = f"whatsapp webhook {'enabled' if enabled else 'disabled'}"
    async with hosting(says(200, said.join('""').encode())) as fake:
        switched = await fake.ask(
            "enable_disable_agent_integration", id="cagent", type="whatsapp", enabled=enabled
        )

    word = "true" if enabled else "false"
    assert fake.calls == [f"PATCH /agents/cagent/webhook?type=whatsapp&enabled={word}"]
    assert (switched.status, switched.enabled) == (said, enabled)


async def test_ids_of_scenarios_and_steps_stand_in_the_body():
    scenario = {"id": "cs", "name": "Sales"}
    async with hosting(
        says(200, {"message": "Scenario updated", "scenario": scenario}),
        says(200, {"message": "Scenario deleted", "scenario": scenario, "user": None}),
        says(200, STEP),
    ) as fake:
        await fake.ask("update_crm_scenario", id="cs", name="Sales")
        gone = await fake.ask("delete_crm_scenario", id="cs")
        await fake.ask("delete_crm_step", id="cstep")

    assert fake.calls == ["PUT /crm/scenario", "DELETE /crm/scenario", "DELETE /crm/step"]
    assert [request.json for request in fake.requests] == [
        {"id": "cs", "name": "Sales"},
        {"id": "cs"},
        {"id": "cstep"},
    ]
    assert gone.also_removed == {}


async def test_a_new_step_is_sent_flat_and_a_changed_one_nested():
    async with hosting(says(201, {**STEP, "zapiMessage": "Look!"}), says(200, STEP)) as fake:
        made = await fake.ask(
            "create_crm_step",
            scenarioId="cs",
            name="Offer",
            zapi={"message": "Look!", "phoneNumber": ""},
            whatsapp={"templateName": "offer"},
        )
        await fake.ask("update_crm_step", id="cstep", name="Offer", zapiMessage="Look!", whatsapp=None)

    assert [request.json for request in fake.requests] == [
        {
            "scenarioId": "cs",
            "name": "Offer",
            "zapiMessage": "Look!",
            "zapiPhoneNumber": "",
            "whatsappTemplateName": "offer",
        },
        {"id": "cstep", "name": "Offer", "zapi": {"message": "Look!"}, "whatsapp": None},
    ]
    assert made.zapi.message == "Look!"


async def test_a_text_goes_out_as_the_file_of_a_form():
    async with hosting(says(200, SOURCE)) as fake:
        made = await fake.ask("create_datasource", datastoreId="cstore", name="preços.txt", text="One: 1 €")

    (request,) = fake.requests
    assert request.headers["content-type"].startswith("multipart/form-data; boundary=")
    for field in (
        b'name="datastoreId"\r\n\r\ncstore',
        b'name="type"\r\n\r\nfile',
        b"One: 1 \xe2\x82\xac\r\n",
    ):
        assert field in request.body
    assert 'name="fileName"\r\n\r\npreços.txt'.encode() in request.body
    assert b"Content-Type: text/plain" in request.body
    assert made.datastore_id == "cstore"


async def test_a_file_goes_out_as_it_is(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7 \xff\x00")
    config = {"mime_type": "application/pdf", "custom_id": "mine"}
    async with hosting(says(200, SOURCE)) as fake:
        op = AddFile(datastore_id="cstore", name="a.pdf", file=path, config=config)
        await fake.backend.run(op, OPERATOR)
        with pytest.raises(NotAvailable, match="no tags"):
            await fake.backend.run(op.model_copy(update={"config": {"tags": ["x"]}}), OPERATOR)

    (request,) = fake.requests
    assert b"Content-Type: application/pdf\r\n\r\n%PDF-1.7 \xff\x00\r\n" in request.body
    assert b'name="custom_id"\r\n\r\nmine' in request.body


def test_a_file_has_more_time_than_another_call(tmp_path):
    file = tmp_path / "hours.txt"
    file.write_bytes(b"Open from 9 to 18.")
    op = AddFile(datastore_id="cstore", name="hours.txt", file=file)

    with opened(op) as contents:
        assert file_upload(op, contents).seconds == ANSWER > WHOLE


async def test_what_a_form_cannot_say_goes_out_as_json():
    async with hosting(says(200, SOURCE)) as fake:
        await fake.ask(
            "create_datasource",
            datastoreId="cstore",
            name="Returns",
            text="",
            type="qa",
            config={"question": "May I?", "answer": "Yes."},
        )
        await fake.ask("create_datasource", id="csource", datastoreId="cstore", name="a.txt", text="New.")

    assert [request.json for request in fake.requests] == [
        {
            "datastoreId": "cstore",
            "name": "Returns",
            "type": "qa",
            "config": {"question": "May I?", "answer": "Yes."},
        },
        {
            "id": "csource",
            "datastoreId": "cstore",
            "name": "a.txt",
            "type": "file",
            "datasourceText": "New.",
            "isUpdateText": True,
            "config": {"mime_type": "text/plain"},
        },
    ]


async def test_a_datastore_does_not_become_private_unasked():
    async with hosting(says(200, STORE)) as fake:
        await fake.ask("update_datastore", id="cstore", name="Prices 2")
        await fake.ask("update_datastore", id="cstore", isPublic=False)

    assert fake.calls[0] == "GET /datastores/cstore?limit=1"
    assert [request.json for request in fake.requests[1:]] == [
        {"name": "Prices 2", "isPublic": True},
        {"isPublic": False},
    ]


async def test_words_to_find_are_asked_of_the_route_that_knows_passages():
    chunk = {"text": "Two: 2 €", "score": 0.9, "datasource_id": "csource", "datasource_name": "a.txt"}
    async with hosting(says(200, STORE), says(200, [chunk])) as fake:
        found = await fake.ask("get_datastore", id="cstore", search="two")

    assert fake.calls == ["GET /datastores/cstore?search=two", "POST /datastores/cstore/query"]
    assert fake.requests[1].json == {"query": "two"}
    assert [(chunk.text, chunk.source) for chunk in found.chunks] == [("Two: 2 €", None)]


async def test_a_part_of_the_agents_is_cut_out_of_the_whole_list():
    agents = [{**AGENT, "id": f"c{number}"} for number in range(5)]
    async with hosting(says(200, agents)) as fake:
        part = await fake.ask("list_agents", limit=2, offset=1)

    assert fake.calls == ["GET /agents"]
    assert [agent.id for agent in part.agents] == ["c1", "c2"]


async def test_a_list_may_be_wrapped_and_a_tool_need_not_say_whose_it_is():
    agent = {**AGENT, "organizationId": "o1", "tools": [{"id": "t1", "type": "mcp_server"}], "new": {"a": 1}}
    async with hosting(says(200, {"data": [agent], "pagination": {}})) as fake:
        (shown,) = (await fake.ask("list_agents")).agents

    (tool,) = shown.tools
    assert (tool.type, tool.agent_id, tool.organization_id) == ("mcp_server", "cagent", "o1")
    json.dumps(shown.model_dump(mode="json"))


async def test_a_tool_is_added_in_one_step():
    tool = {"id": "t9", "type": "http", "config": HTTP}
    async with hosting(says(201, tool)) as fake:
        added = await fake.ask("addHttpTool", agentId="cagent", config=HTTP)

    assert fake.calls == ["POST /api/agents/cagent/tools"]
    assert fake.requests[0].json["type"] == "http"
    assert fake.requests[0].json["config"].items() >= HTTP.items()
    assert (added.id, added.agent_id) == ("t9", "cagent")


async def test_the_path_without_api_is_tried_where_the_other_leads_nowhere():
    async with hosting(says(404, "<html>"), says(200, [])) as fake:
        await fake.ask("list_agent_tools", agentId="cagent")

    assert fake.calls == ["GET /api/agents/cagent/tools", "GET /agents/cagent/tools"]


@pytest.mark.parametrize("status", [404, 405])
async def test_without_a_route_for_tools_the_agent_is_changed_and_looked_at(status):
    before = [{"id": "t1", "type": "datastore", "datastoreId": "d1", "datastore": {"name": "x"}}]
    after = [*before, {"id": "t2", "type": "delayed_responses", "config": {"delay": 8}}]
    async with hosting(
        *(says(status), says(status)),
        *(says(200, {**AGENT, "tools": before}), says(200, AGENT), says(200, {**AGENT, "tools": after})),
    ) as fake:
        added = await fake.ask("addDelayedResponsesTool", agentId="cagent", delay=8)

    assert [call.partition(" ")[0] for call in fake.calls] == ["POST", "POST", "GET", "PATCH", "GET"]
    assert fake.requests[3].json == {
        "tools": [*before, {"type": "delayed_responses", "config": {"delay": 8}}]
    }
    assert (added.id, added.config) == ("t2", {"delay": 8})


async def test_a_change_that_lost_a_tool_is_told():
    before = [{"id": "t1", "type": "request_human"}]
    after = [{"id": "t2", "type": "mark_as_resolved"}]
    async with hosting(
        *(says(404), says(404)),
        *(says(200, {**AGENT, "tools": before}), says(200, AGENT), says(200, {**AGENT, "tools": after})),
    ) as fake:
        with pytest.raises(UpstreamFailed, match="not what they should be"):
            await fake.ask("addMarkAsResolvedTool", agentId="cagent")


async def test_a_tool_is_not_added_to_an_agent_that_is_not_there():
    async with hosting(says(404, {"error": "NOT_FOUND"})) as fake:
        with pytest.raises(NotFound):
            await fake.ask("addRequestHumanTool", agentId="nobody")

    assert [call.partition(" ")[0] for call in fake.calls] == ["POST", "POST", "GET"]


async def test_a_removed_tool_is_shown_as_it_was():
    tool = {"id": "t1", "type": "request_human"}
    async with hosting(says(200, tool), says(200, {"success": True})) as fake:
        removed = await fake.ask("remove_agent_tool", agentId="cagent", toolId="t1")

    assert fake.calls[1] == "DELETE /api/agents/cagent/tools/t1"
    assert (removed.tool.type, removed.tool.agent_id) == ("request_human", "cagent")


async def test_conversations_are_filtered_in_the_address():
    cursor = json.dumps({"lastCreatedAt": "2026-01-31T09:30:00.000Z", "lastId": "c1"})
    async with hosting(says(200, []), says(200, {"contacts": []})) as fake:
        await fake.ask("list_conversations", unread=False, limit=5, createdAt="2026-01-31", cursor=cursor)
        await fake.ask("list_contacts", tags=["a b", "c"], hasEmail=False)

    assert "unread=false" in fake.requests[0].query
    assert "createdAt=2026-01-31T00%3A00%3A00Z" in fake.requests[0].query
    assert "cursor=%7B%22lastCreatedAt%22" in fake.requests[0].query
    asked = parse_qsl(fake.requests[1].query)
    assert sorted(asked) == [("hasEmail", "false"), ("tags[]", "a b"), ("tags[]", "c")]


async def test_a_conversation_of_the_hosted_service_is_read():
    shown = {
        "id": "c1",
        "channel": "somewhere_new",
        "status": "UNRESOLVED",
        "priority": "MEDIUM",
        "isAiEnabled": True,
        "tags": [{"tag": "vip"}, {"tag": {"id": "t", "name": "late"}}],
        "participantsContacts": [{"id": "p", "firstName": None, "createdAt": "2026-01-31T09:30:00Z"}],
        "conversationContexts": [{"context": None, "updatedAt": "2026-01-31T09:30:00Z"}],
        "assignees": [{"user": {"id": "u", "name": None, "email": "a@b.c"}}],
        "createdAt": "2026-01-31T09:30:00.000Z",
        "updatedAt": "2026-01-31T09:30:00.000Z",
    }
    async with hosting(says(200, shown)) as fake:
        talk = await fake.ask("get_conversation", conversationId="c1")

    assert [tag.tag for tag in talk.tags] == ["vip", "late"]
    assert talk.participants_contacts[0].first_name == ""
    assert talk.assignees[0].user.name == ""


async def test_what_the_hosted_service_does_not_know_is_refused_rather_than_dropped():
    async with hosting(says(200, AGENT)) as fake:
        with pytest.raises(NotAvailable, match="no monthlyBudget"):
            await fake.ask("update_agent", id="cagent", monthlyBudget=5)
        with pytest.raises(NotAvailable, match="no isTest"):
            await fake.ask("agent_query", id="cagent", query="Hi", isTest=True)
        await fake.ask("update_agent", id="cagent", monthlyBudget=None, temperature=1)

    assert [request.json for request in fake.requests] == [{"temperature": 1}]


async def test_an_agent_that_is_null_is_not_there():
    async with hosting(says(200, b"null")) as fake:
        with pytest.raises(NotFound, match="no such thing"):
            await fake.ask("get_agent", id="nobody")


async def test_a_budget_of_nothing_is_not_dropped_either():
    async with hosting(says(200, AGENT)) as fake:
        with pytest.raises(NotAvailable, match="no monthlyBudget"):
            await fake.ask("update_agent", id="cagent", monthlyBudget=0)


async def test_what_is_not_offered_is_refused_and_sent_nowhere():
    refused = set(CATALOGUE) - OFFERED
    async with hosting(says(200, {})) as fake:
        assert {name for name, kind in CATALOGUE.items() if not fake.backend.supports(kind)} == refused
        with pytest.raises(NotAvailable, match="hosted service cannot list_avatars"):
            await fake.ask("list_avatars")

    assert fake.requests == []


def test_all_tools_of_the_spec_are_offered():
    named = {
        *("create_agent", "update_agent", "delete_agent", "list_agents", "get_agent", "agent_query"),
        *("enable_disable_agent_integration", "addHttpTool", "addDatastoreTool", "addDelayedResponsesTool"),
        *("addRequestHumanTool", "addMarkAsResolvedTool", "addFollowUpMessagesTool", "getDocumentation"),
        *("create_crm_scenario", "update_crm_scenario", "delete_crm_scenario", "list_crm_scenarios"),
        *("create_crm_step", "update_crm_step", "delete_crm_step", "list_crm_steps"),
        *("create_datastore", "get_datastore", "list_datastores", "create_datasource"),
    }

    assert len(named) == 26
    assert named <= OFFERED


async def test_a_caller_without_the_scope_is_turned_away_before_anything_is_sent():
    async with hosting(says(200, [])) as fake:
        with pytest.raises(NotAuthenticated, match="needs a valid API key"):
            await fake.ask("list_agents", caller=STRANGER)

    assert fake.requests == []


async def test_a_refusal_with_our_own_words_keeps_them():
    body = {"error": "CONFLICT", "message": "It is taken.", "hint": "Choose another."}
    async with hosting(says(409, body)) as fake:
        with pytest.raises(Conflict) as raised:
            await fake.ask("update_agent", id="cagent", handle="taken")

    assert str(raised.value) == "It is taken. Choose another."
