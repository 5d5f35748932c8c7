"""The reader: starts a process for each file, takes the parts from it, and outlives whatever it meets."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from vivavoce.domain.corpus.documents import KINDS, Part
from vivavoce.errors import InvalidInput, LimitReached, StorageFailed, Unreadable

from .frames import END, HEAD, LONGEST, part_in
from .parsing import MOST_CHARACTERS

_MEGABYTE = 1024 * 1024
_LEAST_SECONDS, _SECONDS_A_MEGABYTE = 20, 10
_AHEAD = 256 * 1024
"""How many bytes are taken before someone asks for them; then the process waits."""


@dataclass(frozen=True)
class Limits:
    """How much one file may cost."""

    memory: int = 1024 * _MEGABYTE
    """Bytes of address space beside the file itself."""
    processor_seconds: int = 300
    """At most; a small file gets less."""
    seconds: float = 600
    """How long to wait for parts, in all; the time that the taker of the parts needs does not count."""
    characters: int = MOST_CHARACTERS
    """Of text, in all."""


LIMITS = Limits()


class ChildReader:
    """Reads files in processes of their own that cannot write, connect, start others or outlive this one."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits

    async def read(self, file: Path, kind: str) -> AsyncGenerator[Part, None]:
        """The parts of a file of this kind, in reading order; Unreadable, with the reason in words.

        Who stops before the end closes it, with `aclosing`: that ends the process.
        """
        if kind not in KINDS:
            raise InvalidInput(
                f"Files of kind {kind!r} cannot be read.", hint=f"Use one of {', '.join(KINDS)}."
            )
        try:
            source = file.open("rb")
        except OSError as error:
            raise StorageFailed(f"The file cannot be opened: {error.strerror}.") from None
        with source:
            process = await self._started(source, kind)
        try:
            async with aclosing(_parts_from(process, self.limits.seconds)) as parts:
                async for part in parts:
                    yield part
        finally:
            await _ended(process)

    async def _started(self, source: BinaryIO, kind: str) -> Process:
        limits, size = self.limits, os.fstat(source.fileno()).st_size
        enough = _LEAST_SECONDS + _SECONDS_A_MEGABYTE * size // _MEGABYTE
        bounds = (limits.memory + size, min(limits.processor_seconds, enough), limits.characters, os.getpid())
        command = (sys.executable, "-I", "-B", "-m", "vivavoce.adapters.documents.child", kind)
        try:
            return await asyncio.create_subprocess_exec(
                *command, *map(str, bounds), stdin=source, stdout=PIPE, stderr=DEVNULL,
                env={}, cwd="/", start_new_session=True, limit=_AHEAD,
            )  # fmt: skip
        except OSError as error:
            raise LimitReached(
                f"No process can be started to read the file: {error.strerror}.", hint="Try again later."
            ) from None


async def _parts_from(process: Process, seconds: float) -> AsyncGenerator[Part, None]:
    """What a process gives until it says that it is done, within so many seconds of waiting."""
    loop = asyncio.get_running_loop()
    while True:
        before = loop.time()
        try:
            async with asyncio.timeout(seconds):
                body = await _frame(process)
        except TimeoutError:
            raise _too_slow() from None
        seconds -= loop.time() - before
        if body == END:
            return
        try:
            part = part_in(body)
        except (ValueError, RecursionError):
            raise _damaged() from None
        yield part


async def _frame(process: Process) -> bytes:
    assert process.stdout is not None
    try:
        (length,) = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
        if length > LONGEST:
            raise _damaged()
        return await process.stdout.readexactly(length)
    except asyncio.IncompleteReadError:
        raise _death(await process.wait()) from None


def _death(code: int) -> Unreadable:
    """Why a process ended in the middle, as far as its end tells."""
    if code in (-signal.SIGXCPU, -signal.SIGALRM):
        return _too_slow()
    if code == -signal.SIGKILL:
        return Unreadable("The file needs too much memory to be read.", hint="Split it.")
    if code < 0:
        return Unreadable("The file is damaged, or needs too much memory to be read.", hint=_MEND)
    return _damaged()


def _too_slow() -> Unreadable:
    return Unreadable("The file takes too long to read.", hint="Split it, or save it as plain text.")


def _damaged() -> Unreadable:
    return Unreadable("The file is damaged and cannot be read.", hint=_MEND)


_MEND = "Open it in the program that made it and save it again."


async def _ended(process: Process) -> None:
    """End the process and all it may have started, and let go of its pipe."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.stdout is not None
    while await process.stdout.read(_AHEAD):
        pass
    await process.wait()
