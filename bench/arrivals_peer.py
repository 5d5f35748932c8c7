"""The least that a server can do with an event: store its body in SQLite, durably, and say so."""

from __future__ import annotations

import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

_writer = ThreadPoolExecutor(1)


def _opened() -> sqlite3.Connection:
    connection = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    connection.execute("create table events (id integer primary key, body blob)")
    return connection


def main() -> None:
    """Serve until the process is ended."""
    import asyncio

    connection = _opened()

    def store(body: bytes) -> None:
        connection.execute("insert into events (body) values (?)", (body,))

    async def events(request: Request) -> JSONResponse:
        body = await request.body()
        await asyncio.get_running_loop().run_in_executor(_writer, store, body)
        return JSONResponse({"accepted": 1})

    async def health(request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    routes = [Route("/events", events, methods=["POST"]), Route("/health", health)]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(sys.argv[2]), log_config=None)


if __name__ == "__main__":
    main()
