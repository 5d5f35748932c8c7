"""Answers that come as a stream of events: encoded or not, whole or cut, and told while they come."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from fake import KEY, hosting, says, streams

from vivavoce.errors import BudgetSpent, UpstreamFailed
from vivavoce.operations import Told

WHOLE = {
    "answer": "Olá, 100%25 sure!",
    "conversationId": "talk-1",
    "visitorId": "v1",
    "messageId": "m1",
    "sources": [{"text": "a", "score": 0.5, "source": "b", "datasource_id": "d", "datasource_name": "e"}],
    "metadata": {},
}
PIECES = ["Ol", "á,", " 100%25", " sure", "!"]


def event(name: str, payload: str, *, is_encoded: bool) -> bytes:
    written = quote(payload, safe="-_.!~*'()") if is_encoded else payload
    return f"event: {name}\ndata: {written}\n\n".encode()


def events(*, is_encoded: bool) -> bytes:
    said = [event("answer", piece, is_encoded=is_encoded) for piece in PIECES]
    called = json.dumps({"type": "function", "name": "Order", "arguments": {"a": "b c"}})
    said.insert(1, event("tool_call", called, is_encoded=is_encoded))
    whole = event("endpoint_response", json.dumps(WHOLE, ensure_ascii=False), is_encoded=is_encoded)
    return b"".join([b": hello\n\n", *said, whole, b"event: \ndata: [DONE]\n\n"])


@pytest.mark.parametrize("is_encoded", [True, False], ids=["encoded", "raw"])
@pytest.mark.parametrize("size", [1, 7, 100_000], ids=["bytes", "crumbs", "whole"])
async def test_an_answer_is_told_piece_by_piece(is_encoded, size):
    sent = events(is_encoded=is_encoded)
    crumbs = [sent[at : at + size] for at in range(0, len(sent), size)]
    told: list[Told] = []
    async with hosting(streams(*crumbs)) as fake:
        answer = await fake.ask("agent_query", hear=told.append, id="cagent", query="Hi")

    assert fake.requests[0].json == {"query": "Hi", "streaming": True}
    assert "".join(each.text for each in told if each.kind == "answer") == WHOLE["answer"]
    (call,) = [json.loads(each.text) for each in told if each.kind == "tool_call"]
    assert call["arguments"] == {"a": "b c"}
    assert (answer.answer, answer.message_id) == (WHOLE["answer"], "m1")
    assert answer.sources[0].datasource_name == "e"


async def test_lines_may_end_in_any_way():
    sent = events(is_encoded=True).replace(b"\n", b"\r\n")
    async with hosting(streams(sent[:41], sent[41:])) as fake:
        answer = await fake.ask("agent_query", hear=lambda told: None, id="cagent", query="Hi")

    assert answer.answer == WHOLE["answer"]


async def test_without_a_listener_the_answer_comes_at_once():
    async with hosting(says(200, WHOLE)) as fake:
        answer = await fake.ask("agent_query", id="cagent", query="Hi", conversationId="", temperature=0)

    assert fake.requests[0].json == {
        "query": "Hi",
        "conversationId": None,
        "temperature": 0,
        "streaming": False,
    }
    assert answer.answer == WHOLE["answer"]


async def test_an_answer_in_json_is_taken_where_a_stream_was_asked_for():
    async with hosting(says(200, {"conversationId": "talk-1", "visitorId": "v1"})) as fake:
        answer = await fake.ask("agent_query", hear=lambda told: None, id="cagent", query="Hi")

    assert answer.answer is None
    assert answer.metadata == {"reason": "The AI is switched off in this conversation."}


async def test_a_stream_that_breaks_off_is_not_taken_for_an_answer():
    sent = events(is_encoded=True)
    async with hosting(streams(sent[:80], is_cut=True)) as fake:
        with pytest.raises(UpstreamFailed, match="It is not known whether it took effect"):
            await fake.ask("agent_query", hear=lambda told: None, id="cagent", query="Hi")
    async with hosting(streams(sent[:80])) as fake:
        with pytest.raises(UpstreamFailed, match="It is not known whether it took effect"):
            await fake.ask("agent_query", hear=lambda told: None, id="cagent", query="Hi")

    assert len(fake.requests) == 1


async def test_an_error_within_the_stream_is_one_of_ours():
    async with hosting(streams(b"data: [ERROR]USAGE_LIMIT\n\n")) as fake:
        with pytest.raises(BudgetSpent, match="used up what its plan includes"):
            await fake.ask("agent_query", hear=lambda told: None, id="cagent", query="Hi")


async def test_an_answer_that_goes_elsewhere_is_only_taken():
    async with hosting(says(202, {"conversationId": "talk-1"})) as fake:
        taken = await fake.ask(
            "agent_query",
            hear=lambda told: None,
            id="cagent",
            query="Hi",
            callbackURL="https://example.com/answers",
        )

    assert fake.requests[0].json["streaming"] is False
    assert (taken.answer, taken.conversation_id) == (None, "talk-1")


async def test_the_key_is_told_to_nobody_while_an_answer_comes():
    told: list[Told] = []
    whole = event("endpoint_response", json.dumps({**WHOLE, "answer": f"Use {KEY}."}), is_encoded=True)
    said = event("answer", f"Use {KEY}.", is_encoded=True)
    middle = len(said) - 20  # the key is cut in two
    async with hosting(streams(said[:middle], said[middle:] + whole)) as fake:
        answer = await fake.ask("agent_query", hear=told.append, id="cagent", query="Hi")

    assert told == [Told("answer", "Use ********.")]
    assert answer.answer == "Use ********."
