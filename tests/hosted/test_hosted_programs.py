"""The programs with a key of the hosted service: the drop-in configuration, and keys that callers bring."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import httpx2
import pytest
from fake import AGENT, KEY, hosting, says
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from serving import mcp_over_http, served, settings_in

from vivavoce.app import open_app
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.offered import OFFERED
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.settings import Settings
from vivavoce.surfaces.mcp.command import MANIFEST
from vivavoce.surfaces.mcp.selection import Selection

RECORDED = {fact[0] for fact in json.loads(Path(MANIFEST).read_text(encoding="utf-8"))["facts"]}
BY_DEFAULT = {name for name, kind in CATALOGUE.items() if kind.spec.offer == "default"}


@pytest.fixture
def program(tmp_path):
    """`vivavoce mcp` with the one variable that the spec's configuration sets, for a service of ours."""

    def started(address: str, *words: str) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable,
            args=["-m", "vivavoce", "mcp", *words],
            env={
                "PATH": os.environ.get("PATH", ""),
                "CHATVOLT_API_KEY": KEY,
                "VIVAVOCE_CHATVOLT_URL": address,
                "VIVAVOCE_DATABASE": str(tmp_path / "workspace.db"),
            },
        )

    return started


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_drop_in_configuration_works_on_the_hosted_account(program, era):
    async with (
        hosting(says(200, [AGENT])) as fake,
        Client(program(fake.address), mode=era, read_timeout_seconds=60) as client,
    ):
        listed = {tool.name for tool in (await client.list_tools()).tools}
        answer = await client.call_tool("list_agents", {})
        refused = await client.call_tool("get_agent", {"id": "' or 1=1"})

    assert listed == BY_DEFAULT & OFFERED
    assert "get_answer" not in listed
    assert answer.structured_content["agents"][0]["name"] == "Ana"
    assert refused.is_error
    assert fake.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_nothing_is_stored_here_while_the_hosted_account_is_worked_on(program, tmp_path):
    async with (
        hosting(says(200, [AGENT])) as fake,
        Client(program(fake.address), read_timeout_seconds=60) as client,
    ):
        await client.call_tool("list_agents", {})
        await client.call_tool("update_agent", {"id": "cagent", "name": "Bo"})

    assert list(tmp_path.iterdir()) == []


async def test_what_the_hosted_service_cannot_do_is_no_tool_even_when_all_are_asked_for(program):
    words = ("--toolsets", "all")
    async with (
        hosting(says(200, [])) as fake,
        Client(program(fake.address, *words), read_timeout_seconds=60) as client,
    ):
        listed = {tool.name for tool in (await client.list_tools()).tools}

    assert listed == {name for name in RECORDED & OFFERED if CATALOGUE[name].spec.offer != "never"}


async def test_without_a_key_the_embedded_engine_works(settings):
    async with open_app(settings) as app:
        assert not isinstance(app.backend, HostedBackend)


async def test_with_a_key_the_keys_of_this_server_stay_its_own(tmp_path):
    async with hosting(says(200, [])) as fake:
        settings = settings_in(tmp_path, chatvolt_api_key=KEY, chatvolt_url=fake.address)
        async with open_app(settings, works=True) as app:
            made = await app.backend.run(
                CATALOGUE["create_key"].parse({"name": "Bo", "scopes": ["read"]}), OPERATOR
            )
            assert (await app.keyring.caller(made.key)).name == "Bo"

    assert fake.requests == []


async def test_a_token_stands_for_the_key_only_where_the_operator_allows_it(tmp_path):
    async with hosting(says(200, [AGENT])) as fake:
        allowing = settings_in(tmp_path, chatvolt_url=fake.address, forward_keys="on")
        with served(allowing, Selection()) as address:
            async with mcp_over_http(address, key="key-of-a-caller") as client:
                answer = await client.call_tool("list_agents", {})
                assert answer.structured_content["agents"][0]["name"] == "Ana"
            async with mcp_over_http(address) as client:
                assert "There is no key" in (await client.call_tool("list_agents", {})).content[0].text

        assert [request.headers["authorization"] for request in fake.requests] == ["Bearer key-of-a-caller"]


async def test_a_token_of_a_stranger_is_not_sent_on_unless_it_is_allowed(tmp_path):
    async with hosting(says(200, [AGENT])) as fake:
        closed = settings_in(tmp_path, chatvolt_api_key=KEY, chatvolt_url=fake.address)
        headers = {"Authorization": "Bearer key-of-a-caller"}
        with served(closed, Selection()) as address:
            async with httpx2.AsyncClient(base_url=address, headers=headers, trust_env=False) as client:
                refused = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})

        assert refused.status_code == 401
        assert fake.requests == []


def test_the_settings_name_the_account_and_show_its_key_nowhere():
    settings = Settings.read({"CHATVOLT_API_KEY": KEY, "VIVAVOCE_FORWARD_KEYS": "on"})

    assert (settings.chatvolt_api_key, settings.chatvolt_url) == (KEY, "https://api.chatvolt.ai")
    assert settings.forward_keys == "on"
    assert KEY not in repr(settings)
