"""REST: the wire format of the hosted service, its errors, and the document that describes it."""

from __future__ import annotations

import errno
import json
import re
import resource
import sqlite3
from contextlib import closing

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from script import FOLLOW_UPS, HTTP_TOOL, STEP
from serving import settings_in
from starlette.testclient import TestClient

from vivavoce.operations import CATALOGUE
from vivavoce.surfaces import openapi_events
from vivavoce.surfaces.docs import page
from vivavoce.surfaces.http import application
from vivavoce.surfaces.limits import BODY
from vivavoce.surfaces.openapi import document

NEW = {"name": "Ana", "description": "d", "modelName": "gpt_4o", "systemPrompt": "p"}
ROUTED = [kind for kind in CATALOGUE.values() if kind.spec.route is not None]
NOWHERE = "/agents/nobody"
NOUNS = ("/conversation", "/conversations")
"""Paths of conversations are spelled either way."""


@pytest.fixture
def agent(client):
    return client.post("/agents", json=NEW).json()


# Success


def test_every_route_is_served_with_and_without_api(client):
    served = {(route.path, method) for route in client.app.routes for method in route.methods}
    declared = {(route.path, route.method) for kind in ROUTED for route in (kind.spec.route, *kind.spec.also)}
    respelled = {
        (re.sub("^/conversations?", noun, path), method) for path, method in declared for noun in NOUNS
    }
    paths = {path for path, _ in declared}

    assert declared | {(f"/api{path}", method) for path, method in declared} <= served
    assert {(path, method) for path, method in served if path in paths and method != "HEAD"} <= respelled


def test_what_is_made_answers_201_where_the_wire_says_so(client, agent, store):
    scenario = client.post("/crm/scenario", json={"name": "Sales"})
    made = {
        "agent": client.post("/agents", json=NEW).status_code,
        "datastore": client.post("/datastores", json={"type": "qdrant"}).status_code,
        "datasource": client.post(
            "/datasources", json={"datastoreId": store["id"], "name": "a", "text": "b", "type": "file"}
        ).status_code,
        "scenario": scenario.status_code,
        "step": client.post(
            "/crm/step", json={"scenarioId": scenario.json()["id"], "name": "New", **STEP}
        ).status_code,
        "tool": client.post(f"/agents/{agent['id']}/tools", json={"type": "request_human"}).status_code,
    }

    assert made == {
        "agent": 200,
        "datastore": 200,
        "datasource": 200,
        "scenario": 201,
        "step": 201,
        "tool": 201,
    }


def test_lists_are_bare_arrays(client, agent, store):
    scenario = client.post("/crm/scenario", json={"name": "Sales"}).json()
    lists = [
        client.get(path).json()
        for path in (
            "/agents",
            "/datastores",
            "/crm/scenario",
            f"/crm/step?scenarioId={scenario['id']}",
            f"/agents/{agent['id']}/tools",
        )
    ]

    assert [type(listed) for listed in lists] == [list] * 5
    assert lists[0][0]["id"] == agent["id"]
    assert lists[1][0]["_count"] == {"datasources": 0}


def test_pages_tell_how_much_there_is(client, store):
    listed = client.get("/datastores/list?limit=1&offset=0").json()
    sources = client.get(f"/datasources/list?datastoreId={store['id']}").json()

    assert listed["data"][0]["id"] == store["id"]
    assert listed["pagination"] == {**listed["pagination"], "offset": 0, "limit": 1, "count": 1}
    assert sources == {"data": [], "pagination": {"total": 0, "offset": 0, "limit": 20, "count": 0}}


@pytest.mark.parametrize("place", ["body", "query"])
def test_crm_deletes_take_the_id_from_the_body_and_answer_with_what_was_deleted(client, place):
    scenario = client.post("/crm/scenario", json={"name": "Sales"}).json()
    step = client.post("/crm/step", json={"scenarioId": scenario["id"], "name": "New"}).json()

    def delete(path, id):
        given = {"json": {"id": id}} if place == "body" else {"params": {"id": id}}
        return client.request("DELETE", path, **given)

    gone_step = delete("/crm/step", step["id"])
    gone = delete("/crm/scenario", scenario["id"])

    assert (gone_step.status_code, gone.status_code) == (200, 200)
    assert gone_step.json()["id"] == step["id"]
    assert gone.json() == {
        "message": "Scenario deleted",
        "scenario": scenario,
        "user": None,
        "alsoRemoved": {"steps": 0, "logs": 0, "conversationsReleased": 0},
    }


