"""Where descriptions of the wire disagree: both sides are understood, and both find what they look for."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

NEW = {"name": "Ana", "description": "d", "modelName": "gpt_4o", "systemPrompt": "p"}


@pytest.fixture
def agent(client):
    return client.post("/agents", json=NEW).json()["id"]


@pytest.fixture
def scenario(client):
    return client.post("/crm/scenario", json={"name": "Sale"}).json()["id"]


@pytest.mark.parametrize("context", [{"order": {"id": 7}}, "The order is 7.", None])
def test_a_context_is_an_object_or_a_text(client, agent, context):
    answer = client.post(f"/agents/{agent}/query", json={"query": "Hello", "context": context})

    assert (answer.status_code, bool(answer.json()["answer"])) == (200, True)


@pytest.mark.parametrize("type", ["form", "lead_capture", "api_tool", "connector", "agent"])
def test_a_tool_of_either_list_of_types_is_kept(client, agent, type):
    form = {"formId": "f1"} if type == "form" else {}

    made = client.post(f"/api/agents/{agent}/tools", json={"type": type, **form})

    assert (made.status_code, made.json()["type"]) == (201, type)
    assert client.post(f"/agents/{agent}/query", json={"query": "Hello"}).json()["answer"]


def test_a_datastore_tells_in_both_words_whether_it_is_public(client, store):
    public = client.patch(f"/datastores/{store['id']}", json={"isPublic": True}).json()
    renamed = client.patch(f"/datastores/{store['id']}", json={"name": "Prices"}).json()

    assert (store["visibility"], store["isPublic"]) == ("private", False)
    assert (public["visibility"], public["isPublic"]) == ("public", True)
    assert (renamed["visibility"], renamed["isPublic"]) == ("public", True)


@pytest.mark.parametrize("header", [{"X-Key": "one"}, "X-Key: one"])
def test_the_header_of_a_step_is_an_object_or_a_text(client, scenario, header):
    given = {"scenarioId": scenario, "name": "New", "webhookUrl": "https://e.com", "webhookHeader": header}

    made = client.post("/crm/step", json=given)

    assert made.status_code == 201
    assert client.put("/crm/step", json=made.json()).status_code == 200


@pytest.mark.parametrize("method", ["post", "put"])
@pytest.mark.parametrize(
    "notice",
    [
        {"zapiPhoneNumber": "55", "zapiMessage": "m"},
        {"zapi": {"agentId": None, "phoneNumber": "55", "message": "m"}},
    ],
)
def test_what_a_step_sends_is_flat_or_nested_and_told_both_ways(client, scenario, method, notice):
    known = client.post("/crm/step", json={"scenarioId": scenario, "name": "New"}).json()
    body = {
        "scenarioId": scenario,
        "name": "New",
        **({} if method == "post" else {"id": known["id"]}),
        **notice,
    }

    step = client.request(method.upper(), "/crm/step", json=body).json()

    assert (step["zapiPhoneNumber"], step["zapiMessage"]) == ("55", "m")
    assert step["zapi"] == {"agentId": None, "phoneNumber": "55", "message": "m"}


def test_contacts_are_paged_by_offset_or_by_cursor(client):
    for number in range(3):
        client.post("/contacts", json={"email": f"p{number}@paged.example"})
    search = {"search": "@paged.example", "limit": 2}

    first = client.get("/contacts", params=search).json()
    by_offset = client.get("/contacts", params={**search, "offset": 2}).json()
    by_cursor = client.get("/contacts", params={**search, "cursor": first["nextCursor"]}).json()

    assert (first["count"], len(first["contacts"]), first["hasMore"]) == (3, 2, True)
    assert by_offset == by_cursor
    assert (len(by_cursor["contacts"]), by_cursor["hasMore"], by_cursor["nextCursor"]) == (1, False, None)


def test_a_list_of_conversations_is_bare_and_a_header_tells_where_it_goes_on(client, agent):
    for _ in range(3):
        client.post(f"/agents/{agent}/query", json={"query": "Hello"})
    asked = {"agentId": agent, "limit": 2}

    first = client.get("/conversation", params=asked)
    cursor = unquote(first.headers["Next-Cursor"])
    last = client.get("/conversation", params={**asked, "cursor": cursor})

    row = first.json()[-1]
    assert json.loads(cursor) == {"lastCreatedAt": row["createdAt"], "lastId": row["id"]}
    assert [len(first.json()), len(last.json())] == [2, 1]
    assert "Next-Cursor" not in last.headers
    assert "Next-Cursor" not in client.get("/agents").headers


def test_a_reference_to_an_agent_of_any_model_is_kept(client, agent):
    changed = client.patch(f"/agents/{agent}", json={"modelName": "volt_networks_9"})

    assert (changed.status_code, changed.json()["modelName"]) == (200, "volt_networks_9")


@pytest.mark.parametrize("filter", ["adSourceId=120210", "npsStep=1", "npsStep=rating"])
def test_a_published_filter_for_what_is_not_kept_here_finds_nothing(client, agent, filter):
    client.post(f"/agents/{agent}/query", json={"query": "Hello"})

    answer = client.get(f"/conversation?agentId={agent}&{filter}")

    assert (answer.status_code, answer.json()) == (200, [])
    assert len(client.get(f"/conversation?agentId={agent}").json()) == 1


@pytest.mark.parametrize("prefix", ["", "/api"])
def test_keys_of_an_agent_that_nobody_knows_are_passed_over_and_named(client, prefix):
    made = client.post(f"{prefix}/agents", json={**NEW, "colour": "blue", "maxTokens": 5})
    changed = client.patch(f"{prefix}/agents/{made.json()['id']}", json={"name": "Bo", "prição\n": [1]})
    plain = client.patch(f"{prefix}/agents/{made.json()['id']}", json=changed.json())

    assert (made.status_code, made.headers["x-ignored-fields"]) == (200, "colour, maxTokens")
    assert (changed.status_code, changed.json()["name"]) == (200, "Bo")
    assert changed.headers["x-ignored-fields"] == "pri%C3%A7%C3%A3o%0A"
    assert "x-ignored-fields" not in plain.headers


@pytest.mark.parametrize("path", ["/agents/{}/query", "/agents/query/{}", "/agents/{}/simplequery"])
def test_keys_of_a_query_that_nobody_knows_are_passed_over_and_named(client, agent, path):
    answer = client.post(path.format(agent), json={"query": "Hello", "mode": "fast"})

    assert (answer.status_code, bool(answer.json()["answer"])) == (200, True)
    assert answer.headers["x-ignored-fields"] == "mode"


def test_a_stream_names_what_was_passed_over(client, agent):
    asked = {"query": "Hello", "streaming": True, "mode": "fast"}

    answer = client.post(f"/agents/{agent}/query", json=asked)

    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["x-ignored-fields"] == "mode"
    assert "[DONE]" in answer.text


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/agents", {**NEW, "temperature": "hot", "mode": 1}, "temperature"),
        ("/agents/{agent}/query", {"query": "Hello", "topP": 2, "mode": 1}, "topP"),
    ],
)
def test_a_known_key_with_a_bad_value_fails_all_the_same(client, agent, path, body, field):
    answer = client.post(path.format(agent=agent), json=body)

    assert (answer.status_code, list(answer.json()["details"])) == (400, [field])


def test_keys_that_nobody_knows_are_refused_elsewhere(client):
    answer = client.post("/crm/scenario", json={"name": "Sale", "colour": "blue"})

    assert (answer.status_code, list(answer.json()["details"])) == (400, ["colour"])


@pytest.mark.parametrize("prefix", ["", "/api"])
@pytest.mark.parametrize(
    "path",
    [
        *("/conversations/history", "/conversation/history", "/contacts/available-variables"),
        *("/contacts/ctwa-ads", "/agents/check-handle-available"),
    ],
)
def test_a_route_that_is_not_served_is_no_missing_thing(client, prefix, path):
    answer = client.get(prefix + path)

    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")
    assert answer.json()["message"] == f"GET {path} is not served here."


@pytest.mark.parametrize("name", ["Host", "Content-Length", "Proxy-Authorization", "X Key"])
@pytest.mark.parametrize("route", ["/agents/{}/tools", "PATCH"])
def test_a_header_that_no_call_can_carry_is_refused_when_the_tool_is_made(client, agent, name, route):
    config = {"name": "Stock", "description": "d", "url": "https://shop.example/stock"}
    tool = {"type": "http", "config": {**config, "headers": [{"key": name, "value": "x"}]}}
    if route == "PATCH":
        answer = client.patch(f"/agents/{agent}", json={"tools": [tool]})
    else:
        answer = client.post(route.format(agent), json=tool)

    assert (answer.status_code, list(answer.json()["details"])) == (400, ["config.headers"])


@pytest.mark.parametrize("query", [" ", "\n\t ", "\u00a0"])
def test_a_query_that_says_nothing_is_refused_unless_a_file_comes_with_it(client, agent, query):
    file = {"name": "a.png", "url": "https://shop.example/a.png"}

    blank = client.post(f"/agents/{agent}/query", json={"query": query})
    carrying = client.post(f"/agents/{agent}/query", json={"query": query, "attachments": [file]})

    assert (blank.status_code, blank.json()["details"]) == (
        400,
        {"query": "must not be blank, unless a file comes with it"},
    )
    assert carrying.status_code == 200
