"""Boards on Postgres: whoever moves a conversation at the same time, it stands in one step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.engine.boards import Board
from vivavoce.adapters.vault import AesVault
from vivavoce.errors import Conflict
from vivavoce.testing import CountedIds, FakeClock, open_test_engine

pytest.importorskip("psycopg", reason="psycopg is not installed.")

from vivavoce.adapters.sql.postgres import PostgresStore  # it imports psycopg

_TIMES = 8


@pytest.fixture
async def board(tmp_path, clock, postgres_schema) -> AsyncIterator[Board]:
    ids = CountedIds()
    store = PostgresStore(postgres_schema, AesVault(bytes(range(32))), new_id=ids)
    try:
        with open_test_engine(tmp_path, clock, ids, store=store) as engine:
            yield await Board(engine).opened({}, {}, {})
    finally:
        store.close()


async def at_once(*work) -> list[bool]:
    """Whether each was done; a conflict is the only other end."""
    came = await asyncio.gather(*work, return_exceptions=True)
    assert [each for each in came if isinstance(each, BaseException) and not isinstance(each, Conflict)] == []
    return [not isinstance(each, Conflict) for each in came]


async def test_of_those_who_add_or_move_at_once_one_does_it(board):
    for number in range(_TIMES):
        id = await board.talk(f"t{number}")

        assert sum(await at_once(*(board.add(each % 3, id) for each in range(4)))) == 1
        now = await board.place(id)
        others = [each for each in range(3) if each != now]
        moves = (board.move(each, id, expectedStepId=board.steps[now]) for each in 2 * others)
        assert sum(await at_once(*moves)) == 1
        assert await board.place(id) in others


async def test_a_timer_and_a_move_at_once_leave_one_stay(board, clock: FakeClock):
    await board.change(0, autoNextStepId=board.steps[1], autoNextTime=60)
    for number in range(_TIMES):
        id = await board.talk(f"t{number}")
        await board.add(0, id)
        clock.advance(seconds=60)

        is_moved, _ = await at_once(board.move(2, id, expectedStepId=board.steps[0]), board.works())

        assert await board.place(id) == (2 if is_moved else 1)
        assert len(await board.logs(id)) == 2
