"""Triggers at run time: which message moves a conversation, who answers then, and that it happens once."""

from __future__ import annotations

from typing import Any

import pytest

from vivavoce.domain.jobs import Job
from vivavoce.engine.triggers import follow_trigger
from vivavoce.engine.turns.assembling import scene
from vivavoce.engine.turns.durable import _begun
from vivavoce.engine.turns.lanes import Stopped, Taken
from vivavoce.engine.turns.opening import open_turn
from vivavoce.errors import UpstreamFailed
from vivavoce.operations import STRANGER
from vivavoce.operations.answers import AgentQuery
from vivavoce.ports import Called
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

from .boards import Board
from .workspaces import an_agent

STEPS = (
    {},
    {"trigger": "Wants to know the price", "prompt": "Offer the yearly plan.", "initialMessage": "Prices!"},
    {"trigger": "Confirms the payment"},
)


@pytest.fixture
def board(tmp_path, clock):
    """Opens a board whose models say these things; without any there is no model."""
    held = []

    async def open_(*said: Any, steps=STEPS) -> Board:
        models = TestModels(ScriptedModel(list(said)) if said else None)
        opening = open_test_engine(tmp_path, clock, models=models)
        held.append(opening)
        made = await Board(opening.__enter__()).opened(*steps)
        await made.run("set_crm_config", id=made.agent, scenarioId=made.scenario)
        return made

    yield open_
    for each in held:
        each.__exit__(None, None, None)


def prompts(board: Board) -> list[Any]:
    return board.engine.ports.models.model.prompts


# With a model


async def test_a_message_that_meets_a_trigger_moves_the_conversation_before_it_is_answered(board):
    at = await board("1", "Nine dollars.")

    answer = await at.ask("How much is it?")

    assert answer["answer"] == "Nine dollars."
    assert await at.walk() == [(0, "inactive", "opening"), (1, "active", "trigger")]
    assert await at.said() == [
        ("human", "How much is it?"),
        ("agent", "Prices!"),
        ("agent", "Nine dollars."),
    ]
    judging, answering = prompts(at)
    assert "1. Wants to know the price" in judging.instructions
    assert "How much is it?" in judging.question
    assert judging.tools == ()
    assert "Offer the yearly plan." in answering.instructions
    assert ("agent", "Prices!") in answering.history


@pytest.mark.parametrize(
    "said",
    [
        "0",
        "3",
        "99",
        "",
        "I think the first or 1 or 2",
        "move to step one",
        UpstreamFailed("down"),
        "7" * 900,
    ],
)
async def test_whatever_else_a_model_says_moves_nothing_and_the_turn_goes_on(board, said):
    at = await board(said, "Hello.")

    answer = await at.ask("Hi")

    assert answer["answer"] == "Hello."
    assert await at.place() == 0


async def test_what_judging_cost_counts_in_the_month_of_the_agent(board, clock):
    at = await board("0", "Hello.")
    await at.run("update_agent", id=at.agent, monthlyBudget=5)

    await at.ask("Hi")

    spent = await at.read(lambda tables: tables.usage.of(at.agent, f"{clock.now():%Y-%m}"))
    assert (spent.turns, spent.prompt_tokens) == (1, 20)
    assert spent.cost == pytest.approx(0.002)


async def test_no_money_left_means_no_judging(board):
    at = await board("1", "Hello.")
    await at.ask("Hi", "other")
    await at.run("update_agent", id=at.agent, monthlyBudget=0)
    asked = len(prompts(at))

    with pytest.raises(Exception, match="budget"):
        await at.ask("How much is it?")

    assert len(prompts(at)) == asked
    assert await at.place() == 0


async def test_the_model_is_not_asked_where_nothing_can_be_met(board):
    at = await board("Hello.", steps=({"trigger": "Somebody writes."}, {}))

    await at.ask("Hi")

    assert len(prompts(at)) == 1


async def test_tags_and_facts_are_told_to_the_judge(board):
    at = await board("0", "Hello.", "0", "Again.")
    await at.ask("Hi")
    await at.run("tag_conversation", conversationId="talk1", tagName="vip")
    await at.run("set_variable", conversationId="talk1", varName="plan", varValue="gold")

    await at.ask("And now?")

    judging = prompts(at)[-2]
    assert "<tags>vip</tags>" in judging.question
    assert "plan: gold" in judging.question


