"""Connections: what goes out with every call, and answers that come otherwise than they were asked for."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import ssl
import subprocess
import sys
from contextlib import suppress

import pytest
from fake import AGENT, KEY, hosting, says

from tests.certificates import loopback_certificate
from vivavoce.errors import BudgetSpent, UpstreamFailed
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.keys import Holder, key_of
from vivavoce.operations import CATALOGUE, OPERATOR

PACKED = gzip.compress(json.dumps([AGENT]).encode())


async def test_a_call_says_who_calls_and_asks_for_json_that_is_not_compressed():
    async with hosting(says(200, [])) as fake:
        await fake.ask("list_agents")

    headers = fake.requests[0].headers
    assert headers["host"] == fake.address.removeprefix("http://")
    assert headers["user-agent"].startswith("vivavoce/")
    assert (headers["accept"], headers["accept-encoding"]) == ("application/json", "identity")
    assert "content-length" not in headers


async def test_letters_of_every_script_arrive():
    creation = {"name": "Zoë 漢 😀", "description": "", "modelName": "m", "systemPrompt": "à"}
    async with hosting(says(200, AGENT)) as fake:
        await fake.ask("create_agent", **creation)

    assert fake.requests[0].headers["content-type"] == "application/json"
    assert fake.requests[0].json == creation


@pytest.mark.parametrize(
    ("path", "sent"),
    [("", ""), ("/", ""), ("/v1/api/", "/v1/api"), ("/ü x", "/%C3%BC%20x"), ("/a/../b", "/b")],
)
async def test_calls_go_to_the_path_of_the_address(path, sent):
    async with hosting(says(200, {"id": "cd", "name": "Prices", "datasources": []})) as fake:
        backend = HostedBackend(Calls(fake.address + path), key_of(KEY))
        await backend.run(CATALOGUE["get_datastore"].parse({"id": "cd", "offset": 3}), OPERATOR)
        await backend.close()

    assert fake.calls == [f"GET {sent}/datastores/cd?offset=3"]


async def test_what_is_set_for_one_key_does_not_go_along_with_another():
    async with hosting(says(200, [], set_cookie="session=s3cr3t; Path=/")) as fake:
        await fake.ask("list_agents")
        await fake.ask("list_agents", caller=Holder.of("another-key-1"))

    assert ["cookie" in request.headers for request in fake.requests] == [False, False]


async def test_an_answer_that_is_compressed_all_the_same_is_read():
    async with hosting(says(200, PACKED, content_encoding="gzip")) as fake:
        assert [agent.name for agent in (await fake.ask("list_agents")).agents] == ["Ana"]
        assert [agent.name for agent in (await fake.ask("list_agents")).agents] == ["Ana"]

    assert len(fake.lines) == 1


async def test_a_refusal_that_is_compressed_is_told_in_its_words():
    packed = gzip.compress(b'{"message": "The plan has ended."}')
    async with hosting(says(402, packed, content_encoding="gzip")) as fake:
        with pytest.raises(BudgetSpent, match="The plan has ended"):
            await fake.ask("list_agents")


async def test_a_small_answer_does_not_unfold_into_a_huge_one():
    bomb = gzip.compress(b'"' + b"a" * 2**26 + b'"')
    async with hosting(says(200, bomb, content_encoding="gzip")) as fake:
        with pytest.raises(UpstreamFailed, match="more than 32 MB"):
            await fake.ask("get_agent", id="cagent")


@pytest.mark.parametrize("body", [b"no gzip", b"\x1f\x8b\x08" + b"\xff" * 40])
async def test_an_answer_that_cannot_be_unfolded_is_none(body):
    async with hosting(says(200, body, content_encoding="gzip")) as fake:
        with pytest.raises(UpstreamFailed, match="broke off before its answer was complete"):
            await fake.ask("get_agent", id="cagent")

    assert len(fake.requests) == 3


async def test_a_secure_connection_that_is_damaged_is_told_as_broken_off(tmp_path, monkeypatch):
    trusted, key = loopback_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(trusted, key)
    serving = set()

    async def damage(reader, writer):
        serving.add(asyncio.current_task())
        await reader.readuntil(b"\r\n\r\n")
        os.write(writer.get_extra_info("socket").fileno(), b"\x17\x03\x03\x00\x20" + b"x" * 32)
        with suppress(OSError):
            await reader.read()
        writer.transport.abort()

    server = await asyncio.start_server(damage, "127.0.0.1", 0, ssl=trust)
    backend = HostedBackend(Calls(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"), key_of(KEY))
    with pytest.raises(UpstreamFailed, match=r"broke off.*It is not known whether it took effect"):
        await backend.run(CATALOGUE["delete_agent"].parse({"id": "cagent"}), OPERATOR)
    await backend.close()
    server.close()
    await asyncio.gather(*serving)

    assert len(serving) == 1


def test_what_speaks_http_is_loaded_when_the_service_is_first_called():
    program = (
        "import sys\n"
        "from vivavoce.hosted.backend import HostedBackend\n"
        "from vivavoce.hosted.calling import Calls\n"
        "HostedBackend(Calls('https://api.chatvolt.ai'), lambda caller: '')\n"
        "print({'httpcore2', 'httpx2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)

    assert (done.stdout.strip(), done.stderr) == ("set()", "")
