"""Agents that move in, with their tools."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.domain.agents import Agent
from vivavoce.hosted.rows import Row
from vivavoce.operations.agents import AgentShown, GetAgent

from .account import together
from .moves import Move, few
from .things import Thing


async def move_agents(move: Move, rows: Sequence[Row]) -> None:
    """Copy the agents of a list."""
    undone = move.undone("agents", rows, await move.settler.done("agents"))
    done = len(rows) - len(undone)
    for some in few(undone):
        for things in await together([_agent(move, row) for row in some]):
            await move.settler.settle(things)
        done += len(some)
        move.told("agents", done, len(rows))


async def _agent(move: Move, row: Row) -> list[Thing]:
    """The agent of a row and its tools. A list shows less of them than the agent itself."""
    if not row.id:
        move.report.fail("agents", "", row.fault)
        return []
    shown = await move.read("agents", row.id, _shown(move, row.id))
    if shown is None:
        return []
    agent = move.made("agents", row.id, move.home.thing, "agents", Agent, shown)
    if agent is None:
        return []
    made = [
        move.made("tools", tool.id, move.home.tool, tool, row.id, place)
        for place, tool in enumerate(shown.tools)
    ]
    return [agent, *(tool for tool in made if tool is not None)]


async def _shown(move: Move, id: str) -> AgentShown:
    return await move.account.get(GetAgent.parse({"id": id}))
