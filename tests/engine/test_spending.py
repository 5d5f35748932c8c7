"""Spending: a budget holds within a turn and for turns at the same time, and what was spent is counted."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from vivavoce.domain.models import models
from vivavoce.errors import BudgetSpent, UpstreamFailed
from vivavoce.operations import STRANGER
from vivavoce.ports import Called, Delta, Piece, Prompt, Spent
from vivavoce.testing import CountedIds, ScriptedModel, TestModels, open_test_engine

from .desks import Desk, Servers

LOOK = "https://look.example/"


@pytest.fixture
async def desk(tmp_path, clock):
    model = ScriptedModel(["Hello."])
    with open_test_engine(tmp_path, clock, models=TestModels(model), outside=Servers()) as engine:
        yield await Desk(engine, model, engine.ports.outside).opened(modelName="gpt_4o_mini")


async def budget(desk: Desk, dollars: float) -> None:
    await desk.run("update_agent", id=desk.agent, monthlyBudget=dollars)


async def spent(desk: Desk, month: str = "2026-01") -> tuple[int, float]:
    found = await desk.engine.ports.store.read(lambda tables: tables.usage.of(desk.agent, month))
    return found.turns, round(found.cost, 9)


class CostlyModel:
    """A model that answers when it is let, for a price."""

    name, context = "costly", 8_000
    price, unpriced = models()["gpt_4o_mini"].price, None

    def __init__(self, cost: float, *, says: str = "Well.") -> None:
        self.cost, self.says = cost, says
        self.asked, self.may_end = 0, asyncio.Event()

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self.asked += 1
        if self.says:
            yield Delta(self.says)
        await self.may_end.wait()
        yield Spent(self.name, 10, 5, self.cost)


async def test_a_turn_that_has_spent_the_budget_asks_no_further(desk):
    await desk.http("Look up", LOOK)
    desk.outside.answers[f"GET {LOOK}"] = (200, "42")
    desk.model.rounds[:] = [Called("1", "Look_up", "{}"), "It is 42."]
    await budget(desk, 0.0005)

    with pytest.raises(BudgetSpent):
        await desk.ask("What is it?", conversationId="talk1")

    desk.conversation = "talk1"
    (turn,) = await desk.turns()
    assert (len(desk.model.prompts), turn.state, len(turn.trace["calls"])) == (1, "failed", 1)
    assert await spent(desk) == (1, 0.001)


async def test_turns_at_the_same_time_do_not_spend_the_same_money(desk):
    estimate = CostlyModel.price.of(100, 1_000)
    model = desk.engine.ports.models.model = CostlyModel(cost=estimate)
    await budget(desk, 2.5 * estimate)

    asking = [asyncio.create_task(desk.ask(f"{number}?")) for number in range(10)]
    while sum(task.done() for task in asking) + model.asked < len(asking):
        await asyncio.sleep(0)
    model.may_end.set()
    answers = await asyncio.gather(*asking, return_exceptions=True)

    refused = [answer for answer in answers if isinstance(answer, BudgetSpent)]
    assert (model.asked, len(refused)) == (3, 7)
    _, cost = await spent(desk)
    assert cost == pytest.approx(3 * estimate)


async def test_what_was_set_aside_gives_way_to_what_was_spent(desk):
    await budget(desk, 1.0)

    await desk.ask("Hello?")
    assert await spent(desk) == (1, 0.001)
    await desk.ask("Hello?", isDraft=True)
    assert await spent(desk) == (2, 0.002)


async def test_a_caller_who_goes_away_leaves_only_what_was_spent(desk):
    model = desk.engine.ports.models.model = CostlyModel(cost=0.5)
    await budget(desk, 1.0)
    asking = asyncio.create_task(desk.ask("Hello?"))
    while not model.asked:
        await asyncio.sleep(0)
    _, aside = await spent(desk)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    turns, cost = await spent(desk)
    assert turns == 1
    assert 0 < cost < aside  # the words that came, and not the long answer that was reckoned with


async def test_a_caller_who_goes_away_before_the_first_word_pays_for_what_was_read(desk):
    model = desk.engine.ports.models.model = CostlyModel(cost=0.5, says="")
    await budget(desk, 1.0)
    asking = asyncio.create_task(desk.ask("word " * 1_000))
    while not model.asked:
        await asyncio.sleep(0)
    _, aside = await spent(desk)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    turns, cost = await spent(desk)
    assert turns == 1
    assert CostlyModel.price.of(500, 0) < cost < aside


@pytest.mark.parametrize("failure", [UpstreamFailed("It is down."), BudgetSpent("No more.")])
async def test_a_request_that_fails_before_the_first_word_costs_nothing(desk, failure):
    model = desk.model
    model.rounds[:], model.price = [failure], CostlyModel.price

    with pytest.raises(type(failure)):
        await desk.ask("word " * 1_000)

    assert await spent(desk) == (1, 0.0)


async def test_a_model_that_does_not_say_what_it_cost_is_paid_by_an_estimate(desk):
    desk.engine.ports.models.model = UncountedModel()

    usage = (await desk.ask("word " * 1_000))["usage"]

    assert usage["promptTokens"] > 500
    assert usage["cost"] == pytest.approx(
        UncountedModel.price.of(usage["promptTokens"], usage["completionTokens"])
    )


async def test_a_model_without_a_price_costs_nothing_where_there_is_no_budget(desk):
    desk.engine.ports.models.model = UnpricedModel()

    answers = [await desk.ask("word " * 1_000) for _ in range(3)]

    assert [answer["usage"]["cost"] for answer in answers] == [None] * 3
    assert await spent(desk) == (3, 0.0)


async def test_a_model_that_no_budget_could_stop_does_not_answer_who_has_one(desk):
    desk.engine.ports.models.model = UnpricedModel()
    await budget(desk, 20)

    with pytest.raises(BudgetSpent, match="nobody knows what the model 'served' costs") as raised:
        await desk.ask("Hello?", conversationId="talk1")

    assert "VIVAVOCE_MODEL_PRICES" in raised.value.hint
    assert await spent(desk) == (1, 0.0)


class UncountedModel:
    """A model that says nothing of what it cost."""

    name, context = "uncounted", 8_000
    price, unpriced = CostlyModel.price, None

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        yield Delta("Well.")


class UnpricedModel(UncountedModel):
    """And of which nobody knows what it costs."""

    name, price, unpriced = "served", None, "served"


async def test_who_asks_is_not_told_how_large_the_budget_is(desk):
    await budget(desk, 0.00073)
    await desk.ask("Hello?")

    with pytest.raises(BudgetSpent) as raised:
        await desk.ask("Hello?", caller=STRANGER)

    assert "00073" not in str(raised.value)
    assert "dollar" not in str(raised.value)


async def test_calls_beyond_those_of_a_turn_are_all_refused(desk):
    calls = [Called(str(number), "nothing", "{}") for number in range(1_000)]
    desk.model.rounds[:] = [calls, "Done."]

    await desk.ask("Go.")

    assert len(desk.returned) == 1_000
    assert sum("too many calls" in text for text in desk.returned) == 1_000 - 16


async def test_a_caller_who_goes_away_while_the_answer_is_stored_is_not_counted_twice(tmp_path, clock):
    loop, ids = asyncio.get_running_loop(), LeavingIds()

    class LastModel(ScriptedModel):
        async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
            async for piece in super().answer(prompt):
                yield piece
            ids.leaves = lambda: loop.call_soon_threadsafe(asking.cancel)  # with the next id: the answer's

    models = TestModels(LastModel(["Hello."]))
    with open_test_engine(tmp_path, clock, ids, models=models, outside=Servers()) as engine:
        desk = await Desk(engine, models.model, engine.ports.outside).opened()
        asking = asyncio.create_task(desk.ask("Hello?", conversationId="talk1"))
        with pytest.raises(asyncio.CancelledError):
            await asking

        desk.conversation = "talk1"
        assert await spent(desk) == (1, 0.001)
        assert [turn.state for turn in await desk.turns()] == ["answered"]


class LeavingIds(CountedIds):
    """Ids in whose making a caller goes away."""

    def __init__(self) -> None:
        super().__init__()
        self.leaves = lambda: None

    def __call__(self) -> str:
        self.leaves()
        return super().__call__()


async def test_a_turn_over_the_end_of_a_month_is_paid_in_the_new_one(desk):
    model = desk.engine.ports.models.model = CostlyModel(cost=0.5)
    await budget(desk, 1.0)
    asking = asyncio.create_task(desk.ask("Hello?"))
    while not model.asked:
        await asyncio.sleep(0)
    desk.engine.ports.now.__self__.advance(days=1)
    model.may_end.set()
    await asking

    assert await spent(desk, "2026-01") == (0, 0.0)
    assert await spent(desk, "2026-02") == (1, 0.5)


async def test_an_agent_without_a_model_needs_no_budget(desk):
    desk.engine.ports.models.model = None
    await budget(desk, 0.0)

    assert (await desk.ask("Hello!"))["answer"].startswith("Hello!")
