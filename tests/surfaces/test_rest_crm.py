"""REST for conversations in scenarios: routes, statuses and bodies as the wire has them."""

from __future__ import annotations

import jsonschema
import pytest

from vivavoce.surfaces.openapi import document

NEW = {"name": "Ana", "description": "d", "modelName": "gpt_4o", "systemPrompt": "p"}


@pytest.fixture
def agent(client) -> str:
    return client.post("/agents", json=NEW).json()["id"]


@pytest.fixture
def scenario(client) -> str:
    return client.post("/crm/scenario", json={"name": "Sale"}).json()["id"]


@pytest.fixture
def steps(client, scenario) -> list[str]:
    made = (
        client.post("/crm/step", json={"scenarioId": scenario, "name": name, "initialMessage": "Hi!"})
        for name in ("New", "Offer", "Won")
    )
    return [each.json()["id"] for each in made]


@pytest.fixture
def talk(client, agent) -> str:
    return client.post(f"/agents/{agent}/query", json={"query": "Hello"}).json()["conversationId"]


def fits(path: str, method: str, body) -> None:
    """A body is what the OpenAPI document says of it."""
    described = document()["paths"][path][method]["responses"]
    (success,) = [described[code] for code in ("200", "201") if code in described]
    schema = {**success["content"]["application/json"]["schema"], "components": document()["components"]}
    jsonschema.validate(body, schema)


def test_a_conversation_is_added_moved_and_removed(client, scenario, steps, talk):
    added = client.post("/crm/step/conversation", json={"conversationId": talk, "scenarioId": scenario})
    assert added.status_code == 200
    assert added.json()["newStepId"] == steps[0]
    assert {"success", "message", "messageSent", "sentMessageId", "initialMessage"} <= added.json().keys()
    fits("/crm/step/conversation", "post", added.json())
    again = client.post("/crm/step/conversation", json={"conversationId": talk, "stepId": steps[1]})
    assert again.status_code == 409

    moved = client.post(
        "/crm/step/move", json={"conversationId": talk, "destStepId": steps[1], "fromStepId": steps[0]}
    )
    assert moved.json() == {"success": True, "message": "Conversation moved.", "newStepId": steps[1]}
    fits("/crm/step/move", "post", moved.json())
    stale = client.post(
        "/crm/step/move", json={"conversationId": talk, "destStepId": steps[2], "fromStepId": steps[0]}
    )
    assert stale.status_code == 409

    path = f"/crm/scenario/{scenario}/conversation"
    gone = client.delete(path, params={"conversationId": talk})
    assert (gone.status_code, gone.json()) == (
        200,
        {"message": "Conversation successfully removed from scenario"},
    )
    assert client.delete(path, params={"conversationId": talk}).status_code == 404


def test_a_list_of_a_scenario_has_three_shapes(client, scenario, steps, talk):
    client.post("/api/crm/step/conversation", json={"conversationId": talk, "stepId": steps[1]})
    path = f"/crm/scenario/{scenario}/conversation"

    rows = client.get(path).json()
    counts = client.get(path, params={"isCount": "true"}).json()
    number = client.get(path, params={"isCount": "true", "stepId": steps[1]}).json()

    assert [(row["conversationId"], row["stepId"], row["available"]) for row in rows] == [
        (talk, steps[1], True)
    ]
    assert counts == {steps[0]: 0, steps[1]: 1, steps[2]: 0}
    assert number == {"count": 1}
    for body in (rows, counts, number):
        fits("/crm/scenario/{scenarioId}/conversation", "get", body)
    assert client.get("/crm/scenario/nowhere/conversation").status_code == 404


@pytest.mark.parametrize("method", ["put", "patch"])
def test_logs_are_written_read_changed_and_deleted(client, scenario, steps, talk, method):
    ids = {"conversationId": talk, "scenarioId": scenario, "stepId": steps[0]}
    made = client.post("/crm/conversationLog", json={**ids, "status": "active"})
    assert made.status_code == 201
    path = f"/crm/conversationLog/{made.json()['id']}"
    assert client.get(path).json() == made.json()

    changed = getattr(client, method)(path, json={**made.json(), "status": "inactive"})
    assert (changed.status_code, changed.json()["status"]) == (200, "inactive")
    page = client.get("/crm/conversationLog", params={"conversationId": talk}).json()
    assert page["pagination"] == {"page": 1, "limit": 10, "total": 1, "totalPages": 1}
    fits("/crm/conversationLog", "get", page)
    assert client.get("/crm/conversationLog", params={"limit": 101}).status_code == 400
    assert client.delete(path).json() == {"message": "Log deleted successfully"}
    assert client.get(path).status_code == 404


def test_the_default_scenario_of_an_agent_is_set_and_read_and_agents_can_be_sent_back(
    client, agent, scenario, steps
):
    path = f"/agents/{agent}/crm-config"
    assert client.get(path).json() == {"agentId": agent, "scenarioId": None, "stepId": None}

    told = client.put(path, json={"scenarioId": scenario, "stepId": steps[1]})
    assert told.json() == {"agentId": agent, "scenarioId": scenario, "stepId": steps[1]}
    assert client.put(path, json=told.json()).status_code == 200
    shown = client.get(f"/agents/{agent}").json()
    assert client.patch(f"/agents/{agent}", json=shown).status_code == 200

    talk = client.post(f"/agents/{agent}/query", json={"query": "Hello"}).json()["conversationId"]
    (link,) = client.get(f"/conversation/{talk}").json()["crmScenarioConversations"]
    assert (link["scenarioId"], link["stepId"]) == (scenario, steps[1])


def test_what_cannot_be_added_is_no_success(client, steps, talk):
    missing = client.post("/crm/step/conversation", json={"conversationId": talk, "stepId": "s404"})
    wrong = client.post("/crm/step/conversation", json={"conversationId": talk})

    assert (missing.status_code, wrong.status_code) == (404, 400)
    for answer in (missing, wrong):
        assert answer.json()["success"] is False
        assert answer.json()["blockedBy24hRule"] is None
    assert "success" not in client.post("/crm/step/move", json={"conversationId": talk}).json()


def test_a_step_shows_its_scenario(client, scenario, steps):
    (step, *_) = client.get("/crm/step", params={"scenarioId": scenario}).json()
    changed = client.put("/crm/step", json={**step, "name": "Newer"}).json()

    assert step["scenario"] == changed["scenario"] == {"id": scenario, "name": "Sale"}


def test_a_rated_conversation_shows_what_was_said_of_it(client, talk):
    before = client.get(f"/conversation/{talk}").json()
    client.post(f"/conversations/{talk}/nps", json={"rating": 9, "comment": "Quick."})

    shown = client.get(f"/conversation/{talk}").json()

    assert (before["npsRating"], before["npsComment"], before["npsCompletedAt"]) == (None, None, None)
    assert (shown["npsRating"], shown["npsComment"]) == (9, "Quick.")
    assert shown["npsCompletedAt"].endswith("Z")
