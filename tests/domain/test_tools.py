"""Tools: what each kind needs, and which cannot stand beside each other."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from vivavoce.domain.secrets import MARKER
from vivavoce.domain.tools import Tool, ToolDraft, check_same_type, check_together
from vivavoce.errors import Conflict, InvalidInput

CANARY = "canary-7f3a9c"
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
KNOWN = {"organization_id": "o1", "created_at": NOON, "updated_at": NOON, "agent_id": "a1"}
REQUEST = {"name": "Get order", "description": "Shows an order.", "url": "https://api.example/orders"}
ONE_EACH = ["delayed_responses", "follow_up_messages", "request_human", "mark_as_resolved"]


def a_tool(type: str, **more) -> Tool:
    return Tool(**KNOWN, id="t1", type=type, **more)


def an_http_tool(name: str) -> Tool:
    return a_tool("http", config={**REQUEST, "name": name})


@pytest.mark.parametrize("type", ONE_EACH)
def test_an_agent_has_one_tool_of_a_kind_that_rules_the_whole_conversation(type):
    with pytest.raises(Conflict, match=f"already has a {type} tool") as refusal:
        check_together([a_tool(type), a_tool("http", config=REQUEST), a_tool(type)])

    assert "update_agent_tool" in refusal.value.hint


@pytest.mark.parametrize(
    "names", [("Get order", "Get order"), ("Get order", "GET ORDER"), ("STRASSE", "straße")]
)
def test_two_http_tools_of_an_agent_differ_by_more_than_the_case_of_their_names(names):
    with pytest.raises(Conflict, match="HTTP tool named"):
        check_together([an_http_tool(name) for name in names])


def test_an_agent_consults_a_datastore_once():
    with pytest.raises(Conflict, match="datastore 'd1'"):
        check_together([a_tool("datastore", datastore_id="d1"), a_tool("datastore", datastore_id="d1")])


@given(st.permutations([*ONE_EACH, "http one", "http two", "datastore d1", "datastore d2", "form", "form"]))
def test_tools_that_differ_stand_together_in_any_order(kinds):
    made = {"http": an_http_tool, "datastore": lambda id: a_tool("datastore", datastore_id=id)}
    tools = []
    for kind in kinds:
        type, _, detail = kind.partition(" ")
        tools.append(made[type](detail) if detail else a_tool(type))

    check_together(tools)


def test_a_tool_does_not_turn_into_another_kind():
    with pytest.raises(InvalidInput, match="type request_human, not mark_as_resolved"):
        check_same_type(a_tool("request_human"), ToolDraft(type="mark_as_resolved"))


@pytest.mark.parametrize(
    ("draft", "fault"),
    [
        ({"type": "http"}, "config.name: is required"),
        ({"type": "http", "config": {**REQUEST, "colour": "red"}}, "config.colour: is not a known argument"),
        ({"type": "http", "config": {**REQUEST, "withApproval": "yes"}}, "config.withApproval: "),
        ({"type": "datastore"}, "needs datastoreId"),
        ({"type": "delayed_responses", "config": {"delay": 5}}, "config.delay: "),
        ({"type": "delayed_responses", "config": {"delay": 3_601}}, "config.delay: "),
        ({"type": "delayed_responses", "config": {"delay": "8"}}, "config.delay: "),
        ({"type": "follow_up_messages"}, "config.messages: is required"),
        (
            {"type": "follow_up_messages", "config": {"messages": "x", "max_sends": 11, "interval_hours": 1}},
            "config.max_sends: ",
        ),
        (
            {"type": "follow_up_messages", "config": {"messages": "x", "max_sends": 1, "interval_hours": 97}},
            "config.interval_hours: ",
        ),
        (
            {"type": "follow_up_messages", "config": {"messages": "", "max_sends": 1, "interval_hours": 1}},
            "config.messages: ",
        ),
        ({"type": "teleport"}, "type"),
        ({}, "type"),
    ],
)
def test_a_draft_says_what_its_kind_needs(draft, fault):
    with pytest.raises(ValidationError, match=fault):
        ToolDraft.model_validate(draft)


def test_a_fault_in_the_settings_is_told_without_the_value():
    with pytest.raises(ValidationError) as refusal:
        ToolDraft.model_validate({"type": "http", "config": {**REQUEST, "withApproval": CANARY}})

    assert CANARY not in " ".join(fault["msg"] for fault in refusal.value.errors())


def test_what_a_reader_was_shown_beside_a_tool_is_passed_over():
    shown = {"type": "request_human", "config": {}, "datastore": None, "createdAt": "2026", "agentId": "a1"}

    assert ToolDraft.model_validate(shown) == ToolDraft(type="request_human", config={})


def test_a_kind_that_does_nothing_here_keeps_its_settings_and_hides_their_secrets():
    draft = ToolDraft(type="lead_capture", config={"isRequired": True, "hook": {"apiToken": CANARY}})

    config, secrets = draft.covered()

    assert config == {"isRequired": True, "hook": {"apiToken": MARKER}}
    assert list(secrets.values()) == [CANARY]


@pytest.mark.parametrize("type", ["http", "delayed_responses", "connector", "request_human"])
def test_a_stranger_sees_a_tool_without_its_settings(type):
    assert a_tool(type, config={"delay": 8}).hidden().config == {}


def changed(before: dict, after: dict, type: str = "http") -> dict:
    """The secrets after a change of settings."""
    config, secrets = ToolDraft(type=type, config=before).covered()
    tool = a_tool(type, config=config, secrets=secrets)
    return ToolDraft(type=type, config=after).covered(tool)[1]


KEPT = [{"key": "Authorization", "value": MARKER}]


@pytest.mark.parametrize(
    "url", ["https://evil.example/orders", "http://api.example/orders", "https://api.example:8443/orders"]
)
def test_a_secret_does_not_follow_a_request_to_another_host(url):
    before = {**REQUEST, "headers": [{"key": "Authorization", "value": CANARY}]}

    with pytest.raises(InvalidInput, match="another host") as refusal:
        changed(before, {**REQUEST, "url": url, "headers": KEPT})

    assert refusal.value.hint == "Write the secret again for the new address."
    assert changed(before, {**REQUEST, "url": url}) == {}
    assert list(
        changed(before, {**REQUEST, "url": "https://API.example:443/x", "headers": KEPT}).values()
    ) == [CANARY]


@pytest.mark.parametrize("variable", [{"value": "evil.com/"}, {"isUserProvided": True}])
def test_a_secret_does_not_follow_a_variable_in_the_host(variable):
    request = {**REQUEST, "url": "https://{shop}.example/"}
    before = {
        **request,
        "pathVariables": [{"key": "shop", "value": "ours"}],
        "headers": [{"key": "Authorization", "value": CANARY}],
    }

    with pytest.raises(InvalidInput, match="another host"):
        changed(before, {**request, "pathVariables": [{"key": "shop", **variable}], "headers": KEPT})


@pytest.mark.parametrize("name", ["baseUrl", "authUrl"])
def test_a_secret_does_not_follow_an_address_in_settings_of_another_kind(name):
    before = {name: "https://api.example/v1", "token": CANARY}

    with pytest.raises(InvalidInput, match="another host"):
        changed(before, {name: "https://evil.example", "token": MARKER}, "connector")
    assert CANARY in changed(before, {name: "https://api.example/v2", "token": MARKER}, "connector").values()


def test_secrets_are_in_no_form_of_a_tool_that_leaves_the_program():
    tool = a_tool("http", config=REQUEST, secrets={"headers/Authorization/1": CANARY})

    assert CANARY not in tool.model_dump_json() + repr(tool) + str(tool) + json.dumps(
        tool.model_dump(mode="json")
    )
