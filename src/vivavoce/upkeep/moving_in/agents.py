"""Agents that move in, with their tools and with whom they may not answer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vivavoce.domain.access import AccessEntry, AccessKind, compared
from vivavoce.domain.agents import Agent
from vivavoce.domain.imports import fingerprint
from vivavoce.errors import VivavoceError
from vivavoce.hosted.rows import Row
from vivavoce.operations import Operation
from vivavoce.operations.access import ListAgentBlacklist, ListAgentWhitelist
from vivavoce.operations.agents import AgentShown, GetAgent

from .account import OutOfReach, together
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
    """The agent of a row, its tools and its lists. The row shows less of it than the agent itself."""
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
    entries, unread = await _entries(move, row.id)
    return [replace(agent, unread=unread), *(thing for thing in [*made, *entries] if thing is not None)]


async def _shown(move: Move, id: str) -> AgentShown:
    return await move.account.get(GetAgent.parse({"id": id}))


async def _entries(move: Move, agent_id: str) -> tuple[list[Thing | None], list[str]]:
    """Who is on the lists of an agent, and which list could not be read."""
    entries: list[Thing | None] = []
    unread: list[str] = []
    lists: list[tuple[AccessKind, Operation[Any]]] = [
        ("blacklist", ListAgentBlacklist.parse({"agentId": agent_id})),
        ("whitelist", ListAgentWhitelist.parse({"agentId": agent_id})),
    ]
    for kind, op in lists:
        try:
            rows = await move.account.rows(op)
        except OutOfReach:
            raise
        except VivavoceError as error:
            unread.append(f"its {kind} could not be read: {error.message}")
            continue
        for row in rows:
            if row.shown is None:
                move.report.fail("access", row.id or agent_id, row.fault)
            else:
                entries.append(move.made("access", row.id or agent_id, _entry, move, kind, agent_id, row))
    return entries, unread


def _entry(move: Move, kind: AccessKind, agent_id: str, row: Row) -> Thing:
    """Someone on a list. A number on a whitelist has no id there, and gets one that is always the same."""
    named = row.shown.user_identify if kind == "blacklist" else row.shown.whatsapp_number
    who = compared(named)
    id = row.id or hashlib.sha256(f"{kind} {agent_id} {who}".encode(errors="replace")).hexdigest()[:32]
    given = {"id": id, "agent_id": agent_id, "kind": kind, "who": who, "named": named}
    entity, losses = move.home.carried(AccessEntry, given)
    return Thing("access", entity, fingerprint("access", given), losses)