async def test_a_required_step_is_not_offered_to_be_passed_over(board):
    steps = ({}, {"trigger": "Gives a name", "isRequired": True}, {"trigger": "Confirms the payment"})
    at = await board("2", "Hello.", "1", "Thank you.", "2", "Done.", steps=steps)

    await at.ask("I paid")
    assert await at.place() == 0
    assert "Confirms the payment" not in prompts(at)[0].instructions
    await at.ask("I am Lu")
    assert await at.place() == 1
    await at.ask("I paid")  # there is one other step, and it has the number 1

    assert await at.place() == 1
    assert "1. Confirms the payment" in prompts(at)[-2].instructions


async def test_a_conversation_goes_back_too(board):
    at = await board("2", "Thanks.", "1", "Nine.")
    await at.ask("I paid")

    await at.ask("How much is the other one?")

    assert [number for number, _, _ in await at.walk()] == [0, 2, 1]


# Who answers


async def test_the_agent_of_a_step_answers_with_its_model_and_its_tools(board):
    at = await board("1", "Nine dollars.")
    seller = await at.run("create_agent", **an_agent(name="Sam", systemPrompt="Sell.", modelName="gpt_5"))
    await at.run("addRequestHumanTool", agentId=seller["id"])
    await at.change(1, agentId=seller["id"])

    answer = await at.ask("How much is it?")

    answering = prompts(at)[-1]
    assert answering.instructions.startswith("Sell.\n\nOffer the yearly plan.")
    assert [tool.name for tool in answering.tools]
    assert at.engine.ports.models.asked[-1] == "gpt_5"
    assert answer["metadata"]["isStepAgentResponse"] is True
    assert (await at.stored()).agent_id == at.agent
    said = await at.read(lambda tables: tables.messages.last("talk1", 2))
    assert {each.agent_id for each in said} == {seller["id"]}


async def test_a_step_without_an_agent_keeps_the_conversations(board):
    at = await board("1", "Nine dollars.")

    answer = await at.ask("How much is it?")

    assert "isStepAgentResponse" not in answer["metadata"]
    assert prompts(at)[-1].instructions.startswith("Be kind.\n\nOffer the yearly plan.")


async def test_a_private_agent_of_a_step_answers_a_stranger_of_a_public_one(board):
    at = await board("1", "Nine dollars.")
    seller = await at.run("create_agent", **an_agent(name="Sam"))
    await at.change(1, agentId=seller["id"])
    await at.run("update_agent", id=at.agent, visibility="public")

    answer = await at.run("agent_query", caller=STRANGER, id=at.agent, query="How much is it?")

    assert answer["answer"] == "Nine dollars."


async def test_an_agent_that_asked_for_approval_goes_on_although_its_conversation_moved(board):
    call = Called("1", "Book", '{"day": "Monday"}')
    at = await board("1", call, "Booked.")
    seller = await at.run("create_agent", **an_agent(name="Sam", systemPrompt="Sell."))
    config = {
        "name": "Book",
        "description": "Books.",
        "url": "https://api.example/book",
        "method": "POST",
        "body": [{"key": "day", "isUserProvided": True}],
        "withApproval": True,
    }
    await at.run("addHttpTool", agentId=seller["id"], config=config)
    await at.change(1, agentId=seller["id"])
    asked = await at.ask("How much is it?")
    (approval,) = asked["approvals"]

    await at.move(2)
    gone_on = await at.run("answer_approval", id=approval["id"], approved=False)

    assert gone_on["answer"]["answer"] == "Booked."
    assert prompts(at)[-1].instructions.startswith("Sell.")
    said = await at.read(lambda tables: tables.messages.last("talk1", 1))
    assert said[0].agent_id == seller["id"]
    assert await at.place() == 2


async def test_a_step_that_switches_the_ai_off_is_entered_and_nothing_more_is_said(board):
    at = await board("1", "Nine dollars.")
    await at.change(1, defaultAiControl=False)

    await at.ask("How much is it?")

    assert await at.place() == 1
    assert await at.said() == [("human", "How much is it?"), ("agent", "Prices!")]


