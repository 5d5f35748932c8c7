"""How quickly events are acknowledged over HTTP, once they are on the disk, and how many a second.

The peer is a bare Starlette route that inserts the body into SQLite with `synchronous = full`, in a process
of its own. Both are asked over the same kind of connection, one after the other.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from itertools import count
from pathlib import Path

from reporting import at, report, words
from serving import Lines, program, vivavoce

_PEER = Path(__file__).with_name("arrivals_peer.py")
_CONNECTIONS = 32


async def main() -> None:
    """Measure both at a fixed rate, then as fast as they go."""
    given = words(rate=100, seconds=10, database="")
    rows = []
    for name in ("vivavoce", "bare route"):
        with tempfile.TemporaryDirectory() as folder:
            place = {"VIVAVOCE_DATABASE": given.database} if given.database else {}
            is_ours = name == "vivavoce"
            serving = (
                vivavoce(Path(folder), "--no-work", **place)
                if is_ours
                else program(_PEER, str(Path(folder) / "peer.db"))
            )
            with serving as port:
                target = await _ours(port) if is_ours else _Target(Lines(port), "/events")
                await _paced(target, 50, 2)  # warm
                spent = await _paced(target, given.rate, given.seconds)
                most = await _as_fast_as_it_goes(target, given.seconds)
        rows.append(
            {"server": name, "p50 ms": at(0.5, spent), "p99 ms": at(0.99, spent), "most events/s": most}
        )
    rows.append({"server": "ratio", **{key: rows[0][key] / rows[1][key] for key in list(rows[0])[1:]}})
    report(f"Acknowledgement of an event at {given.rate}/s, fsync included", rows, given.json)


class _Target:
    """Where events are posted."""

    def __init__(self, lines: Lines, path: str) -> None:
        self._lines, self._path = lines, path
        self._numbers = count(1)

    async def post(self) -> None:
        """One event, until it is acknowledged."""
        number = next(self._numbers)
        event = {"id": f"e{number}", "chat": f"c{number % 5_000}", "text": "When do you open on Sundays?"}
        await self._lines.ask("POST", self._path, {"events": [event]})


async def _ours(port: int) -> _Target:
    lines = Lines(port)
    agent = await lines.ask("POST", "/agents", {"name": "Ana"})
    asked = {"agentId": agent["id"], "name": "Bench", "config": {"url": "https://provider.invalid/"}}
    channel = await lines.ask("POST", "/channels", asked)
    return _Target(Lines(port, f"X-Webhook-Token: {channel['token']}\r\n"), channel["eventsPath"])


async def _paced(target: _Target, rate: int, seconds: int) -> list[float]:
    """Milliseconds from when each event was due to be posted until it was acknowledged."""
    begin = time.perf_counter()

    async def one(number: int) -> float:
        due = begin + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await target.post()
        return (time.perf_counter() - due) * 1000

    return list(await asyncio.gather(*(one(number) for number in range(rate * seconds))))


async def _as_fast_as_it_goes(target: _Target, seconds: int) -> float:
    """Events a second with many connections that each wait for the last acknowledgement."""
    end, number = time.perf_counter() + seconds, 0

    async def line() -> None:
        nonlocal number
        while time.perf_counter() < end:
            await target.post()
            number += 1

    await asyncio.gather(*(line() for _ in range(_CONNECTIONS)))
    return number / seconds


if __name__ == "__main__":
    asyncio.run(main())
