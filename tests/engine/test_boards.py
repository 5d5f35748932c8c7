"""Whatever happens on a board: a conversation has at most one active log, and that says where it is."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from vivavoce.errors import Conflict, NotFound
from vivavoce.testing import FakeClock, ScriptedModel, TestModels, open_test_engine

from .boards import Board

TALKS = st.sampled_from(["t0", "t1", "t2"])
NUMBERS = st.integers(0, 5)
STATUSES = st.sampled_from(["active", "inactive", "error"])


class Boards(RuleBasedStateMachine):
    """Two scenarios, three conversations, and everybody who moves them."""

    @initialize(wait=st.integers(1, 90))
    def open(self, wait: int) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory(prefix="vivavoce-board-")
        self.clock = FakeClock()
        self.opening = open_test_engine(
            Path(self.folder.name), self.clock, models=TestModels(ScriptedModel(["1"]))
        )
        self.board = Board(self.opening.__enter__())
        self.do(self._furnished(wait))

    async def _furnished(self, wait: int) -> None:
        board = await self.board.opened({}, {"trigger": "Pays"}, {"isConversationRemovalStep": True})
        other = (await board.run("create_crm_scenario", name="Support"))["id"]
        for name in ("a", "b", "c"):
            await board.step(scenarioId=other, name=name, trigger="Asks")
        await board.change(0, autoNextStepId=board.steps[1], autoNextTime=wait)
        await board.change(1, autoNextStepId=board.steps[0], autoNextTime=2 * wait)
        for id in ("t0", "t1", "t2"):
            await board.talk(id)

    def do(self, work: Any) -> Any:
        """What comes of it; a refusal is an answer, too."""
        try:
            return self.loop.run_until_complete(work)
        except (Conflict, NotFound) as refusal:
            return refusal

    @rule(id=TALKS, number=NUMBERS)
    def add(self, id: str, number: int) -> None:
        self.do(self.board.add(number, id))

    @rule(id=TALKS, number=NUMBERS, expected=st.none() | NUMBERS)
    def move(self, id: str, number: int, expected: int | None) -> None:
        before = self.do(self.board.stored(id)).step_id
        more = {} if expected is None else {"expectedStepId": self.board.steps[expected]}
        came = self.do(self.board.move(number, id, **more))
        if isinstance(came, dict) and expected is not None:
            assert before == self.board.steps[expected]

    @rule(id=TALKS, both=st.tuples(NUMBERS, NUMBERS))
    def move_at_once(self, id: str, both: tuple[int, int]) -> None:
        async def moved() -> list[Any]:
            moves = (self.board.move(number, id) for number in both)
            return await asyncio.gather(*moves, self.board.works(), return_exceptions=True)

        for came in self.do(moved()):
            assert isinstance(came, dict | int | Conflict | NotFound)

    @rule(id=TALKS)
    def remove(self, id: str) -> None:
        scenario = self.do(self.board.stored(id)).scenario_id or self.board.scenario
        of = {"scenarioId": scenario, "conversationId": id}
        self.do(self.board.run("remove_conversation_from_scenario", **of))

    @rule(id=TALKS)
    def ask(self, id: str) -> None:
        self.do(self.board.ask("I pay", id))

    @rule(id=TALKS, number=NUMBERS, status=STATUSES)
    def write_log(self, id: str, number: int, status: str) -> None:
        self.do(self._written(id, number, status))

    async def _written(self, id: str, number: int, status: str) -> None:
        step = await self.board.read(lambda tables: tables.steps.find(self.board.steps[number]))
        if step is not None:
            ids = {"conversationId": id, "scenarioId": step.scenario_id, "stepId": step.id}
            await self.board.run("create_conversation_log", **ids, status=status)

    @rule(id=TALKS, place=st.integers(0, 30), status=STATUSES | st.none())
    def change_log(self, id: str, place: int, status: str | None) -> None:
        logs = self.do(self.board.logs(id))
        if logs:
            log = logs[place % len(logs)].id
            if status is None:
                self.do(self.board.run("delete_conversation_log", logId=log))
            else:
                self.do(self.board.run("update_conversation_log", logId=log, status=status))

    @rule(number=st.integers(3, 5))
    def delete_step(self, number: int) -> None:
        self.do(self.board.run("delete_crm_step", id=self.board.steps[number]))

    @rule(seconds=st.integers(0, 200))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds=seconds)
        self.do(self.board.works())

    @invariant()
    def every_conversation_is_where_its_one_active_log_says(self) -> None:
        if not hasattr(self, "board"):
            return
        for id in ("t0", "t1", "t2"):
            place = self.do(self.board.place(id))
            due = self.do(self.board.due(id))
            if place not in (0, 1):
                assert due is None  # only these two move on by themselves
            elif due is not None:
                assert due - self.clock.now() <= timedelta(seconds=180)

    def teardown(self) -> None:
        if hasattr(self, "board"):
            self.opening.__exit__(None, None, None)
            self.loop.close()
            self.folder.cleanup()


TestBoards = Boards.TestCase
TestBoards.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
