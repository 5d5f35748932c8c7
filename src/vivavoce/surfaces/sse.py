"""An answer as server-sent events, in the words and the encoding of the wire."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.datastructures import QueryParams
from starlette.types import ASGIApp, Receive, Scope, Send

from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.operations import Hear, Told
from vivavoce.operations.answers import AgentAnswer

from .hearing import Heard, begun, stop
from .logs import log_failure

PAUSE = 15.0
"""Seconds of silence after which a comment shows that the line still stands."""

_HEAD = [
    (b"content-type", b"text/event-stream"),  # bare: the widget knows it with nothing behind it only
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
]
_COMMENT = b": \n\n"
_DONE = b"event: \ndata: [DONE]\n\n"
_UNRESERVED = "-_.!~*'()"
"""What stands for itself beside letters and digits, as encodeURIComponent has it."""

_log = logging.getLogger(__name__)

Ask = Callable[[Hear | None], Awaitable[AgentAnswer]]
Refuse = Callable[[VivavoceError], ASGIApp]


class Stream:
    """Answers a request with events while `ask` runs; stops it when the client goes away.

    A failure before the first event is answered by `refuse`, as if nothing were streamed.
    """

    def __init__(self, ask: Ask, refuse: Refuse, *, is_raw: bool = False, pause: float = PAUSE) -> None:
        self._ask, self._refuse = ask, refuse
        self._encoded = _raw if is_raw else percent_encoded
        self._pause = pause

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        heard = Heard()
        asking = begun(self._ask, heard)
        leaving = asyncio.create_task(gone(receive))
        leaving.add_done_callback(heard.wake)
        line = _Line(send)
        try:
            while not asking.done() and not leaving.done():
                came = await heard.came(line.left_of(self._pause))
                await self._tell(heard.taken() if came else [], line)
                if line.left_of(self._pause) <= 0:
                    await line.write(_COMMENT)
            if leaving.done():
                return
            await self._tell(heard.taken(), line)
            failure = asking.exception()
            if isinstance(failure, VivavoceError) and not line.is_open:
                await self._refuse(failure)(scope, receive, send)
            elif failure is not None:
                await line.fail(failure)
            else:
                await line.end(self._whole(asking.result()) + _DONE)
        finally:
            await stop(asking, leaving)

    async def _tell(self, news: list[Told], line: _Line) -> None:
        """Write what is new and has words on the wire."""
        for told in news:
            if told.kind in ("answer", "tool_call"):
                await line.write(self._event(told.kind, told.text))

    def _whole(self, result: AgentAnswer) -> bytes:
        whole = json.dumps(result.wire(), ensure_ascii=False, separators=(",", ":"))
        return self._event("endpoint_response", whole)

    def _event(self, name: str, payload: str) -> bytes:
        lines = [f"event: {name}", *(f"data: {line}" for line in self._encoded(payload))]
        return "\n".join([*lines, "", ""]).encode("utf-8", "replace")


def is_raw(parameters: QueryParams) -> bool:
    """Whether the address asks for payloads as they are: `?encoding=raw`."""
    encoding = parameters.get("encoding", "")
    if encoding not in ("", "percent", "raw"):
        raise InvalidInput(
            f"encoding: must be percent or raw, not {encoding[:40]!r}.",
            details={"encoding": "must be percent or raw"},
        )
    return encoding == "raw"


async def gone(receive: Receive) -> None:
    """Wait until the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        continue


def percent_encoded(payload: str) -> list[str]:
    """A payload as encodeURIComponent writes it: one line, whatever is in it."""
    return [quote(payload, safe=_UNRESERVED, errors="replace")]


class _Line:
    """The line to the client, which opens with the first bytes."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_open = False
        self._written_at = time.monotonic()

    def left_of(self, pause: float) -> float:
        """How many seconds of a pause are left since something was written."""
        return self._written_at + pause - time.monotonic()

    async def write(self, frames: bytes, *, is_last: bool = False) -> None:
        if not self.is_open:
            self.is_open = True
            await self._send({"type": "http.response.start", "status": 200, "headers": list(_HEAD)})
        await self._send({"type": "http.response.body", "body": frames, "more_body": not is_last})
        self._written_at = time.monotonic()

    async def end(self, frames: bytes) -> None:
        await self.write(frames, is_last=True)

    async def fail(self, failure: BaseException) -> None:
        """Tell the code of an error; what nobody raised on purpose is raised where nothing was told yet."""
        if not self.is_open:
            raise failure
        code = "INTERNAL_SERVER_ERROR"
        if isinstance(failure, VivavoceError):
            code = failure.wire
        else:
            log_failure(_log, "A stream", failure)
        await self.end(f"data: [ERROR]{code}\n\n".encode())


def _raw(payload: str) -> list[str]:
    """A payload as it is, in as many lines as it has."""
    return re.split(r"\r\n|\r|\n", payload)
