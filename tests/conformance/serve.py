"""Serve the fixtures over HTTP on loopback, for the conformance suite to examine.

    python -m tests.conformance.serve --port 3001

Port 0, the default, takes a free one. The first line written is the address to examine.
"""

from __future__ import annotations

import argparse
import signal
import socket
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import JSONRPCMessage
from starlette.applications import Starlette

from tests.conformance.fixtures import fixtures
from vivavoce.app import App
from vivavoce.settings import Settings
from vivavoce.surfaces import http
from vivavoce.surfaces.mcp.sessions import Sessions

RETRY_MS = 200
"""How long a client waits before it comes back to a stream that the server closed."""


class MemoryEvents(EventStore):
    """Every event sent, so that a client that lost its stream can have the rest."""

    def __init__(self) -> None:
        self._events: list[tuple[StreamId, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        """Keep an event; its id is its place in the list."""
        self._events.append((stream_id, message))
        return str(len(self._events) - 1)

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        """Send again what the stream of this event carried after it."""
        if not last_event_id.isdecimal() or int(last_event_id) >= len(self._events):
            return None
        last = int(last_event_id)
        stream_id, _ = self._events[last]
        for place, (stream, message) in enumerate(self._events[last + 1 :], last + 1):
            if stream == stream_id and message is not None:
                await send_callback(EventMessage(message, str(place)))
        return stream_id


def application(folder: Path) -> Starlette:
    """The product's own HTTP surface on a new workspace, with the fixtures where its tools would be."""
    settings = Settings(database=folder / "vivavoce.db", key_file=folder / "vivavoce.key")
    return http.application(settings, mcp=sessions)


def sessions(app: App) -> Sessions:
    """The product's own sessions, which also keep what they sent, because some scenarios resume a stream."""
    server = fixtures()._lowlevel_server  # the sessions take the server underneath
    return Sessions(server, keeps=True, events=MemoryEvents(), retry_ms=RETRY_MS)


def main() -> None:
    """Listen, say where, and serve until told to stop."""
    options = argparse.ArgumentParser(description="Serve the conformance fixtures on loopback.")
    options.add_argument("--port", type=int, default=0, help="the port; 0 takes a free one")
    listener = socket.create_server(("127.0.0.1", options.parse_args().port))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    # Logging and sampling are deprecated, and the suite examines them for older clients.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    # uvicorn repeats the signal that stopped it, which would end us before the workspace is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with TemporaryDirectory() as folder:
        # A subscription stays open for ever: do not wait for it when stopping.
        config = uvicorn.Config(application(Path(folder)), log_level="error", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