def test_every_delete_answers_json(client, agent, store):
    tool = client.post(f"/agents/{agent['id']}/tools", json={"type": "request_human"}).json()
    source = client.post("/datasources", json={"datastoreId": store["id"], "name": "a", "text": "b"}).json()
    answers = [
        client.delete(f"/agents/{agent['id']}/tools/{tool['id']}"),
        client.delete(f"/datasources/{source['id']}"),
        client.delete(f"/datastores/{store['id']}"),
        client.delete(f"/agents/{agent['id']}"),
    ]

    assert [answer.status_code for answer in answers] == [200] * 4
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}
    assert answers[0].json()["success"] is True
    assert [answer.json()["id"] for answer in answers[1:]] == [source["id"], store["id"], agent["id"]]


def test_an_update_with_the_id_in_the_body_changes_what_it_names(client):
    scenario = client.post("/crm/scenario", json={"name": "Sales", "description": "d"}).json()
    step = client.post("/crm/step", json={"scenarioId": scenario["id"], "name": "New", **STEP}).json()

    renamed = client.put("/crm/scenario", json={**scenario, "name": "Sales 2"})
    changed = client.put("/crm/step", json={**step, "name": "Newer", "prompt": None})

    assert renamed.json()["message"] == "Scenario updated"
    assert renamed.json()["scenario"] == {
        **scenario,
        "name": "Sales 2",
        "updatedAt": renamed.json()["scenario"]["updatedAt"],
    }
    assert changed.status_code == 200
    assert changed.json() == {
        **step,
        "name": "Newer",
        "prompt": None,
        "scenario": {"id": scenario["id"], "name": "Sales 2"},
        "updatedAt": changed.json()["updatedAt"],
    }


def test_a_step_has_its_groups_nested_and_flat(client, agent):
    scenario = client.post("/crm/scenario", json={"name": "Sales"}).json()
    flat = {
        "zapiAgentId": agent["id"],
        "zapiPhoneNumber": "+55",
        "zapiMessage": "m",
        "whatsappTemplateName": "t",
        "whatsappTemplateLanguageCode": "pt_BR",
    }

    step = client.post("/crm/step", json={"scenarioId": scenario["id"], "name": "New", **flat}).json()

    assert step.items() >= flat.items()
    assert step["zapi"] == {"agentId": agent["id"], "phoneNumber": "+55", "message": "m"}
    assert step["whatsapp"]["templateName"] == "t"


GROUPS = {
    "zapi": {"agentId": None, "phoneNumber": "+55", "message": "m"},
    "whatsapp": {
        "templateAgentId": None,
        "templateName": "offer",
        "templateLanguageCode": "pt_BR",
        "templateText": "t",
    },
}
FLAT = {
    f"{group}{key[0].upper()}{key[1:]}": (group, key) for group, fields in GROUPS.items() for key in fields
}


@pytest.fixture
def step(client, agent):
    """A step in which every field of both groups has a value."""
    scenario = client.post("/crm/scenario", json={"name": "Sales"}).json()
    zapi = {**GROUPS["zapi"], "agentId": agent["id"]}
    whatsapp = {**GROUPS["whatsapp"], "templateAgentId": agent["id"]}
    given = {"scenarioId": scenario["id"], "name": "New", "zapi": zapi, "whatsapp": whatsapp}
    return client.post("/crm/step", json=given).json()


@pytest.mark.parametrize("value", ["other", None])
@pytest.mark.parametrize(("flat", "place"), FLAT.items(), ids=FLAT)
def test_a_flat_field_changes_its_place_in_the_group_alone(client, step, flat, place, value):
    group, key = place
    if value is not None and flat.endswith("AgentId"):
        value = client.post("/agents", json=NEW).json()["id"]

    changed = client.put("/crm/step", json={"id": step["id"], "name": "New", flat: value}).json()

    expected = {**step, flat: value, group: {**step[group], key: value}}
    assert changed == {**expected, "updatedAt": changed["updatedAt"]}


