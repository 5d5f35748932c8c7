"""What an agent says, over MCP: as progress while it speaks, and as a text that reads well."""

from __future__ import annotations

import asyncio
import json

import pytest
from asked import AGENT, WaitingModel, listening, run, turns_of
from doors import text_of
from mcp import Client
from mcp.types import CallToolRequestParams
from serving import ALL, mcp_over_http
from starlette.applications import Starlette
from starlette.routing import Route

from vivavoce.errors import UpstreamFailed
from vivavoce.operations import OPERATOR, Told
from vivavoce.operations.answers import AgentAnswer, AnswerSource, ApprovalAsked
from vivavoce.ports import Delta
from vivavoce.surfaces.mcp import progress
from vivavoce.surfaces.mcp.answers import readable
from vivavoce.surfaces.mcp.server import server
from vivavoce.surfaces.mcp.sessions import Sessions, owned
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

ASK = ("agent_query", {"id": "@ana", "query": "When do you open?"})
TOKEN = {"progress_token": 7}
"""Clients that speak over a wire send one of their own; those inside the process do not."""
CALL = CallToolRequestParams(name="agent_query", _meta=TOKEN)


@pytest.fixture
def asked(tmp_path):
    """Opens an engine whose agent speaks through a model, and an MCP client of it."""
    held = []

    async def opened(model, mode):
        opening = open_test_engine(tmp_path, models=TestModels(model))
        engine = opening.__enter__()
        held.append(opening)
        await run(engine, "create_agent", **AGENT, handle="ana")
        return engine, Client(
            server(engine, lambda _: OPERATOR, state_key=bytes(32), selection=ALL), mode=mode
        )

    yield opened
    for each in held:
        each.__exit__(None, None, None)


class Progress:
    """What a client was told of how far its call has come."""

    def __init__(self) -> None:
        self.told: list[tuple[float, str | None]] = []
        self.came = asyncio.Event()

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.told.append((progress, message))
        self.came.set()

    @property
    def text(self) -> str:
        return "".join(message or "" for _, message in self.told)


async def test_what_is_said_comes_as_progress_before_the_result(asked, era):
    model, progress = WaitingModel(["We open "], then=["at ", "nine."]), Progress()
    _, connecting = await asked(model, era)

    async with connecting as client:
        calling = asyncio.create_task(client.call_tool(*ASK, progress_callback=progress, meta=TOKEN))
        await asyncio.wait_for(progress.came.wait(), 30)
        assert progress.text == "We open "
        assert not calling.done()
        model.go.set()
        answer = await calling

    assert progress.text == "We open at nine."
    assert answer.structured_content["answer"] == "We open at nine."
    counted = [number for number, _ in progress.told]
    assert counted == sorted(set(counted))


async def test_many_pieces_make_few_notifications(asked, era):
    pieces = [Delta(f"{number} ") for number in range(500)]
    progress = Progress()
    _, connecting = await asked(ScriptedModel([pieces]), era)

    async with connecting as client:
        await client.call_tool(*ASK, progress_callback=progress, meta=TOKEN)

    assert progress.text == "".join(piece.text for piece in pieces)
    assert len(progress.told) < 50


async def test_who_does_not_ask_for_progress_gets_the_answer_alone(asked, era):
    _, connecting = await asked(ScriptedModel([[Delta("At "), Delta("nine.")]]), era)

    async with connecting as client:
        answer = await client.call_tool(*ASK)

    assert answer.structured_content["answer"] == "At nine."
    assert text_of(answer).startswith("At nine.\n")


async def test_a_call_that_is_cancelled_stops_the_turn(asked, era):
    model = WaitingModel(["We open "])
    engine, connecting = await asked(model, era)

    async with connecting as client:
        calling = asyncio.create_task(client.call_tool(*ASK))
        await asyncio.wait_for(model.waits.wait(), 30)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await asyncio.wait_for(model.closed.wait(), 30)

    assert [turn.state for turn in await turns_of(engine)] == ["interrupted"]


