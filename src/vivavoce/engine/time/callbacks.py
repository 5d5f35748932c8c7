"""Callbacks: the answer of a turn, sent to the address that the caller named."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.jobs import lane_of_conversation
from vivavoce.domain.webhooks import lane_of_posts
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.turns.opening import Opened
from vivavoce.errors import InvalidInput


def check_callback(errand: Errand) -> None:
    """Refuse a stranger, who could have us call anyone."""
    if errand.caller.is_anonymous:
        raise InvalidInput(
            "callbackURL: needs an API key.",
            hint="Send a key as a bearer token, or leave callbackURL out.",
            details={"callbackURL": "needs an API key"},
        )


def begin_at_once(opened: Opened, errand: Errand) -> None:
    """Where nobody works in this process, answer here after the call; else, or later, a worker does."""
    if not errand.has_worker and errand.later.has_room:
        errand.later.begin(_answered(opened, errand))


def note_in_trace(delivery: Delivery, work: Work) -> None:
    """Keep in the trace of the turn how its callback goes: the tries, and the status or the error."""
    turns = work.tables.turns.where(message_id=delivery.message_id)
    last: dict[str, Any] = delivery.tries[-1] if delivery.tries else {"error": delivery.reason}
    kept: dict[str, Any] = {key: last[key] for key in ("status", "error") if key in last}
    record = {"tries": len(delivery.tries), **kept}
    for turn in turns[-1:]:
        work.tables.turns.replace(turn.changed(work.now, trace={**turn.trace, "callback": record}))


async def _answered(opened: Opened, errand: Errand) -> None:
    conversation_id, url = opened.conversation.id, opened.turn.callback_url or ""
    await errand.attend(lane_of_conversation(conversation_id))
    await errand.attend(lane_of_posts(url, conversation_id))
