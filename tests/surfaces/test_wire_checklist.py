"""The checklist of the wire, line by line: what holds so that programs for the hosted service work here."""

from __future__ import annotations

import json
from contextlib import contextmanager
from urllib.parse import unquote

import httpx2
import pytest
import wire as wires
from doors import rest_door
from script import HTTP_TOOL, carried_out
from serving import key_for, served, settings_in
from starlette.testclient import TestClient
from wire import HOOK

from vivavoce.surfaces.http import application

NEW = {"name": "Ana", "description": "d", "modelName": "gpt_4o", "systemPrompt": "p"}
MESSAGE = {
    *("id", "text", "html", "from", "conversationId", "sources", "usage", "externalId", "userId"),
    *("contactId", "visitorId", "agentId", "metadata", "inputId", "eval", "read", "agentModel"),
    *("usageCredits", "createdAt", "updatedAt"),
}
"""The keys of a message, null or not."""
CONVERSATION = {
    *("id", "title", "isAiEnabled", "channel", "status", "priority", "blocked", "isGroup"),
    *("unreadMessagesCount", "metadata", "channelCredentialsId", "organizationId", "mailInboxId"),
    *("formId", "agentId", "userId", "visitorId", "aiUserIdentifier", "whatsappChatLid"),
    *("npsRating", "npsComment", "npsStartedAt", "npsCompletedAt"),
    *("createdAt", "updatedAt", "lastHumanInteractionAt"),
    *("participantsContacts", "conversationVariables", "conversationContexts", "assignees", "tags"),
    *("ctwaAttributions", "crmScenarioConversations"),
}
"""The keys of a conversation, null or not; two others are there only where they are known."""
ALWAYS = {
    *("eventType", "conversationId", "agentId", "agentName", "channel", "conversationStatus"),
    *("conversationPriority", "isAiEnabled", "organizationId"),
}
"""The fields of every event."""
MESSAGE_EVENTS = {
    *("AGENT_USER_MESSAGE", "USER_MESSAGE_RECEIVED", "AGENT_MESSAGE_SENDED", "AGENT_MESSAGE_FOLLOW_UP"),
    *("AGENT_MESSAGE_NOTED", "GROUP_MESSAGE_RECEIVED"),
}
EVENTS = MESSAGE_EVENTS | {"AGENT_MESSAGE_BLOCKED", "STEP_ENTERED", "NPS_INTERACTION"}


@pytest.fixture
async def wire(tmp_path):
    """A server whose agent says Nine."""
    async with wires.opened(tmp_path) as opened:
        yield opened


@contextmanager
def keyed(folder):
    """A server that has a key, as a client that shows none by itself, and the header that shows it."""
    settings = settings_in(folder)
    made = key_for(settings, "read", "write", "send", "admin").key
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as client:
        yield client, {"Authorization": f"Bearer {made}"}


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    with keyed(tmp_path_factory.mktemp("keyed")) as known:
        yield known


@pytest.fixture
def agent(client):
    return client.post("/agents", json=NEW).json()["id"]


@pytest.fixture
def talk(client, agent):
    """The id of a conversation with that agent."""
    return client.post(f"/agents/{agent}/query", json={"query": "Hello"}).json()["conversationId"]


# 1: bearer keys, public agents


def test_a_key_is_a_bearer_token_and_a_public_agent_is_read_and_asked_without_one(key):
    client, bearer = key
    tools = [{"type": "http", "config": HTTP_TOOL}]
    private = client.post("/agents", json=NEW, headers=bearer).json()["id"]
    public = client.post(
        "/agents", json={**NEW, "visibility": "public", "handle": "front", "tools": tools}, headers=bearer
    ).json()["id"]

    assert client.get("/agents").status_code == 403
    assert client.get("/agents", headers={"Authorization": "Bearer nonsense"}).status_code == 403
    assert client.get("/agents", headers={"Authorization": bearer["Authorization"][7:]}).status_code == 403
    assert client.get(f"/agents/{private}").status_code == 403
    assert client.get(f"/agents/{private}", headers=bearer).status_code == 200
    for ref in (public, "@front"):
        shown = client.get(f"/agents/{ref}").json()
        assert (shown["id"], [tool["config"] for tool in shown["tools"]]) == (public, [{}])
    assert client.post(f"/agents/{public}/query", json={"query": "Hi"}).json()["answer"]


