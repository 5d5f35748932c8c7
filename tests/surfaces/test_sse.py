"""Answers over REST: as a stream of events, whole, later, and in few words."""

from __future__ import annotations

import asyncio
import json
import re
from urllib.parse import unquote

import httpx2
import pytest
from asked import AGENT, WaitingModel, application, listening, posted, run, turns_of
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BudgetSpent, LimitReached, UpstreamFailed
from vivavoce.operations import OPERATOR, STRANGER, Told
from vivavoce.operations.answers import AgentAnswer
from vivavoce.ports import Called, Delta, Spent
from vivavoce.surfaces.hearing import Heard
from vivavoce.surfaces.rest import refused
from vivavoce.surfaces.sse import Stream, percent_encoded
from vivavoce.testing import FakeOutside, ScriptedModel, TestModels, open_test_engine

PIECES = [Delta("Olá, "), Delta("we open\n"), Delta("at 9 & close at 5.")]


@pytest.fixture
def asked(tmp_path):
    """Opens an engine whose agent speaks through a model, and REST on it."""
    engines = []

    async def opened(model, *, caller=OPERATOR, outside=None, **agent):
        opening = open_test_engine(tmp_path, models=TestModels(model), outside=outside)
        engine = opening.__enter__()
        engines.append(opening)
        made = await run(engine, "create_agent", **AGENT, handle="ana", **agent)
        return engine, client_of(application(engine, caller)), made["id"]

    yield opened
    for each in engines:
        each.__exit__(None, None, None)


def client_of(app) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1", timeout=30)


def frames(text: str) -> list[tuple[str, str]]:
    """Event names and payloads, as a parser of server-sent events reads them."""
    found = []
    for block in text.split("\n\n")[:-1]:
        lines = [line for line in block.split("\n") if not line.startswith(":")]
        names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        if lines:
            found.append((names[0] if names else "", "\n".join(data)))
    return found


async def test_an_answer_is_streamed_in_the_frames_of_the_wire(asked):
    _, client, _ = await asked(ScriptedModel([PIECES]))

    answer = await client.post("/agents/@ana/query", json={"query": "When?", "streaming": True})

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["connection"] == "keep-alive"
    told = frames(answer.text)
    assert [name for name, _ in told] == ["answer", "answer", "answer", "endpoint_response", ""]
    assert told[0][1] == "Ol%C3%A1%2C%20"
    assert [unquote(data) for _, data in told[:3]] == [piece.text for piece in PIECES]
    assert answer.text.endswith("event: \ndata: [DONE]\n\n")
    whole = json.loads(unquote(told[3][1]))
    assert whole["answer"] == "Olá, we open\nat 9 & close at 5."
    assert whole.keys() >= {"messageId", "sources", "conversationId", "visitorId", "metadata", "usage"}


async def test_raw_payloads_come_as_they_are_line_by_line(asked):
    _, client, _ = await asked(ScriptedModel([PIECES]))

    answer = await client.post("/agents/@ana/query?encoding=raw", json={"query": "When?", "streaming": True})

    told = frames(answer.text)
    assert [data for name, data in told if name == "answer"] == [piece.text for piece in PIECES]
    assert json.loads(dict(told)["endpoint_response"])["answer"].startswith("Olá, we open\n")
    assert "data: we open\ndata: \n\n" in answer.text


async def test_another_encoding_is_refused(asked):
    _, client, _ = await asked(ScriptedModel(["Hi."]))

    answer = await client.post("/agents/@ana/query?encoding=utf-7", json={"query": "?", "streaming": True})

    assert answer.status_code == 400
    assert answer.json()["details"] == {"encoding": "must be percent or raw"}


async def test_calls_of_tools_are_told_as_encoded_json(asked):
    call = Called("1", "request_human", "{}")
    engine, client, agent = await asked(ScriptedModel([call, "Someone will write to you."]))
    await run(engine, "addRequestHumanTool", agentId=agent)

    answer = await client.post("/agents/@ana/query", json={"query": "A person!", "streaming": True})

    told = frames(answer.text)
    assert [name for name, _ in told] == ["tool_call", "answer", "endpoint_response", ""]
    shown = json.loads(unquote(told[0][1]))
    assert (shown["type"], shown["name"]) == ("function", "request_human")
    assert "%7B" in told[0][1]


