"""A call that waits for an operator, over MCP: a person says yes before an assistant lets it out."""

from __future__ import annotations

import pytest
from asked import AGENT, run
from doors import text_of
from mcp import Client
from mcp.types import ElicitResult
from serving import ALL

from vivavoce.operations import OPERATOR
from vivavoce.ports import Called
from vivavoce.surfaces.mcp.server import server
from vivavoce.testing import FakeOutside, ScriptedModel, TestModels, open_test_engine

CANCELLING = {
    "name": "Cancel order",
    "description": "Cancels an order.",
    "url": "https://shop.example.com/cancel",
    "method": "POST",
    "headers": [{"key": "Authorization", "value": "Bearer s3cr3t", "isUserProvided": False}],
    "body": [{"key": "order", "isUserProvided": True}],
    "withApproval": True,
}


@pytest.fixture
def waiting(tmp_path):
    """Opens an engine in which one call waits: the engine, its id, and what was sent."""
    held = []

    async def opened():
        outside = FakeOutside({f"POST {CANCELLING['url']}": (200, "done")})
        model = ScriptedModel([Called("1", "Cancel_order", '{"order": "A-17"}'), "It is cancelled."])
        opening = open_test_engine(tmp_path, models=TestModels(model), outside=outside)
        engine = opening.__enter__()
        held.append(opening)
        agent = await run(engine, "create_agent", **AGENT)
        await run(engine, "addHttpTool", agentId=agent["id"], config=CANCELLING)
        answer = await run(engine, "agent_query", id=agent["id"], query="Cancel my order A-17, please.")
        return engine, answer["approvals"][0]["id"], outside.sent

    yield opened
    for each in held:
        each.__exit__(None, None, None)


@pytest.mark.parametrize("agrees", [True, False])
async def test_a_call_is_sent_only_when_the_person_agrees_to_what_it_says(waiting, era, agrees):
    engine, approval, sent = await waiting()
    asked = []

    async def reply(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": agrees})

    tools = server(engine, lambda _: OPERATOR, state_key=bytes(32), selection=ALL)
    async with Client(tools, mode=era, elicitation_callback=reply) as client:
        outcome = await client.call_tool("answer_approval", {"id": approval, "approved": True})

    (question,) = asked
    assert "A-17" in question
    assert CANCELLING["url"] in question
    assert "s3cr3t" not in question
    assert len(sent) == (1 if agrees else 0)
    assert outcome.is_error is not agrees
    if not agrees:
        assert text_of(outcome).startswith("declined: Nothing was sent: the person did not confirm.")


async def test_nobody_is_asked_before_a_call_is_rejected_or_about_one_that_does_not_wait(waiting, era):
    engine, approval, sent = await waiting()

    async def never(context, params):
        raise AssertionError(params.message)

    tools = server(engine, lambda _: OPERATOR, state_key=bytes(32), selection=ALL)
    async with Client(tools, mode=era, elicitation_callback=never) as client:
        missing = await client.call_tool("answer_approval", {"id": "nothing", "approved": True})
        rejected = await client.call_tool("answer_approval", {"id": approval, "approved": False})

    assert text_of(missing).startswith("not_found: ")
    assert not rejected.is_error
    assert sent == []
