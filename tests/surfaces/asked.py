"""Agents that are asked in tests of the surfaces: models that wait, and REST on a socket in this loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import uvicorn
from starlette.applications import Starlette

from vivavoce.engine import Engine
from vivavoce.operations import CATALOGUE, OPERATOR, Caller
from vivavoce.ports import Delta, Prompt, Spent
from vivavoce.surfaces import rest

AGENT = {
    "name": "Ana",
    "description": "Answers customers.",
    "modelName": "gpt_4o_mini",
    "systemPrompt": "Be kind.",
    "temperature": 0,
}


class WaitingModel:
    """Says its pieces, then waits until `go` is set. `waits` and `is_closed` tell how far it has come."""

    name = "waiting"
    context = 128_000

    def __init__(self, pieces: Sequence[str] = (), then: Sequence[str] = ()) -> None:
        self.pieces, self.then = pieces, then
        self.waits, self.go, self.closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def answer(self, prompt: Prompt) -> AsyncIterator[Any]:
        """The pieces, a wait, and the rest."""
        try:
            for piece in self.pieces:
                yield Delta(piece)
            self.waits.set()
            await self.go.wait()
            for piece in self.then:
                yield Delta(piece)
            yield Spent(self.name, prompt_tokens=10, completion_tokens=5)
        finally:
            self.closed.set()


async def run(engine: Engine, operation: str, /, **arguments: Any) -> dict[str, Any]:
    """Carry out an operation by its wire names; the result as the wire has it."""
    result = await engine.run(CATALOGUE[operation].parse(arguments), OPERATOR)
    return result.model_dump(mode="json")


async def turns_of(engine: Engine, conversation_id: str | None = None) -> list[Any]:
    """The turns that are stored, in order."""
    named = {} if conversation_id is None else {"conversation_id": conversation_id}
    return await engine.ports.store.read(lambda tables: list(tables.turns.where(**named)))


def application(engine: Engine, caller: Caller = OPERATOR) -> Starlette:
    """REST alone, for one caller."""
    return Starlette(routes=rest.routes(lambda request: engine, lambda: caller))


@asynccontextmanager
async def listening(app: Any) -> AsyncIterator[int]:
    """The port of loopback on which uvicorn serves an application in this event loop."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        server = _Server(uvicorn.Config(app, log_config=None, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await asyncio.wait_for(server.is_up.wait(), 30)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await serving


class Line:
    """A connection that is read by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def until(self, end: bytes) -> bytes:
        """What comes up to these bytes, with them."""
        return await asyncio.wait_for(self.reader.readuntil(end), 30)

    async def hang_up(self) -> None:
        """Go away in the middle."""
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


@asynccontextmanager
async def posted(port: int, path: str, body: bytes) -> AsyncIterator[Line]:
    """A connection over which a JSON body was posted."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    line = Line(reader, writer)
    try:
        yield line
    finally:
        await line.hang_up()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()
