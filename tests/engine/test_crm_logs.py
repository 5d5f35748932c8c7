"""The logs of scenarios: which steps conversations were in, and what writing them by hand does."""

from __future__ import annotations

import pytest

from vivavoce.errors import InvalidInput, NotFound

from .boards import Board


@pytest.fixture
async def board(engine) -> Board:
    made = await Board(engine).opened({}, {}, {})
    await made.talk(title="Shoes")
    return made


async def written(board: Board, number: int, status: str) -> dict:
    ids = {"conversationId": "talk1", "scenarioId": board.scenario, "stepId": board.steps[number]}
    return await board.run("create_conversation_log", **ids, status=status)


async def test_moves_are_listed_newest_first_with_pages(board, clock):
    await board.add(0)
    for number in (1, 2, 0):
        clock.advance(seconds=1)
        await board.move(number)

    page = await board.run("list_conversation_logs", conversationId="talk1", limit=3)

    assert [board.steps.index(log["stepId"]) for log in page["data"]] == [0, 2, 1]
    assert page["pagination"] == {"page": 1, "limit": 3, "total": 4, "totalPages": 2}
    assert page["data"][0]["status"] == "active"
    second = await board.run("list_conversation_logs", conversationId="talk1", limit=3, page=2)
    assert [board.steps.index(log["stepId"]) for log in second["data"]] == [0]
    active = await board.run("list_conversation_logs", status="active", scenarioId=board.scenario)
    assert len(active["data"]) == 1
    there = await board.run("list_conversation_logs", stepId=board.steps[2])
    assert [log["id"] for log in there["data"]] == [page["data"][1]["id"]]


async def test_a_log_names_what_it_is_about(board):
    await board.add(1)
    (log,) = (await board.run("list_conversation_logs"))["data"]

    shown = await board.run("get_conversation_log", logId=log["id"])

    assert shown == log
    assert shown["conversation"] == {"id": "talk1", "title": "Shoes"}
    assert shown["scenario"] == {"id": board.scenario, "name": "Sale"}
    assert shown["step"] == {"id": board.steps[1], "index": 1}


async def test_an_active_log_puts_a_conversation_into_its_step_and_says_nothing(board, clock):
    await board.change(1, initialMessage="Hello!", defaultTags=["a"], autoNextStepId=board.steps[2])
    await board.change(1, autoNextTime=60)
    await board.add(0)

    log = await written(board, 1, "active")

    assert (log["status"], await board.place()) == ("active", 1)
    assert (await board.said(), (await board.stored()).tags) == ([], [])
    clock.advance(seconds=60)
    await board.works()
    assert await board.place() == 2


async def test_a_log_of_the_past_moves_nothing_and_counts_as_a_visit(board):
    await board.change(1, isRequired=True)
    await board.add(0)

    await written(board, 1, "inactive")
    assert await board.place() == 0
    await board.move(2)

    assert await board.place() == 2


async def test_the_status_of_a_log_says_where_the_conversation_is(board):
    await board.add(0)
    await board.move(1)
    first, second = await board.logs()

    await board.run("update_conversation_log", logId=second.id, status="error")
    assert await board.place() is None
    await board.run("update_conversation_log", logId=first.id, status="active")
    assert await board.place() == 0
    await board.run("update_conversation_log", logId=second.id, status="active")
    assert await board.place() == 1
    await board.run("update_conversation_log", logId=second.id, status="active")
    assert await board.walk() == [(0, "inactive", "call"), (1, "active", "call")]


async def test_deleting_the_active_log_takes_the_conversation_off_the_board(board):
    await board.add(0)
    await board.move(1)
    first, second = await board.logs()

    gone = await board.run("delete_conversation_log", logId=first.id)
    assert gone == {"message": "Log deleted successfully"}
    assert await board.place() == 1
    await board.run("delete_conversation_log", logId=second.id)

    assert (await board.place(), await board.logs()) == (None, [])
    with pytest.raises(NotFound):
        await board.run("get_conversation_log", logId=second.id)


async def test_a_log_of_a_step_in_another_scenario_is_refused(board):
    other = (await board.run("create_crm_scenario", name="Support"))["id"]

    with pytest.raises(InvalidInput, match="not one of scenario"):
        await board.run(
            "create_conversation_log",
            conversationId="talk1",
            scenarioId=other,
            stepId=board.steps[0],
            status="active",
        )
