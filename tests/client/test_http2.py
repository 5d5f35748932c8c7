"""HTTP/2 where a server offers it over TLS, HTTP/1.1 where it does not; one pool of connections for both."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import subprocess
from contextlib import aclosing, contextmanager
from pathlib import Path

import pytest

import vivavoce
from tests.certificates import loopback_certificate
from vivavoce.errors import InvalidInput, Unreached
from vivavoce.operations import AgentQuery, ListAgents, Told

SERVER = Path(__file__).parent / "server.mjs"
KEY = "0a1b2c3d-4e5f-6789-abcd-ef0123456789"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for loopback that vouches for itself, and its key."""
    return loopback_certificate(tmp_path_factory.mktemp("tls"))


@contextmanager
def serving(certificate, protocol):
    """The address of a server that speaks a protocol, and what came in, as it tells when it has ended."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not on the PATH, and it serves HTTP/2.")
    child = subprocess.Popen(
        [node, SERVER, *certificate, protocol], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    seen = []
    try:
        yield f"https://127.0.0.1:{int(child.stdout.readline())}", seen
    finally:
        told, _ = child.communicate(timeout=30)
        seen += map(json.loads, told.splitlines())


@pytest.mark.parametrize("service", ["vivavoce", "hosted"])
async def test_calls_at_once_share_one_http2_connection(certificate, service, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with serving(certificate, "h2") as (address, seen):
        async with vivavoce.connect(address, KEY, service=service) as platform:
            results = await asyncio.gather(*(platform.run(ListAgents()) for _ in range(20)))
            await platform.run(ListAgents())

    assert [result.agents for result in results] == [[]] * 20
    assert [(each["version"], each["connection"]) for each in seen] == [("2.0", 1)] * 21
    assert {each["key"] for each in seen} == {f"Bearer {KEY}"}
    assert KEY not in caplog.text
    assert "hpack" not in {record.name.partition(".")[0] for record in caplog.records}  # which logs headers


@pytest.mark.parametrize("service", ["vivavoce", "hosted"])
async def test_a_server_is_told_when_a_stream_is_left_early(certificate, service, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with serving(certificate, "h2") as (address, seen):
        async with vivavoce.connect(address, KEY, service=service) as platform:
            await platform.run(ListAgents())
            async with aclosing(platform.stream(AgentQuery(id="cagent", query="Hi"))) as parts:
                assert await anext(parts) == Told("answer", "Hel")
            async with asyncio.timeout(20):
                assert (await platform.run(ListAgents())).agents == []

    assert [(each["version"], each["connection"]) for each in seen] == [("2.0", 1), ("1.1", 2), ("2.0", 1)]


async def test_a_missing_file_of_certificates_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nothing.pem"))
    async with vivavoce.connect("https://127.0.0.1:1", KEY, service="vivavoce") as platform:
        with pytest.raises(InvalidInput, match="SSL_CERT_FILE names cannot be read: No such file"):
            await platform.run(ListAgents())


async def test_a_server_without_http2_is_spoken_to_as_before(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with serving(certificate, "http/1.1") as (address, seen):
        async with vivavoce.connect(address, KEY) as platform:
            assert (await platform.run(ListAgents())).agents == []

    assert [(each["version"], each["connection"]) for each in seen] == [("1.1", 1)] * 2
    assert [each["key"] for each in seen] == [None, f"Bearer {KEY}"]


async def test_a_server_whose_certificate_nobody_vouches_for_is_sent_nothing(certificate, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with serving(certificate, "h2") as (address, seen):
        async with vivavoce.connect(address, KEY, service="vivavoce") as platform:
            with pytest.raises(Unreached, match=r"is not trusted; nothing was sent.*SSL_CERT_FILE"):
                await platform.run(ListAgents())
        with pytest.raises(Unreached, match=r"is not trusted.*SSL_CERT_FILE"):
            async with vivavoce.connect(address, KEY):
                pytest.fail("nobody vouches for it")

    assert seen == []
