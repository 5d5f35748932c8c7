"""Integrations: the channels on which an agent answers."""

from __future__ import annotations

from typing import Literal

from .entities import Entity

Channel = Literal["whatsapp", "telegram", "zapi", "instagram"]


class Integration(Entity):
    """One channel of one agent, switched on or off."""

    agent_id: str
    type: Channel
    enabled: bool
