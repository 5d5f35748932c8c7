"""REST for conversations and people: paths in both spellings, bodies as clients of the wire read them."""

from __future__ import annotations

import json
from itertools import count

import jsonschema
import pytest
from serving import key_for, settings_in
from starlette.testclient import TestClient

from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.surfaces.http import application
from vivavoce.surfaces.openapi import document

NEW = {"name": "Ana", "description": "d", "modelName": "gpt_4o", "systemPrompt": "p", "visibility": "public"}
NUMBERS = count(1)


@pytest.fixture
def store(client):
    """Stores an entity, which gets an id of its own."""

    def stored(kind, table, /, **fields):
        ports = client.app.state.app.ports
        at, id = ports.now(), f"{kind.__name__.lower()}{next(NUMBERS)}"
        known = {"id": id, "organization_id": "o1", "created_at": at, "updated_at": at}
        entity = kind(**known, **fields)
        add = "append" if kind is Message else "add"
        client.portal.call(ports.store.write, lambda tables: getattr(getattr(tables, table), add)(entity))
        return id

    return stored


@pytest.fixture
def agent(client):
    return client.post("/agents", json=NEW).json()["id"]


@pytest.fixture
def talk(store, agent):
    """The id of a conversation on a website, with a contact."""
    contact = store(Contact, "contacts", last_name="Lima")
    return store(
        Conversation,
        "conversations",
        agent_id=agent,
        channel="website",
        visitor_id="v1",
        contact_id=contact,
        tags=["vip"],
        summary="Prices.",
    )


def shape(name):
    """A check of bodies against what the document says they are."""
    components = document()["components"]
    schema = {"$ref": f"#/components/schemas/{name}", "components": components}
    return jsonschema.Draft202012Validator(schema).validate


# The list


def test_the_list_is_a_bare_array_and_its_cursor_is_json_of_the_last_row(client, store, agent):
    ids = [store(Conversation, "conversations", agent_id=agent) for _ in range(3)]

    first = client.get("/conversation", params={"agentId": agent, "limit": 2})
    last = first.json()[-1]
    cursor = json.dumps({"lastCreatedAt": last["createdAt"], "lastId": last["id"]})
    second = client.get("/conversation", params={"agentId": agent, "limit": 2, "cursor": cursor})

    assert (first.status_code, second.status_code) == (200, 200)
    assert sorted(row["id"] for row in (*first.json(), *second.json())) == sorted(ids)
    assert [len(first.json()), len(second.json())] == [2, 1]
    shape("ConversationShown")(last)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("cursor=abc", "cursor"),
        ("createdAt=soon", "createdAt"),
        ("endDate=2026-02-31", "endDate"),
        ("status=OPEN", "status"),
        ("limit=0", "limit"),
        ("limit=1&limit=2", "limit"),
        ("frustrationMin=2", "frustrationMin"),
        ("npsRating=11", "npsRating"),
    ],
)
def test_a_filter_that_cannot_be_read_is_named(client, query, field):
    answer = client.get(f"/conversation?{query}")

    assert answer.status_code == 400
    assert answer.json()["error"] == "error invalid request query"
    assert list(answer.json()["details"]) == [field]


def test_a_filter_that_is_empty_asks_nothing(client, talk):
    assert talk in [row["id"] for row in client.get("/conversation?status=&cursor=&unread=false").json()]


# Bodies


def test_a_conversation_has_the_keys_that_strict_clients_need(client, talk):
    shown = client.get(f"/conversation/{talk}").json()

    assert not {"channelExternalId", "frustration"} & shown.keys()
    assert [contact["firstName"] for contact in shown["participantsContacts"]] == [""]
    assert [context["context"] for context in shown["conversationContexts"]] == ["Prices."]
    assert shown["tags"] == [{"tag": "vip"}]
    for name in ("organizationId", "unreadMessagesCount", "assignees", "isTest", "crmScenarioConversations"):
        assert name in shown
    shape("ConversationShown")(shown)


