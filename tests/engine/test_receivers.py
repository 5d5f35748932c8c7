"""Receivers as they are met: slow, broken, lying or forbidden. Real connections, on loopback alone."""

from __future__ import annotations

import asyncio
import logging
import tracemalloc

import pytest

from tests.ports.loopback import answer, closing, redirect, serving
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.outside import EgressOutside
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

from .receivers import HookDesk, is_signed, secret_of

SECRET = "s3cr3t-canary-4711"


@pytest.fixture
async def met(tmp_path, clock):
    """A server on loopback, and a desk that tells it events through the real way out."""
    async with serving() as server, closing(Egress(allow=(f"127.0.0.1:{server.port}",))) as egress:
        models = TestModels(ScriptedModel(["Nine."]))
        outside = EgressOutside(egress, seconds=1.0)
        with open_test_engine(tmp_path, clock, models=models, outside=outside) as engine:
            hook = {
                "url_webhook_external": f"http://127.0.0.1:{server.port}/in?token={SECRET}",
                "headerKey": f"X-Key: {SECRET}",
            }
            yield server, await HookDesk(engine, None).opened(hook)


PATH = f"/in?token={SECRET}"


async def test_a_receiver_on_the_network_can_check_what_it_is_told(met):
    server, at = met
    server.answers[PATH] = answer(status=204)

    await at.ask("Olá?")
    await at.works()

    (request,) = server.requests
    head, _, body = request.partition("\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
    assert is_signed(headers, body.encode("latin-1"), await secret_of(at.engine))
    assert headers["X-Key"] == SECRET
    assert '"userMessage":"Olá?"' in body.encode("latin-1").decode()
    assert [each.state for each in await at.deliveries()] == ["sent"]


async def hangs(writer):
    await asyncio.Event().wait()


async def hangs_in_the_midst(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhal")
    await writer.drain()
    await asyncio.Event().wait()


async def cuts(writer):
    writer.close()


async def cuts_in_the_midst(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhal")
    await writer.drain()
    writer.close()


async def speaks_something_else(writer):
    writer.write(b"220 mail.example ESMTP\r\n")
    await writer.drain()
    writer.close()


@pytest.mark.parametrize(
    "said",
    [
        hangs,
        hangs_in_the_midst,
        cuts,
        cuts_in_the_midst,
        speaks_something_else,
        answer(b"\x00\xff\xfe<html>", 500, Content_Type="application/json"),
        answer(b"not gzip", 200, Content_Encoding="gzip"),
        redirect("http://127.0.0.1:1/elsewhere"),
        redirect(PATH, 307),
    ],
    ids=["hangs", "hangs-on", "cuts", "half", "mail", "junk", "gzip", "elsewhere", "itself"],
)
async def test_a_receiver_that_does_not_take_it_is_tried_again(met, clock, caplog, said):
    caplog.set_level(logging.DEBUG, logger="vivavoce")
    server, at = met
    server.answers[PATH] = said
    await at.ask()
    await at.works()

    (waits,) = await at.deliveries()
    assert (waits.state, len(waits.tries)) == ("waiting", 1)
    assert waits.reason
    assert SECRET not in waits.model_dump_json() + caplog.text
    assert server.paths == [PATH]
    server.answers[PATH] = answer(b"thanks")
    clock.advance(seconds=10)
    await at.works()

    (sent,) = await at.deliveries()
    assert (sent.state, len(server.requests)) == ("sent", 2)


async def test_of_what_a_receiver_says_only_a_little_is_read(met):
    server, at = met
    piece, written = b"x" * 65_536, 0

    async def floods(writer):
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n")
        while written < 200_000_000:
            writer.write(piece)
            await writer.drain()
            written += len(piece)

    server.answers[PATH] = floods
    tracemalloc.start()
    await at.ask()
    await at.works()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [each.state for each in await at.deliveries()] == ["sent"]
    assert written < 20_000_000
    assert peak < 30_000_000


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://localhost/",
        "http://2130706433/",
    ],
)
@pytest.mark.parametrize("kind", ["webhook", "callback"])
async def test_private_addresses_are_told_nothing(met, kind, url):
    server, at = met
    if kind == "webhook":
        hook = {"url_webhook_external": url}
        await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=hook)
        await at.ask()
    else:
        await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=None)
        await at.ask(callbackURL=url)
        await at.engine.close(at_once=False)
    await at.works()

    (delivery,) = await at.deliveries(kind=kind)
    assert (delivery.state, len(delivery.tries)) == ("failed", 1)
    assert server.connections == 0
