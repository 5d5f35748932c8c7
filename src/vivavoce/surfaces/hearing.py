"""What a running operation tells, on its way to someone who may be slower than it is."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio

from vivavoce.operations import Hear, Told

T = TypeVar("T")

_APART = 64
"""How many pieces wait one by one; from there on, pieces of the answer grow together."""


class Heard:
    """Takes down what is told and hands it on in order: piece by piece, and in bounded memory."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Told, list[str]]] = deque()
        self._came = asyncio.Event()

    def hear(self, told: Told) -> None:
        """Take down what is told; returns at once."""
        if len(self._waiting) >= _APART and told.kind == "answer" == self._waiting[-1][0].kind:
            self._waiting[-1][1].append(told.text)
        else:
            self._waiting.append((told, [told.text]))
        self._came.set()

    def wake(self, *_: object) -> None:
        """Let who waits look up, also where nothing was told."""
        self._came.set()

    async def came(self, seconds: float) -> bool:
        """Wait until something was told or someone called; False when the time is over first."""
        try:
            await asyncio.wait_for(self._came.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def taken(self) -> list[Told]:
        """What was told since the last time."""
        self._came.clear()
        told = [Told(first.kind, "".join(texts)) for first, texts in self._waiting]
        self._waiting.clear()
        return told


def begun(run: Callable[[Hear], Awaitable[T]], heard: Heard) -> asyncio.Task[T]:
    """The operation at work; who waits for what it tells looks up when it has ended."""

    async def ran() -> T:
        return await run(heard.hear)

    task = asyncio.create_task(ran())
    task.add_done_callback(heard.wake)
    return task


async def stop(*tasks: asyncio.Task[Any]) -> None:
    """Cancel what still runs and wait until it has put things in order, also where we are cancelled."""
    for task in tasks:
        task.cancel()
    with anyio.CancelScope(shield=True):
        await asyncio.gather(*tasks, return_exceptions=True)
