"""A client that speaks HTTP as plainly as possible, so that the load costs the machine little."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any, Self

PATIENCE = 10.0
"""Seconds after which a provider counts a request as failed."""


class Wire:
    """One connection, opened again whenever it broke; used with `async with`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and body of the answer; 0 where there is none, so that it is not known what happened."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._asked(method, path, body, headers)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            await self._close()
            return 0, None

    async def _asked(self, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, Any]:
        if self._open is None:
            self._open = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._open
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"Content-Length: {len(content)}", "Content-Type: application/json"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        answer = await reader.readexactly(length)
        return int(head.split(" ", 2)[1]), json.loads(answer) if answer else None

    async def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened[1].close()
            with suppress(OSError):
                await opened[1].wait_closed()