# 2: paths


def test_every_path_answers_below_api_and_with_either_word_for_conversations(client, talk):
    paths = [f"/conversation/{talk}", f"/conversation/{talk}/messages/2", f"/conversation/{talk}/tags"]
    bodies = {
        path: [
            client.get(prefix + path.replace("/conversation", noun, 1)).json()
            for prefix in ("", "/api")
            for noun in ("/conversation", "/conversations")
        ]
        for path in paths
    }
    served = {
        (method, path)
        for path, methods in client.get("/openapi.json").json()["paths"].items()
        for method in methods
        if "{avatarId}" not in path
    }

    for answers in bodies.values():
        for answer in answers[1:]:
            assert answer.items() >= answers[0].items()
    for method, path in served:
        at = path.format_map(Nowhere())
        for other in (f"/api{at}", *_respelled(at)):
            assert client.request(method, other).text != '{"error":"NOT_FOUND","message":"Not Found"}', other
            assert client.request(method, other).status_code != 405, other


class Nowhere(dict):
    """Fills a path with an id that names nothing."""

    def __missing__(self, name: str) -> str:
        return "1" if name == "count" else "nothing"


def _respelled(path: str) -> list[str]:
    nouns = ("/conversation", "/conversations")
    return [
        other + path.removeprefix(noun)
        for noun, other in (nouns, nouns[::-1])
        if f"{path}/".startswith(f"{noun}/")
    ]


# 3: bodies


async def test_every_success_is_json_but_for_the_two_deletions_that_say_nothing(tmp_path):
    answers: list[httpx2.Response] = []

    async def noted(response: httpx2.Response) -> None:
        answers.append(response)

    with served(settings_in(tmp_path)) as address:
        hooks = {"response": [noted]}
        async with httpx2.AsyncClient(
            base_url=address, timeout=60, trust_env=False, event_hooks=hooks
        ) as http:
            await carried_out(rest_door(http))
            described = (await http.get("/openapi.json")).json()["paths"]

    silent = {(a.request.method, a.url.path.split("/")[1]) for a in answers if a.status_code == 204}
    spoken = [a for a in answers if a.is_success and a.status_code != 204]
    assert silent == {("DELETE", "conversations"), ("DELETE", "agent-blacklist")}
    assert {answer.headers["content-type"] for answer in spoken} == {"application/json"}
    assert all(json.loads(answer.content) is not None for answer in spoken)
    assert len(spoken) > 150
    assert {
        path for path, methods in described.items() for of in methods.values() if "204" in of["responses"]
    } == {
        "/conversations/{conversationId}/notes/{noteId}",
        "/agent-blacklist/{agentId}",
    }


# 4: lists


def test_agents_and_datastores_are_bare_arrays(client, agent, store):
    agents, datastores = client.get("/agents").json(), client.get("/datastores").json()

    assert (type(agents), agents[0]["id"]) == (list, agent)
    assert (type(datastores), datastores[0]["id"]) == (list, store["id"])


# 5: tools of a patch


def test_the_tools_of_a_patch_are_the_final_state_also_as_clients_send_them_back(client, agent, store):
    path = f"/agents/{agent}"

    def echoed():
        tools = client.get(path).json()["tools"]
        return [{**tool, "datastore": {"id": "x", "_count": {}}, "form": None} for tool in tools]

    one = client.patch(path, json={"tools": [*echoed(), {"type": "http", "config": HTTP_TOOL}]}).json()
    two = client.patch(
        path, json={"tools": [*echoed(), {"type": "datastore", "datastoreId": store["id"]}]}
    ).json()
    untouched = client.patch(path, json={"name": "Bia"}).json()
    last = client.patch(path, json={"tools": echoed()[1:]}).json()

    assert [tool["type"] for tool in two["tools"]] == ["http", "datastore"]
    assert two["tools"][0]["id"] == one["tools"][0]["id"]
    assert [tool["id"] for tool in untouched["tools"]] == [tool["id"] for tool in two["tools"]]
    assert [tool["id"] for tool in last["tools"]] == [two["tools"][1]["id"]]


