"""Deliveries: what goes out to a channel or an address, stored with the change that it tells of."""

from __future__ import annotations

from typing import Any, Literal

from .entities import Entity, Moment

DeliveryKind = Literal["message", "webhook", "callback"]
"""A message on a channel, an event for a webhook, or the answer of a query for its callbackURL."""
DeliveryState = Literal["waiting", "sending", "sent", "uncertain", "failed", "withdrawn", "held"]
"""`sending` is stored before it is sent. `uncertain`: whether it arrived is not known; it is not repeated.

`failed`: given up or refused for good. `withdrawn`: not sent any more, since a person took over, the
person is blocked, or the channel's window is closed. `held`: the address does not answer, and nothing is sent
there until it is resumed.
"""
OVER: tuple[DeliveryState, ...] = ("sent", "uncertain", "failed", "withdrawn", "held")
"""Nothing more happens to it by itself."""
ARRIVED = ("sent", "delivered", "read")
"""What a channel says of a message that has reached it."""
MOST_TRIES = 50
"""How many tries of a delivery are remembered, and how many statuses."""


class Delivery(Entity):
    """One thing that goes out, and what became of it."""

    kind: DeliveryKind
    state: DeliveryState = "waiting"
    conversation_id: str | None = None
    agent_id: str | None = None
    message_id: str | None = None
    account_id: str | None = None
    """The channel account that sends it."""
    chat: str = ""
    """To whom, as the channel names them."""
    by_ai: bool = False
    """Whether the AI says it: then it is not sent once a person took over."""
    taken_over: int = 0
    """How often a person had taken over when it was said."""
    event_type: str = ""
    """Of a webhook: what it tells."""
    url: str | None = None
    """Where a callback goes. The address of a webhook is looked up when it is sent."""
    step_id: str | None = None
    """Whose webhook it is, where it is a step's."""
    body: dict[str, Any] = {}
    """What is sent to an address."""
    tries: list[dict[str, Any]] = []
    """When it was tried, and what came of it: at, status, error."""
    rung: int = 0
    """How many waits are behind it since it was let out, or sent again by hand."""
    due_at: Moment | None = None
    """When it is tried next."""
    sent_at: Moment | None = None
    external_id: str | None = None
    """What the channel calls the message."""
    status: str = ""
    """What the channel said of it since: sent, delivered, read or failed. It never goes back."""
    statuses: list[dict[str, Any]] = []
    """All that the channel said of it, as it came: at, status, detail."""
    reason: str = ""
    """Why it is uncertain, failed, withdrawn or held, in words."""
