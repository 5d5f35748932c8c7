"""What lies outside, as a process that is never killed: a model and a provider, which note what they see.

Run as `python -m tests.crash.outside`; the first line that it prints is its port. The model repeats the names
of the questions that it is asked, so that each answer says what it answers.
"""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from collections import Counter

QUESTION = re.compile(r"q\d+x\d+")
_BUSY = 100
"""One in so many messages is refused at first: the provider is busy."""
_CHUNK = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}


class Outside:
    """The provider's ledger, and how often the model was asked."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str, str]] = []
        """Messages that the provider took: the id of the sending, the chat, the text."""
        self.tries: Counter[str] = Counter()
        self.asked = 0
        self.told: list[tuple[str, str, dict[str, object]]] = []
        """What webhooks and callbacks were told: the path, the id, the body."""

    async def answer(self, path: str, body: bytes, id: str = "") -> tuple[int, str, bytes]:
        """The answer to one request: status, type, body."""
        if path == "/v1/chat/completions":
            return 200, "text/event-stream", await self._said(json.loads(body))
        if path == "/messages":
            return self._taken(json.loads(body))
        if path in ("/hooks", "/callbacks"):
            self.told.append((path, id, json.loads(body)))
            return _json(200, {})
        if path.startswith("/told/"):
            return _json(200, self.told[int(path.removeprefix("/told/")) :])
        if path.startswith("/ledger/"):
            since = self.taken[int(path.removeprefix("/ledger/")) :]
            return _json(200, {"asked": self.asked, "tries": self.tries.total(), "taken": since})
        return _json(404, {})

    async def _said(self, asked: dict[str, object]) -> bytes:
        self.asked += 1
        messages: list[dict[str, str]] = asked["messages"]  # type: ignore[assignment]  # the protocol's
        question = messages[-1]["content"].rpartition("\n\n")[2]
        text = "Answer to " + " ".join(QUESTION.findall(question))
        await asyncio.sleep(0.005 + zlib.crc32(text.encode()) % 40 / 1000)
        spent = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
        return (
            _event(choices=[{"index": 0, "delta": {"role": "assistant", "content": text}}])
            + _event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
            + _event(choices=[], usage=spent)
            + b"data: [DONE]\n\n"
        )

    def _taken(self, sent: dict[str, str]) -> tuple[int, str, bytes]:
        if sent.get("type", "message") != "message":
            return _json(200, {})
        self.tries[sent["id"]] += 1
        if self.tries[sent["id"]] == 1 and zlib.crc32(sent["id"].encode()) % _BUSY == 0:
            return _json(503, {"error": "busy"})
        self.taken.append((sent["id"], sent["chat"], sent["text"]))
        return _json(200, {"id": f"p{len(self.taken)}"})


def _event(**more: object) -> bytes:
    return b"data: " + json.dumps({**_CHUNK, **more}).encode() + b"\n\n"


def _json(status: int, body: object) -> tuple[int, str, bytes]:
    return status, "application/json", json.dumps(body).encode()


async def _talk(outside: Outside, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            found = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(found[1])) if found else b""
            named = re.search(r"vivavoce-id: *(\S+)", head, re.IGNORECASE)
            id = named[1] if named else ""
            status, kind, answer = await outside.answer(head.split(" ", 2)[1], body, id)
            more = "Retry-After: 1\r\n" if status == 503 else ""
            writer.write(
                f"HTTP/1.1 {status} OK\r\nContent-Type: {kind}\r\n{more}"
                f"Content-Length: {len(answer)}\r\n\r\n".encode()
                + answer
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()  # who called was killed


async def main() -> None:
    """Serve until the process is ended."""
    outside = Outside()
    server = await asyncio.start_server(
        lambda reader, writer: _talk(outside, reader, writer), "127.0.0.1", 0, limit=2**20
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