def test_messages_have_the_keys_that_strict_clients_need(client, talk):
    stored = client.post(f"/conversations/{talk}/message-register", json={"message": "Hi"}).json()

    message = stored["message"]
    assert stored["success"] is True
    assert {"html": None, "sources": None, "externalId": None, "userId": None}.items() <= message.items()
    page = client.get(f"/conversation/{talk}/messages/10000").json()
    assert page.keys() == {"status", "isAiEnabled", "userId", "organizationId", "messages"}
    assert (page["status"], page["isAiEnabled"], page["messages"]) == ("UNRESOLVED", True, [message])
    assert client.get(f"/messages/{message['id']}?includeSources=true").json() == message
    assert len(client.get(f"/conversation/{talk}/messages").json()["messages"]) == 1


@pytest.mark.parametrize("noun", ["conversation", "conversations"])
@pytest.mark.parametrize("prefix", ["", "/api"])
def test_both_spellings_of_every_path_answer_alike(client, talk, noun, prefix):
    base = f"{prefix}/{noun}/{talk}"
    said = {
        path: client.post(f"{base}/{path}", json=body).json()
        for path, body in (
            ("set-ai-enabled", {"enabled": "false"}),
            ("set-status", {"status": "RESOLVED"}),
            ("set-priority", {"priority": "HIGH"}),
            ("assign", {"email": "bia@example.com"}),
            ("unassign", {}),
        )
    }

    assert said == {
        "set-ai-enabled": {"success": True, "message": "AI is Off."},
        "set-status": {"success": True, "message": "Conversation Status changed."},
        "set-priority": {"success": True, "message": "Conversation Priority changed."},
        "assign": {"success": True, "message": "Conversation Assigned."},
        "unassign": {"success": True, "message": "Conversation unassigned."},
    }
    shown = client.get(base).json()
    assert (shown["isAiEnabled"], shown["status"], shown["priority"]) == (False, "RESOLVED", "HIGH")
    assert client.post(f"{base}/message-register", json={"message": "x"}).status_code == 200
    assert client.get(f"{base}/messages/1").status_code == 200
    sent = client.post(f"{prefix}/{noun}/message/conversationId/{talk}", json={"message": "Bia here."})
    assert (sent.status_code, sent.json()["message"]["from"]) == (200, "human")
    assert client.patch(base, json={"status": "UNRESOLVED"}).json()["status"] == "UNRESOLVED"
    assert client.get(f"{prefix}/{noun}?limit=1").status_code == 200
    gone = client.delete(base).json()
    assert gone == {**gone, "success": True, "message": "Conversation deleted."}
    assert client.get(f"/conversation/{talk}").status_code == 404


def test_only_the_main_spelling_is_documented():
    paths = document()["paths"]

    assert "/conversations/{conversationId}/assign" in paths
    assert "/conversation/{conversationId}/assign" not in paths
    assert "put" not in paths["/contacts/variables"]


def test_a_conversation_in_other_hands_answers_409_unless_forced(client, talk):
    client.post(f"/conversation/{talk}/assign", json={"email": "bia@example.com"})

    taken = client.post(f"/conversation/{talk}/assign", json={"id": "u2"})
    forced = client.post(f"/conversation/{talk}/assign", json={"id": "u2", "force": True})
    two = client.post(f"/conversation/{talk}/assign", json={"id": "u2", "membershipId": "m2"})

    assert (taken.status_code, taken.json()["error"]) == (409, "CONFLICT")
    assert (forced.status_code, two.status_code) == (200, 400)


def test_a_message_by_number_needs_an_agent_and_a_channel(client, agent):
    refused = client.post("/conversation/message/phone/5511999", json={"message": "Hi"})
    missing = client.post(
        "/conversation/message/phone/5511999",
        json={"message": "Hi", "agentId": agent, "channel": "whatsapp"},
    )

    assert (refused.status_code, missing.status_code) == (400, 404)


def test_a_channel_that_is_not_connected_answers_501(client, store, agent):
    talk = store(Conversation, "conversations", agent_id=agent, channel="telegram")

    answer = client.post(f"/conversation/message/conversationId/{talk}", json={"message": "Hi"})

    assert (answer.status_code, answer.json()["error"]) == (501, "NOT_IMPLEMENTED")


# Variables, notes, tags, contacts


