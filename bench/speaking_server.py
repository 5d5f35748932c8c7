"""A model that answers at once: a server on loopback that speaks the OpenAI protocol, as a process.

The model named `slow` thinks first.
"""

from __future__ import annotations

import asyncio
import json

SLOW = 5.0
"""Seconds that the slow model thinks."""
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


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = next(
                int(line.partition(":")[2])
                for line in head.split("\r\n")
                if line.startswith("content-length:")
            )
            asked = json.loads(await reader.readexactly(length))
            if asked["model"] == "slow":
                await asyncio.sleep(SLOW)
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    """Serve until the process is ended; the first line that it prints is the port."""
    server = await asyncio.start_server(_talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
