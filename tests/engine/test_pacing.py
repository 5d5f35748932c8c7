"""Pacing: turns that wait for others hold nobody up, and checking an answer does not either."""

import asyncio
import socket
import threading
import time
from typing import Any

import pytest

from vivavoce.engine import asking
from vivavoce.engine.time.pacing import Pace
from vivavoce.engine.turns.sources import checked
from vivavoce.ports import others_first, sharing
from vivavoce.testing import ScriptedModel, TestEmbedders, TestModels, WordEmbedder, open_test_engine

from .desks import Desk, Servers


class FarEmbedder(WordEmbedder):
    """An embedder whose answers to questions are waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.may_answer = asyncio.Event()

    async def question(self, text: str) -> Any:
        self.asked += 1
        await self.may_answer.wait()
        return await super().question(text)


async def test_who_waits_for_an_embedder_takes_no_place_of_others(tmp_path, clock):
    embedder, model = FarEmbedder(), ScriptedModel(["Hello."] * 11)
    with open_test_engine(
        tmp_path, clock, embedders=TestEmbedders(embedder), models=TestModels(model), outside=Servers()
    ) as engine:
        desk = await Desk(engine, model, engine.ports.outside).opened()
        embedder.may_answer.set()
        await desk.documents("The engine weaves.")
        embedder.may_answer.clear()
        embedder.asked = 0
        known = {"name": "B", "description": "B.", "systemPrompt": "B.", "modelName": "gpt_4_o"}
        plain = await desk.run("create_agent", **known)
        waiting = [asyncio.create_task(desk.ask("What does it weave?")) for _ in range(10)]
        while embedder.asked < len(waiting):
            await asyncio.sleep(0)

        answer = await asyncio.wait_for(desk.run("agent_query", id=plain["id"], query="Hi"), 10)

        assert answer["answer"] == "Hello."
        embedder.may_answer.set()
        assert [each["answer"] for each in await asyncio.gather(*waiting)] == ["Hello."] * 10


@pytest.mark.parametrize(("number", "is_beside"), [(0, False), (8, True)])
async def test_a_short_answer_over_long_passages_is_checked_beside_the_others_work(
    tmp_path, clock, monkeypatch, number, is_beside
):
    threads: list[threading.Thread] = []

    def seen(*arguments: Any) -> Any:
        threads.append(threading.current_thread())
        return checked(*arguments)

    monkeypatch.setattr(asking, "checked", seen)
    model = ScriptedModel(["It weaves numbers."])
    with open_test_engine(tmp_path, clock, models=TestModels(model), outside=Servers()) as engine:
        desk = await Desk(engine, model, engine.ports.outside).opened()
        if number:
            await desk.documents(*(f"The engine {place} weaves. " * 40 for place in range(number)))

        await desk.ask("What does the engine weave?")

    assert [thread is not threading.main_thread() for thread in threads] == [is_beside]


@pytest.mark.parametrize("way", ["at a pace", "by itself"])
async def test_a_call_that_has_come_is_answered_before_a_stretch_of_work_begins(way, monkeypatch):
    monkeypatch.setattr(sharing, "_LONGEST", 60)  # on a busy machine three rounds take longer
    done: list[str] = []
    loop, (near, far) = asyncio.get_running_loop(), socket.socketpair()

    async def answer() -> None:
        done.append("call")

    def heard() -> None:  # as a server hears a request: it reads it, and a task answers it
        near.recv(100)
        answering.append(asyncio.create_task(answer()))

    async def work() -> None:
        if way == "at a pace":
            async with Pace().work():
                done.append("work")
        else:
            await others_first()
            done.append("work")

    answering: list[asyncio.Task[None]] = []
    with near, far:
        loop.add_reader(near, heard)
        working = asyncio.create_task(work())
        far.send(b"GET /")
        await working
        loop.remove_reader(near)

    assert done == ["call", "work"]


async def test_a_throng_of_calls_does_not_keep_work_from_its_share():
    rounds = 0

    def call() -> None:
        nonlocal rounds
        rounds += 1
        ends = time.monotonic() + 0.005
        while time.monotonic() < ends:
            pass
        if rounds < 1_000:
            asyncio.get_running_loop().call_soon(call)

    asyncio.get_running_loop().call_soon(call)

    await others_first()

    assert rounds == 1