def test_a_group_of_which_every_flat_field_is_cleared_is_gone(client, step):
    cleared = {flat: None for flat, (group, _) in FLAT.items() if group == "zapi"}

    changed = client.put("/crm/step", json={"id": step["id"], "name": "New", **cleared}).json()

    assert changed["zapi"] is None
    assert changed["whatsapp"] == step["whatsapp"]


@pytest.mark.parametrize("value", ["other", None])
@pytest.mark.parametrize(("flat", "place"), FLAT.items(), ids=FLAT)
def test_a_flat_field_and_a_nested_one_that_disagree_are_refused(client, step, flat, place, value):
    group, key = place

    for edited in ({**step, flat: value}, {**step, group: {**step[group], key: value}}):
        answer = client.put("/crm/step", json=edited)
        assert (answer.status_code, answer.json()["details"]) == (400, {flat: f"differs from {group}.{key}"})
        assert answer.json()["message"] == f"{flat} and {group}.{key} disagree."
    assert client.get("/crm/step", params={"scenarioId": step["scenarioId"]}).json() == [step]


def test_a_step_that_is_sent_back_as_it_was_read_stays_as_it_is(client, step):
    empty = {"scenarioId": step["scenarioId"], "name": "Empty"}
    half = {**empty, "name": "Half", "zapi": {"message": "m"}, "whatsapp": {}}
    for read in (step, *(client.post("/crm/step", json=given).json() for given in (empty, half))):
        again = client.put("/crm/step", json=read).json()
        assert again == {**read, "updatedAt": again["updatedAt"]}


def test_a_flat_field_completes_a_nested_group_that_leaves_it_out(client, step):
    given = {"id": step["id"], "name": "New", "zapi": {"message": "new"}, "zapiPhoneNumber": "+1"}

    changed = client.put("/crm/step", json=given).json()

    assert changed["zapi"] == {"agentId": None, "phoneNumber": "+1", "message": "new"}


@pytest.mark.parametrize(("enabled", "said"), [("true", "enabled"), ("false", "disabled")])
def test_switching_an_integration_answers_a_json_string(client, agent, enabled, said):
    answer = client.patch(f"/agents/{agent['id']}/webhook?type=telegram&enabled={enabled}")

    assert answer.status_code == 200
    assert answer.json() == f"telegram webhook {said}"


def test_an_agent_that_is_sent_back_as_it_was_read_stays_as_it_is(client, store):
    tools = [
        {"type": "http", "config": HTTP_TOOL},
        {"type": "datastore", "datastoreId": store["id"]},
        {"type": "follow_up_messages", "config": FOLLOW_UPS},
    ]
    made = client.post("/agents", json={**NEW, "temperature": 0, "tools": tools}).json()
    read = client.get(f"/agents/{made['id']}").json()
    echoed = {
        **read,
        "organization": {"id": "o", "subscriptions": []},
        "ownerId": "someone",
        "nbQueries": 3,
        "tools": [
            {**tool, "datastore": {"id": "x", "_count": {}}, "form": None, "serviceProvider": None}
            for tool in read["tools"]
        ],
    }

    answer = client.patch(f"/agents/{made['id']}", json=echoed)
    again = client.get(f"/agents/{made['id']}").json()

    assert answer.status_code == 200
    assert "********" in json.dumps(read)

    def lasting(agent):
        return {
            **agent,
            "updatedAt": "",
            "tools": [{**tool, "updatedAt": ""} for tool in agent["tools"]],
        }

    assert lasting(answer.json()) == lasting(read) == lasting(again)