# 6: ids in the bodies of deletions


def test_deletions_of_the_crm_and_of_the_whitelist_read_what_to_delete_from_the_body(client, agent):
    scenario = client.post("/crm/scenario", json={"name": "Sale"}).json()["id"]
    step = client.post("/crm/step", json={"scenarioId": scenario, "name": "New", "prompt": "p"}).json()["id"]
    listed = f"/agent-whitelist-whatsapp/{agent}"
    client.post(
        "/agent-whitelist-whatsapp", json={"agentId": agent, "whatsappNumber": ["5511999", "5511888"]}
    )

    gone_step = client.request("DELETE", "/crm/step", json={"id": step})
    gone = client.request("DELETE", "/crm/scenario", json={"id": scenario})
    off = client.request("DELETE", listed, json={"whatsappNumber": "5511999"})

    assert (gone_step.status_code, gone_step.json()["id"]) == (200, step)
    assert (gone.status_code, gone.json()["message"]) == (200, "Scenario deleted")
    assert (off.status_code, list(off.json())) == (200, ["message"])
    assert client.get(listed).json() == [{"agentId": agent, "whatsappNumber": "5511888"}]
    assert client.request("DELETE", listed, json={"whatsappNumber": "5511999"}).status_code == 404


def test_access_lists_are_kept_in_the_shapes_of_the_wire(client, agent):
    given = {"agentId": agent, "userIdentify": ["eve@example.com", "5511777"]}
    added = client.post("/agent-blacklist", json=given).json()
    numbers = {"agentId": agent, "whatsappNumber": "5511999"}
    changed = {"oldWhatsappNumber": "5511999", "newWhatsappNumber": "5511888"}

    assert [entry["userIdentify"] for entry in added] == given["userIdentify"]
    assert added[0].keys() == {"id", "agentId", "userIdentify", "organizationId", "agent"}
    assert added[0]["agent"].items() >= {"id": agent, "name": "Ana"}.items()
    assert client.get(f"/agent-blacklist/{agent}").json() == added
    assert [entry for entry in client.get("/agent-blacklist").json() if entry["agentId"] == agent] == added
    off = client.delete(f"/agent-blacklist/{agent}", params={"id": added[0]["id"]})
    assert (off.status_code, off.content) == (204, b"")
    assert client.delete(f"/agent-blacklist/{agent}", params={"id": added[0]["id"]}).status_code == 404
    assert client.post("/agent-whitelist-whatsapp", json=numbers).json() == [numbers]
    assert client.post("/agent-whitelist-whatsapp", json=numbers).status_code == 409
    path = f"/agent-whitelist-whatsapp/{agent}"
    assert client.patch(path, json=changed).json() == {**numbers, "whatsappNumber": "5511888"}
    assert client.patch(path, json=changed).status_code == 404


# 7: files


@pytest.mark.parametrize(
    "name", ["Opening hours", "Preços / 2026?", "notes.txt", "a.b.c", "été — 你好.unknown"]
)
def test_a_text_in_a_form_has_any_name(client, store, name):
    form = {"datastoreId": store["id"], "type": "file", "fileName": name, "custom_id": "mine"}
    files = {"file": (name, b"We open at nine.", "text/plain")}

    answer = client.post("/datasources", data=form, files=files)

    assert answer.status_code == 200
    made = answer.json()
    assert (made["name"], made["type"], made["status"]) == (name, "file", "pending")
    assert client.get(f"/datasources/{made['id']}", params={"idstore": store["id"]}).json()["name"] == name


# 8: queries


