"""The front: answers over stdio what a recorded manifest knows, before the SDK is loaded and ever after.

Importing the SDK takes most of a second, and a client asks the same few things first. So one thread
reads stdin for the whole life of the process, answers those from the manifest, and puts the rest into
two lanes, one for each protocol era, which `stdio` gives to the SDK once the main thread has loaded it.

    stdin ── reader thread ──┬── known to the manifest ───────────── stdout
                             └── lane (legacy | modern) ── the SDK ── stdout

Only the cheapest modules are imported here, `typing` not among them.
"""

from __future__ import annotations

import json
import threading

from vivavoce.surfaces.mcp.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    decoded,
    encoded,
    is_envelope,
    is_handshake,
    is_message,
    is_modern,
    refusal,
)
from vivavoce.surfaces.mcp.wire import Lane, Wire, leave
from vivavoce.surfaces.settling import SettlingIn

TYPE_CHECKING = False  # the real one is in `typing`, which is dear to import
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Set
    from typing import Any, NoReturn

    from vivavoce.surfaces.mcp.jsonrpc import Message
    from vivavoce.surfaces.mcp.stdio import Build

    Manifest = Mapping[str, Any]

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")

REPLAYED_ID = "vivavoce:replayed-initialize"
"""The id under which the SDK sees an `initialize` that the front has answered; its answer is dropped."""

PATIENCE = 5.0
"""Seconds that requests in flight have to finish after the client closed stdin."""

_MARGIN = 2.0
"""Seconds that the server has to close what it holds."""

_MOMENT = 0.1
"""Seconds after the first message in which only the front works."""


def run(manifest: Manifest, allowed: Set[str] | None, build: Build) -> NoReturn:
    """Serve MCP over stdin and stdout until the client leaves; the process ends here.

    `manifest` is what `stdio.record` made, or empty to leave everything to the SDK. `allowed` names the
    tools to list, None for all. `build` imports the server and returns an async context manager of it.
    """
    front = Front(manifest, allowed)
    try:
        threading.Thread(target=front.read, name="stdin", daemon=True).start()
        front.wait_for_work()
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a broken off import would leave a traceback
    except KeyboardInterrupt:
        leave(130)
    with SettlingIn():
        from vivavoce.surfaces.mcp import stdio

        opening = build()
    leave(stdio.serve(front, opening))


def read_manifest(path: str | os.PathLike[str], version: str) -> Manifest:
    """The manifest in a file; empty when there is none, or it was recorded from another version."""
    try:
        with open(path, "rb") as file:
            manifest = json.load(file)
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) and manifest.get("version") == version else {}


class Front:
    """Reads what the client sends, answers what the manifest knows, and keeps the rest for the SDK."""

    def __init__(self, manifest: Manifest, allowed: Set[str] | None = None) -> None:
        self.wire = Wire(on_broken=lambda: self.hang_up(abandon=True))
        self.legacy = Lane()
        self.modern = Lane()
        self._manifest = manifest
        self._allowed = allowed
        self._results: dict[tuple[str, str], bytes] = {}
        self._is_initialized = False
        self._spoken_to = threading.Event()
        self._needed = threading.Event()
        self._serving = threading.Event()
        self._ending = threading.Lock()

    def read(self) -> None:
        """Take every line of stdin, in order, until the client closes it."""
        try:
            for line in self.wire.lines():
                self.take(line)
        except OSError:
            return  # a terminal or socket that was cut off
        finally:
            self.hang_up()

    def take(self, line: bytes) -> None:
        """Answer one line or pass it on."""
        if not line.strip():
            return
        self._spoken_to.set()
        try:
            message = decoded(line)
        except (ValueError, RecursionError):
            self.wire.write(refusal(None, PARSE_ERROR, "The line is not JSON in UTF-8."))
            return
        if not is_message(message):
            self.wire.write(refusal(message, INVALID_REQUEST, "The line is not one JSON-RPC 2.0 message."))
        elif "method" in message and "id" in message:
            self._take_request(message)
        else:
            for lane in (self.legacy, self.modern):
                if lane.is_used:
                    lane.put(message)

    def wait_for_work(self) -> None:
        """Return when it is time to load the SDK.

        That is at once when a request needs it, and otherwise a moment after the first answer: loading
        competes for the interpreter with the few requests that a client sends right after its first.
        """
        self._spoken_to.wait()
        self._needed.wait(timeout=_MOMENT)

    def begin_serving(self) -> None:
        """From here on, what the server holds is closed in order before the process ends."""
        with self._ending:
            self._serving.set()

    def hang_up(self, *, abandon: bool = False) -> None:
        """The client is gone: finish what is in flight, or drop that too."""
        self.legacy.end(abandon)
        self.modern.end(abandon)
        with self._ending:
            if not self._serving.is_set() and (abandon or not self._needed.is_set()):
                leave(0)
        self.see_off(0, after=_MARGIN if abandon else PATIENCE + _MARGIN)

    def see_off(self, code: int, after: float = _MARGIN) -> None:
        """End the process some seconds from now, even if the server cannot finish."""

        def end() -> None:
            self._serving.wait()
            threading.Event().wait(after)
            leave(code)

        threading.Thread(target=end, name="see-off", daemon=True).start()

    def _take_request(self, message: Message) -> None:
        era = "modern" if is_modern(message) else "legacy"
        result = self._recorded(era, message)
        if result is None:
            self._needed.set()
            (self.modern if era == "modern" else self.legacy).put(message)
            return
        self.wire.write(b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (encoded(message["id"]), result))
        if message["method"] == "initialize":
            # The SDK must know the client too, for instance whether it can be asked something.
            self._is_initialized = True
            self.legacy.put({**message, "id": REPLAYED_ID})

    def _recorded(self, era: str, message: Message) -> bytes | None:
        """The recorded result for a request; None when the SDK has to answer, or to refuse."""
        method, params = message["method"], message.get("params") or {}
        recorded = self._manifest.get(era, {}).get(method)
        if recorded is None:
            return None
        if method == "initialize":
            return _welcome(recorded, params) if is_handshake(params) else None
        if not params.keys() <= {"_meta"}:
            return None
        if era == "modern":
            if not is_envelope(params["_meta"], self._manifest.get("modern_versions", ())):
                return None
        elif not self._is_initialized and method != "ping":
            return None
        return self._encoded_result(era, method, recorded)

    def _encoded_result(self, era: str, method: str, recorded: Message) -> bytes:
        if (era, method) not in self._results:
            if method == "tools/list" and self._allowed is not None:
                tools = [tool for tool in recorded["tools"] if tool["name"] in self._allowed]
                recorded = {**recorded, "tools": tools}
            self._results[era, method] = encoded(recorded)
        return self._results[era, method]


def _welcome(recorded: Message, params: Message) -> bytes:
    """The answer to `initialize`: the client's version if it is known, else the latest of its era."""
    asked = params["protocolVersion"]
    version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return encoded({**recorded, "protocolVersion": version})
