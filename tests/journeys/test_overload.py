"""Overload: ten times as many events come as can be answered. What is refused stays with the provider."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from processes import rows_of, serving

from tests.crash.journey import outside
from tests.crash.outside import QUESTION
from tests.crash.wire import Wire

SECONDS = float(os.environ.get("OVERLOAD_SECONDS", "2"))
"""For how long they come ten times too fast; all that was refused comes again until it is taken."""
TIMES = 10
BACKLOG = 50
FIRST = 40
"""How many come before, from which its own pace is known."""
CONNECTIONS = 48
PADDING = " " * 30_000
"""Makes a body long: if bodies were kept in memory, it would show."""
MOST_MORE = 60
"""Megabytes by which the memory of a process that has warmed up may grow."""
WAITING = (
    "select (select count(*) from arrivals where state = 'waiting')"
    " + (select count(*) from turns where state in ('waiting', 'running'))"
)


class Provider:
    """Posts events until each is taken, and counts what it was told."""

    def __init__(self, wires: list[Wire], outside: int, path: str, token: str) -> None:
        self._path, self._token, self._outside = path, token, outside
        self._wires: asyncio.Queue[Wire] = asyncio.Queue()
        for wire in wires:
            self._wires.put_nowait(wire)
        self.told: Counter[int] = Counter()

    async def passes_on(self, number: int) -> None:
        """One event, again and again until it is accepted."""
        event = {"id": f"e{number}", "chat": f"c{number}", "text": f"q{number}x1", "note": PADDING}
        while await self._posted(event) != 200:
            await asyncio.sleep(random.uniform(0.2, 0.6))

    async def _posted(self, event: dict[str, str]) -> int:
        wire = await self._wires.get()
        try:
            status, _ = await wire.ask("POST", self._path, {"events": [event]}, X_Webhook_Token=self._token)
        finally:
            self._wires.put_nowait(wire)
        self.told[status] += 1
        return status

    async def answered(self) -> Counter[str]:
        """Which questions were answered, and how often."""
        async with Wire(self._outside) as wire:
            _, ledger = await wire.ask("GET", "/ledger/0")
        return Counter(name for _, _, text in ledger["taken"] for name in QUESTION.findall(text))

    async def until_answered(self, number: int) -> None:
        while len(await self.answered()) < number:
            await asyncio.sleep(0.1)


class Watch:
    """Looks at a process and its workspace now and then; the most that it saw."""

    def __init__(self, pid: int, folder: Path) -> None:
        self._status, self._folder = Path(f"/proc/{pid}/status"), folder
        self.waiting = self.megabytes = 0

    async def run(self) -> None:
        while True:
            ((waiting,),) = rows_of(self._folder, WAITING)
            self.waiting = max(self.waiting, waiting)
            self.megabytes = max(self.megabytes, self.resident())
            await asyncio.sleep(0.2)

    def resident(self) -> int:
        found = re.search(r"VmRSS:\s+(\d+) kB", self._status.read_text(encoding="utf-8"))
        assert found
        return int(found[1]) // 1024


@asynccontextmanager
async def opened(address: str, outside: int) -> AsyncIterator[Provider]:
    """An agent with a channel, whose provider is outside."""
    port = int(address.rpartition(":")[2])
    async with AsyncExitStack() as stack:
        wire, *wires = [await stack.enter_async_context(Wire(port)) for _ in range(CONNECTIONS + 1)]
        _, agent = await wire.ask("POST", "/agents", {"name": "Ana"})
        config = {"url": f"http://127.0.0.1:{outside}/messages"}
        _, channel = await wire.ask(
            "POST", "/channels", {"agentId": agent["id"], "name": "Shop", "config": config}
        )
        yield Provider(wires, outside, channel["eventsPath"], channel["token"])


async def own_pace(provider: Provider, number: int) -> float:
    """How many events a second are answered where none has to come again."""
    began = time.monotonic()
    await asyncio.gather(*(provider.passes_on(each) for each in range(number)))
    await provider.until_answered(number)
    return number / (time.monotonic() - began)


async def overloaded(provider: Provider, numbers: range, rate: float) -> None:
    """Post so many a second, whatever becomes of them."""
    began = time.monotonic()

    async def one(number: int) -> None:
        await asyncio.sleep(max(0.0, began + (number - numbers.start) / rate - time.monotonic()))
        await provider.passes_on(number)

    await asyncio.gather(*(one(number) for number in numbers))


async def test_ten_times_too_many_events_are_refused_repeated_and_answered_once_each(tmp_path):
    """Proves that what waits is bounded, in the database and in memory, and that nothing gets lost by it."""
    with outside() as port:
        settings = {
            "VIVAVOCE_BACKLOG": str(BACKLOG),
            "VIVAVOCE_MODEL_URL": f"http://127.0.0.1:{port}/v1",
            "VIVAVOCE_MODEL": "m",
            "VIVAVOCE_ALLOWED_ADDRESSES": f"127.0.0.1:{port}",
        }
        with serving(tmp_path, **settings) as served:
            async with asyncio.timeout(120 + 60 * SECONDS), opened(served.address, port) as provider:
                pace = await own_pace(provider, FIRST)
                watch = Watch(served.process.pid, tmp_path)
                warm = watch.resident()
                watching = asyncio.create_task(watch.run())
                numbers = range(FIRST, FIRST + round(TIMES * pace * SECONDS))
                await overloaded(provider, numbers, TIMES * pace)
                await provider.until_answered(numbers.stop)
                assert not watching.done(), "It stopped looking."
                watching.cancel()
                answered = await provider.answered()
    print(f"{pace:.0f} a second, {numbers.stop} events, {dict(provider.told)}")
    print(f"{watch.waiting} waited, {warm} to {watch.megabytes} MB")
    assert provider.told[503] > len(numbers) / 4  # else it was no overload
    assert provider.told.keys() <= {200, 503, 0}
    assert set(answered.values()) == {1}
    assert len(answered) == numbers.stop
    assert watch.waiting <= 2 * BACKLOG + CONNECTIONS
    assert watch.megabytes - warm < MOST_MORE