async def test_a_query_is_answered_at_once_as_a_stream_later_or_not_at_all(wire):
    agent = await wire.agent()
    path, back = f"/agents/{agent}/query", "https://caller.example/back"
    whole = await wire.ask("POST", path, {"query": "When?", "conversationId": "", "visitorId": "v1"})
    on = {"conversationId": whole["conversationId"], "visitorId": "v1"}

    streamed = await wire.http.post(path, json={**on, "query": "When?", "streaming": True})
    accepted = await wire.ask("POST", path, {**on, "query": "When?", "callbackURL": back}, status=202)
    await wire.later()
    off = await wire.ask(
        "POST", f"/conversations/{on['conversationId']}/set-ai-enabled", {"enabled": "false"}
    )
    silent = await wire.ask("POST", path, {**on, "query": "Anyone?"})

    assert whole.keys() >= {"answer", "conversationId", "visitorId", "messageId", "sources", "metadata"}
    assert (whole["answer"], whole["visitorId"]) == ("Nine.", "v1")
    assert streamed.headers["content-type"] == "text/event-stream"
    events = [frame.partition("\n") for frame in streamed.text.strip().split("\n\n")]
    assert [name.removeprefix("event: ") for name, _, _ in events] == ["answer", "endpoint_response", ""]
    final = json.loads(unquote(events[1][2].removeprefix("data: ")))
    assert (final["answer"], final["conversationId"]) == ("Nine.", on["conversationId"])
    assert events[2][2] == "data: [DONE]"
    assert accepted.keys() == {"conversationId", "visitorId"}
    (called,) = wire.listener.told(back)
    assert called.items() >= {"answer": "Nine.", **on}.items()
    assert off == {"success": True, "message": "AI is Off."}
    assert silent == on


# 9: keys that strict readers need


async def test_messages_and_conversations_carry_their_nullable_keys(wire):
    agent = await wire.agent(visibility="public")
    asked = {"query": "When?", "channel": "website", "contact": {"email": "lu@example.com"}}
    answer = await wire.ask("POST", f"/agents/{agent}/query", asked)
    talk = answer["conversationId"]
    to = f"/conversation/message/conversationId/{talk}"
    sent = await wire.ask("POST", to, {"message": "Bia here.", "agentId": agent})
    stored = await wire.ask("POST", f"/conversations/{talk}/message-register", {"message": "Called."})
    await wire.ask("POST", f"/conversation/{talk}/assign", {"email": "bia@example.com"})
    await wire.ask("POST", "/variables", {"conversationId": talk, "varName": "size", "varValue": "L"})

    page = await wire.ask("GET", f"/conversation/{talk}/messages/10000")
    followed = await wire.ask("GET", f"/api/conversations/{talk}")
    one = await wire.ask("GET", f"/messages/{answer['messageId']}")
    (listed,) = await wire.ask("GET", "/conversation")
    shown = await wire.ask("GET", f"/conversation/{talk}")

    messages = [*page["messages"], *followed["messages"], one, sent["message"], stored["message"]]
    assert [message.keys() >= MESSAGE for message in messages] == [True] * 11
    assert page.keys() == {"status", "isAiEnabled", "userId", "organizationId", "messages"}
    assert one["inputId"] == page["messages"][0]["id"]
    assert shown == listed
    assert shown.keys() >= CONVERSATION
    assert not {"channelExternalId", "frustration"} & shown.keys()
    assert [contact["firstName"] for contact in shown["participantsContacts"]] == [""]
    (assignee,) = shown["assignees"]
    assert assignee["user"]["email"] == "bia@example.com"
    (variable,) = shown["conversationVariables"]
    assert variable.items() >= {"conversationId": talk, "varName": "size", "varValue": "L"}.items()


# 10: no key that clients take for a failure


async def test_agents_tools_and_answers_have_neither_error_nor_message(wire):
    agent = await wire.agent()
    path, tools = f"/agents/{agent}", f"/api/agents/{agent}/tools"
    tool = await wire.ask("POST", tools, {"type": "http", "config": HTTP_TOOL}, status=201)
    bodies = [
        tool,
        await wire.ask("GET", path),
        await wire.ask("PATCH", path, {"name": "Bia"}),
        *await wire.ask("GET", tools),
        await wire.ask("GET", f"{tools}/{tool['id']}"),
        await wire.ask("PATCH", f"{tools}/{tool['id']}", {"config": tool["config"]}),
        await wire.ask("POST", f"{path}/query", {"query": "When?"}),
        await wire.ask("DELETE", f"{tools}/{tool['id']}"),
        await wire.ask("DELETE", path),
    ]

    assert [body.keys() & {"error", "message"} for body in bodies] == [set()] * 9


# 11: switches


