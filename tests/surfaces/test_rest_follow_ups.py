"""REST for follow-ups and for answers that are fetched later, in the words of the wire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from serving import settings_in
from starlette.testclient import TestClient

from vivavoce.operations.answers import AgentAnswer
from vivavoce.surfaces.http import application
from vivavoce.surfaces.mcp.answers import readable

NEW = {
    "name": "Ana",
    "description": "d",
    "modelName": "gpt_4o",
    "systemPrompt": "p",
    "visibility": "public",
    "tools": [{"type": "delayed_responses", "config": {"delay": 3600}}],
}


@pytest.fixture
def hurried(tmp_path):
    """A client of a server whose calls wait for a second."""
    settings = settings_in(tmp_path, call_budget=1)
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as client:
        yield client


@pytest.fixture
def asked(hurried):
    """What a call gets whose answer is held."""
    agent = hurried.post("/agents", json=NEW).json()["id"]
    return hurried.post(f"/agents/{agent}/query", json={"query": "Hello", "visitorId": "v1"}).json()


def test_a_call_whose_answer_is_held_gets_a_handle(hurried, asked):
    assert asked.keys() == {"conversationId", "visitorId", "messageId", "metadata"}
    assert "get_answer" in asked["metadata"]["reason"]

    again = hurried.get(f"/messages/{asked['messageId']}/answer")

    assert (again.status_code, again.json()) == (200, asked)
    window = hurried.get(f"/conversations/{asked['conversationId']}").json()
    assert window["isTyping"] is True


def test_a_model_that_reads_words_alone_finds_the_handle_in_them():
    later = AgentAnswer(conversation_id="c1", visitor_id="v1", message_id="m1", metadata={"reason": "Held."})

    assert readable(later).splitlines() == [
        "The message is stored. There is no answer. Held.",
        "",
        "conversationId: c1",
        "messageId: m1",
    ]


def test_a_follow_up_is_planned_and_taken_back_in_the_words_of_the_wire(hurried, asked):
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    body = {
        "conversation_id": asked["conversationId"],
        "tag": "visit",
        "msg": "See you.",
        "channel": "whatsapp",
        "dt_to_send": tomorrow.strftime("%Y-%m-%d %H:%M:%S"),
        "time_zone": "Etc/UTC",
    }
    planned = hurried.post("/custom-follow-up/add", json=body)
    assert planned.status_code == 200
    assert planned.json()["success"] is True
    assert planned.json()["followUp"]["dueAt"] == tomorrow.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    ids = {"conversation_id": asked["conversationId"]}
    (listed,) = hurried.get("/custom-follow-up", params=ids).json()
    assert (listed["tag"], listed["state"]) == ("visit", "planned")
    removed = hurried.delete("/custom-follow-up/remove", params={**ids, "tag": "visit"})

    assert (removed.status_code, removed.json()["success"]) == (200, True)
    assert hurried.delete("/custom-follow-up/remove", params={**ids, "tag": "visit"}).status_code == 404
    wrong = hurried.post("/custom-follow-up/add", json={**body, "time_zone": "Mars/Olympus"})
    assert (wrong.status_code, wrong.json()["details"].keys()) == (400, {"time_zone"})


def test_what_is_wrong_with_a_follow_up_is_told_in_the_names_of_the_wire(hurried):
    nothing = hurried.post("/custom-follow-up/add", json={}).json()
    ours = hurried.post("/custom-follow-up/add", json={"conversationId": "", "dtToSend": 1}).json()
    asked = hurried.get("/custom-follow-up").json()

    assert nothing["details"].keys() == {"conversation_id", "tag", "msg", "dt_to_send"}
    assert "conversation_id: is required" in nothing["message"]
    assert "conversationId" not in nothing["message"]
    assert ours["details"].keys() == {"conversationId", "tag", "msg", "dtToSend"}
    assert asked["details"].keys() == {"conversation_id"}
