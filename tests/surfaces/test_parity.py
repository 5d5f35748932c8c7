"""Parity: every operation comes to the same on every surface, in both protocol eras."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager

import httpx2
import pytest
from doors import cli_door, engine_door, mcp_door, rest_door
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from script import carried_out, plain
from serving import ALL, mcp_over_http, served, settings_in

from vivavoce.app import open_app
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.operations.tools import AddsTool
from vivavoce.surfaces.mcp.server import server

EVERY = set(CATALOGUE)


@pytest.fixture(scope="module")
async def reference(tmp_path_factory):
    """What the script comes to on the engine itself."""
    async with open_app(settings_in(tmp_path_factory.mktemp("reference")), works=True) as app:
        return await carried_out(engine_door(app.backend))


async def test_the_script_asks_for_every_operation_and_every_one_succeeds_somewhere(reference):
    asked = {outcome.name for outcome in reference}
    succeeded = {outcome.name for outcome in reference if outcome.error is None}

    assert asked == EVERY
    # No call waits here, as there is no model, and nothing arrives or goes out that could fail.
    unmet = {"answer_approval", "retry_arrival", "retry_answer", "get_delivery", "redeliver"}
    assert EVERY - succeeded == unmet


async def test_the_script_meets_every_error_that_a_call_can_cause(reference):
    met = {outcome.error[0] for outcome in reference if outcome.error}

    assert met == {"invalid_input", "not_found", "conflict", "not_allowed"}


@pytest.mark.parametrize("transport", ["memory", "stdio", "http"])
async def test_mcp_gives_what_the_engine_gives(reference, transport, era, tmp_path):
    async with connected(transport, era, tmp_path) as client:
        assert client.protocol_version == ("2025-11-25" if era == "legacy" else "2026-07-28")
        outcomes = await carried_out(mcp_door(client))

    offered = [outcome for outcome in reference if CATALOGUE[outcome.name].spec.offer != "never"]
    given = [outcome for outcome in outcomes if CATALOGUE[outcome.name].spec.offer != "never"]
    assert_same(plain(given), plain(offered))


@pytest.mark.parametrize("prefix", ["", "/api"])
async def test_rest_gives_what_the_engine_gives_in_the_form_of_the_wire(reference, prefix, tmp_path):
    with served(settings_in(tmp_path)) as address:
        async with httpx2.AsyncClient(base_url=address, timeout=30, trust_env=False) as client:
            outcomes = await carried_out(rest_door(client, prefix))

    has_route = {
        name for name, kind in CATALOGUE.items() if kind.spec.route is not None or issubclass(kind, AddsTool)
    }
    routed = [outcome for outcome in reference if outcome.name in has_route]
    given = [outcome for outcome in outcomes if outcome.name in has_route]
    assert EVERY - has_route == {"create_key", "list_keys", "revoke_key"}
    assert_same(plain(given), plain(routed, wire=True))


@pytest.mark.parametrize("spelled", ["options", "input"])
async def test_the_command_line_gives_what_the_engine_gives(reference, spelled, tmp_path, monkeypatch):
    settings = settings_in(tmp_path)
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(settings.database))

    async with open_app(settings, works=True):  # a server indexes what commands add
        outcomes = await carried_out(cli_door(spelled))

    assert_same(_as_commands(plain(outcomes)), _as_commands(plain(reference)))


def test_a_command_as_a_process_of_its_own_says_the_same(tmp_path):
    made = run("create-datastore", "--type", "qdrant", "--name", "Ç", "--json", folder=tmp_path)
    shown = run("get-datastore", json.loads(made.stdout)["id"], "--json", folder=tmp_path)
    missing = run("get-datastore", "nothing", "--json", folder=tmp_path)

    assert (made.returncode, shown.returncode) == (0, 0)
    assert json.loads(shown.stdout) == json.loads(made.stdout) | {"datasources": [], "chunks": []}
    assert (missing.returncode, missing.stdout) == (4, "")
    assert missing.stderr == "not_found: No datastore 'nothing'. List them with list_datastores.\n"


async def test_rest_differs_only_in_bare_lists_one_sentence_and_the_flat_fields_of_a_step(reference):
    different = {}
    for outcome in reference:
        if outcome.result is not None and outcome.result.wire() != outcome.result.model_dump(mode="json"):
            different[outcome.name] = _difference(outcome.result)

    flat = {
        *("zapiAgentId", "zapiPhoneNumber", "zapiMessage", "whatsappTemplateAgentId"),
        *("whatsappTemplateName", "whatsappTemplateLanguageCode", "whatsappTemplateText"),
    }
    listing = {name for name, difference in different.items() if difference == "bare list"}
    assert listing == {
        *("list_agents", "list_agent_tools", "list_crm_scenarios", "list_crm_steps", "list_datastores"),
        *("query_datastore", "list_keys"),
        *("list_conversations", "export_conversations", "list_notes", "list_variables", "list_tags"),
        *("list_models", "list_providers", "list_avatars", "list_avatar_sources", "list_follow_ups"),
        *("list_channels", "list_arrivals", "list_deliveries", "list_failed_answers"),
        *("list_blacklist", "list_agent_blacklist", "add_to_blacklist"),
        *("list_agent_whitelist", "add_to_whitelist"),
    }
    assert {name: of for name, of in different.items() if name not in listing} == {
        "enable_disable_agent_integration": "sentence",
        "create_crm_step": flat,
        "update_crm_step": flat,
        "delete_crm_step": flat,
        "delete_note": "nothing",
        "remove_from_blacklist": "nothing",
        "list_scenario_conversations": "counts",
        "agent_query": "no nulls",
        "get_answer": "no nulls",
    }


@asynccontextmanager
async def connected(transport, era, folder):
    """A client of a fresh workspace with every tool."""
    settings = settings_in(folder)
    if transport == "memory":
        async with open_app(settings, works=True) as app:
            built = server(app.backend, lambda _: OPERATOR, state_key=app.request_state_key, selection=ALL)
            async with Client(built, mode=era) as client:
                yield client
    elif transport == "http":
        with served(settings) as address:
            async with mcp_over_http(address, mode=era) as client:
                yield client
    else:
        child = StdioServerParameters(
            command=sys.executable,
            args=["-m", "vivavoce", "mcp", "--toolsets", "all"],
            env={"VIVAVOCE_DATABASE": str(settings.database)},
        )
        async with Client(child, mode=era, read_timeout_seconds=60) as client:
            yield client


def assert_same(given, expected):
    """The first call that differs, rather than two transcripts side by side."""
    for mine, theirs in zip(given, expected, strict=True):
        assert mine == theirs


def run(*words, folder):
    environment = {**os.environ, "VIVAVOCE_DATABASE": str(folder / "workspace.db")}
    command = [sys.executable, "-m", "vivavoce", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def _difference(result):
    wire, plain = result.wire(), result.model_dump(mode="json")
    if isinstance(wire, list):
        (rows,) = plain.values()
        assert len(wire) == len(rows)
        return "bare list"
    if wire is None:
        return "nothing"
    if wire == plain.get("counts"):
        return "counts"
    if isinstance(wire, str):
        assert wire == plain["status"]
        return "sentence"
    if wire == _without_nulls(plain) or wire.keys() - {"metadata"} == {"conversationId", "visitorId"}:
        return "no nulls"
    assert plain.items() <= wire.items()
    return wire.keys() - plain.keys()


def _without_nulls(value):
    if isinstance(value, dict):
        return {name: _without_nulls(of) for name, of in value.items() if of is not None}
    return [_without_nulls(of) for of in value] if isinstance(value, list) else value


def _as_commands(outcomes):
    """`keys create` prints the id and the key alone."""
    return [
        [name, {"id": result["id"], "key": result["key"]} if name == "create_key" else result, error]
        for name, result, error in outcomes
    ]