@pytest.mark.parametrize("type", ["whatsapp", "telegram", "zapi", "instagram"])
def test_a_switch_answers_with_a_json_string(client, agent, type):
    for enabled, said in (("true", "enabled"), ("false", "disabled")):
        answer = client.patch(f"/agents/{agent}/webhook", params={"type": type, "enabled": enabled})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert answer.json() == f"{type} webhook {said}"
    missing = client.patch(f"/agents/{agent}/webhook", params={"type": type})
    unknown = client.patch("/agents/nobody/webhook", params={"type": type, "enabled": "true"})
    assert (missing.status_code, unknown.status_code) == (400, 404)
    assert all(answer.json()["error"] for answer in (missing, unknown))


# 12: statuses


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        ("POST", "/agents", {"temperature": 3}, 400, "error invalid request body"),
        ("GET", "/conversation?status=OPEN", None, 400, "error invalid request query"),
        ("POST", "/conversation/message/phone/5511", {"message": "Hi"}, 400, "error invalid request body"),
        ("GET", "/agents/nobody", None, 404, "NOT_FOUND"),
        ("POST", "/conversation/message/conversationId/none", {"message": "Hi"}, 404, "NOT_FOUND"),
        ("GET", "/variables/none/size", None, 404, "NOT_FOUND"),
    ],
)
def test_what_is_wrong_and_what_is_missing_have_their_statuses(client, method, path, body, status, error):
    answer = client.request(method, path, json=body)

    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert ("details" in answer.json()) == (status == 400)


def test_a_missing_key_is_403_and_for_the_crm_and_tools_401(key):
    client, _ = key
    statuses = {
        path: client.get(path).status_code
        for path in ("/agents", "/datastores", "/conversation", "/crm/scenario", "/api/agents/x/tools")
    }

    assert list(statuses.values()) == [403, 403, 403, 401, 401]
    assert client.get("/agents").json()["error"] == "UNAUTHORIZED"


def test_who_asks_too_often_is_429_with_the_time_to_wait(tmp_path):
    with keyed(tmp_path) as (client, bearer):
        public = client.post("/agents", json={**NEW, "visibility": "public"}, headers=bearer).json()["id"]
        answers = [client.post(f"/agents/{public}/query", json={"query": ""}) for _ in range(100)]

    refused = [answer for answer in answers if answer.status_code == 429]
    assert {answer.status_code for answer in answers} == {400, 429}
    assert refused[0].json()["error"] == "RATE_LIMIT"
    assert int(refused[0].headers["Retry-After"]) >= 1


async def test_a_spent_budget_is_402_and_what_another_has_is_409(wire):
    poor = await wire.agent(monthlyBudget=0)
    talk = (await wire.ask("POST", f"/agents/{await wire.agent()}/query", {"query": "?"}))["conversationId"]
    await wire.ask("POST", f"/conversations/{talk}/assign", {"email": "bia@example.com"})

    spent = await wire.ask("POST", f"/agents/{poor}/query", {"query": "When?"}, status=402)
    taken = await wire.ask("POST", f"/conversations/{talk}/assign", {"email": "lu@example.com"}, status=409)

    assert (spent["error"], taken["error"]) == ("USAGE_LIMIT", "CONFLICT")
    await wire.ask("POST", f"/conversations/{talk}/assign", {"email": "lu@example.com", "force": True})


async def test_a_message_after_the_window_of_the_channel_is_406(wire):
    agent = await wire.agent()
    await wire.arrives(await wire.channel(agent), "e1")
    (talk,) = await wire.ask("GET", "/conversation")
    to = f"/conversation/message/conversationId/{talk['id']}"
    await wire.ask("POST", to, {"message": "Still in time."})

    await wire.later(hours=25)

    late = await wire.ask("POST", to, {"message": "Too late."}, status=406)
    assert late["error"] == "ERR_META_SESSION_EXPIRED_24H"


# 13: events


