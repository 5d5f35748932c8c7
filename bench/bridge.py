"""What the bridge adds to a call: CPU of the hosted backend beside a bare HTTP client, to one fake."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
from reporting import report, words

from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.keys import key_of
from vivavoce.operations import CATALOGUE, OPERATOR

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
        {"id": "cmtool000000000000000001", "type": "http", "config": HTTP_TOOL},
        {"id": "cmtool000000000000000002", "type": "datastore", "datastoreId": "cmstore"},
    ],
}
CREATION = {name: AGENT[name] for name in ("name", "description", "modelName", "temperature", "systemPrompt")}

Call = Callable[[], Awaitable[Any]]


def main() -> None:
    """Interleave blocks of both and compare the CPU of this process; the fake is another one."""
    if sys.argv[1:2] == ["fake"]:
        asyncio.run(_fake())
    given = words(calls=2000, blocks=5)
    child = subprocess.Popen([sys.executable, __file__, "fake"], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        address = f"http://127.0.0.1:{int(child.stdout.readline())}"
        measured = asyncio.run(_measured(address, given.calls, given.blocks))
    finally:
        child.kill()
        child.wait()
    report(f"{given.calls} calls, median of {given.blocks} blocks", _rows(measured), given.json)


async def _measured(address: str, calls: int, blocks: int) -> dict[str, list[tuple[float, float]]]:
    bare = httpx2.AsyncClient(base_url=address, headers=HEADERS, trust_env=False)
    backend = HostedBackend(Calls(address), key_of(KEY))
    path = f"/agents/{AGENT['id']}"

    async def bare_read() -> Any:
        return (await bare.get(path)).raise_for_status().json()["id"]

    async def bare_write() -> Any:
        return (await bare.post("/agents", json=CREATION)).raise_for_status().json()["id"]

    def bridged(operation: str, arguments: dict[str, Any]) -> Call:
        kind = CATALOGUE[operation]

        async def call() -> Any:
            return (await backend.run(kind.parse(arguments), OPERATOR)).id

        return call

    ways = {
        "bare GET": bare_read,
        "get_agent through the bridge": bridged("get_agent", {"id": AGENT["id"]}),
        "bare POST": bare_write,
        "create_agent through the bridge": bridged("create_agent", CREATION),
    }
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for number in range(blocks + 1):
        for name, call in ways.items():
            figures = await _block(call, calls)
            if number:
                measured[name].append(figures)
    await bare.aclose()
    await backend.close()
    return measured


async def _block(call: Call, calls: int) -> tuple[float, float]:
    cpu, began = time.process_time(), time.perf_counter()
    for _ in range(calls):
        assert await call() == AGENT["id"]
    return (time.process_time() - cpu) / calls * 1000, (time.perf_counter() - began) / calls * 1000


async def _fake() -> None:
    """Answer every request with the agent."""
    body = json.dumps(AGENT).encode()
    answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not reader.at_eof():
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
            except asyncio.IncompleteReadError:
                break
            _, _, told = head.partition(b"content-length: ")
            if told:
                await reader.readexactly(int(told.partition(b"\r\n")[0]))
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


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
