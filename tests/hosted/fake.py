"""A hosted API on loopback that answers as it is told, in good and in bad faith."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.keys import key_of
from vivavoce.operations import CATALOGUE, OPERATOR

KEY = "0a1b2c3d-4e5f-6789-abcd-ef0123456789"

AGENT: dict[str, Any] = {"id": "cagent", "name": "Ana", "modelName": "gpt_4o", "tools": []}


@dataclass
class Request:
    """What came in."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


def says(status: int, body: Any = None, **headers: str) -> Reply:
    """An ordinary answer: JSON, or the bytes or the text that are given."""
    kind = "application/json"
    if isinstance(body, str):
        body, kind = body.encode(), "text/html"
    elif not isinstance(body, bytes):
        body = b"" if body is None else json.dumps(body).encode()
    names = {"content-type": kind} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in names.items())]
    if status != 204:
        lines.append(f"content-length: {len(body)}")
    head = "\r\n".join([*lines, "", ""]).encode()

    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(head + body)
        await writer.drain()

    return reply


def streams(*pieces: bytes, is_cut: bool = False) -> Reply:
    """Events, in the pieces that are given."""

    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        for piece in pieces:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if is_cut:
            writer.close()
        else:
            writer.write(b"0\r\n\r\n")

    return reply


async def hangs_up(writer: asyncio.StreamWriter) -> None:
    """The request is taken, and the connection cut."""
    writer.close()


async def never(writer: asyncio.StreamWriter) -> None:
    """No answer as long as anyone waits."""
    await writer.wait_closed()


async def floods(writer: asyncio.StreamWriter) -> None:
    """64 MB of one JSON text, as fast as they are taken."""
    writer.write(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"id":"')
    try:
        for _ in range(64):
            writer.write(b"a" * 2**20)
            await writer.drain()
        writer.write(b'"}')
    except ConnectionError:
        pass  # who asked has gone
    writer.close()


@dataclass
class Fake:
    """Gives its replies in order, the last one again and again; `requests` holds what came in."""

    address: str = ""
    replies: list[Reply] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    routes: dict[str, Reply] = field(default_factory=dict)
    pauses: list[float] = field(default_factory=list)
    lines: dict[Any, asyncio.StreamWriter] = field(default_factory=dict)
    backend: HostedBackend = None  # type: ignore[assignment]  # set when it is served

    async def ask(self, operation: str, /, hear: Any = None, caller: Any = OPERATOR, **arguments: Any) -> Any:
        """Carry out an operation through the backend."""
        result = await self.backend.run(CATALOGUE[operation].parse(arguments), caller, hear)
        json.dumps([result.model_dump(mode="json"), result.wire()])  # as surfaces show it
        return result

    @property
    def calls(self) -> list[str]:
        return [f"{request.method} {request.target}" for request in self.requests]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.lines[asyncio.current_task()] = writer
        try:
            while not writer.is_closing():
                request = await _request(reader)
                self.requests.append(request)
                reply = self.routes.get(f"{request.method} {request.path}")
                if reply is None:
                    reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
                await reply(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # who asked has gone
        finally:
            writer.close()


async def _request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, target, headers, body)


@asynccontextmanager
async def hosting(*replies: Reply, **routes: Reply) -> AsyncIterator[Fake]:
    """A hosted API that gives these replies, and a backend that calls it and waits for nothing."""
    fake = Fake(replies=list(replies))

    async def pause(seconds: float) -> None:
        fake.pauses.append(seconds)

    server = await asyncio.start_server(fake._serve, "127.0.0.1", 0, limit=2**24)
    fake.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    fake.backend = HostedBackend(Calls(fake.address, pause=pause, chance=lambda: 0.0), key_of(KEY))
    try:
        yield fake
    finally:
        await fake.backend.close()
        server.close()
        for writer in fake.lines.values():
            writer.close()
        await asyncio.gather(*fake.lines)