async def test_silence_ends_with_the_two_ids(asked):
    engine, client, agent = await asked(ScriptedModel([Called("1", "request_human", "{}"), "Wait, please."]))
    await run(engine, "addRequestHumanTool", agentId=agent)
    first = (await client.post("/agents/@ana/query", json={"query": "A person!"})).json()
    more = {"query": "Hello?", "conversationId": first["conversationId"]}

    streamed = await client.post("/agents/@ana/query", json={**more, "streaming": True})
    whole = await client.post("/agents/@ana/query", json=more)

    ids = {"conversationId": first["conversationId"], "visitorId": first["visitorId"]}
    told = frames(streamed.text)
    assert [name for name, _ in told] == ["endpoint_response", ""]
    assert json.loads(unquote(told[0][1])) == ids
    assert whole.json() == ids


async def test_a_failure_before_the_first_event_has_its_usual_status(asked):
    _, client, _ = await asked(ScriptedModel([BudgetSpent("The budget is spent.")]))

    answer = await client.post("/agents/@ana/query", json={"query": "When?", "streaming": True})
    unknown = await client.post("/agents/@nobody/query", json={"query": "When?", "streaming": True})

    assert (answer.status_code, answer.json()["error"]) == (402, "USAGE_LIMIT")
    assert (unknown.status_code, unknown.json()["error"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    "failure", [UpstreamFailed("The provider is down."), LimitReached("Too many."), BudgetSpent("Spent.")]
)
async def test_a_failure_says_where_its_message_is_kept(asked, failure, is_streamed):
    engine, client, _ = await asked(ScriptedModel([failure]))

    answer = await client.post("/agents/@ana/query", json={"query": "When?", "streaming": is_streamed})

    (turn,) = await turns_of(engine)
    told = answer.json()
    assert (answer.status_code, told["error"], told["message"]) == (
        failure.status,
        failure.wire,
        failure.message,
    )
    assert told["details"] == {"conversationId": turn.conversation_id, "messageId": turn.message_id}
    assert f"The message is kept as {turn.message_id!r}" in told["hint"]
    assert "retry_answer" in told["hint"]


async def test_a_stranger_is_told_where_the_message_is_kept_and_not_of_tools_for_keys(asked):
    failing = ScriptedModel([UpstreamFailed("The provider is down.")])
    _, client, _ = await asked(failing, caller=STRANGER, visibility="public")

    told = (await client.post("/agents/@ana/query", json={"query": "When?"})).json()

    assert told["details"].keys() == {"conversationId", "messageId"}
    assert "retry_answer" not in told["hint"]


async def test_a_failure_in_the_midst_is_told_by_its_code(asked):
    class Breaking:
        name, context = "breaking", 128_000

        async def answer(self, prompt):
            yield Delta("We open ")
            raise UpstreamFailed("The provider hung up.")

    engine, client, _ = await asked(Breaking())

    answer = await client.post("/agents/@ana/query", json={"query": "When?", "streaming": True})

    assert answer.status_code == 200
    assert frames(answer.text) == [("answer", "We%20open%20"), ("", "[ERROR]UPSTREAM_FAILED")]
    assert [turn.state for turn in await turns_of(engine)] == ["failed"]


async def test_what_nobody_foresaw_is_told_as_an_internal_error(caplog):
    secret = "-".join(("a", "canary"))

    async def broken(hear):
        hear(Told("answer", "We"))
        raise ZeroDivisionError(secret)

    answer = await client_of(Stream(broken, refused)).post("/")

    assert frames(answer.text) == [("answer", "We"), ("", "[ERROR]INTERNAL_SERVER_ERROR")]
    assert "ZeroDivisionError" in caplog.text
    assert secret not in caplog.text + answer.text


async def test_what_nobody_foresaw_is_left_to_the_server_before_the_first_event():
    async def broken(hear):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await client_of(Stream(broken, refused)).post("/")


async def test_a_client_that_goes_away_stops_the_generation(asked):
    model = WaitingModel(["We open "])
    engine, _, _ = await asked(model)

    async with listening(application(engine)) as port:
        body = json.dumps({"query": "When?", "conversationId": "c1", "streaming": True}).encode()
        async with posted(port, "/api/agents/@ana/query", body) as line:
            await line.until(b"We%20open%20\n\n")
            assert not model.closed.is_set()
            await line.hang_up()
            await asyncio.wait_for(model.closed.wait(), 30)

    (turn,) = await turns_of(engine)
    assert (turn.state, turn.answer_id) == ("interrupted", None)


async def test_a_client_that_goes_away_before_the_first_word_stops_it_too(asked):
    model = WaitingModel()
    engine, _, _ = await asked(model)

    async with listening(application(engine)) as port:
        body = json.dumps({"query": "When?", "streaming": True}).encode()
        async with posted(port, "/agents/@ana/query", body):
            await asyncio.wait_for(model.waits.wait(), 30)
        await asyncio.wait_for(model.closed.wait(), 30)

    assert [turn.state for turn in await turns_of(engine)] == ["interrupted"]


@pytest.mark.parametrize("path", ["/agents/@ana/query", "/agents/@ana/simplequery"])
async def test_a_client_that_wants_a_whole_answer_and_goes_away_stops_the_generation(asked, path):
    model = WaitingModel(["We open "])
    engine, _, _ = await asked(model)

    async with listening(application(engine)) as port:
        async with posted(port, path, json.dumps({"query": "When?"}).encode()):
            await asyncio.wait_for(model.waits.wait(), 30)
            assert not model.closed.is_set()
        await asyncio.wait_for(model.closed.wait(), 30)

    (turn,) = await turns_of(engine)
    assert (turn.state, turn.answer_id) == ("interrupted", None)
    kept = await engine.ports.store.read(lambda tables: tables.messages.last(turn.conversation_id, 9))
    assert [message.text for message in kept] == ["When?"]


async def test_a_client_that_goes_away_does_not_stop_an_answer_that_is_sent_elsewhere(asked):
    model, outside = WaitingModel(then=["At nine."]), FakeOutside()
    engine, _, _ = await asked(model, outside=outside)

    async with listening(application(engine)) as port:
        body = json.dumps({"query": "When?", "callbackURL": "https://hook.example/"}).encode()
        async with posted(port, "/agents/@ana/query", body):
            await asyncio.wait_for(model.waits.wait(), 30)
        model.go.set()
        await engine.close(at_once=False)

    assert [turn.state for turn in await turns_of(engine)] == ["answered"]
    assert [url for _, url, *_ in outside.sent] == ["https://hook.example/"]


async def test_a_client_that_goes_away_while_it_waits_holds_up_nobody(asked):
    model = WaitingModel(then=["Nine."])
    engine, client, _ = await asked(model)
    query = {"query": "When?", "conversationId": "c1", "streaming": True}

    async with listening(application(engine)) as port:
        first = asyncio.create_task(client.post("/agents/@ana/query", json=query))
        await asyncio.wait_for(model.waits.wait(), 30)
        async with posted(port, "/agents/@ana/query", json.dumps(query).encode()):
            await _stored(engine, 2)
        model.go.set()
        third = await client.post("/agents/@ana/query", json=query)

    assert dict(frames((await first).text))["answer"] == "Nine."
    assert dict(frames(third.text))["answer"] == "Nine."
    states = [turn.state for turn in sorted(await turns_of(engine), key=lambda turn: turn.position)]
    assert states == ["answered", "interrupted", "answered"]


async def test_comments_keep_the_line_open_while_a_model_thinks():
    thought = asyncio.Event()

    async def thinking(hear):
        await thought.wait()
        return AgentAnswer(answer="Nine.", conversation_id="c1", visitor_id="v1", message_id="m1")

    async with listening(Stream(thinking, refused, pause=0.001)) as port, posted(port, "/", b"{}") as line:
        head = await line.until(b"\r\n\r\n")
        assert b"content-type: text/event-stream\r\n" in head
        await line.until(b": \n\n")
        await line.until(b": \n\n")
        thought.set()
        rest = await line.until(b"[DONE]\n\n")
    assert b"event: endpoint_response\n" in rest


async def test_comments_keep_the_line_open_while_a_message_waits_for_its_turn():
    is_over = asyncio.Event()

    async def waiting(hear):
        while not is_over.is_set():
            hear(Told("queued", "t1"))
            await asyncio.sleep(0)  # so that no pause goes by without a word
        return AgentAnswer(answer="Nine.", conversation_id="c1", visitor_id="v1", message_id="m1")

    async with listening(Stream(waiting, refused, pause=0.05)) as port, posted(port, "/", b"{}") as line:
        await line.until(b": \n\n")
        await line.until(b": \n\n")
        is_over.set()
        rest = await line.until(b"[DONE]\n\n")
    assert b"event: endpoint_response\n" in rest


def test_pieces_grow_together_only_behind_many_that_wait():
    heard = Heard()
    for number in range(1_000):
        heard.hear(Told("answer", f"{number} "))
    heard.hear(Told("tool_call", "{}"))
    heard.hear(Told("answer", "end"))

    told = heard.taken()

    assert len(told) < 100
    assert [each.text for each in told[:3]] == ["0 ", "1 ", "2 "]
    words = "".join(each.text for each in told if each.kind == "answer")
    assert words == "".join(f"{number} " for number in range(1_000)) + "end"
    assert told[-2].kind == "tool_call"
    assert heard.taken() == []


@given(st.text())
def test_percent_encoding_is_that_of_encode_uri_component(text):
    (line,) = percent_encoded(text)

    assert re.fullmatch(r"(?:[A-Za-z0-9\-_.!~*'()]|%[0-9A-F]{2})*", line)
    assert unquote(line) == text.encode("utf-8", "replace").decode()


def test_percent_encoding_leaves_what_encode_uri_component_leaves():
    assert percent_encoded("aZ09-_.!~*'()") == ["aZ09-_.!~*'()"]
    assert percent_encoded(' ;/?:@&=+$,#"<>\\^`{|}[]%\n\x7f') == [
        "%20%3B%2F%3F%3A%40%26%3D%2B%24%2C%23%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D%25%0A%7F"
    ]
    assert percent_encoded("é€😀") == ["%C3%A9%E2%82%AC%F0%9F%98%80"]
    assert percent_encoded("half \ud83d") == ["half%20%3F"]


async def test_a_whole_answer_is_one_json_object(asked):
    _, client, _ = await asked(ScriptedModel([PIECES]))

    answer = await client.post("/agents/@ana/query", json={"query": "When?"})

    assert answer.status_code == 200
    assert answer.json()["answer"] == "Olá, we open\nat 9 & close at 5."


async def test_an_answer_for_later_is_accepted_at_once(asked):
    model, outside = WaitingModel(then=["Nine."]), FakeOutside({"POST https://hooks.example/": (200, "")})
    engine, client, _ = await asked(model, outside=outside)

    answer = await client.post(
        "/agents/@ana/query", json={"query": "When?", "callbackURL": "https://hooks.example/"}
    )

    assert answer.status_code == 202
    assert answer.json().keys() == {"conversationId", "visitorId"}
    model.go.set()
    await engine.close(at_once=False)
    ((_, _, _, content),) = outside.sent
    assert json.loads(content)["answer"] == "Nine."
    assert json.loads(content)["conversationId"] == answer.json()["conversationId"]


async def test_a_stranger_may_not_have_others_called(asked):
    outside = FakeOutside()
    _, client, _ = await asked(ScriptedModel(["Hi."]), caller=STRANGER, outside=outside, visibility="public")

    answer = await client.post("/agents/@ana/query", json={"query": "?", "callbackURL": "https://x.example/"})
    plain = await client.post("/agents/@ana/query", json={"query": "?", "streaming": True})

    assert answer.status_code == 400
    assert answer.json()["details"] == {"callbackURL": "needs an API key"}
    assert outside.sent == []
    assert dict(frames(plain.text))["answer"] == "Hi."


@pytest.mark.parametrize("prefix", ["", "/api"])
async def test_older_paths_answer_as_well(asked, prefix):
    _, client, agent = await asked(ScriptedModel([[Delta("Nine."), Spent("m")]]))

    legacy = await client.post(f"{prefix}/agents/query/{agent}", json={"query": "When?"})
    brief = await client.post(f"{prefix}/agents/{agent}/simplequery", json={"query": "When?"})

    assert legacy.json()["answer"] == "Nine."
    assert brief.json() == {"answer": "Nine.", "conversationId": brief.json()["conversationId"]}
    again = {"query": "And then?", "conversationId": brief.json()["conversationId"]}
    assert (await client.post(f"{prefix}/agents/{agent}/simplequery", json=again)).json() == brief.json()


async def test_an_agent_that_is_asked_by_another_answers_beside_the_conversation(asked):
    engine, client, agent = await asked(ScriptedModel(["Nine."]))
    other = (await run(engine, "create_agent", **AGENT))["id"]
    first = {"query": "When?", "conversationId": "talk-1"}
    await client.post(f"/agents/{agent}/query", json={**first, "isTest": True})

    refused = await client.post(f"/agents/{other}/query", json=first)
    beside = (await client.post(f"/agents/{other}/simplequery", json=first)).json()
    again = (await client.post(f"/agents/{other}/simplequery", json=first)).json()

    assert refused.status_code == 409
    assert (beside["answer"], again) == ("Nine.", beside)
    talk = (await client.get(f"/conversation/{beside['conversationId']}")).json()
    assert (talk["agentId"], talk["isTest"]) == (other, True)
    said = (await client.get("/conversation/talk-1/messages/10")).json()["messages"]
    assert [message["text"] for message in said] == ["When?", "Nine."]


@pytest.mark.parametrize(("seconds", "told"), [(6.2, "7"), (0.0, "1"), (None, "5")])
async def test_a_limit_says_when_to_come_again(asked, seconds, told):
    limit = LimitReached("The provider is busy.", retry_after=seconds)
    _, client, _ = await asked(ScriptedModel([limit]))

    for streaming in (False, True):
        answer = await client.post("/agents/@ana/query", json={"query": "When?", "streaming": streaming})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, told)


