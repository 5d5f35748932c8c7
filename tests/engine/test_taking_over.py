"""A person takes over: the model stops at once, here and in other processes, and the next turn begins."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from vivavoce.engine.turns import lanes as turns
from vivavoce.engine.turns import looks
from vivavoce.errors import UpstreamFailed
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.ports import Called, Delta, Piece, Prompt, Tables
from vivavoce.testing import CountedIds, ScriptedModel, TestModels, open_test_engine

from .desks import Desk, Servers

TALK = {"conversationId": "talk1"}


class EndlessModel:
    """A model that says a word and then thinks without end."""

    name, context = "endless", 8_000

    def __init__(self) -> None:
        self.begun, self.ended = asyncio.Event(), asyncio.Event()
        self.prompts: list[Prompt] = []

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self.prompts.append(prompt)
        try:
            yield Delta("Well, ")
            self.begun.set()
            await asyncio.Event().wait()
        finally:
            self.ended.set()


@pytest.fixture
async def desk(tmp_path, clock):
    model, ids = EndlessModel(), CountedIds()
    with open_test_engine(tmp_path, clock, ids, models=TestModels(model), outside=Servers()) as engine:
        desk = await Desk(engine, model, engine.ports.outside).opened()
        desk.conversation, desk.ids = "talk1", ids
        yield desk


@pytest.fixture
def in_no_time(monkeypatch):
    """Others are looked at all the time, and the lease is extended each time."""
    monkeypatch.setattr(looks, "_LOOK", 0.005)
    monkeypatch.setattr(looks, "_BEAT", 0.005)


async def begun(desk: Desk, query: str = "Hello?") -> asyncio.Task:
    """A query that the model is answering."""
    asking = asyncio.create_task(desk.ask(query, channel="website", **TALK))
    await desk.model.begun.wait()
    return asking


@pytest.mark.parametrize(
    ("operation", "arguments", "reason"),
    [
        ("set_ai_enabled", {**TALK, "enabled": False}, "A person took over."),
        ("update_conversation", {**TALK, "isAiEnabled": False}, "A person took over."),
        (
            "send_message",
            {"type": "conversationId", "value": "talk1", "message": "Bia here."},
            "A person took over.",
        ),
        ("set_conversation_status", {**TALK, "status": "HUMAN_REQUESTED"}, "A person took over."),
        ("set_conversation_blocked", {**TALK, "blocked": True}, "The person is blocked."),
        ("delete_conversation", TALK, "The conversation was deleted."),
    ],
)
async def test_the_model_stops_at_once_when_a_person_takes_over(
    desk, monkeypatch, operation, arguments, reason
):
    monkeypatch.setattr(looks, "_LOOK", 3_600.0)  # nobody waits for a look
    asking = await begun(desk)

    await desk.run(operation, **arguments)
    answer = await asyncio.wait_for(asking, 10)

    assert (answer["answer"], answer["metadata"]["reason"]) == (None, reason)
    assert desk.model.ended.is_set()
    assert await desk.said() == []
    if operation != "delete_conversation":
        (turn,) = await desk.turns()
        assert (turn.state, turn.reason) == ("silent", reason)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("assign_conversation", {**TALK, "email": "bia@example.com"}),
        ("register_message", {**TALK, "message": "One more thing."}),
        ("set_conversation_priority", {**TALK, "priority": "HIGH"}),
    ],
)
async def test_what_does_not_take_over_lets_the_model_go_on(desk, in_no_time, operation, arguments):
    asking = await begun(desk)

    await desk.run(operation, **arguments)
    lease = (await desk.turns())[0].lease_until
    desk.engine.ports.now.__self__.advance(seconds=1)
    while (await desk.turns())[0].lease_until == lease:  # it was looked at since, and lives
        await asyncio.sleep(0)

    assert not desk.model.ended.is_set()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_person_who_takes_over_in_another_process_stops_the_model_too(desk, tmp_path, in_no_time):
    asking = await begun(desk)

    with open_test_engine(tmp_path, ids=desk.ids) as other:
        op = CATALOGUE["set_ai_enabled"].parse({**TALK, "enabled": False})
        await other.run(op, OPERATOR)
        turns.LINE.next_move("talk1").clear()  # the other process cannot ring here
        answer = await asyncio.wait_for(asking, 10)

    assert answer["metadata"]["reason"] == "A person took over."
    assert desk.model.ended.is_set()


async def test_every_turn_is_looked_at_however_many_there_are(desk, in_no_time):
    talks = [f"talk{number}" for number in range(25)]
    asking = [asyncio.create_task(desk.ask("Hello?", channel="website", conversationId=id)) for id in talks]
    async with asyncio.timeout(30):
        while len(desk.model.prompts) < len(talks):
            await asyncio.sleep(0)
    ports = desk.engine.ports

    def taken_over(tables: Tables) -> None:  # as another process stores it, which cannot ring here
        for conversation in tables.conversations.within("id", talks[-3:]):
            tables.conversations.replace(conversation.changed(ports.now(), is_ai_enabled=False))

    await ports.store.write(taken_over)
    answers = await asyncio.wait_for(asyncio.gather(*asking[-3:]), 10)

    assert [each["metadata"]["reason"] for each in answers] == ["A person took over."] * 3
    assert not any(each.done() for each in asking[:-3])
    for each in asking:
        each.cancel()
    await asyncio.wait(asking)


async def test_changes_that_follow_while_the_model_still_closes_make_no_difference(desk, in_no_time):
    class Reluctant(EndlessModel):
        async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
            try:
                async for piece in super().answer(prompt):
                    yield piece
            finally:
                await may_close.wait()

    may_close = asyncio.Event()
    desk.engine.ports.models.model = desk.model = Reluctant()
    asking = await begun(desk)

    await desk.run("set_ai_enabled", **TALK, enabled=False)
    await desk.model.ended.wait()
    for priority in ("HIGH", "LOW", "MEDIUM", "HIGH"):
        await desk.run("set_conversation_priority", **TALK, priority=priority)
        await desk.turns()
    may_close.set()
    answer = await asyncio.wait_for(asking, 10)

    assert answer["metadata"]["reason"] == "A person took over."
    (turn,) = await desk.turns()
    assert (turn.state, turn.reason) == ("silent", "A person took over.")


async def test_who_waits_in_line_is_told_at_once_as_well(desk):
    asking = await begun(desk)
    second = asyncio.create_task(desk.ask("And?", **TALK))
    while len(await desk.turns()) < 2:
        await asyncio.sleep(0)

    await desk.run("set_ai_enabled", **TALK, enabled=False)
    answers = await asyncio.wait_for(asyncio.gather(asking, second), 10)

    assert [answer["metadata"]["reason"] for answer in answers] == ["A person took over."] * 2
    assert len(desk.model.prompts) == 1


async def test_what_was_said_until_then_is_paid_for(desk):
    asking = await begun(desk)
    await desk.run("set_ai_enabled", **TALK, enabled=False)
    await asking

    spent = await desk.engine.ports.store.read(lambda tables: tables.usage.of(desk.agent, "2026-01"))
    assert (spent.turns, spent.completion_tokens) == (1, 1)


async def test_a_turn_that_others_took_for_dead_stops_as_soon_as_it_knows(desk, in_no_time):
    asking = await begun(desk)

    def fenced(tables) -> None:
        (turn,) = tables.turns.where(conversation_id="talk1")
        turns.interrupt(turn, desk.engine.ports, tables)

    await desk.engine.ports.store.write(fenced)
    answer = await asyncio.wait_for(asking, 10)

    assert (answer["answer"], answer["metadata"]["reason"]) == (None, "The turn was ended elsewhere.")
    assert desk.model.ended.is_set()


async def test_a_call_under_way_is_waited_for_so_that_its_outcome_is_known(desk):
    desk.engine.ports.models.model = desk.model = ScriptedModel([Called("1", "Look_up", "{}"), "Here."])
    await desk.http("Look up", "https://look.example/")
    desk.outside.answers["GET https://look.example/"] = (200, "42")
    desk.outside.before = lambda: desk.run("set_ai_enabled", **TALK, enabled=False)

    answer = await desk.ask("Look it up.", **TALK)

    assert answer["metadata"]["reason"] == "A person took over."
    assert [call["status"] for call in await desk.calls()] == [200]
    assert await desk.said() == []


async def test_the_next_turn_begins_only_after_the_end_of_the_one_before_is_stored(desk):
    seen: list[list[str]] = []

    class LookingModel(ScriptedModel):
        async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
            seen.append([turn.state for turn in await desk.turns()])
            if len(seen) == 1:
                while len(await desk.turns()) < 3:
                    await asyncio.sleep(0)
            async for piece in super().answer(prompt):
                yield piece

    desk.engine.ports.models.model = LookingModel([UpstreamFailed("Down."), "Two.", "Three."])
    asking = [asyncio.create_task(desk.ask(str(number), **TALK)) for number in range(3)]
    answers = await asyncio.gather(*asking, return_exceptions=True)

    assert seen[1:] == [["failed", "running", "waiting"], ["failed", "answered", "running"]]
    assert [answer["answer"] for answer in answers[1:]] == ["Two.", "Three."]


async def test_a_fault_that_nobody_foresaw_does_not_end_the_signs_of_life(desk, in_no_time, monkeypatch):
    tries: list[int] = []

    async def fails_once(taken):
        tries.append(len(taken))
        if len(tries) == 1:
            raise KeyError("nobody foresaw this")

    monkeypatch.setattr(looks, "_show_life", fails_once)
    asking = await begun(desk)

    while len(tries) < 3:
        await asyncio.sleep(0.005)

    await desk.run("set_ai_enabled", **TALK, enabled=False)
    assert (await asyncio.wait_for(asking, 10))["metadata"]["reason"] == "A person took over."
