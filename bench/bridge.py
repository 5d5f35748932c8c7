"""What the bridge and the client add to a call: CPU beside a bare HTTP client, to one fake."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from bridge_fake import certificate
from reporting import report, words

from vivavoce.client.failing import SERVED
from vivavoce.client.served import ServedBackend
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.keys import key_of
from vivavoce.operations import CATALOGUE, OPERATOR, Backend

KEY = "0a1b2c3d-4e5f-6789-abcd-ef0123456789"
HEADERS = {"Authorization": f"Bearer {KEY}"}
HTTP_TOOL = {
    "name": "Order status",
    "description": "Looks an order up.",
    "url": "https://shop.example.com/orders/:order",
    "method": "GET",
    "headers": [{"key": "Authorization", "value": "Bearer s3cr3t", "isUserProvided": False}],
    "pathVariables": [{"key": "order", "isUserProvided": True, "description": "Its number."}],
}
OF_ANA = {
    "agentId": "cmagent00000000000000000",
    "organizationId": "cmorg0000000000000000000",
    "createdAt": "2026-01-31T09:30:00.000Z",
    "updatedAt": "2026-01-31T09:30:00.000Z",
}
AGENT: dict[str, Any] = {
    "id": "cmagent00000000000000000",
    "name": "Ana",
    "description": "Answers about orders.",
    "modelName": "gpt_4o",
    "temperature": 0.2,
    "systemPrompt": "Be kind and brief. " * 40,
    "visibility": "private",
    "handle": "ana_1",
    "interfaceConfig": {"theme": "dark", "primaryColor": "#000000"},
    "organizationId": "cmorg0000000000000000000",
    "createdAt": "2026-01-31T09:30:00.000Z",
    "updatedAt": "2026-01-31T09:30:00.000Z",
    "tools": [
        {**OF_ANA, "id": "cmtool000000000000000001", "type": "http", "config": HTTP_TOOL},
        {**OF_ANA, "id": "cmtool000000000000000002", "type": "datastore", "datastoreId": "cmstore"},
    ],
}
CREATION = {name: AGENT[name] for name in ("name", "description", "modelName", "temperature", "systemPrompt")}

Call = Callable[[], Awaitable[Any]]


def main() -> None:
    """Interleave blocks of each and compare the CPU of this process; the fake is another one."""
    given = words(calls=1000, blocks=5, protocols="plain http/1.1 h2")
    for protocol in given.protocols.split():
        with TemporaryDirectory() as folder:
            measured = _against(protocol, Path(folder), given)
        title = f"{protocol}: {given.calls} calls, median of {given.blocks} blocks"
        report(
            title, _rows(measured), given.json and given.json.with_suffix(f".{protocol.replace('/', '-')}")
        )


def _against(protocol: str, folder: Path, given: Namespace) -> dict[str, list[tuple[float, float]]]:
    trust = "" if protocol == "plain" else str(certificate(folder))
    os.environ["SSL_CERT_FILE"] = trust
    (folder / "agent.json").write_text(json.dumps(AGENT), encoding="utf-8")
    fake = Path(__file__).parent / "bridge_fake.py"
    command = [sys.executable, fake, protocol, folder / "agent.json", trust]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        address = f"{'https' if trust else 'http'}://127.0.0.1:{int(child.stdout.readline())}"
        return asyncio.run(_measured(address, given.calls, given.blocks))
    finally:
        child.kill()
        child.wait()


async def _measured(address: str, calls: int, blocks: int) -> dict[str, list[tuple[float, float]]]:
    trust = httpx2.create_ssl_context()
    bare = httpx2.AsyncClient(base_url=address, headers=HEADERS, trust_env=False, http2=True, verify=trust)
    backend = HostedBackend(Calls(address), key_of(KEY))
    calls_of_ours = Calls(address, SERVED)
    ours = ServedBackend(calls_of_ours, KEY)
    path = f"/agents/{AGENT['id']}"

    async def bare_read() -> Any:
        return (await bare.get(path)).raise_for_status().json()["id"]

    async def bare_write() -> Any:
        return (await bare.post("/agents", json=CREATION)).raise_for_status().json()["id"]

    def bridged(way: Backend, operation: str, arguments: dict[str, Any]) -> Call:
        kind = CATALOGUE[operation]

        async def call() -> Any:
            return (await way.run(kind.parse(arguments), OPERATOR)).id

        return call

    ways = {
        "bare GET": bare_read,
        "get_agent through the bridge": bridged(backend, "get_agent", {"id": AGENT["id"]}),
        "get_agent through the client": bridged(ours, "get_agent", {"id": AGENT["id"]}),
        "bare POST": bare_write,
        "create_agent through the bridge": bridged(backend, "create_agent", CREATION),
        "create_agent through the client": bridged(ours, "create_agent", CREATION),
    }
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for number in range(blocks + 1):
        for name, call in ways.items():
            figures = await _block(call, calls)
            if number:
                measured[name].append(figures)
    await bare.aclose()
    await backend.close()
    await calls_of_ours.close()
    return measured


async def _block(call: Call, calls: int) -> tuple[float, float]:
    cpu, began = time.process_time(), time.perf_counter()
    for _ in range(calls):
        assert await call() == AGENT["id"]
    return (time.process_time() - cpu) / calls * 1000, (time.perf_counter() - began) / calls * 1000


def _rows(measured: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    rows, base = [], 1.0
    for name, blocks in measured.items():
        cpu = statistics.median(figure for figure, _ in blocks)
        base = cpu if name.startswith("bare") else base
        rows.append(
            {
                "call": name,
                "CPU ms per call": round(cpu, 3),
                "wall ms per call": round(statistics.median(wall for _, wall in blocks), 3),
                "CPU x bare": round(cpu / base, 2),
            }
        )
    return rows


if __name__ == "__main__":
    main()
