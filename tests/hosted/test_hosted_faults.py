"""Faults: what a slow, broken or lying service comes to, and that nothing is ever sent twice blindly."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress

import pytest
from fake import AGENT, floods, hangs_up, hosting, never, says

from vivavoce.errors import (
    BudgetSpent,
    Conflict,
    InvalidInput,
    LimitReached,
    NotAuthenticated,
    NotAvailable,
    NotFound,
    Unreached,
    UpstreamFailed,
)
from vivavoce.hosted import exchanges
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.keys import key_of
from vivavoce.hosted.offered import OFFERED
from vivavoce.operations import CATALOGUE, OPERATOR, Effect

CREATION = {"name": "Ana", "description": "", "modelName": "gpt_4o", "systemPrompt": ""}


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_reading_is_repeated_until_it_succeeds(status):
    async with hosting(says(status, "<html>"), says(status), says(200, [AGENT])) as fake:
        assert [agent.name for agent in (await fake.ask("list_agents")).agents] == ["Ana"]

    assert len(fake.requests) == 3
    assert fake.pauses == [0.2, 0.4]


async def test_a_reading_is_given_up_after_three_tries():
    async with hosting(says(503)) as fake:
        with pytest.raises(UpstreamFailed, match=r"answers 503\. Try again later\."):
            await fake.ask("list_agents")

    assert len(fake.requests) == 3


async def test_a_reading_waits_as_long_as_the_service_asks_for():
    async with hosting(says(429, {"error": "RATE_LIMIT"}, retry_after="7"), says(200, [])) as fake:
        await fake.ask("list_agents")

    assert fake.pauses == [7.0]


async def test_a_wait_that_is_too_long_is_told_instead():
    async with hosting(says(429, {"error": "RATE_LIMIT"}, retry_after="90")) as fake:
        with pytest.raises(LimitReached) as raised:
            await fake.ask("list_agents")

    assert raised.value.retry_after == 90
    assert fake.pauses == []


async def test_a_change_that_comes_too_soon_is_not_repeated():
    async with hosting(says(429, {"error": "RATE_LIMIT"}, retry_after="2")) as fake:
        with pytest.raises(LimitReached) as raised:
            await fake.ask("create_agent", **CREATION)

    assert raised.value.retry_after == 2
    assert len(fake.requests) == 1


@pytest.mark.parametrize("fault", [says(500), says(502), says(503, "<html>"), says(504)])
async def test_a_change_that_failed_over_there_is_not_repeated(fault):
    async with hosting(fault) as fake:
        with pytest.raises(UpstreamFailed, match="It is not known whether it took effect"):
            await fake.ask("create_agent", **CREATION)

    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("create_agent", CREATION),
        ("delete_agent", {"id": "cagent"}),
        ("send_message", {"type": "conversationId", "value": "c1", "message": "Hi"}),
        ("agent_query", {"id": "cagent", "query": "Hi"}),
    ],
)
async def test_what_was_cut_off_after_it_was_taken_is_not_sent_again(operation, arguments):
    async with hosting(hangs_up) as fake:
        with pytest.raises(UpstreamFailed, match="It is not known whether it took effect"):
            await fake.ask(operation, **arguments)

    assert len(fake.requests) == 1


async def test_a_reading_that_was_cut_off_is_repeated():
    async with hosting(hangs_up, says(200, AGENT)) as fake:
        assert (await fake.ask("get_agent", id="cagent")).id == "cagent"

    assert len(fake.requests) == 2


async def test_a_change_is_sent_again_only_where_nothing_could_be_sent():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and nobody listens
        pauses = []

        async def pause(seconds):
            pauses.append(seconds)

        calls = Calls(f"http://127.0.0.1:{nobody.getsockname()[1]}", pause=pause, chance=lambda: 0.0)
        backend = HostedBackend(calls, key_of("sk-12345678"))
        with pytest.raises(Unreached, match="nothing was sent"):
            await backend.run(CATALOGUE["create_agent"].parse(CREATION), OPERATOR)
        await backend.close()

    assert len(pauses) == 2


async def test_a_service_that_does_not_answer_is_not_waited_for(monkeypatch):
    async with hosting(says(200, []), never) as fake:
        await fake.ask("list_agents")
        monkeypatch.setattr("vivavoce.hosted.asking.WHOLE", 0.05)
        with pytest.raises(UpstreamFailed, match=r"took longer than 0\.05 seconds\. Try again later"):
            await fake.ask("list_agents")
        with pytest.raises(UpstreamFailed, match="It is not known whether it took effect"):
            await fake.ask("create_agent", **CREATION)

    assert len(fake.requests) == 3


async def test_a_query_has_more_time_than_other_calls():
    assert (exchanges.CONNECT, exchanges.WHOLE, exchanges.ANSWER) == (10, 60, 300)


async def test_who_stops_waiting_is_not_told_of_a_time_out():
    async with hosting(never) as fake:
        asking = asyncio.create_task(fake.ask("list_agents"))
        while not fake.requests:
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


@pytest.mark.parametrize("body", ["<!doctype html><p>Sorry</p>", b"<html></html>"])
async def test_a_web_page_instead_of_json_is_told(body):
    async with hosting(says(200, body)) as fake:
        with pytest.raises(UpstreamFailed, match=r"a web page instead of JSON.*VIVAVOCE_CHATVOLT_URL"):
            await fake.ask("list_agents")
        with pytest.raises(UpstreamFailed, match="It may have taken effect"):
            await fake.ask("create_agent", **CREATION)


async def test_no_content_is_an_answer_to_a_deletion_alone():
    async with hosting(says(204)) as fake:
        assert (await fake.ask("delete_agent", id="cagent")).id == "cagent"
        gone = await fake.ask("delete_variable", conversationId="c1", varName="size")
        assert (gone.deleted.conversation_id, gone.deleted.var_name) == ("c1", "size")
        with pytest.raises(UpstreamFailed, match="answers 204 without content"):
            await fake.ask("get_agent", id="cagent")
        with pytest.raises(UpstreamFailed, match="it is done, but what became of it is not told"):
            await fake.ask("update_agent", id="cagent", temperature=0)


@pytest.mark.parametrize(
    "name", sorted(name for name in OFFERED if CATALOGUE[name].spec.effect is Effect.DELETE)
)
async def test_every_deletion_may_be_answered_without_content(name):
    async with hosting(says(204)) as fake:
        fake.routes["GET /api/agents/x1/tools/x1"] = says(200, {"id": "x1", "type": "request_human"})
        assert await fake.ask(name, **sample(CATALOGUE[name]))


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b"3", b'"text"', b'{"error": "Boom"}', b"[[]]", b'{"data": 1}']
)
async def test_nonsense_is_an_error_of_ours_or_harmless(body):
    async with hosting(says(200, body)) as fake:
        for name in sorted(OFFERED - {"getDocumentation"}):
            op = CATALOGUE[name].parse(sample(CATALOGUE[name]))
            before = len(fake.requests)
            with suppress(UpstreamFailed):
                result = await fake.backend.run(op, OPERATOR)
                json.dumps(result.model_dump(mode="json"))
            assert len(fake.requests) > before, name


async def test_a_success_that_tells_of_an_error_is_none():
    async with hosting(says(200, {"error": "Boom", "message": "It went wrong."})) as fake:
        for name in sorted(OFFERED - {"getDocumentation"}):
            with pytest.raises(UpstreamFailed, match="hosted service"):
                await fake.ask(name, **sample(CATALOGUE[name]))


def sample(kind):
    """Arguments that an operation accepts."""
    known = {
        **{
            "type": "qdrant",
            "enabled": True,
            "status": "RESOLVED",
            "priority": "LOW",
            "delay": 8,
            "count": 2,
        },
        **{"config": {"messages": "a", "max_sends": 1, "interval_hours": 1}, "from": "human", "value": "x1"},
        **dict.fromkeys(("whatsappNumber", "oldWhatsappNumber", "newWhatsappNumber"), "+5511999999999"),
    }
    special = {
        "addHttpTool": {"config": {"name": "a", "description": "b", "url": "https://example.com/"}},
        "add_agent_tool": {"type": "request_human"},
        "enable_disable_agent_integration": {"type": "whatsapp"},
        "send_message": {"type": "conversationId"},
        "create_conversation_log": {"status": "active"},
        "update_conversation_log": {"status": "active"},
        "add_conversation_to_scenario": {"stepId": "x1"},
        "move_conversation": {"destStepId": "x1"},
        "assign_conversation": {"id": "x1"},
    }
    required = [field.alias for field in kind.model_fields.values() if field.is_required()]
    return {name: known.get(name, "x1") for name in required} | special.get(kind.spec.name, {})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_key_is_not_sent_after_a_redirect(status):
    async with hosting(says(200, [])) as elsewhere, hosting(says(status, location=elsewhere.address)) as fake:
        with pytest.raises(UpstreamFailed, match="a key is not sent after it"):
            await fake.ask("list_agents")

    assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'[{"id": "c1", "na', "is no JSON, or is cut short"),
        (b'{"id": "c1"}', "should be a valid list"),
        (b"null", "should be a valid list"),
        (b'[{"name": "Ana", "modelName": "m"}]', "0.id: is required"),
        (b'[{"id": "c1", "name": ["Ana"], "modelName": "m"}]', "0.name: input should be a valid string"),
        (b'[{"id": "c1", "name": "A", "modelName": "m", "createdAt": "soon"}]', "0.createdAt"),
        (
            b'[{"id": "c1", "name": "A", "modelName": "m", "tools": 3}]',
            "0.tools: input should be a valid array",
        ),
    ],
)
async def test_what_cannot_be_read_is_told_by_the_name_of_the_field(body, said):
    async with hosting(says(200, body)) as fake:
        with pytest.raises(UpstreamFailed, match="hosted service answers") as raised:
            await fake.ask("list_agents")

    assert said in str(raised.value)


async def test_a_huge_answer_is_not_read_to_its_end():
    async with hosting(floods) as fake:
        with pytest.raises(UpstreamFailed, match="more than 32 MB"):
            await fake.ask("get_agent", id="cagent")


async def test_a_huge_refusal_is_told_in_few_words():
    async with hosting(says(400, {"error": "no " * 2**20})) as fake:
        with pytest.raises(InvalidInput) as raised:
            await fake.ask("get_agent", id="cagent")

    assert len(str(raised.value)) < 500


@pytest.mark.parametrize(
    ("status", "body", "error", "hint"),
    [
        (400, {"error": "INVALID_REQUEST"}, InvalidInput, "Correct the arguments."),
        (400, {"error": "EMPTY_DATASOURCE"}, InvalidInput, "Send a text."),
        (401, {"error": "UNAUTHORIZED"}, NotAuthenticated, "CHATVOLT_API_KEY"),
        (401, None, NotAuthenticated, "CHATVOLT_API_KEY"),
        (403, b"Forbidden", NotAuthenticated, "CHATVOLT_API_KEY"),
        (403, {"error": "UNAUTHORIZED"}, NotAuthenticated, "CHATVOLT_API_KEY"),
        (403, {"error": "INTEGRATION_CREDENTIALS_INVALID"}, Conflict, "dashboard"),
        (402, {"error": "USAGE_LIMIT"}, BudgetSpent, "plan"),
        (402, {"error": "PREMIUM_FEATURE"}, BudgetSpent, "plan"),
        (404, {"error": "NOT_FOUND"}, NotFound, "list tool"),
        (404, "<html>", NotFound, "list tool"),
        (406, {"error": "ERR_META_SESSION_EXPIRED_24H"}, Conflict, "template"),
        (409, {"error": "already assigned"}, Conflict, "Read it"),
        (419, None, LimitReached, "Wait"),
        (429, {"error": "RATE_LIMIT"}, LimitReached, "Wait"),
        (500, {"error": "No Conversation found"}, NotFound, "list tool"),
        (501, {"error": "NOT_IMPLEMENTED"}, NotAvailable, "another way"),
    ],
)
async def test_a_refusal_is_one_of_our_errors_with_the_next_step(status, body, error, hint):
    async with hosting(says(status, body)) as fake:
        with pytest.raises(error) as raised:
            await fake.ask("send_message", type="conversationId", value="c1", message="Hi")

    assert type(raised.value) is error
    assert hint in raised.value.hint


async def test_the_details_of_a_refusal_reach_the_caller():
    body = {"error": "error invalid request body", "details": {"name": "Required"}}
    async with hosting(says(400, body)) as fake:
        with pytest.raises(InvalidInput, match="error invalid request body") as raised:
            await fake.ask("create_agent", **CREATION)

    assert raised.value.details == {"name": "Required"}


async def test_a_success_that_says_error_is_a_failure():
    async with hosting(says(200, {"success": False, "error": "Plan limit."})) as fake:
        with pytest.raises(UpstreamFailed, match=r"says: Plan limit\. It may have taken effect"):
            await fake.ask("create_crm_scenario", name="Sales")
        with pytest.raises(UpstreamFailed, match="says: Plan limit"):
            await fake.ask("set_ai_enabled", conversationId="c1", enabled=False)


@pytest.mark.parametrize(
    "url",
    ["", "api.chatvolt.ai", "http://api.chatvolt.ai", "https://", "https://u:p@api.chatvolt.ai", "ftp://x"],
)
def test_an_address_to_which_a_key_must_not_go_is_refused(url):
    with pytest.raises(InvalidInput, match="VIVAVOCE_CHATVOLT_URL"):
        Calls(url)