async def test_nine_events_are_posted_each_with_what_is_always_there(wire):
    agent = await wire.agent()
    inbox = await wire.channel(agent)
    scenario = (await wire.ask("POST", "/crm/scenario", {"name": "Sale"}, status=201))["id"]
    await wire.ask("POST", "/crm/step", {"scenarioId": scenario, "name": "New", "prompt": "p"}, status=201)
    await wire.arrives(inbox, "e1", phone_number="5511999")
    await wire.arrives(inbox, "e2", chat="group1", is_group=True)
    chat = next(row["id"] for row in await wire.ask("GET", "/conversation") if not row["isGroup"])
    asked = await wire.ask("POST", f"/agents/{agent}/query", {"query": "When?"})
    on_chat = f"/conversation/message/conversationId/{chat}"
    await wire.ask("POST", on_chat, {"message": "Bia here."})
    await wire.ask(
        "POST", f"/conversation/message/conversationId/{asked['conversationId']}", {"message": "Hi."}
    )
    await wire.ask("POST", "/crm/step/conversation", {"conversationId": chat, "scenarioId": scenario})
    await wire.ask("POST", f"/conversations/{chat}/nps", {"rating": 9})
    for moment in ("2026-01-31 10:00:00", "2026-02-02 10:00:00"):
        planned = {"conversation_id": chat, "tag": moment[:10], "msg": "Hello?", "channel": "whatsapp"}
        plan = {**planned, "dt_to_send": moment, "time_zone": "Etc/UTC"}
        await wire.ask("POST", "/custom-follow-up/add", plan)
    await wire.later(hours=1)
    await wire.ask("POST", f"/conversations/{chat}/set-ai-enabled", {"enabled": False})
    await wire.arrives(inbox, "e3")
    await wire.later(days=3)

    told = wire.listener.told(HOOK)
    assert {event["eventType"] for event in told} == EVENTS
    for event in told:
        assert event.keys() >= ALWAYS
        if event["eventType"] in MESSAGE_EVENTS:
            assert event.keys() >= {"messageId", "createdAt"}
    first = next(event for event in told if event["eventType"] == "AGENT_USER_MESSAGE")
    assert (first["userMessage"], first["agentResponse"], first["userPhoneNumber"]) == (
        *("Open?", "Nine."),
        "5511999",
    )


# 14: the CRM at run time


@pytest.fixture
async def board(wire):
    """Two scenarios: the first with two steps, of which the second has all that happens on entry."""
    first, other = [
        (await wire.ask("POST", "/crm/scenario", {"name": name}, status=201))["id"]
        for name in ("Sale", "Care")
    ]

    async def step(scenario, **fields):
        body = {"scenarioId": scenario, "name": "Step", "prompt": "p", **fields}
        return (await wire.ask("POST", "/crm/step", body, status=201))["id"]

    entry = {
        "initialMessage": "Welcome.",
        "defaultStatus": "HUMAN_REQUESTED",
        "defaultPriority": "HIGH",
        "defaultAiControl": False,
        "defaultTags": ["hot"],
        "assigneeLogicType": "single_user",
        "selectedMembershipIdsForAssignee": ["bia"],
        "webhookUrl": "https://hooks.example/step",
    }
    last = await step(first, **entry)
    begin = await step(first, autoNextStepId=last, autoNextTime=2, autoNextTimeUnit="h")
    return {"scenario": first, "begin": begin, "last": last, "other": other, "aside": await step(other)}


@pytest.fixture
async def visitor(wire):
    """The id of a conversation on a website."""
    asked = {"query": "Hello", "channel": "website"}
    return (await wire.ask("POST", f"/agents/{await wire.agent()}/query", asked))["conversationId"]


async def test_a_conversation_is_active_in_one_scenario_and_its_logs_tell(wire, board, visitor):
    added = await wire.ask(
        "POST", "/crm/step/conversation", {"conversationId": visitor, "stepId": board["begin"]}
    )
    before = await wire.ask("GET", "/crm/conversationLog", conversationId=visitor)
    twice = {"conversationId": visitor, "stepId": board["begin"]}
    await wire.ask("POST", "/crm/step/conversation", twice, status=409)
    await wire.ask(
        "POST", "/crm/step/conversation", {"conversationId": visitor, "scenarioId": board["other"]}
    )

    assert (added["success"], added["newStepId"]) == (True, board["begin"])
    (log,) = before["data"]
    assert (log["status"], log["scenarioId"], log["stepId"]) == ("active", board["scenario"], board["begin"])
    assert before["pagination"] == {"page": 1, "limit": 10, "total": 1, "totalPages": 1}
    active = await wire.ask("GET", f"/crm/conversationLog?conversationId={visitor}&status=active")
    assert [row["stepId"] for row in active["data"]] == [board["aside"]]
    left = f"/crm/scenario/{board['scenario']}/conversation"
    (link,) = await wire.ask("GET", left, showInactiveConversations="true")
    assert (link["available"], await wire.ask("GET", left)) == (False, [])


