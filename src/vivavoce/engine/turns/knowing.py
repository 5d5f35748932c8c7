"""What is known when a turn begins: its scene, who answers, and where knowledge is looked for."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Protocol

from vivavoce.domain.tools import datastores_of
from vivavoce.domain.turns import Turn
from vivavoce.engine.handlers import Work
from vivavoce.engine.library.retrieval import Look
from vivavoce.errors import VivavoceError
from vivavoce.operations.answers import AgentQuery
from vivavoce.ports import Model

from .assembling import Scene, looks_for, scene
from .choosing import model_for
from .lanes import Stopped, check_nobody_took_over
from .opening import Opened, why_silent
from .speakers import agent_of, step_of


class Known(NamedTuple):
    """All that a turn reads before it goes outside."""

    scene: Scene
    model: Model
    looks: list[Look]


class Earlier(Protocol):
    """How a turn began that goes on now."""

    @property
    def is_trusted(self) -> bool:
        """Whether who asked had a key, whoever answers now."""
        ...


def known_of(op: AgentQuery, opened: Opened, turn: Turn, work: Work, earlier: Earlier | None = None) -> Known:
    """What is known of a turn; Stopped where the AI may not speak, or not any more."""
    known = scene(opened, op, work, keeps_agent=earlier is not None)
    if earlier is not None:
        known = replace(known, is_trusted=earlier.is_trusted)
    silence = why_silent(known.agent, known.conversation, work)
    if silence:
        raise Stopped(silence)
    check_nobody_took_over(known.conversation, turn)
    return Known(known, model_for(known, work), looks_for(known, work.tables))


def check_filters(op: AgentQuery, opened: Opened, work: Work) -> None:
    """Refuse a query that asks for what the agent does not know, before its message is stored."""
    if op.filters is not None and op.filters.datastore_ids:
        agent = agent_of(step_of(opened.conversation, work), work) or opened.agent
        datastores_of(work.tables.tools.where(agent_id=agent.id), op.filters.datastore_ids)


def known_at_once(op: AgentQuery, opened: Opened, work: Work) -> Known | None:
    """What is known of a turn that runs as soon as it is opened; None where it must wait.

    Nothing that is wrong here may keep the message from being stored: the turn finds out when it looks again.
    """
    if opened.turn.state != "running":
        return None
    try:
        return known_of(op, opened, opened.turn, work)
    except (VivavoceError, Stopped):
        return None