async def test_a_silent_conversation_is_not_judged(board):
    at = await board("0", "Hello.", "1", "Nine.")
    await at.ask("Hi")
    await at.run("set_ai_enabled", conversationId="talk1", enabled=False)

    await at.ask("How much is it?")

    assert (await at.place(), len(prompts(at))) == (0, 2)


async def test_an_agent_asks_for_what_the_contact_lacks(board):
    wanted = {
        "name": True,
        "email": True,
        "phone": True,
        "contactRequestPhonePrompt": "Say why: to call back.",
    }
    at = await board("Hello.", steps=({"requestContact": wanted, "prompt": "Be brief."},))

    await at.ask("Hi", contact={"email": "lu@example.com", "firstName": "Lu"})

    instructions = prompts(at)[-1].instructions
    assert "their phone number" in instructions
    assert "Say why: to call back." in instructions
    assert "their name" not in instructions
    assert "e-mail" not in instructions


# Once


async def test_a_turn_that_is_begun_again_after_the_move_does_not_move_again(board, clock):
    """The process ends between the move and the answer; a second judgement would say another number."""
    at = await board("1", "1", "Nine dollars.")
    await at.run("addDelayedResponsesTool", agentId=at.agent, delay=6)
    op = AgentQuery.model_validate({"id": at.agent, "query": "How much is it?", "conversationId": "talk1"})
    errand = at.engine._errand_of_time()
    await errand.write(lambda work: open_turn(op, work))
    clock.advance(seconds=6)
    (job,) = await at.engine.worker._claim(1)
    await _move_only(job, at, errand)
    assert await at.walk() == [(0, "inactive", "opening"), (1, "active", "trigger")]

    clock.advance(seconds=60)  # the lease is over
    await at.works()

    assert await at.walk() == [(0, "inactive", "opening"), (1, "active", "trigger")]
    assert await at.said() == [("human", "How much is it?"), ("agent", "Prices!"), ("agent", "1")]
    assert len(prompts(at)) == 2  # judged once, answered once


async def test_a_worker_that_lost_its_turn_moves_nothing(board, clock):
    at = await board("1", "Nine dollars.")
    await at.run("addDelayedResponsesTool", agentId=at.agent, delay=6)
    op = AgentQuery.model_validate({"id": at.agent, "query": "How much is it?", "conversationId": "talk1"})
    errand = at.engine._errand_of_time()
    await errand.write(lambda work: open_turn(op, work))
    clock.advance(seconds=6)
    (job,) = await at.engine.worker._claim(1)
    begun = await errand.write(lambda work: _begun(job, work))
    clock.advance(seconds=60)
    assert await at.engine.worker._claim(1)  # another worker has it now

    with pytest.raises(Stopped):
        await _follow(begun, job, at, errand)

    assert await at.place() == 0


async def _move_only(job: Job, at: Board, errand: Any) -> None:
    """Do the first part of a turn, as a process does that ends before it answers."""
    begun = await errand.write(lambda work: _begun(job, work))
    assert await _follow(begun, job, at, errand)


async def _follow(begun: Any, job: Job, at: Board, errand: Any) -> bool:
    op, opened, _ = begun
    mine = Taken(opened.turn, at.engine.ports, job)
    known = await errand.read(lambda work: scene(opened, op, work))
    return await follow_trigger(known, at.engine.ports.models.model, mine, errand)


async def test_a_conversation_that_someone_moved_meanwhile_is_not_moved(board):
    at = await board("0", "Hello.")
    await at.ask("Hi")

    class Meddling(ScriptedModel):
        async def answer(self, prompt):
            if not self.prompts:
                await at.move(2)
            async for piece in super().answer(prompt):
                yield piece

    at.engine.ports.models.model = Meddling(["1", "Fine."])
    await at.ask("How much is it?")

    assert await at.place() == 2
    assert await at.walk() == [(0, "inactive", "opening"), (2, "active", "call")]


# Without a model


async def test_without_a_model_the_words_of_a_trigger_move_a_conversation(board):
    at = await board()

    await at.ask("What is the price?")

    assert await at.place() == 1


async def test_without_a_model_other_words_move_nothing(board):
    at = await board()

    await at.ask("Good morning!")

    assert await at.place() == 0
