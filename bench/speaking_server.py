"""A model and an embedder that answer at once: a server on loopback that speaks the OpenAI protocol.

The model named `thinks-5` thinks first, for five seconds more or less. The embedder counts letters.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Sequence

_THINKS = "thinks-"
_CHUNK = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}


def _event(**more: object) -> bytes:
    return b"data: " + json.dumps({**_CHUNK, **more}).encode() + b"\n\n"


def _said(delta: dict[str, object], finish: str | None = None) -> bytes:
    return _event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}])


_BODY = b"".join(
    (
        _said({"role": "assistant", "content": "Within 30 days "}),
        _said({"content": "[1]."}),
        _said({}, "stop"),
        _event(choices=[], usage={"prompt_tokens": 900, "completion_tokens": 8, "total_tokens": 908}),
        b"data: [DONE]\n\n",
    )
)
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(_BODY)
) + _BODY


def _embedded(texts: Sequence[str] | str) -> bytes:
    given = [texts] if isinstance(texts, str) else texts
    letters = "etaoinshrdlucmfwypvbgkjqxz0123456789"
    rows = [
        {
            "object": "embedding",
            "index": place,
            "embedding": [text.lower().count(each) + 0.1 for each in letters],
        }
        for place, text in enumerate(given)
    ]
    body = json.dumps({"object": "list", "model": "counting", "data": rows}).encode()
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    chance = random.Random(writer.get_extra_info("peername")[1])
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            lines = (line.partition(":") for line in head.split("\r\n"))
            length = next((int(value) for name, _, value in lines if name == "content-length"), 0)
            asked = json.loads(await reader.readexactly(length) or b"{}")
            model = str(asked.get("model", ""))
            if model.startswith(_THINKS):
                await asyncio.sleep(float(model.removeprefix(_THINKS)) * (0.5 + chance.random()))
            writer.write(_embedded(asked["input"]) if "input" in asked else ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    """Serve until the process is ended, on the port that is named or on a free one, which it prints first."""
    server = await asyncio.start_server(_talk, "127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
