"""MCP over stdio through the SDK: its streams are the front's lanes and wire.

The SDK's own stdio transport crosses three threads for each message. Here a message crosses one, and
each protocol era has its own connection, so that a client may use both.
"""

from __future__ import annotations

import asyncio
import json
import math
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from types import FrameType
from typing import Any, Self

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp.types import (
    CONNECTION_CLOSED,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from mcp.types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from vivavoce.surfaces.mcp.front import PATIENCE, REPLAYED_ID, Front
from vivavoce.surfaces.mcp.jsonrpc import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY
from vivavoce.surfaces.mcp.wire import Lane, Wire

Message = dict[str, Any]

Opening = AbstractAsyncContextManager[Server[Any]]
"""What opens the server and, when the client has left, closes what it holds."""

Build = Callable[[], Opening]
"""Imports what the server needs and returns its opening; called in the main thread."""


def serve(front: Front, opening: Opening) -> int:
    """Serve what the front leaves to the SDK until the client is gone; the exit code."""
    front.begin_serving()
    return anyio.run(_serve, front, opening)


async def record(server: Server[Any]) -> dict[str, Any]:
    """What the server answers, word for word, to the requests that the front answers for it."""
    client = {"name": "manifest", "version": server.version}
    hello = {"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": client}
    envelope = {VERSION_KEY: LATEST_MODERN_VERSION, CAPABILITIES_KEY: {}, CLIENT_KEY: client}
    legacy: dict[str, Message] = {"initialize": hello} | {method: {} for method in ("ping", *_LISTS)}
    modern = {method: {"_meta": envelope} for method in ("server/discover", *_LISTS)}
    return {
        "version": server.version,
        "modern_versions": list(MODERN_PROTOCOL_VERSIONS),
        "legacy": await _answers(server, legacy),
        "modern": await _answers(server, modern),
    }


class Connection:
    """One era's connection to the SDK: the stream it reads from and the stream it writes to.

    When the client has closed stdin, the SDK learns of it only after the requests in flight were answered,
    because it would cancel them.
    """

    def __init__(self, lane: Lane, deliver: Callable[[bytes], Awaitable[None]]) -> None:
        self._lane = lane
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._first: SessionMessage | Exception | None = None
        self._changed = anyio.Event()
        self._deadline = math.inf
        self._unanswered: set[RequestId] = set()
        self._questions: set[RequestId] = set()

    async def serve(self, server: Server[Any]) -> None:
        """Let the server answer on this connection, from its first message on."""
        try:
            self._first = await self.receive()
        except anyio.EndOfStream:
            return
        await server.run(self, self, server.create_initialization_options())

    async def receive(self) -> SessionMessage | Exception:
        """The next message from the client."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        while (message := self._lane.take(self._wake)) is None:
            if self._lane.is_ended:
                if self._is_settled():
                    raise anyio.EndOfStream
                if self._questions:
                    return SessionMessage(_gone(self._questions.pop()))
            await self._next_change()
        try:
            return SessionMessage(self._noted(_parsed(message)))
        except ValidationError as error:
            return error

    async def send(self, item: SessionMessage) -> None:
        """Write one message to the client."""
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._questions.add(message.id)
        if getattr(message, "id", None) != REPLAYED_ID:
            frame = message.model_dump_json(by_alias=True, exclude_unset=True)
            await self._deliver(frame.encode() + b"\n")
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._unanswered.discard(message.id)
        if self._lane.is_ended:
            self._changed.set()

    async def aclose(self) -> None:
        """Do nothing: the lane and the wire outlive the SDK's streams."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _is_settled(self) -> bool:
        """Whether nothing is owed to a client that has closed stdin, or it had its time."""
        if self._deadline == math.inf:
            self._deadline = anyio.current_time() + PATIENCE
        is_late = anyio.current_time() >= self._deadline
        return is_late or self._lane.is_abandoned or not self._unanswered

    def _noted(self, message: JSONRPCMessage) -> JSONRPCMessage:
        """The same message, after taking down who owes whom an answer."""
        match message:
            case JSONRPCRequest(id=request_id, method=method):
                if method != "subscriptions/listen":  # stays open as long as the client does
                    self._unanswered.add(request_id)
            case JSONRPCNotification(
                method="notifications/cancelled", params={"requestId": str() | int() as cancelled}
            ):
                self._unanswered.discard(cancelled)
            case JSONRPCResponse(id=str() | int() as answered) | JSONRPCError(id=str() | int() as answered):
                self._questions.discard(answered)
        return message

    async def _next_change(self) -> None:
        self._changed = anyio.Event()
        with anyio.CancelScope(deadline=self._deadline):
            await self._changed.wait()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is already closed
            self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        self._changed.set()


_LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


async def _serve(front: Front, opening: Opening) -> int:
    deliver = partial(_deliver, front.wire, anyio.CapacityLimiter(1))
    async with opening as server, anyio.create_task_group() as eras:
        signals = _obeyed_signals(front)
        for lane in (front.legacy, front.modern):
            eras.start_soon(Connection(lane, deliver).serve, server)
    return 128 + signals[0] if signals else 0


async def _deliver(wire: Wire, turn: anyio.CapacityLimiter, frame: bytes) -> None:
    """Write a frame without ever holding up the loop: a client that reads slowly waits alone."""
    if not wire.write_at_once(frame):
        await anyio.to_thread.run_sync(wire.write, frame, limiter=turn)


def _obeyed_signals(front: Front) -> list[int]:
    """Hang up on the first signal that asks to stop; the list holds it then. A second one kills."""
    received: list[int] = []
    loop = asyncio.get_running_loop()
    hang_up = partial(front.hang_up, abandon=True)

    def stop(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        received.append(number)
        front.see_off(128 + number)
        loop.call_soon_threadsafe(hang_up)

    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows, where every signal wakes a loop
            loop.add_signal_handler(number, hang_up)  # a signal may come just before the loop falls asleep
        signal.signal(number, stop)  # at once, also where a call holds up the loop
    return received


def _parsed(message: Message) -> JSONRPCMessage:
    if "method" not in message:
        return jsonrpc_message_adapter.validate_python(message)
    return (JSONRPCRequest if "id" in message else JSONRPCNotification).model_validate(message)


def _gone(question: RequestId) -> JSONRPCError:
    error = ErrorData(code=CONNECTION_CLOSED, message="The client left without an answer.")
    return JSONRPCError(jsonrpc="2.0", id=question, error=error)


async def _answers(server: Server[Any], requests: Mapping[str, Message]) -> dict[str, Any]:
    """The results of the requests that the server does not refuse."""
    lane = Lane()
    for method, params in requests.items():
        lane.put({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    lane.end()
    answers: dict[str, Message] = {}

    async def keep(frame: bytes) -> None:
        answer = json.loads(frame)
        answers[answer["id"]] = answer

    await Connection(lane, keep).serve(server)
    return {method: answers[method]["result"] for method in requests if "result" in answers[method]}
