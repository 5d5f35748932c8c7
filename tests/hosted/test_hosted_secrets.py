"""Secrets: the key is shown nowhere, and what the account keeps secret reaches no model."""

from __future__ import annotations

import json
import logging
import traceback

import pytest
from fake import AGENT, KEY, floods, hangs_up, hosting, says

from vivavoce.errors import InvalidInput, NotAuthenticated, VivavoceError
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.keys import ForwardedKeys, Holder, key_of
from vivavoce.operations import CATALOGUE, OPERATOR, Caller, Scope

CONFIG = {
    "name": "Order",
    "description": "Looks it up.",
    "url": "https://shop.example.com/orders?token=t0k3n&lang=en",
    "method": "POST",
    "headers": [
        {"key": "Authorization", "value": "Bearer s3cr3t", "isUserProvided": False},
        {"key": "Accept", "value": "application/json", "isUserProvided": False},
    ],
    "rawBody": '{"api_key": "s3cr3t", "order": 1}',
}


@pytest.mark.parametrize(
    "fault",
    [
        says(401, {"error": f"Key {KEY} is not known."}),
        says(500, {"error": f"crashed with Bearer {KEY}"}),
        says(400, {"error": "error invalid request body", "details": {"key": f"{KEY} is odd"}}),
        says(302, location=f"https://elsewhere.example.com/?key={KEY}"),
        says(200, f"<html>{KEY}</html>"),
        says(200, [{"id": KEY}]),
        hangs_up,
        floods,
    ],
)
async def test_the_key_stands_in_no_error_and_no_log(fault, caplog):
    caplog.set_level(logging.DEBUG)
    async with hosting(fault) as fake:
        for operation, arguments in (("list_agents", {}), ("delete_crm_step", {"id": "cstep"})):
            with pytest.raises(VivavoceError) as raised:
                await fake.ask(operation, **arguments)
            told = f"{raised.value!r} {raised.value} {raised.value.details}"
            assert KEY not in told + "".join(traceback.format_exception(raised.value))

    assert fake.requests[0].headers["authorization"].endswith(KEY)
    assert KEY not in caplog.text


async def test_the_key_stands_in_no_result():
    tool = {"id": "t1", "type": "http", "config": {**CONFIG, "description": f"Uses {KEY}."}}
    async with hosting(says(200, {**AGENT, "systemPrompt": f"Say {KEY}.", "tools": [tool]})) as fake:
        agent = await fake.ask("get_agent", id="cagent")

    assert agent.system_prompt == "Say ********."
    assert KEY not in agent.model_dump_json()


async def test_the_key_is_no_part_of_how_anything_is_written():
    calls = Calls("https://api.chatvolt.ai")
    holder = Holder.of(KEY)
    for thing in (calls, HostedBackend(calls, key_of(KEY)), holder, calls.__dict__):
        assert KEY not in f"{thing!r} {thing}"
    assert KEY not in holder.model_dump_json()


@pytest.mark.parametrize("key", ["", "kéy-12345678", "two words", "line\nbreak"])
async def test_what_cannot_be_a_key_is_sent_nowhere(key):
    async with hosting(says(200, [])) as fake:
        backend = HostedBackend(Calls(fake.address), key_of(key))
        with pytest.raises(NotAuthenticated, match="CHATVOLT_API_KEY") as raised:
            await backend.run(CATALOGUE["list_agents"].parse({}), OPERATOR)
        await backend.close()

    assert fake.requests == []
    assert not key or key not in str(raised.value)


async def test_a_caller_who_brings_a_key_works_with_that_one_alone():
    async with hosting(says(200, [])) as fake:
        await fake.ask("list_agents", caller=Holder.of("another-key-1"))
        await fake.ask("list_agents")

    sent = [request.headers["authorization"] for request in fake.requests]
    assert sent == ["Bearer another-key-1", f"Bearer {KEY}"]


class OwnKeys:
    """One key of this server."""

    async def caller(self, token):
        return Caller(name="Bo", scopes=frozenset((Scope.READ,))) if token == "vv_known" else None

    async def is_empty(self):
        return False


async def test_a_token_that_is_no_key_of_ours_is_taken_for_one_of_the_hosted_service():
    keys = ForwardedKeys(OwnKeys())

    assert (await keys.caller("vv_known")).name == "Bo"
    assert await keys.caller("vv_revoked") is None
    theirs = await keys.caller("some-hosted-key")
    assert isinstance(theirs, Holder)
    assert Scope.ADMIN not in theirs.scopes
    assert theirs.id != (await keys.caller("some-other-key")).id


async def test_secrets_of_the_account_are_shown_as_markers():
    agent = {
        **AGENT,
        "tools": [{"id": "t1", "type": "http", "config": CONFIG}],
        "configUrlExternal": {"url": "https://crm.example.com/", "header": "s3cr3t"},
    }
    async with hosting(says(200, agent)) as fake:
        shown = await fake.ask("get_agent", id="cagent")

    config = shown.tools[0].config
    assert config["url"] == "https://shop.example.com/orders?token=********&lang=en"
    assert [header["value"] for header in config["headers"]] == ["********", "application/json"]
    assert json.loads(config["rawBody"]) == {"api_key": "********", "order": 1}
    assert shown.config_url_external == {"url": "https://crm.example.com/", "header": "********"}
    assert "s3cr3t" not in shown.model_dump_json()


