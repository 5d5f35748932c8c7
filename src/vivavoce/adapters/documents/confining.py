"""What the reading process may not do, set before it looks at the file and never loosened."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

_NICE = 10
_SET_PARENT_DEATH_SIGNAL = 1
_SET_NO_NEW_PRIVILEGES = 38

_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.chmod",
    "os.chown",
    "os.kill",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "pty.",
    "shutil.",
    "ctypes.dlopen",
)
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def end_with_parent(parent: int) -> None:
    """Die when the process that asked dies; where the system has no such signal, writing to it fails soon."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the process that asked is gone")


def confine(memory: int, processor_seconds: int) -> None:
    """Limit memory and time, and open nothing more: no file, no connection, no process."""
    _prctl(_SET_NO_NEW_PRIVILEGES, 1)
    os.nice(_NICE)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_CPU, processor_seconds, grace=1)
    _limit(resource.RLIMIT_AS, memory)
    # What is open stays open; there is room for one more: the map of a file, or the table of an encoding.
    _limit(resource.RLIMIT_NOFILE, 4)
    sys.addaudithook(_refuse)


def _prctl(option: int, value: int) -> None:
    """Linux alone has it, and a sandbox around us may refuse it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _limit(what: int, wanted: int, grace: int = 0) -> None:
    """Lower a limit, never raise it; a system that does not know it keeps the others."""
    _, hard = resource.getrlimit(what)
    top = wanted + grace if hard == resource.RLIM_INFINITY else min(wanted + grace, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(what, (min(wanted, top), top))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        _, mode, flags = arguments
        if (isinstance(flags, int) and flags & _TO_WRITE) or (
            isinstance(mode, str) and set(mode) & set("wax+")
        ):
            raise PermissionError("a file may not be written while another is read")
    elif event.startswith(_FORBIDDEN):
        raise PermissionError(f"{event} is forbidden while a file is read")
