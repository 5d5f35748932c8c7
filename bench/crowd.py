"""How much a crowd of conversations slows other calls: `get_agent` over REST, alone and beside them.

One `vivavoce serve`, and an agent with a datastore, whose model thinks for some seconds. So many people ask
it over and over, each in a conversation of their own. Meanwhile another client calls `get_agent` and sleeps
in turn. Model and embedder are a process on loopback that answers at once, apart from the thinking: it takes
between half and one and a half times as long as is said.

The server has a core to itself, alone as beside the crowd: people and model are elsewhere in life, and what
they would take of its processor is not the server's to answer for. `--apart 0` lets all share all cores.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from reporting import at, report, words
from serving import Lines, keep_apart, program, shop, vivavoce

_MODEL = Path(__file__).with_name("speaking_server.py")
_QUESTION = "When may shoes come back?"
_EVERY = 0.02


async def main() -> None:
    """Measure alone, then with the crowd."""
    given = words(people=200, thinks=5, calls=1_000, passages=1_000, apart=1)
    core = keep_apart() if given.apart else None
    with tempfile.TemporaryDirectory() as folder, program(_MODEL, is_elsewhere=True) as model:
        url = f"http://127.0.0.1:{model}/v1"
        asked = {
            "VIVAVOCE_MODEL_URL": url,
            "VIVAVOCE_EMBEDDER_URL": url,
            "VIVAVOCE_EMBEDDER_MODEL": "counting",
        }
        with vivavoce(Path(folder), core=core, **asked) as port:
            lines = Lines(port)
            agent = await shop(lines, f"thinks-{given.thinks}", given.passages)
            rows = await _measured(lines, _Crowd(port, agent, given.people, given.thinks), given.calls)
    cores = "all share the cores" if core is None else "the server has a core to itself"
    title = f"get_agent over REST, {given.calls:,} calls; the model thinks for {given.thinks} s; {cores}"
    report(title, rows, given.json)


async def _measured(lines: Lines, crowd: _Crowd, calls: int) -> list[dict[str, Any]]:
    await _looked(lines, crowd.agent, 100)  # warm
    alone = await _looked(lines, crowd.agent, calls)
    async with crowd.asking():
        before, began = crowd.answered, time.perf_counter()
        beside = await _looked(lines, crowd.agent, calls)
        turns = (crowd.answered - before) / (time.perf_counter() - began)
    return [
        _row("alone", alone, 0.0),
        _row(f"beside {crowd.people} conversations", beside, turns),
        {"get_agent": "ratio"}
        | {f"p{part} ms": at(part / 100, beside) / at(part / 100, alone) for part in (50, 95, 99)}
        | {"turns/s": ""},
    ]


class _Crowd:
    """People who ask, wait and ask again, in a process of their own: who measures must not wait for them."""

    def __init__(self, port: int, agent: str, people: int, thinks: int) -> None:
        self.agent, self.people, self._thinks = agent, people, thinks
        self._spawn = multiprocessing.get_context("spawn")
        self._answered = self._spawn.Value("l", 0)
        self._asked = (port, agent, people, thinks, self._answered)

    @property
    def answered(self) -> int:
        """How many answers they have had."""
        return int(self._answered.value)

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """A block in which all of them ask; they began one after the other, as people do."""
        people = self._spawn.Process(target=_ask_on, args=self._asked, daemon=True)
        people.start()
        await asyncio.sleep(3 * self._thinks + 1)  # until the first of them were answered and ask again
        yield
        assert people.is_alive(), "Someone was not answered."
        people.terminate()
        people.join()


def _ask_on(port: int, agent: str, people: int, thinks: int, answered: Any) -> None:
    os.nice(19)  # they are elsewhere in life, and the model is too
    asyncio.run(_all_ask(Lines(port), agent, people, thinks, answered))


async def _all_ask(lines: Lines, agent: str, people: int, thinks: int, answered: Any) -> None:
    async def ask(place: int) -> None:
        await asyncio.sleep(thinks * place / people)
        for _ in range(1_000):
            asked = {"query": _QUESTION, "conversationId": f"c{place}"}
            answer = await lines.ask("POST", f"/agents/{agent}/query", asked)
            assert answer["sources"], answer
            answered.value += 1

    await asyncio.gather(*(ask(place) for place in range(people)))


async def _looked(lines: Lines, agent: str, calls: int) -> list[float]:
    spent = []
    for _ in range(calls):
        start = time.perf_counter()
        await lines.ask("GET", f"/agents/{agent}")
        spent.append((time.perf_counter() - start) * 1000)
        await asyncio.sleep(_EVERY)
    return spent


def _row(what: str, spent: list[float], turns: float) -> dict[str, Any]:
    return {
        "get_agent": what,
        **{f"p{part} ms": at(part / 100, spent) for part in (50, 95, 99)},
        "turns/s": turns,
    }


if __name__ == "__main__":
    asyncio.run(main())
