"""Finding conversations: those that meet the filters of an operation."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.conversations import Conversation
from vivavoce.operations.conversation_filters import Filtered
from vivavoce.operations.cursors import place_of
from vivavoce.ports import ConversationFilter

from .handlers import Work
from .references import agent_named


def listed_by(op: Filtered[Any], work: Work) -> list[Conversation]:
    """The conversations that meet the filters of an operation, newest first."""
    wanted = _wanted_by(op, work)
    return [] if op.finds_nothing else work.tables.conversations.listed(wanted, op.limit)


def _wanted_by(op: Filtered[Any], work: Work) -> ConversationFilter:
    equal: dict[str, str | bool | None] = {
        name: getattr(op, name) for name in ("status", "channel", "priority") if getattr(op, name) is not None
    }
    if op.agent_id is not None:
        equal["agent_id"] = None if op.agent_id == "null" else agent_named(op.agent_id, work).id
    if op.assignee_id is not None:
        equal["assignee"] = None if op.assignee_id == "unassigned" else op.assignee_id
    if op.ai is not None:
        equal["is_ai_enabled"] = op.ai == "enabled"
    return ConversationFilter(
        equal=equal,
        created_from=op.created_at,
        created_to=op.end_date,
        is_unread=op.unread,
        tag=op.tag,
        ad=op.ad_source_id,
        scenario_id=op.crm_scenario_id,
        step_id=op.crm_step_id,
        frustration_from=op.frustration_min,
        frustration_to=op.frustration_max,
        rating_from=max(
            (grade for grade in (op.nps_rating, op.nps_rating_min) if grade is not None), default=None
        ),
        rating_to=min(
            (grade for grade in (op.nps_rating, op.nps_rating_max) if grade is not None), default=None
        ),
        is_rated=op.nps_completed,
        before=None if op.cursor is None else place_of(op.cursor),
    )