def test_variables_as_the_wire_has_them(client, talk):
    made = client.post("/variables", json={"conversationId": talk, "varName": "a b", "varValue": "1"})

    assert made.json().keys() == {"conversationId", "varName", "varValue", "createdAt", "updatedAt"}
    assert client.get(f"/variables/{talk}").json() == [made.json()]
    assert client.get(f"/variables/{talk}/a%20b").json() == made.json()
    gone = client.delete(f"/variables/{talk}/a%20b")
    assert gone.json() == {"message": "Variable successfully deleted", "deleted": made.json()}
    assert client.delete(f"/variables/{talk}/a%20b").status_code == 404


def test_notes_as_the_wire_has_them(client, talk):
    made = client.post(f"/conversations/{talk}/notes", json={"note": "Call.", "isJustify": True})
    path = f"/conversations/{talk}/notes/{made.json()['id']}"
    changed = client.put(path, json={**made.json(), "note": "Called."})
    gone = client.delete(path)

    assert (made.status_code, made.json()["isJustification"]) == (201, True)
    assert (changed.status_code, changed.json()["note"]) == (200, "Called.")
    assert (gone.status_code, gone.content) == (204, b"")
    assert client.get(f"/conversations/{talk}/notes").json() == []
    assert client.delete(path).status_code == 404


def test_tags_as_the_wire_has_them(client, talk):
    client.post("/tags", json={"name": "slow", "color": "#f00"})
    client.post(f"/conversations/{talk}/tags", json={"tagName": "slow"})

    assert client.get(f"/conversations/{talk}/tags").json()["tags"] == ["vip", "slow"]
    listed = client.get("/tags").json()
    assert "slow" in [tag["name"] for tag in listed]
    assert client.get("/tags/get-visible-tags").json() == listed
    assert client.post("/tags/delete-by-name", json={"name": "slow"}).json()["success"] is True
    assert client.get(f"/conversations/{talk}/tags").json()["tags"] == ["vip"]


def test_contacts_as_the_wire_has_them(client, talk):
    made = client.post("/contacts", json={"email": "rest@example.com", "firstName": "Ana"}).json()
    sent_back = client.post("/contacts", json={**made, "lastName": "Lima"}).json()

    assert {**made, "lastName": "Lima", "updatedAt": sent_back["updatedAt"]} == sent_back
    assert {"id", "organizationId", "email", "phoneNumber", "externalId", "createdAt"} <= made.keys()
    found = client.get("/contacts?search=rest@example.com&limit=5&offset=0").json()
    assert found == {"contacts": [sent_back], "count": 1, "hasMore": False, "nextCursor": None}
    for query in ("tags=vip&tags=x", "tags[]=vip", "tags=x,vip"):
        assert client.get(f"/contacts?{query}").json()["count"] >= 1
    assert client.get("/contacts?tags=nobody&tags=none").json()["count"] == 0
    gone = client.delete(f"/contacts/{made['id']}")
    assert gone.json()["message"] == "Contact deleted successfully."
    assert client.delete(f"/contacts/{made['id']}").status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_facts_about_a_contact_are_found_by_the_header_of_a_tools_request(client, talk, method):
    header = {"conversationid": talk}

    kept = client.request(method, "/contacts/variables", json={"key": "plan", "value": [1]}, headers=header)
    listed = client.get("/contacts/variables", headers=header)
    named = client.get("/contacts/variables", params={"id": talk}, headers={"conversationid": "x404"})

    assert kept.json() == {"variables": {"plan": [1], "_sources": {"plan": "human"}}}
    assert listed.json() == named.json()
    assert listed.json()["variableList"] == [{"varName": "plan", "varValue": [1], "source": "human"}]
    assert client.get("/contacts/variables").json()["details"] == {"id": "is required"}
    gone = client.delete("/contacts/variables", params={"id": talk, "key": "plan"})
    assert gone.json() == {"variables": {"_sources": {}}}


# Who may


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """A client of a workspace that has a key, and the key."""
    settings = settings_in(tmp_path_factory.mktemp("locked"))
    key = key_for(settings, "read", "write", "send").key
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as client:
        yield client, {"Authorization": f"Bearer {key}"}