async def test_time_moves_a_conversation_on_and_a_step_acts_when_it_is_entered(wire, board, visitor):
    await wire.ask("POST", "/crm/step/conversation", {"conversationId": visitor, "stepId": board["begin"]})

    await wire.later(hours=1, minutes=59)
    early = await wire.ask("GET", f"/conversation/{visitor}")
    await wire.later(minutes=1)
    shown = await wire.ask("GET", f"/conversation/{visitor}")

    assert early["crmScenarioConversations"][0]["stepId"] == board["begin"]
    assert shown["crmScenarioConversations"][0]["stepId"] == board["last"]
    assert (shown["status"], shown["priority"], shown["isAiEnabled"]) == ("HUMAN_REQUESTED", "HIGH", False)
    assert (shown["tags"], shown["assignees"][0]["user"]["id"]) == ([{"tag": "hot"}], "bia")
    page = await wire.ask("GET", f"/conversation/{visitor}/messages/10")
    assert [message["text"] for message in page["messages"]] == ["Hello", "Nine.", "Welcome."]
    await wire.later()
    (entered,) = wire.listener.told("https://hooks.example/step")
    assert (entered["eventType"], entered["stepId"]) == ("STEP_ENTERED", board["last"])


@pytest.mark.parametrize("is_said", [True, False])
async def test_a_move_sends_the_first_message_only_where_that_is_wanted(wire, board, visitor, is_said):
    await wire.ask("POST", "/crm/step/conversation", {"conversationId": visitor, "stepId": board["begin"]})
    move = {"conversationId": visitor, "destStepId": board["last"], "shouldSendInitialMessage": is_said}

    moved = await wire.ask("POST", "/crm/step/move", move)

    assert (moved["success"], moved["newStepId"]) == (True, board["last"])
    page = await wire.ask("GET", f"/conversation/{visitor}/messages/10")
    assert ("Welcome." in [message["text"] for message in page["messages"]]) is is_said


# 15: variables


def test_a_variable_has_a_name_of_20_and_a_value_of_100_characters(client, talk):
    given = {"conversationId": talk, "varName": "n" * 20, "varValue": "v" * 100}

    kept = client.post("/variables", json=given)
    refused = [
        client.post("/variables", json={**given, name: given[name] + "x"}) for name in ("varName", "varValue")
    ]

    assert kept.status_code == 200
    assert kept.json().keys() == {"conversationId", "varName", "varValue", "createdAt", "updatedAt"}
    assert [answer.status_code for answer in refused] == [400, 400]
    assert client.get(f"/variables/{talk}").json() == [kept.json()]
    assert client.get(f"/variables/{talk}/{'n' * 20}").json() == kept.json()
    gone = client.delete(f"/variables/{talk}/{'n' * 20}").json()
    assert gone == {"message": "Variable successfully deleted", "deleted": kept.json()}


async def test_a_variable_is_known_to_the_agent_for_three_days(wire):
    agent = await wire.agent(systemPrompt="Their size is {size}.")
    path = f"/agents/{agent}/query"
    talk = (await wire.ask("POST", path, {"query": "Hi"}))["conversationId"]
    await wire.ask("POST", "/variables", {"conversationId": talk, "varName": "size", "varValue": "XXL"})

    async def instructions():
        answer = await wire.ask("POST", path, {"query": "And?", "conversationId": talk})
        return (await wire.ask("GET", f"/messages/{answer['messageId']}/trace"))["instructions"]

    known = await instructions()
    await wire.later(days=3)
    still = await instructions()
    await wire.later(minutes=1)
    forgotten = await instructions()

    assert ["XXL" in told for told in (known, still, forgotten)] == [True, True, False]
    (variable,) = await wire.ask("GET", f"/variables/{talk}")
    assert variable["varValue"] == "XXL"
