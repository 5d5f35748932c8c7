"""A server that speaks the OpenAI protocol as providers do, and says what a test wants."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.clients import EgressClients
from vivavoce.ports import Called, Delta, Model, Piece, Prompt, Spent

from .loopback import Script, Server, answer, serving

PATH = "/v1/chat/completions"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class Provider:
    """Answers one request after the other as it was told; the last one over and over."""

    def __init__(self, server: Server) -> None:
        self.server, self.turns, self.closed = server, list[bytes | Script](), asyncio.Event()
        server.answers[PATH] = self._answer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/v1"

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of all requests so far."""
        bodies = [request.partition("\r\n\r\n")[2] for request in self.server.requests]
        return [json.loads(body.encode("latin-1")) for body in bodies]

    def says(self, *turns: bytes | Script) -> None:
        self.turns = list(turns)

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, bytes):
            writer.write(turn)
            await writer.drain()
        else:
            await turn(writer)


@asynccontextmanager
async def provider_at_work() -> AsyncIterator[Provider]:
    async with serving() as server:
        yield Provider(server)


def clients_through(own: Egress, others: Egress) -> EgressClients:
    """HTTP clients as the program makes them, with ways out of a test's own."""
    return EgressClients(own, others, Bounds(timeout=30, redirects=0))


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    """One event of a stream."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": "test-model",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }
    return event(json.dumps(body))


def event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()


USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
USED = chunk({}, choices=[], usage=USAGE)
DONE = event("[DONE]")


def said(*texts: str, finish: str = "stop") -> bytes:
    """A whole answer in pieces."""
    events = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": text}) for text in texts)]
    return streamed(*events, chunk({}, finish), USED, DONE)


def called(*calls: tuple[str, str, Sequence[str]], text: str = "") -> bytes:
    """An answer that calls: id, name, and the arguments in pieces."""
    events = [chunk({"role": "assistant", "content": text or None})]
    for index, (id, name, arguments) in enumerate(calls):
        head = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}
        events.append(chunk({"tool_calls": [head]}))
        events += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in arguments
        ]
    return streamed(*events, chunk({}, "tool_calls"), USED, DONE)


def streamed(*events: bytes) -> bytes:
    return HEAD + b"".join(framed(each) for each in events) + b"0\r\n\r\n"


def framed(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


def refusal(status: int, message: str = "no", **headers: str) -> bytes:
    """An error as providers tell it."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": None}}
    return answer(json.dumps(body).encode(), status, content_type="application/json", **headers)


async def all_of(model: Model, prompt: Prompt) -> list[Piece]:
    async with aclosing(model.answer(prompt)) as pieces:
        return [piece async for piece in pieces]


def text_of(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Delta))


def calls_of(pieces: Sequence[Piece]) -> list[Called]:
    return [piece for piece in pieces if isinstance(piece, Called)]


def spent_of(pieces: Sequence[Piece]) -> Spent:
    assert isinstance(pieces[-1], Spent)
    return pieces[-1]