async def test_an_answer_that_comes_later_is_accepted_alike_on_every_path(asked):
    _, client, agent = await asked(ScriptedModel(["Nine."]), outside=FakeOutside())
    later = {"query": "When?", "callbackURL": "https://x.example/"}

    accepted = [
        await client.post(path, json=later)
        for path in (f"/agents/{agent}/query", f"/agents/query/{agent}", f"/agents/{agent}/simplequery")
    ]

    assert [answer.status_code for answer in accepted] == [202, 202, 202]
    assert {frozenset(answer.json()) for answer in accepted} == {frozenset({"conversationId", "visitorId"})}


async def test_the_way_for_tools_is_known_by_its_route_and_not_by_how_its_address_ends(asked):
    engine, client, agent = await asked(ScriptedModel(["Nine."]))
    await run(engine, "update_agent", id=agent, handle="simplequery")

    whole = await client.post("/agents/query/@simplequery", json={"query": "When?"})
    brief = await client.post("/agents/@simplequery/%73implequery", json={"query": "When?"})

    assert "visitorId" in whole.json()
    assert set(brief.json()) == {"answer", "conversationId"}


async def test_what_clients_send_empty_is_as_good_as_left_out(asked):
    _, client, agent = await asked(ScriptedModel(["Nine."]))
    empty = {
        **dict.fromkeys(("conversationId", "contactId", "visitorId", "callbackURL", "modelName"), ""),
        **{"attachments": None, "images": None, "filters": {"custom_ids": None, "tags": None}},
    }

    answer = await client.post(f"/agents/{agent}/query", json={"query": "When?", **empty})
    nothing = await client.post(f"/agents/{agent}/query", json={"query": ""})

    assert (answer.status_code, answer.json().get("answer")) == (200, "Nine.")
    assert nothing.json()["details"] == {"query": "string should have at least 1 character"}


async def _stored(engine, number: int) -> None:
    """Wait until so many messages have begun a turn."""
    while len(await turns_of(engine)) < number:
        await asyncio.sleep(0)
