"""Looking ahead: knowledge is looked for while the message goes to the disk, and for nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from vivavoce.engine import Engine
from vivavoce.errors import StorageFailed, UpstreamFailed
from vivavoce.ports import Store, Tables
from vivavoce.testing import ScriptedModel, TestEmbedders, TestModels, WordEmbedder, open_test_engine

from .desks import Desk, Servers


class Asked(WordEmbedder):
    """An embedder that says when it is asked, and may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []
        self.is_asked = asyncio.Event()
        self.fails = False

    async def question(self, text: str) -> Any:
        self.questions.append(text)
        self.is_asked.set()
        if self.fails:
            raise UpstreamFailed("The embedder is down.")
        return await super().question(text)


class SlowDisk:
    """A store whose writes are waited for once their work is done; or whose disk is full then."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.may_end = asyncio.Event()
        self.is_full = False

    async def read(self, work: Callable[[Tables], Any], *, is_long: bool = False) -> Any:
        return await self._store.read(work, is_long=is_long)

    async def write(self, work: Callable[[Tables], Any], *, alone: bool = False) -> Any:
        done = await self._store.write(work, alone=alone)
        await self.may_end.wait()
        if self.is_full:
            raise StorageFailed("The disk is full.")
        return done

    def close(self) -> None:
        """Others close it."""


@pytest.fixture
async def slow(tmp_path, clock):
    """A desk whose disk is slow, with its embedder and its disk."""
    embedder, model = Asked(), ScriptedModel(["It weaves [1]."])
    with open_test_engine(
        tmp_path, clock, embedders=TestEmbedders(embedder), models=TestModels(model), outside=Servers()
    ) as engine:
        desk = await Desk(engine, model, engine.ports.outside).opened()
        await desk.documents("The engine weaves patterns.")
        embedder.questions.clear()
        embedder.is_asked.clear()
        disk = SlowDisk(engine.ports.store)
        desk.engine = Engine(replace(engine.ports, store=disk))
        yield desk, embedder, disk


async def test_knowledge_is_looked_for_while_the_message_goes_to_the_disk(slow):
    desk, embedder, disk = slow
    asking = asyncio.create_task(desk.ask("What does the engine do?"))

    await asyncio.wait_for(embedder.is_asked.wait(), 10)
    assert not desk.model.prompts, "the model hears nothing before the message is stored"
    disk.may_end.set()

    answer = await asking
    assert answer["sources"][0]["quote"] == "The engine weaves patterns."
    assert embedder.questions == ["What does the engine do?"], "it looks once"


async def test_what_fails_while_looking_ahead_ends_the_turn_and_keeps_the_message(slow):
    desk, embedder, disk = slow
    embedder.fails = True
    disk.may_end.set()

    with pytest.raises(UpstreamFailed, match="The embedder is down"):
        await desk.ask("What does the engine do?", conversationId="c1")

    said = await disk.read(lambda tables: tables.messages.last("c1", 10))
    turns = await disk.read(lambda tables: tables.turns.where(conversation_id="c1"))
    assert [each.text for each in said] == ["What does the engine do?"]
    assert [each.state for each in turns] == ["failed"]


async def test_nobody_goes_on_looking_for_a_message_that_cannot_be_stored(slow):
    desk, embedder, disk = slow
    embedder.fails = disk.is_full = True
    before = asyncio.all_tasks()
    asking = asyncio.create_task(desk.ask("What does the engine do?"))
    await asyncio.wait_for(embedder.is_asked.wait(), 10)
    disk.may_end.set()

    with pytest.raises(StorageFailed, match="The disk is full"):
        await asking

    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    assert not desk.model.prompts
