"""A provider that breaks off in the middle of its answer, seen by those who stream and those who do not."""

from __future__ import annotations

import asyncio
import json

import httpx2
import pytest
from asked import AGENT, application, run, turns_of
from mcp import Client
from serving import ALL

from tests.ports.providers import HEAD, Provider, chunk, clients_through, framed, provider_at_work, said
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.llms.chosen import ChosenModels, Endpoint, Patience
from vivavoce.operations import OPERATOR
from vivavoce.surfaces.mcp.server import server
from vivavoce.testing import FakeOutside, open_test_engine

QUESTION = {"query": "When do you open?", "conversationId": "talk1"}
HOOK = "https://hook.example/"


async def broken(writer: asyncio.StreamWriter) -> None:
    """The beginning of an answer, and then nothing more."""
    writer.write(HEAD + framed(chunk({"content": "We open at mid"})))
    await writer.drain()
    writer.close()


@pytest.fixture
async def provider():
    async with provider_at_work() as provider:
        provider.says(broken, said("We open at nine."))
        yield provider


@pytest.fixture
async def engine(provider: Provider, tmp_path):
    async def sleep(seconds: float) -> None: ...

    clients = clients_through(Egress(allow=(provider.place,)), Egress())
    models = ChosenModels(clients, endpoint=Endpoint(provider.url), patience=Patience(sleep=sleep))
    with open_test_engine(tmp_path, models=models, outside=FakeOutside()) as engine:
        known = {**AGENT, "modelName": "served", "fallbackModelName": "other"}
        await run(engine, "create_agent", **known, handle="ana")
        yield engine
        await engine.close()
    await clients.close()


async def posted(engine, **more) -> httpx2.Response:
    transport = httpx2.ASGITransport(application(engine, OPERATOR))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=30) as client:
        return await client.post("/agents/@ana/query", json={**QUESTION, **more})


async def test_who_waits_for_the_whole_answer_is_not_told_of_a_model_that_broke_off(engine, provider):
    response = await posted(engine)

    assert response.json()["answer"] == "We open at nine."
    assert [asked["model"] for asked in provider.asked] == ["served", "served"]


async def test_a_model_that_breaks_off_each_time_gives_way_to_its_fallback(engine, provider):
    provider.says(broken, broken, broken, said("We open at nine."))

    assert (await posted(engine)).json()["answer"] == "We open at nine."
    assert [asked["model"] for asked in provider.asked] == ["served"] * 3 + ["other"]


async def test_what_a_model_said_before_it_broke_off_is_counted(engine, provider):
    usage = (await posted(engine)).json()["usage"]

    assert usage["promptTokens"] > 1_000  # the provider says that the second request had 1,000
    assert usage["completionTokens"] > 100


async def test_a_model_that_always_breaks_off_is_a_failure(engine, provider):
    provider.says(broken)

    response = await posted(engine)

    assert response.status_code == 502
    assert "broke off" in response.json()["message"]
    assert [turn.state for turn in await turns_of(engine)] == ["failed"]


async def test_who_streams_keeps_what_was_heard_and_is_told_of_the_end(engine, provider):
    response = await posted(engine, streaming=True)

    assert "We%20open%20at" in response.text
    assert "[ERROR]" in response.text
    assert len(provider.asked) == 1


async def test_a_call_over_mcp_without_progress_gets_the_whole_answer(engine, provider, era):
    built = server(engine, lambda _: OPERATOR, state_key=bytes(32), selection=ALL)
    async with Client(built, mode=era) as client:
        result = await client.call_tool("agent_query", {"id": "@ana", **QUESTION})

    assert result.structured_content["answer"] == "We open at nine."


async def test_an_answer_that_is_sent_later_is_whole(engine, provider):
    await posted(engine, callbackURL=HOOK)
    await engine.close(at_once=False)

    [(_, url, _, content)] = engine.ports.outside.sent
    assert url == HOOK
    assert json.loads(content)["answer"] == "We open at nine."
