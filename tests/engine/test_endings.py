"""How turns end: whatever breaks and whoever goes away, none stays running."""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from vivavoce.errors import UpstreamFailed
from vivavoce.ports import Delta, Piece, Prompt, Spent
from vivavoce.testing import CountedIds, ScriptedModel, TestModels, open_test_engine

from .desks import Desk, Servers


class FailingModel:
    """A model that fails when it is let."""

    name, context = "failing", 8_000

    def __init__(self) -> None:
        self.begun, self.may_fail = asyncio.Event(), asyncio.Event()

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        yield Delta("Well, ")
        self.begun.set()
        await self.may_fail.wait()
        raise UpstreamFailed("Down.")


@pytest.fixture
async def desk(tmp_path, clock):
    model = FailingModel()
    with open_test_engine(
        tmp_path, clock, CountedIds(), models=TestModels(model), outside=Servers()
    ) as engine:
        desk = await Desk(engine, model, engine.ports.outside).opened()
        desk.conversation = "talk1"
        yield desk


@asynccontextmanager
async def busy(desk: Desk) -> AsyncIterator[None]:
    """Somebody else writes until the block ends."""
    begun, may_end = threading.Event(), threading.Event()

    def write(tables: object) -> None:
        begun.set()
        may_end.wait(10)

    writing = asyncio.create_task(desk.engine.ports.store.write(write))
    await asyncio.to_thread(begun.wait, 10)
    try:
        yield
    finally:
        may_end.set()
        await writing


async def a_moment() -> None:
    """Everybody comes as far as they can without the store."""
    for _ in range(100):
        await asyncio.sleep(0)


async def test_who_goes_away_while_a_failure_is_stored_leaves_no_turn_running(desk):
    asking = asyncio.create_task(desk.ask("Hello?", channel="website", conversationId="talk1"))
    await desk.model.begun.wait()
    async with busy(desk):
        desk.model.may_fail.set()
        await a_moment()
        asking.cancel()
        await a_moment()

    with pytest.raises(asyncio.CancelledError):
        await asking
    (turn,) = await desk.turns()
    assert (turn.state, turn.reason) == ("failed", "Down.")


async def test_who_goes_away_again_and_again_while_a_turn_is_opened_leaves_none_running(desk):
    async with busy(desk):
        asking = asyncio.create_task(desk.ask("Hello?", channel="website", conversationId="talk1"))
        for _ in range(3):
            await a_moment()
            asking.cancel()
        await a_moment()

    with pytest.raises(asyncio.CancelledError):
        await asking
    (turn,) = await desk.turns()
    assert (turn.state, turn.reason) == ("interrupted", "The caller went away.")


async def test_a_scope_that_is_cancelled_while_a_turn_is_opened_leaves_none_running(desk):
    async def ask() -> None:
        await desk.ask("Hello?", channel="website", conversationId="talk1")

    async with anyio.create_task_group() as group:
        with anyio.CancelScope(shield=True):
            async with busy(desk):
                group.start_soon(ask)
                await a_moment()
                group.cancel_scope.cancel()
                await a_moment()

    (turn,) = await desk.turns()
    assert (turn.state, turn.reason) == ("interrupted", "The caller went away.")


async def test_what_cannot_be_stored_of_a_turn_does_not_keep_it_running(desk):
    class Boastful(ScriptedModel):
        async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
            yield Delta("Hello.")
            yield Spent("boastful", 2**70, 1)

    desk.engine.ports.models.model = Boastful([])

    with pytest.raises(OverflowError):
        await desk.ask("Hello?", channel="website", conversationId="talk1")

    (turn,) = await desk.turns()
    assert (turn.state, turn.reason) == ("failed", "Something broke here.")
