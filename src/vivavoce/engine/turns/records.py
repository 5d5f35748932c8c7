"""Records: what a trace keeps of calls, and what it tells of them afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vivavoce.domain.http.http_arguments import shown_arguments
from vivavoce.domain.http.http_calls import shown_call
from vivavoce.domain.http.http_tools import HttpConfig
from vivavoce.domain.policy import REVERSIBLE
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import Turn
from vivavoce.ports import Tables

_TURNS = 30
"""How many turns are looked at; a model does not read further back."""
_BRIEF = ("tool", "name", "status", "isError", "isUncertain")
"""What stays of a call."""


def record_of(
    tool: Tool, config: HttpConfig, arguments: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    """What is known of a call before it is made; InvalidInput where it cannot be made so."""
    return {
        "tool": tool.id,
        "arguments": shown_arguments(config, arguments),
        "request": shown_call(config, arguments, variables),
    }


def is_change(record: Mapping[str, Any]) -> bool:
    """Whether a call of a trace was made, and may have changed something."""
    return "status" in record and _method_of(record) not in REVERSIBLE


def brief_calls(trace: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of a trace once it is old: that something was changed, and no word of what was said."""
    calls = [
        {**{name: call[name] for name in _BRIEF if name in call}, "request": {"method": _method_of(call)}}
        for call in trace.get("calls", ())
        if is_change(call)
    ]
    return {"calls": calls} if calls else {}


def last_change(conversation_id: str, tables: Tables) -> int:
    """The place of the last message in whose turn something was changed; 0 where nothing was."""
    turns = tables.turns.where(conversation_id=conversation_id, newest_first=True, limit=_TURNS)
    return max((turn.position for turn in turns if _may_have_changed(turn)), default=0)


def _may_have_changed(turn: Turn) -> bool:
    """Whether something was changed in a turn; of one whose process ended, nothing is known."""
    is_unknown = turn.state == "interrupted" and not turn.trace
    return is_unknown or any(map(is_change, turn.trace.get("calls", ())))


def _method_of(record: Mapping[str, Any]) -> str | None:
    method: str | None = record.get("request", {}).get("method")
    return method
