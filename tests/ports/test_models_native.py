"""Providers with protocols of their own, where their packages are installed: the same prompt and pieces."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.llms.chosen import ChosenModels
from vivavoce.errors import LimitReached, UpstreamFailed
from vivavoce.ports import Called, Delta, Offered, Picture, Prompt, Returned, Said

from .loopback import PUBLIC, Names, Server, Switchboard, answer
from .providers import (
    DONE,
    PATH,
    USAGE,
    all_of,
    calls_of,
    chunk,
    clients_through,
    said,
    spent_of,
    streamed,
    text_of,
)

KEY = "sk-very-secret-0123456789"
ORDER = Offered(
    "Get order!", "Looks up an order.", {"type": "object", "properties": {"id": {"type": "string"}}}
)
PROMPT = Prompt(
    instructions="You help.",
    question="Where is A1?",
    history=(Said("person", "Hi."), Said("agent", "Hello!")),
    tools=(ORDER,),
    steps=(Called("c1", "Get order!", '{"id": "A0"}'), Returned("c1", "Get order!", "sent")),
    sampling={"temperature": 0.0},
)


def needs(package: str, module: str) -> pytest.MarkDecorator:
    try:
        missing = find_spec(module) is None
    except ModuleNotFoundError:
        missing = True
    return pytest.mark.skipif(missing, reason=f"the package {package} is not installed")


@pytest.fixture
async def models(front: Server, canary: Server) -> AsyncIterator[ChosenModels]:
    names = Names({"models.example": [[PUBLIC]]})
    others = Egress(resolve=names, dial=Switchboard(canary, {PUBLIC: front}))
    clients = clients_through(Egress(), others)
    yield ChosenModels(clients)
    await clients.close()


def body_of(server: Server) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(server.requests[-1].partition("\r\n\r\n")[2].encode("latin-1"))
    return sent


def keys(provider: str) -> dict[str, dict[str, str]]:
    return {provider: {"api_key": KEY, "base_url": "http://models.example"}}


# Anthropic


def told(*events: dict[str, Any]) -> bytes:
    return streamed(*(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events))


STARTED = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 1},
    },
}
SPOKE = (
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "On its"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " way."}},
    {"type": "content_block_stop", "index": 0},
)
ENDED = (
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 100},
    },
    {"type": "message_stop"},
)
TOOL = (
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "t1", "name": "Get_order_", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"id": "A1"}'},
    },
    {"type": "content_block_stop", "index": 1},
)


@needs("anthropic", "anthropic")
async def test_anthropic_speaks_and_calls(front, models):
    front.answers["/v1/messages?beta=true"] = front.answers["/v1/messages"] = told(
        STARTED, *SPOKE, *TOOL, *ENDED
    )

    pieces = await all_of(models.named("claude_sonnet", None, keys("anthropic")), PROMPT)

    assert pieces[:2] == [Delta("On its"), Delta(" way.")]
    assert [(call.name, json.loads(call.arguments)) for call in calls_of(pieces)] == [
        ("Get order!", {"id": "A1"})
    ]
    spent = spent_of(pieces)
    assert (spent.model, spent.prompt_tokens, spent.completion_tokens) == ("claude-sonnet-5-5", 1000, 100)
    assert spent.cost > 0
    assert KEY in f"{front.header('x-api-key')} {front.header('authorization')}"
    assert front.header("x-stainless-os") is None
    sent = body_of(front)
    assert "You help." in json.dumps(sent["system"])
    assert [message["role"] for message in sent["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert sent["tools"][0]["name"] == "Get_order_"


@needs("anthropic", "anthropic")
async def test_anthropic_is_shown_pictures_and_told_of_those_that_it_refuses(front, models):
    error = {"type": "invalid_request_error", "message": "Could not process image"}
    body = json.dumps({"type": "error", "error": error}).encode()
    answers = [answer(body, 400, content_type="application/json"), told(STARTED, *SPOKE, *ENDED)]

    async def next_answer(writer: Any) -> None:
        writer.write(answers.pop(0))
        await writer.drain()

    front.answers["/v1/messages?beta=true"] = front.answers["/v1/messages"] = next_answer
    looked = Prompt("You help.", "What is it?", pictures=(Picture("a.png", "image/png", b"\x89PNG"),))

    pieces = await all_of(models.named("claude_sonnet", None, keys("anthropic")), looked)

    assert text_of(pieces) == "On its way."
    first, second = (json.loads(each.partition("\r\n\r\n")[2]) for each in front.requests)
    assert [part["type"] for part in first["messages"][-1]["content"]] == ["text", "image"]
    assert first["messages"][-1]["content"][1]["source"]["data"] == "iVBORw=="
    assert "which you cannot see" in json.dumps(second["messages"][-1])


@needs("anthropic", "anthropic")
async def test_an_answer_of_anthropic_that_is_cut_midway_is_not_passed_off_as_whole(front, models):
    front.answers["/v1/messages?beta=true"] = front.answers["/v1/messages"] = told(STARTED, *SPOKE)

    with pytest.raises(UpstreamFailed):
        await all_of(models.named("claude_sonnet", None, keys("anthropic")), replace(PROMPT, is_heard=True))

    assert len(front.requests) == 1


@needs("anthropic", "anthropic")
async def test_a_limit_of_anthropic_is_told_as_one(front, models):
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": KEY}}
    refused = answer(json.dumps(body).encode(), 429, content_type="application/json", Retry_After="900")
    front.answers["/v1/messages?beta=true"] = front.answers["/v1/messages"] = refused

    with pytest.raises(LimitReached, match="anthropic answers 429") as raised:
        await all_of(models.named("claude_sonnet", None, keys("anthropic")), PROMPT)

    assert KEY not in str(raised.value)
    assert len(front.requests) == 1


# Google


def google_says(*candidates: dict[str, Any]) -> bytes:
    used = {"promptTokenCount": 1000, "candidatesTokenCount": 100, "totalTokenCount": 1100}
    bodies = [
        {"candidates": [each], "usageMetadata": used, "modelVersion": "gemini-2.5-pro"} for each in candidates
    ]
    return streamed(*(f"data: {json.dumps(body)}\r\n\r\n".encode() for body in bodies))


GOOGLE = [f"/{version}/models/gemini-2.5-pro:streamGenerateContent?alt=sse" for version in ("v1", "v1beta")]


@needs("google-genai", "google.genai")
async def test_google_speaks_and_calls(front, models):
    call = {"functionCall": {"name": "Get_order_", "args": {"id": "A1"}}}
    spoken = google_says(
        {"content": {"role": "model", "parts": [{"text": "On its"}]}},
        {"content": {"role": "model", "parts": [{"text": " way."}, call]}, "finishReason": "STOP"},
    )
    front.answers |= dict.fromkeys(GOOGLE, spoken)

    pieces = await all_of(models.named("gemini_pro", None, keys("google")), PROMPT)

    assert text_of(pieces) == "On its way."
    assert [(call.name, json.loads(call.arguments)) for call in calls_of(pieces)] == [
        ("Get order!", {"id": "A1"})
    ]
    assert spent_of(pieces).prompt_tokens == 1000
    assert front.header("x-goog-api-key") == KEY
    assert "You help." in json.dumps(body_of(front)["systemInstruction"])


@needs("google-genai", "google.genai")
async def test_an_answer_of_google_that_is_cut_midway_is_not_passed_off_as_whole(front, models):
    cut = google_says({"content": {"role": "model", "parts": [{"text": "On its"}]}})
    front.answers |= dict.fromkeys(GOOGLE, cut)

    with pytest.raises(UpstreamFailed):
        await all_of(models.named("gemini_pro", None, keys("google")), replace(PROMPT, is_heard=True))


@needs("google-genai", "google.genai")
async def test_a_limit_of_google_is_told_as_one_and_not_asked_again_behind_our_back(front, models):
    body = {"error": {"code": 429, "message": KEY, "status": "RESOURCE_EXHAUSTED"}}
    refused = answer(json.dumps(body).encode(), 429, content_type="application/json", Retry_After="900")
    front.answers |= dict.fromkeys(GOOGLE, refused)

    with pytest.raises(LimitReached, match="google answers 429"):
        await all_of(models.named("gemini_pro", None, keys("google")), PROMPT)

    assert len(front.requests) == 1


# Mistral


@needs("mistralai", "mistralai")
async def test_mistral_speaks_and_calls(front, models):
    call = {"id": "abcdefghi", "function": {"name": "Get_order_", "arguments": '{"id": "A1"}'}, "index": 0}
    front.answers[PATH] = streamed(
        chunk({"role": "assistant", "content": "One moment."}),
        chunk({"tool_calls": [call]}, "tool_calls", usage=USAGE),
        DONE,
    )

    pieces = await all_of(models.named("mistral_small", None, keys("mistral")), PROMPT)

    assert text_of(pieces) == "One moment."
    assert [(call.name, json.loads(call.arguments)) for call in calls_of(pieces)] == [
        ("Get order!", {"id": "A1"})
    ]
    assert body_of(front)["model"] == "mistral-small-latest"
    assert front.header("authorization") == f"Bearer {KEY}"


@needs("mistralai", "mistralai")
@pytest.mark.parametrize("tokens", [2**70, 10**9 + 1])
async def test_a_number_of_tokens_that_cannot_be_is_none(front, models, tokens):
    usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": 1}
    front.answers[PATH] = streamed(chunk({"content": "Hi."}), chunk({}, "stop", usage=usage), DONE)

    assert await all_of(models.named("mistral_small", None, keys("mistral")), PROMPT) == [Delta("Hi.")]


@needs("mistralai", "mistralai")
async def test_a_native_model_that_says_nothing_until_no_token_is_left_is_not_asked_again(front, models):
    front.answers[PATH] = streamed(chunk({"content": ""}), chunk({}, "length", usage=USAGE), DONE)

    with pytest.raises(UpstreamFailed, match="used up all tokens"):
        await all_of(models.named("mistral_small", None, keys("mistral")), PROMPT)

    assert len(front.requests) == 1


@needs("mistralai", "mistralai")
async def test_a_native_model_that_is_let_say_no_more_says_so(front, models):
    front.answers[PATH] = streamed(chunk({"content": "Hello and"}), chunk({}, "length", usage=USAGE), DONE)

    pieces = await all_of(models.named("mistral_small", None, keys("mistral")), PROMPT)

    assert [type(piece).__name__ for piece in pieces] == ["Delta", "Cut", "Spent"]


@needs("mistralai", "mistralai")
async def test_mistral_answers(front, models):
    front.answers[PATH] = said("Hello", " there.")

    assert (
        text_of(await all_of(models.named("mistral_small", None, keys("mistral")), PROMPT)) == "Hello there."
    )


# Bedrock


@needs("boto3", "boto3")
async def test_bedrock_is_ready_with_keys_of_the_environment():
    from vivavoce.adapters.llms.services import model_at
    from vivavoce.adapters.llms.targets import target_for

    access = {
        "region_name": "eu-west-1",
        "aws_access_key_id": "id",
        "aws_secret_access_key": "secret",
        "aws_session_token": "",
        "api_key": "",
    }
    target = target_for("claude_sonnet", {"bedrock": access}, None)

    model = model_at(target, None)

    assert model.model_name == "global.anthropic.claude-sonnet-5-5"
    assert "eu-west-1" in str(model.base_url)
