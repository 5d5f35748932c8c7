"""CRM scenarios, steps and stays that move in."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import NamedTuple

from vivavoce.domain.crm import CrmLog, Scenario, Step
from vivavoce.hosted.rows import Row
from vivavoce.operations.crm import ListCrmScenarios, ListCrmSteps, StepShown
from vivavoce.operations.crm_logs import ListConversationLogs, LogShown

from .account import PAGE
from .moves import Move, few
from .things import Thing

_CHOOSING = ("single_user", "random_selected", "fair_distribution_selected")


async def move_scenarios(move: Move) -> list[str]:
    """Copy the scenarios; the ids of those that the account has."""
    rows = await move.rows("scenarios", ListCrmScenarios())
    made = [move.from_row("scenarios", row, Scenario) for row in rows]
    await move.settler.settle([thing for thing in made if thing is not None])
    move.told("scenarios", len(rows), len(rows))
    return [row.id for row in rows if row.shown is not None]


async def move_steps(move: Move, scenario_ids: list[str]) -> None:
    """Copy the steps of scenarios, those of one scenario together, as they refer to each other."""
    for done, scenario_id in enumerate(scenario_ids, start=1):
        op = ListCrmSteps.parse({"scenarioId": scenario_id})
        rows = await move.rows("steps", op, scenario_id)
        made = [_step(move, row, scenario_id) for row in rows]
        await move.settler.settle([thing for thing in made if thing is not None])
        move.told("steps", done, len(scenario_ids))


class Stays(NamedTuple):
    """Which steps conversations are in, and were in."""

    present: dict[str, LogShown]
    """By conversation, the stay that lasts; the newest where several say so."""
    past: list[LogShown]
    are_all: bool
    """Whether no log is missing: where one is, nobody can be said to have left a step."""


async def read_stays(move: Move) -> Stays:
    """The stays that the account tells of."""
    pages, remarks = count(1), len(move.report.remarks)

    def page(number: int, _: Row | None) -> ListConversationLogs:
        return ListConversationLogs(page=next(pages), limit=PAGE)

    present, past = dict[str, LogShown](), list[LogShown]()
    async for rows in move.pages("crm_logs", page):
        for row in rows:
            if row.shown is None:
                move.report.fail("crm_logs", row.id, row.fault)
            elif row.shown.status == "active" and row.shown.conversation_id not in present:
                present[row.shown.conversation_id] = row.shown
            else:
                past.append(row.shown)
    return Stays(present, past, len(move.report.remarks) == remarks)


async def move_stays(move: Move, stays: list[LogShown]) -> None:
    """Copy stays that are over."""
    for some in few(stays, PAGE):
        made = [move.made("crm_logs", stay.id, stay_of, move, stay, is_over=True) for stay in some]
        await move.settler.settle([thing for thing in made if thing is not None])


def stay_of(move: Move, shown: LogShown, *, is_over: bool = False) -> Thing:
    """A stay as it is to be stored. Time does not run in it: nothing moves by itself."""
    if is_over and shown.status == "active":
        return move.home.thing("crm_logs", CrmLog, shown, "over", turn_id=None, status="inactive")
    return move.home.thing("crm_logs", CrmLog, shown, turn_id=None)


def _step(move: Move, row: Row, scenario_id: str) -> Thing | None:
    shown: StepShown | None = row.shown
    if shown is None or shown.assignee_logic_type not in _CHOOSING:
        return move.from_row("steps", row, Step, scenario_id=scenario_id)
    if shown.selected_membership_ids_for_assignee:
        return move.from_row("steps", row, Step, scenario_id=scenario_id)
    thing = move.from_row("steps", row, Step, scenario_id=scenario_id, assignee_logic_type="none")
    said = f"assigneeLogicType: {shown.assignee_logic_type} names nobody"
    return None if thing is None else replace(thing, losses=[*thing.losses, said])