def test_the_tools_of_a_patch_are_the_final_state(client):
    tools = [{"type": "request_human"}, {"type": "http", "config": HTTP_TOOL}]
    made = client.post("/agents", json={**NEW, "tools": tools}).json()
    human, http = made["tools"]
    changed = {**http, "config": {**http["config"], "description": "Other."}}

    untouched = client.patch(f"/agents/{made['id']}", json={"name": "Bea"}).json()
    after = client.patch(
        f"/agents/{made['id']}", json={"tools": [changed, {"type": "mark_as_resolved"}]}
    ).json()
    emptied = client.patch(f"/agents/{made['id']}", json={"tools": []}).json()

    assert [tool["id"] for tool in untouched["tools"]] == [human["id"], http["id"]]
    assert [(tool["type"], tool["id"] == http["id"]) for tool in after["tools"]] == [
        ("http", True),
        ("mark_as_resolved", False),
    ]
    assert after["tools"][0]["config"]["description"] == "Other."
    assert emptied["tools"] == []


def test_zero_and_false_are_kept(client):
    made = client.post("/agents", json={**NEW, "temperature": 0, "includeSources": False}).json()
    changed = client.patch(f"/agents/{made['id']}", json={"temperature": 1}).json()
    back = client.patch(f"/agents/{made['id']}", json={"temperature": 0}).json()

    assert (made["temperature"], changed["temperature"], back["temperature"]) == (0, 1, 0)
    assert made["includeSources"] is False


def test_an_agent_needs_no_argument_on_the_wire(client):
    made = client.post("/agents")

    assert made.status_code == 200
    assert made.json()["name"] == "New agent"


def test_agents_and_tools_carry_no_key_that_clients_take_for_a_failure(client, agent):
    path = f"/agents/{agent['id']}"
    tool = client.post(f"{path}/tools", json={"type": "http", "config": HTTP_TOOL}).json()
    bodies = [
        agent,
        tool,
        client.get(path).json(),
        client.patch(path, json={"name": "Bea"}).json(),
        client.get(f"{path}/tools/{tool['id']}").json(),
        client.patch(f"{path}/tools/{tool['id']}", json={"config": tool["config"]}).json(),
        *client.get(f"{path}/tools").json(),
        client.delete(f"{path}/tools/{tool['id']}").json(),
        client.delete(path).json(),
    ]

    assert not [body for body in bodies if {"error", "message"} & body.keys()]


def test_head_answers_as_get_without_a_body(client, agent):
    for path in ("/agents", f"/agents/{agent['id']}", "/health", "/docs", "/openapi.json"):
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == got.headers["content-length"]
    assert client.head(NOWHERE).status_code == 404


# Errors


def test_a_body_that_breaks_rules_names_each_of_them(client):
    answer = client.post("/agents", json={**NEW, "temperature": 3, "tools": [{"type": "magic"}]})
    mistyped = client.post("/datastores", json={"type": "qdrant", "nome": "x"})

    assert answer.status_code == mistyped.status_code == 400
    body = answer.json()
    assert body["error"] == "error invalid request body"
    assert body["details"].keys() == {"temperature", "tools.0.type"}
    assert body["message"].startswith("temperature: ")
    assert mistyped.json()["details"].keys() == {"nome"}
    assert mistyped.json()["hint"].startswith("Did you mean name?")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/agents?limit=many", "limit"),
        ("/agents?limit=0", "limit"),
        ("/agents?colour=blue", "colour"),
        ("/crm/step", "scenarioId"),
        ("/datasources/list?datastoreId=x%20y", "datastoreId"),
        ("/documentation/everything", "docType"),
    ],
)
def test_a_query_that_breaks_rules_names_each_of_them(client, path, field):
    answer = client.get(path)

    assert answer.status_code == 400
    assert answer.json()["error"] == "error invalid request query"
    assert answer.json()["details"].keys() == {field}


def test_arguments_in_the_address_have_the_defaults_of_a_body(client):
    made = client.post("/agents?name=Ana")
    wrong = client.post("/agents?name=Ana&temperature=3&colour=blue")
    body = client.post("/agents?name=Ana", json={"temperature": 3})

    assert (made.status_code, made.json()["name"]) == (200, "Ana")
    assert made.json()["modelName"] == client.post("/agents", json={}).json()["modelName"]
    assert (wrong.status_code, wrong.json()["error"]) == (400, "error invalid request query")
    assert wrong.json()["details"].keys() == {"temperature", "colour"}
    assert (body.status_code, body.json()["error"]) == (400, "error invalid request body")


