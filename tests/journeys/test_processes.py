"""Processes as people run them: two workers, two servers on one workspace, stdout, and how they end."""

from __future__ import annotations

import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.types import ElicitResult, InputRequiredResult
from processes import Stdio, client_of, serving

NEW = {"name": "Ana", "description": "d", "modelName": "m", "systemPrompt": "p"}
YES = {"confirm": ElicitResult(action="accept", content={"confirm": True})}
QUICKLY = 9.0
"""Seconds in which a served program ends when it is asked to."""

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="Finds the worker processes in /proc.")


# Two workers


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("workers"), "--workers", "2") as served:
        yield served


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_both_eras_work_with_two_workers(two_workers, mode):
    for _ in range(4):  # a connection of its own each time, for whichever worker takes it
        async with client_of(two_workers.address, mode=mode) as client:
            made = (await client.call_tool("create_agent", NEW)).structured_content
            shown = (await client.call_tool("get_agent", {"id": made["id"]})).structured_content
            gone = (await client.call_tool("delete_agent", {"id": made["id"]})).structured_content

            assert made == shown
            assert gone["id"] == made["id"]
            assert len((await client.list_tools()).tools) > 20


def test_rest_works_with_two_workers(two_workers):
    made = [
        httpx2.post(f"{two_workers.address}/agents", json=NEW, timeout=30, trust_env=False).json()["id"]
        for _ in range(20)
    ]
    listed = httpx2.get(f"{two_workers.address}/agents", timeout=30, trust_env=False).json()

    assert {agent["id"] for agent in listed} >= set(made)


@on_linux
async def test_a_confirmation_asked_for_by_one_worker_is_taken_by_the_other(two_workers):
    one, other = worker_pids(two_workers.process.pid)
    for asks, takes in ((one, other), (other, one)):
        with halted(takes):
            async with client_of(two_workers.address, elicitation_callback=_unused) as client:
                agent = (await client.call_tool("create_agent", NEW)).structured_content["id"]
                asked = await client.session.call_tool(
                    "delete_agent", {"id": agent}, allow_input_required=True
                )
        with halted(asks):
            async with client_of(two_workers.address, elicitation_callback=_unused) as client:
                gone = await client.session.call_tool(
                    "delete_agent",
                    {"id": agent},
                    allow_input_required=True,
                    input_responses=YES,
                    request_state=asked.request_state,
                )

        assert isinstance(asked, InputRequiredResult)
        assert gone.structured_content["id"] == agent


# The end


@pytest.mark.parametrize(
    ("number", "options"),
    [(signal.SIGTERM, ()), (signal.SIGINT, ()), (signal.SIGTERM, ("--workers", "2"))],
    ids=["terminated", "interrupted", "workers"],
)
def test_a_signal_ends_the_server_quickly_and_without_noise(tmp_path, number, options):
    with serving(tmp_path, *options) as served:
        httpx2.post(f"{served.address}/agents", json=NEW, timeout=30, trust_env=False)
        served.process.send_signal(number)
        code = served.process.wait(timeout=QUICKLY)

        assert code in (0, -number, 128 + number)
        assert "Traceback" not in served.said()
        assert "Error" not in served.said()


async def test_a_client_that_stays_connected_does_not_hold_the_server_up(tmp_path):
    with serving(tmp_path) as served:
        async with httpx2.AsyncClient(timeout=30, trust_env=False) as http:
            session = await open_session(http, served.address)
            headers = {"accept": "text/event-stream", "mcp-session-id": session}
            async with http.stream("GET", f"{served.address}/mcp", headers=headers) as stream:
                assert stream.status_code == 200
                code = served.terminate(within=QUICKLY)

        assert code in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
        assert "Traceback" not in served.said()


async def open_session(http, address):
    """The id of a session of the older protocol, in which a client may listen."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = await http.post(
        f"{address}/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        headers={"accept": "application/json, text/event-stream"},
    )
    return answer.headers["mcp-session-id"]


# Over stdio


def test_stdout_carries_the_protocol_and_nothing_else_however_much_is_logged(tmp_path):
    with Stdio(tmp_path, VIVAVOCE_LOG_LEVEL="DEBUG", PYTHONASYNCIODEBUG="1") as client:
        client.initialize()
        client.call(1, "create_agent", **NEW)
        client.call(2, "get_agent", id="nobody")
        client.call(3, "getDocumentation", docType="tools")
        client.call(4, "nothing")
        client.send({"id": 5, "method": "nothing/at/all"})
        client.receive()
        client.process.stdin.write(b"not json\n")
        client.process.stdin.flush()
        client.receive()
        code = client.leave()

    messages = [json.loads(line) for line in client.lines]
    assert code == 0
    assert [message["id"] for message in messages] == ["hello", 1, 2, 3, 4, 5, None]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert all(line.endswith(b"\n") and b"\r" not in line for line in client.lines)
    assert b"Traceback" not in client.errors


def test_the_server_ends_with_its_stdin_after_answering_what_was_asked(tmp_path):
    with Stdio(tmp_path) as client:
        client.send(
            {"id": 1, "method": "initialize", "params": _hello()},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "create_agent", "arguments": NEW}},
        )
        code = client.leave()
        answers = [client.receive(), client.receive(), client.receive()]

    assert code == 0
    assert answers[1]["result"]["structuredContent"]["name"] == "Ana"
    assert answers[2] is None
    assert client.errors == b""


def test_a_server_that_was_never_spoken_to_ends_with_its_stdin(tmp_path):
    with Stdio(tmp_path) as client:
        assert client.leave() == 0
    assert (client.lines, client.errors) == ([], b"")
    assert list(tmp_path.iterdir()) == []


def test_two_servers_write_to_one_workspace_at_once(tmp_path):
    def written(client):
        client.initialize()
        return [client.call(number, "create_agent", **NEW)["result"] for number in range(40)]

    with Stdio(tmp_path) as one, Stdio(tmp_path) as two, ThreadPoolExecutor(2) as together:
        answers = [answer for done in together.map(written, (one, two)) for answer in done]
        lists = [client.call(99, "list_agents")["result"]["structuredContent"] for client in (one, two)]

    assert not [answer for answer in answers if answer.get("isError")]
    assert lists[0] == lists[1]
    assert {agent["id"] for agent in lists[0]["agents"]} == {
        answer["structuredContent"]["id"] for answer in answers
    }
    assert len(lists[0]["agents"]) == 80


def test_a_served_workspace_and_a_stdio_server_see_each_others_writes(tmp_path):
    with serving(tmp_path) as served, Stdio(tmp_path) as client:
        client.initialize()
        over_stdio = client.call(1, "create_agent", **NEW)["result"]["structuredContent"]
        over_rest = httpx2.post(f"{served.address}/agents", json=NEW, timeout=30, trust_env=False).json()
        seen = client.call(2, "get_agent", id=over_rest["id"])["result"]["structuredContent"]
        also = httpx2.get(f"{served.address}/agents/{over_stdio['id']}", timeout=30, trust_env=False).json()

    assert (seen, also) == (over_rest, over_stdio)


def worker_pids(parent):
    """The processes that serve: children of the supervisor, but not Python's own tracker."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split()
    commands = {int(pid): _command(pid) for pid in children}
    return sorted(pid for pid, command in commands.items() if "spawn_main" in command)


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


@contextmanager
def halted(pid):
    """A process that stands still meanwhile, for less time than its supervisor is patient."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def _unused(context, params):
    raise AssertionError("The question is put by hand here.")


def _hello():
    return {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