@pytest.mark.parametrize("type", ["http", "api_tool"])
async def test_secrets_of_a_tool_are_covered_whatever_its_settings_look_like(type):
    choices = {"acceptedValues": ["s3cr3t"], "enum": ["s3cr3t"]}
    header = {"key": "X-Door", "value": "s3cr3t", **choices}
    tool = {"id": "t1", "type": type, "config": {"headers": [header], "rawBody": "password=s3cr3t"}}
    async with hosting(says(200, {**AGENT, "tools": [tool]})) as fake:
        shown = await fake.ask("get_agent", id="cagent")

    config = shown.tools[0].config
    assert "s3cr3t" not in shown.model_dump_json()
    assert (config["headers"][0]["key"], config["rawBody"]) == ("X-Door", "********")


@pytest.mark.parametrize(
    ("operation", "arguments", "answer"),
    [
        ("list_agents", {}, [{**AGENT, "tools": [{"id": "t1", "type": "http", "config": CONFIG}]}]),
        ("list_agent_tools", {"agentId": "c1"}, [{"id": "t1", "type": "http", "config": CONFIG}]),
        (
            "list_crm_steps",
            {"scenarioId": "cs"},
            [{"id": "s", "name": "a", "scenarioId": "cs", "index": 0, "webhookHeader": {"X-Key": "s3cr3t"}}],
        ),
        (
            "list_datasources",
            {"datastoreId": "cd"},
            {
                "data": [{"id": "d", "name": "a", "config": {"api_key": "s3cr3t"}}],
                "pagination": {"total": 1, "offset": 0, "limit": 20, "count": 1},
            },
        ),
    ],
)
async def test_secrets_are_covered_in_lists_too(operation, arguments, answer):
    async with hosting(says(200, answer)) as fake:
        shown = (await fake.ask(operation, **arguments)).model_dump_json()

    assert "********" in shown
    assert "s3cr3t" not in shown


async def test_a_marker_that_is_written_back_keeps_what_is_stored():
    tool = {"id": "t1", "type": "http", "config": CONFIG}
    async with hosting(says(200, tool)) as fake:
        shown = await fake.ask("get_agent_tool", agentId="cagent", toolId="t1")
        changed = {**shown.config, "description": "Looks one up."}
        await fake.ask("update_agent_tool", agentId="cagent", toolId="t1", config=changed)

    assert fake.requests[-1].method == "PATCH"
    assert fake.requests[-1].json == {"config": {**CONFIG, "description": "Looks one up."}}


async def test_a_secret_does_not_follow_to_another_host():
    tool = {"id": "t1", "type": "http", "config": CONFIG}
    async with hosting(says(200, tool)) as fake:
        shown = await fake.ask("get_agent_tool", agentId="cagent", toolId="t1")
        moved = {**shown.config, "url": "https://evil.example.com/"}
        with pytest.raises(InvalidInput, match="leads to another host"):
            await fake.ask("update_agent_tool", agentId="cagent", toolId="t1", config=moved)

    assert [request.method for request in fake.requests] == ["GET", "GET"]


async def test_a_marker_for_which_nothing_is_stored_is_refused():
    async with hosting(says(200, {"id": "t1", "type": "http", "config": {}})) as fake:
        with pytest.raises(InvalidInput, match="stands where the hosted service has no secret"):
            await fake.ask("addHttpTool", agentId="cagent", config={**CONFIG, "description": "********"})

    assert fake.requests == []


async def test_stars_in_a_text_are_no_marker():
    async with hosting(says(200, AGENT)) as fake:
        await fake.ask("update_agent", id="cagent", systemPrompt="********", description="*********")

    assert [request.method for request in fake.requests] == ["PATCH"]
    assert fake.requests[0].json["systemPrompt"] == "********"


async def test_the_settings_of_an_agent_keep_their_secrets_too():
    stored = {**AGENT, "configUrlExternal": {"url": "https://crm.example.com/", "header": "s3cr3t"}}
    after = {"url": "https://crm.example.com/v2", "header": "********"}
    async with hosting(says(200, stored)) as fake:
        await fake.ask("update_agent", id="cagent", configUrlExternal=after)

    assert fake.requests[-1].json == {
        "configUrlExternal": {"url": "https://crm.example.com/v2", "header": "s3cr3t"}
    }


async def test_a_tool_is_added_beside_others_without_touching_their_secrets():
    before = [{"id": "t1", "type": "http", "config": {**CONFIG, "description": f"Uses {KEY}."}}]
    after = [*before, {"id": "t2", "type": "request_human"}]
    async with hosting(
        *(says(404), says(404)),
        *(says(200, {**AGENT, "tools": before}), says(200, AGENT), says(200, {**AGENT, "tools": after})),
    ) as fake:
        await fake.ask("addRequestHumanTool", agentId="cagent")

    assert fake.requests[3].json["tools"] == [*before, {"type": "request_human"}]