def test_two_names_for_one_text_must_agree(client, store):
    given = {"datastoreId": store["id"], "name": "a"}
    same = client.post("/datasources", json={**given, "text": "x", "datasourceText": "x"})
    other = client.post("/datasources", json={**given, "text": "x", "datasourceText": "y"})

    assert same.status_code == 200
    assert (other.status_code, other.json()["message"]) == (400, "datasourceText and text disagree.")


@pytest.mark.parametrize("query", ["", "?type=whatsapp", "?enabled=true", "?type=fax&enabled=true"])
def test_a_switch_without_its_parameters_is_refused(client, agent, query):
    answer = client.patch(f"/agents/{agent['id']}/webhook{query}")

    assert answer.status_code == 400
    assert answer.json()["error"] == "error invalid request query"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/agents/nobody", None, 404, "NOT_FOUND"),
        ("PATCH", "/agents/nobody", {}, 404, "NOT_FOUND"),
        ("DELETE", "/datastores/nothing", None, 404, "NOT_FOUND"),
        ("PUT", "/crm/step", {"id": "nothing", "name": "x"}, 404, "NOT_FOUND"),
        ("GET", "/nothing", None, 404, "NOT_FOUND"),
        ("GET", "/api", None, 404, "NOT_FOUND"),
        ("GET", "/agents/a%2Fb", None, 404, "NOT_FOUND"),
        ("GET", "/agents/%2e%2e/datastores", None, 404, "NOT_FOUND"),
        ("PUT", "/agents", {}, 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/agents/nobody", {}, 405, "METHOD_NOT_ALLOWED"),
        ("OPTIONS", "/agents", None, 405, "METHOD_NOT_ALLOWED"),
        ("TRACE", "/agents", None, 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/docs", {}, 405, "METHOD_NOT_ALLOWED"),
    ],
)
def test_an_error_has_its_status_and_its_code(client, method, path, body, status, code):
    answer = client.request(method, path, json=body, follow_redirects=False)

    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert answer.json()["message"]
    assert "details" not in answer.json()
    assert status != 405 or answer.headers["allow"]


def test_a_slash_at_the_end_is_another_address(client):
    answer = client.get("/agents/", follow_redirects=False)

    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")


def test_what_is_not_in_a_state_for_it_is_a_conflict(client):
    one = client.post("/agents", json={**NEW, "handle": "only_one"})
    two = client.post("/agents", json={**NEW, "handle": "@Only_One"})
    tools = f"/agents/{one.json()['id']}/tools"

    assert (two.status_code, two.json()["error"]) == (409, "CONFLICT")
    assert client.post(tools, json={"type": "request_human"}).status_code == 201
    assert client.post(tools, json={"type": "request_human"}).status_code == 409


def test_a_query_of_an_agent_is_answered(client, agent):
    answer = client.post(f"/agents/{agent['id']}/query", json={"query": "Hello"})

    assert answer.status_code == 200
    assert answer.json().keys() >= {"answer", "conversationId", "visitorId", "messageId", "sources"}


BODIES_THAT_ARE_NO_OBJECT = {
    "half": b'{"name": ',
    "text": b'"name"',
    "list": b'[{"name": "x"}]',
    "null": b"null",
    "number": b"1",
    "nan": b'{"temperature": NaN}',
    "infinity": b'{"temperature": -Infinity}',
    "huge": b'{"temperature": 1e999}',
    "surrogate": b'{"name": "\\ud800"}',
    "not utf-8": b'{"name": "\xff"}',
    "utf-16": '{"name": "x"}'.encode("utf-16"),
    "deep list": b'{"interfaceConfig": {"x": ' + b"[" * 100_000,
    "deep closed": b'{"interfaceConfig": ' + b'{"x":' * 5_000 + b"1" + b"}" * 5_001,
    "form": b"name=x&description=y",
    "trailing": b'{"name": "x"} {"name": "y"}',
    "single quotes": b"{'name': 'x'}",
    "comment": b'{"name": "x" /* y */}',
}


