"""The wire: the client's stdin and stdout, and the lanes from its reader to the SDK."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections import deque

TYPE_CHECKING = False  # the real one is in `typing`, which is dear to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn

    from vivavoce.surfaces.mcp.jsonrpc import Message


class Wire:
    """The client's stdin and stdout, held apart from the descriptors 0 and 1.

    Whatever else in this process prints goes to stderr, and its children read an empty stdin.
    """

    def __init__(self, on_broken: Callable[[], object]) -> None:
        reading, self._writing = _claimed_descriptors()
        self._lines = open(reading, "rb", buffering=1 << 16)  # noqa: SIM115 - open as long as the process
        self._on_broken = on_broken
        self._is_broken = False
        self._lock = threading.Lock()

    def lines(self) -> Iterable[bytes]:
        """Every line of stdin; the last one may lack its newline."""
        return self._lines

    def write(self, frame: bytes) -> None:
        """Write one whole frame, however long that takes."""
        with self._lock:
            self._write(frame)

    def write_at_once(self, frame: bytes) -> bool:
        """Write one whole frame if that cannot block; False when it was not written."""
        if len(frame) > _ATOMIC or not self._lock.acquire(blocking=False):
            return False
        try:
            if not _has_room(self._writing):
                return False
            self._write(frame)
            return True
        finally:
            self._lock.release()

    def _write(self, frame: bytes) -> None:
        rest = memoryview(b"" if self._is_broken else frame)
        try:
            while rest:
                rest = rest[os.write(self._writing, rest) :]
        except OSError:
            self._is_broken = True
            self._on_broken()


class Lane:
    """Messages of one era on their way from the reader thread to the SDK: in order, and not too many."""

    def __init__(self, limit: int = 256) -> None:
        self.is_used = False
        self.is_ended = False
        self.is_abandoned = False
        self._limit = limit
        self._messages: deque[Message] = deque()
        self._wake: Callable[[], object] | None = None
        self._changed = threading.Condition()

    def put(self, message: Message) -> None:
        """Add a message; waits while the lane is full."""
        with self._changed:
            while len(self._messages) >= self._limit and not self.is_abandoned:
                self._changed.wait()
            self._messages.append(message)
            self.is_used = True
            self._notify()

    def take(self, wake: Callable[[], object]) -> Message | None:
        """The next message; when there is none, `wake` is called once as soon as the lane changes."""
        with self._changed:
            if not self._messages:
                self._wake = wake
                return None
            if len(self._messages) == self._limit:
                self._changed.notify()
            return self._messages.popleft()

    def end(self, abandon: bool = False) -> None:
        """Nothing more will be put; abandoned, nothing more is to be answered either."""
        with self._changed:
            self.is_ended = True
            if abandon:
                self.is_abandoned = True
                self._messages.clear()
            self._changed.notify()
            self._notify()

    def _notify(self) -> None:
        wake, self._wake = self._wake, None
        if wake is not None:
            wake()


def leave(code: int) -> NoReturn:
    """End the process now, without waiting for threads that may never return."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue  # closed, or never there
    os._exit(code)


_ATOMIC = 4096
"""Bytes that a pipe with room takes without blocking."""


def _claimed_descriptors() -> tuple[int, int]:
    """Private duplicates of stdin and stdout; 0 and 1 then lead to nothing and to stderr."""
    try:
        os.fstat(2)
    except OSError:
        os.open(os.devnull, os.O_WRONLY)  # takes the free number, which a duplicate must not get
    try:
        claimed = os.dup(0), os.dup(1)
    except OSError:
        leave(0)  # started without a client
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if sys.platform != "win32":
        for descriptor in claimed:
            os.set_blocking(descriptor, True)
    return claimed


def _has_room(descriptor: int) -> bool:
    try:
        return bool(select.select((), (descriptor,), (), 0)[1])
    except (OSError, ValueError):
        return False  # Windows selects sockets only