def test_without_a_key_nothing_is_answered_but_a_visitors_own_conversation(locked):
    client, key = locked
    agent = client.post("/agents", json=NEW, headers=key).json()["id"]
    ports = client.app.state.app.ports
    at = ports.now()
    known = {"organization_id": "o1", "created_at": at, "updated_at": at}
    talk = Conversation(id="talk1", **known, agent_id=agent, channel="website", visitor_id="v1")
    client.portal.call(ports.store.write, lambda tables: tables.conversations.add(talk))

    refused = {
        f"{method} {path}": client.request(method, path).status_code
        for path, methods in document()["paths"].items()
        if document()["paths"][path][min(methods)]["tags"] == ["conversations"]
        for method in methods
    }
    seen = client.get("/api/conversations/talk1?visitorId=v1")
    others = client.get("/api/conversations/talk1?visitorId=v2")

    assert len(refused) > 30
    open_to_visitors = {
        *("get /conversations/{conversationId}", "patch /conversations/{conversationId}"),
        *("post /conversations/{conversationId}/message", "post /conversations/eval-answer"),
        *("post /conversations/{conversationId}/nps", "post /agents/{id}/capture"),
    }
    assert {status for way, status in refused.items() if way not in open_to_visitors} == {403}
    assert (seen.status_code, seen.json()["messages"], others.status_code) == (200, [], 403)
    assert client.get("/api/conversations/talk1", headers=key).status_code == 200


def test_a_chat_window_writes_and_asks_for_a_person_without_a_key(locked):
    client, key = locked
    agent = client.post("/agents", json=NEW, headers=key).json()["id"]
    opened = client.post(f"/agents/{agent}/query", json={"query": "Hello?"}).json()
    path, visitor = f"/api/conversations/{opened['conversationId']}", {"visitorId": opened["visitorId"]}

    changed = client.patch(path, json={"status": "HUMAN_REQUESTED", "isAiEnabled": False, **visitor})
    written = {"from": "human", "message": "Anyone?", "channel": "website"}
    told = client.post(f"{path}/message", json={**written, **visitor})
    refused = client.post(f"{path}/message", json=written)
    switched = client.patch(path, json={"isAiEnabled": True, **visitor})

    assert (changed.status_code, changed.json()["status"]) == (200, "HUMAN_REQUESTED")
    assert (told.status_code, told.json()["text"], told.json()["from"]) == (200, "Anyone?", "human")
    assert (refused.status_code, switched.status_code) == (403, 403)
    last = client.get(f"{path}/messages/1", headers=key).json()["messages"][0]
    assert (last["id"], last["text"]) == (told.json()["id"], "Anyone?")


def test_a_chat_window_leaves_an_e_mail_address_without_a_key(locked):
    client, key = locked
    agent = client.post("/agents", json=NEW, headers=key).json()["id"]
    opened = client.post(f"/agents/{agent}/query", json={"query": "Hello?"}).json()
    visit = {name: opened[name] for name in ("conversationId", "visitorId")}

    kept = client.post(f"/api/agents/{agent}/capture", json={"visitorEmail": "zoe@x.example", **visit})
    refused = client.post(
        f"/api/agents/{agent}/capture", json={"visitorEmail": "eve@x.example", **visit, "visitorId": "other"}
    )

    assert (kept.status_code, kept.json()) == (
        200,
        {"conversationId": opened["conversationId"], "contactId": None},
    )
    assert refused.status_code == 403
    shown = client.get(f"/conversation/{opened['conversationId']}", headers=key).json()
    assert shown["metadata"]["visitor"] == {"email": "zoe@x.example"}
    assert client.get("/contacts", headers=key).json()["count"] == 0


def test_exports_and_lists_of_contacts_have_paths_of_their_own(client, talk):
    saved = client.post("/contacts/batch-create", json={"contacts": [{"email": "lu@example.com"}]})
    exported = client.get("/contacts/export")
    again = client.post("/contacts/import-csv", json={"csv": exported.json()["csv"]})

    assert saved.json()["created"] == 1
    assert (exported.status_code, exported.json()["csv"].partition("\n")[2][:15]) == (200, "lu@example.com,")
    assert again.json()["updated"] >= 1
    for path in ("/conversations/export", "/conversation/export"):
        assert talk in [each["id"] for each in client.get(path).json()]
    assert client.get(f"/conversations/{talk}/export").json()["messages"] == []
    known = client.get("/contacts", params={"search": "lu@"}).json()["contacts"][0]["id"]
    assert client.patch(f"/contacts/{known}", json={"firstName": "Lu"}).json()["firstName"] == "Lu"
    assert client.post("/contacts/batch-delete", json={"ids": [known]}).json()["deleted"] == 1