@pytest.mark.parametrize("body", BODIES_THAT_ARE_NO_OBJECT.values(), ids=BODIES_THAT_ARE_NO_OBJECT)
def test_a_body_that_is_no_json_object_is_refused(client, body):
    answer = client.post("/agents", content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 400
    assert answer.json()["error"] == "error invalid request body"
    assert "Traceback" not in answer.text
    assert len(answer.content) < 2_000


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "x", "", "multipart/x"])
def test_json_is_json_whatever_it_is_called(client, kind):
    answer = client.post("/agents", content=json.dumps(NEW), headers={"content-type": kind})

    assert answer.status_code == 200


def test_a_body_larger_than_the_limit_is_refused(client):
    large = b'{"name": "' + b"x" * BODY + b'"}'
    chunks = (large[start : start + 2**16] for start in range(0, len(large), 2**16))
    answers = [
        client.post("/agents", content=large),
        client.post("/agents", content=chunks),
        client.post("/agents", content=b"{}", headers={"content-length": str(10**30)}),
    ]

    assert [answer.status_code for answer in answers] == [413] * 3
    assert {answer.json()["error"] for answer in answers} == {"INVALID_REQUEST"}


def test_a_text_within_the_limit_of_a_body_but_not_of_its_field_is_refused(client):
    answer = client.post("/agents", json={**NEW, "description": "x" * 200_000})

    assert answer.status_code == 400
    assert answer.json()["details"] == {"description": "string should have at most 100000 characters"}


def test_a_host_or_origin_that_is_not_ours_is_refused(client):
    host = client.get("/agents", headers={"host": "evil.example"})
    origin = client.get("/agents", headers={"origin": "https://evil.example"})

    assert (host.status_code, host.json()["error"]) == (421, "MISDIRECTED")
    assert (origin.status_code, origin.json()["error"]) == (403, "UNAUTHORIZED")


def test_a_broken_database_is_told_without_details_of_the_program(tmp_path):
    settings = settings_in(tmp_path)
    with TestClient(application(settings), base_url="http://localhost") as client:
        with closing(sqlite3.connect(settings.database)) as database:
            database.execute("drop table agents")
            database.commit()
        answer = client.get("/agents")

    assert (answer.status_code, answer.json()["error"]) == (503, "STORAGE_FAILED")
    assert answer.headers["retry-after"]
    assert not re.search(r"Traceback|\.py\b|select ", answer.text)


# The document and the page


def test_the_document_is_valid_openapi(client):
    served = client.get("/openapi.json").json()

    OpenAPIV31SpecValidator(served).validate()
    assert served == json.loads(json.dumps(document()))
    assert served["openapi"].startswith("3.1")


def test_every_route_of_the_catalogue_is_in_the_document():
    described = {
        (path, method.upper(), operation["operationId"])
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }

    events = {(openapi_events.PATH, "POST", "post_events")}
    routed = {(kind.spec.route.path, kind.spec.route.method, kind.spec.name) for kind in ROUTED}
    assert described == routed | events


def test_every_operation_of_the_document_says_all_that_a_caller_needs():
    for path, methods in document()["paths"].items():
        for operation in methods.values():
            parameters = operation["parameters"]
            assert {of["name"] for of in parameters if of["in"] == "path"} == set(
                re.findall(r"{(\w+)}", path)
            )
            body = operation.get("requestBody", {}).get("content", {})
            fields = body.get("application/json", {}).get("schema", {}).get("properties", {})
            assert all(of.get("description") for of in parameters), operation["operationId"]
            assert all(of.get("description") for of in fields.values()), operation["operationId"]
            assert operation["summary"].endswith((".", "?"))
            assert {"400", "403", "404", "413"} <= operation["responses"].keys()


def test_bodies_are_as_the_document_describes_them(client, agent, store):
    described = document()
    paths = {
        "/agents": "/agents",
        "/agents/{id}": f"/agents/{agent['id']}",
        "/datastores": "/datastores",
        "/datastores/{id}": f"/datastores/{store['id']}",
        "/datastores/list": "/datastores/list",
        "/crm/scenario": "/crm/scenario",
    }
    for template, path in paths.items():
        content = described["paths"][template]["get"]["responses"]["200"]["content"]
        schema = {**content["application/json"]["schema"], "components": described["components"]}
        jsonschema.Draft202012Validator(schema).validate(client.get(path).json())


