"""Turns: a message of a person and what became of it. One after the other in a conversation."""

from __future__ import annotations

from typing import Any, Literal

from .entities import Entity, Moment

TurnState = Literal["waiting", "running", "asking", "answered", "silent", "failed", "interrupted"]
"""`waiting` for earlier ones, `asking` an operator for approval; the last four are final.

`silent`: the AI may not speak, or a person took over meanwhile. `interrupted`: the process ended in its
midst; the message is kept and nothing was answered.
"""
OPEN: tuple[TurnState, ...] = ("waiting", "running")
"""Who comes later in the conversation waits for turns in these states."""


class Turn(Entity):
    """What becomes of one message of a person."""

    conversation_id: str
    message_id: str
    """The message that it answers."""
    position: int
    """The place of that message in the conversation: turns come in this order."""
    agent_id: str
    state: TurnState = "waiting"
    lease_until: Moment | None = None
    """Until when the process that works on it counts as alive."""
    fence: int = 0
    """Counts who worked on it; an older worker's result is refused."""
    reason: str = ""
    """Why it is silent, failed or interrupted, in words."""
    answer_id: str | None = None
    callback_url: str | None = None
    durable: bool = False
    """Whether a job answers it, in whatever process: then it is done even if this one ends."""
    stranded: bool = False
    """Whether the process that worked on it ended in its midst, so that nobody could be told of it."""
    joined: list[str] = []
    """The messages that it answers together, `message_id` last; none where it answers that one alone."""
    query: dict[str, Any] = {}
    """The arguments of the query, without the message."""
    is_trusted: bool = True
    """Whether who asked had a key."""
    held_since: Moment | None = None
    """Since when the answer is held, so that messages which follow are answered with it."""
    begun_calls: dict[str, str] = {}
    """Calls that cannot be undone, by what was called, with what came of each, or nothing while that is not
    known."""
    trace: dict[str, Any] = {}
    """What happened in it: the parts of the prompt, passages, tool calls, tokens, cost, milliseconds."""


ApprovalState = Literal["pending", "approved", "rejected", "done"]
"""`approved`: decided, and not known to be finished; `done`: the call was made."""


class Approval(Entity):
    """A call of a tool that waits for an operator."""

    conversation_id: str
    turn_id: str
    agent_id: str
    tool_id: str
    tool_name: str
    payload: dict[str, Any]
    """What would be sent, secrets as markers."""
    arguments: dict[str, Any]
    """The values that the model supplied."""
    variables: dict[str, str] = {}
    """What the prompt variables stood for when it was asked."""
    query: dict[str, Any] = {}
    """The arguments of the query that it belongs to, without the message."""
    is_trusted: bool = False
    """Whether who asked had a key."""
    state: ApprovalState = "pending"
    outcome: Literal["", "sent", "failed", "uncertain"] = ""
    """What became of the call; `uncertain` is stored before it is sent."""
    reason: str = ""
    """Why it needs approval."""
    note: str = ""
    """What the operator said to it."""
    decided_by: str | None = None
    decided_at: Moment | None = None
    so_far: list[list[str]] = []
    """The steps of the turn up to the call, so that it can go on."""
    returned: str = ""
    """What the call gave, so that a turn which is begun again does not make it again; nothing while that is
    not known."""
    record: dict[str, Any] = {}
    """What the trace says of the call, from before it is sent."""