async def test_over_http_it_comes_and_is_stopped_all_the_same(asked, era):
    model, progress = WaitingModel(["We open "]), Progress()
    engine, _ = await asked(model, era)
    tools = server(engine, lambda _: OPERATOR, state_key=bytes(32), selection=ALL)
    sessions = Sessions(tools, keeps=True)
    app = Starlette(routes=[Route("/mcp", Served(sessions), methods=["GET", "POST", "DELETE"])])

    async with (
        sessions.run(),
        listening(app) as port,
        mcp_over_http(f"http://127.0.0.1:{port}", mode=era) as client,
    ):
        calling = asyncio.create_task(client.call_tool(*ASK, progress_callback=progress, meta=TOKEN))
        await asyncio.wait_for(progress.came.wait(), 30)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await asyncio.wait_for(model.closed.wait(), 30)

    assert progress.text == "We open "
    assert [turn.state for turn in await turns_of(engine)] == ["interrupted"]


class Served:
    """Sessions as an application that a route takes as it is."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions

    async def __call__(self, scope, receive, send) -> None:
        await self.sessions.asgi_app(owned(scope, "operator"), receive, send)


async def test_what_is_told_again_while_a_message_waits_is_reported_once(monkeypatch):
    monkeypatch.setattr(progress, "APART", 0.0)
    told = Progress()

    async def waiting(hear):
        for news in ("queued", "queued", "answer", "queued", "answer"):
            hear(Told(news, "Nine."))
            for _ in range(20):
                await asyncio.sleep(0)
        return "Nine."

    async def report(value, total=None, message=None):
        await told(value, total, message)

    assert await progress.progressing(waiting, CALL, report) == "Nine."
    values = [value for value, _ in told.told]
    assert (values[0], told.told[0][1]) == (0.0, "The message is stored and waits for its turn.")
    assert values == sorted(set(values))


async def test_a_failure_is_still_a_failure(asked, era):
    engine, connecting = await asked(ScriptedModel(["Nine."]), era)

    async with connecting as client:
        answer = await client.call_tool("agent_query", {"id": "@nobody", "query": "?"})

    assert answer.is_error
    assert text_of(answer).startswith("not_found: ")
    assert await turns_of(engine) == []


async def test_a_failure_says_where_its_message_is_kept(asked, era):
    engine, connecting = await asked(ScriptedModel([UpstreamFailed("The provider is down.")]), era)

    async with connecting as client:
        answer = await client.call_tool(*ASK)

    (turn,) = await turns_of(engine)
    assert answer.is_error
    assert text_of(answer) == (
        f"upstream_failed: The provider is down. The message is kept as {turn.message_id!r} in conversation "
        f"{turn.conversation_id!r}. Have it answered with retry_answer instead of sending it again."
    )


def source(number: int, quote: str, page: str | None = None) -> AnswerSource:
    return AnswerSource(
        text=f"Before. {quote} After.",
        score=0.9,
        datasource_id="d1",
        datasource_name=f"manual-{number}.pdf",
        datasource_type="file",
        chunk_id="1",
        number=number,
        page=page,
        quote=quote,
        document_id="doc1",
        start=8,
        end=8 + len(quote),
    )


def test_an_answer_reads_as_words_then_sources_then_how_to_go_on():
    answer = AgentAnswer(
        answer="We open at nine. We close at five.",
        conversation_id="c1",
        visitor_id="v1",
        sources=[source(2, "Doors close at\n five."), source(1, "The shop opens at nine.", page="iv")],
        metadata={"citations": [[1, 15], [2, 34], [3, 34]]},
    )

    assert readable(answer).split("\n") == [
        "We open at nine [1]. We close at five. [2]",
        "",
        "Sources:",
        '[1] manual-1.pdf, page iv: "The shop opens at nine."',
        '[2] manual-2.pdf: "Doors close at five."',
        "",
        "conversationId: c1",
    ]


def test_silence_and_approvals_are_told_in_words():
    silent = AgentAnswer(conversation_id="c1", visitor_id="v1", metadata={"reason": "The AI is off."})
    asks = ApprovalAsked(id="a1", tool="Refund", payload={"amount": 5})
    waiting = AgentAnswer(answer="", conversation_id="c1", visitor_id="v1", approvals=[asks])

    assert readable(silent).startswith("The message is stored. There is no answer. The AI is off.\n")
    assert "'Refund' waits for approval a1" in readable(waiting)
    assert json.dumps({"amount": 5}).replace(" ", "") in readable(waiting)