def body_of(path, method, media="application/json"):
    return document()["paths"][path][method]["requestBody"]["content"][media]["schema"]


@pytest.mark.parametrize("method", ["post", "put"])
def test_the_document_describes_the_flat_fields_as_it_does_the_nested(method):
    schemas = document()["components"]["schemas"]
    fields = body_of("/crm/step", method)["properties"]
    groups = {"zapi": "ZapiNotice", "whatsapp": "WhatsappTemplate"}

    def plain(schema):
        return {key: value for key, value in schema.items() if key != "description"}

    for flat, (group, key) in FLAT.items():
        assert plain(fields[flat]) == plain(schemas[groups[group]]["properties"][key])


def test_a_step_is_as_the_document_describes_it_and_has_nothing_beside(client, step):
    described = document()
    shown = described["components"]["schemas"]["StepShown"]
    closed = {**shown, "components": described["components"], "additionalProperties": False}

    jsonschema.Draft202012Validator(closed).validate(step)


def test_the_document_describes_both_ways_to_send_a_text(client, store):
    sent = {"datastoreId": store["id"], "type": "file", "name": "a", "datasourceText": "x"}
    fields = {
        "datastoreId": store["id"],
        "type": "file",
        "fileName": "a",
        "name": "a",
        "id": "mine-1",
        "custom_id": "mine",
        "tags": "a, b",
        "config": '{"group": 1}',
    }
    described = body_of("/datasources", "post", "multipart/form-data")

    jsonschema.Draft202012Validator(body_of("/datasources", "post")).validate(sent)
    jsonschema.Draft202012Validator(described).validate({**fields, "file": "x"})
    assert client.post("/datasources", json=sent).status_code == 200
    for left_out in described["properties"].keys() - set(described["required"]):
        some = {name: value for name, value in fields.items() if name != left_out}
        assert client.post("/datasources", data=some, files={"file": ("a", b"x")}).status_code == 200
    assert all(f"<td><code>{field}</code>" in page() for field in described["properties"])


def test_the_page_names_every_route_and_fetches_nothing(client):
    answer = client.get("/docs")
    shown = answer.text

    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert shown == page()
    for kind in ROUTED:
        assert f'<section id="{kind.spec.name}">' in shown
        assert f'href="#{kind.spec.name}"' in shown
    assert not re.findall(r"(?:src|href|action|data)\s*=\s*[\"']?+(?!#|/openapi\.json)[^\s>]+", shown)
    assert not re.findall(r"<script|@import|url\(|<link|<img|<iframe", shown)


def test_the_first_page_says_where_everything_is(client):
    shown = client.get("/").json()

    assert {client.get(shown[name]).status_code for name in ("docs", "openapi")} == {200}
    assert client.get("/health").json() == {"status": "ok", "version": shown["version"]}


# Files for which there is no room


@pytest.fixture
def tiny_files():
    """While it lasts, no file of this process may grow beyond 2 MB, as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_file_for_which_the_disk_has_no_room_is_refused_in_words(client, store, tiny_files):
    sent = {"data": {"datastoreId": store["id"]}, "files": {"file": ("a.txt", b"Whales. " * 400_000)}}
    answer = client.post("/datasources", **sent)

    assert answer.status_code == 503
    assert answer.json()["error"] == "STORAGE_FAILED"
    assert "cannot be put aside: File too large" in answer.json()["message"]


def test_a_file_that_can_be_received_but_not_copied_is_refused_in_words(client, store, monkeypatch):
    def full(source, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("vivavoce.surfaces.rest.shutil.copyfileobj", full)
    sent = {"data": {"datastoreId": store["id"]}, "files": {"file": ("a.txt", b"Whales.")}}
    answer = client.post("/datasources", **sent)

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "cannot be put aside: No space left on device" in answer.json()["message"]
