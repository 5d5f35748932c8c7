"""Endpoints: addresses that are told of events, what they know us by, and whether they listen."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self

from .agents import Agent
from .crm import Step
from .entities import Entity, Moment
from .secrets import uncovered_address, within

MOST_FAILURES = 10
FAILING_FOR = timedelta(days=1)
"""An address that failed so often in a row, for so long, is paused."""

_CONFIG = "config_url_infos_system_external"
_NAMED = re.compile(r"([A-Za-z][\w!#$%&'*+.^`|~-]*)\s*:\s*(.+)", re.ASCII | re.DOTALL)
"""`Name: value`."""
_TOKEN = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)


class Endpoint(Entity):
    """How an address that is told of events behaves; its id is that of the agent or the step it belongs to.

    There is none for an address that was never told anything, or took what it was told last.
    """

    agent_id: str | None = None
    step_id: str | None = None
    """Whose webhook it is: the one or the other."""
    url: str
    """The address, secrets as markers."""
    failures: int = 0
    """Tries that failed one after the other."""
    failing_since: Moment | None = None
    paused_at: Moment | None = None
    """Nothing is sent there since then, until it is resumed or its address is saved again."""
    last_error: str = ""

    @property
    def why_paused(self) -> str:
        """Why nothing is sent there, in words."""
        return f"The webhook is paused. {self.last_error}".strip()

    def failed(self, at: datetime, error: str, *, is_gone: bool = False) -> Self:
        """The same after one more try that failed; an address that is gone, or fails for long, is paused."""
        failures, since = self.failures + 1, self.failing_since or at
        is_dead = failures >= MOST_FAILURES and at - since >= FAILING_FOR
        paused_at = self.paused_at or (at if is_gone or is_dead else None)
        changes = {"failures": failures, "failing_since": since, "paused_at": paused_at}
        return self.changed(at, last_error=error, **changes)


@dataclass(frozen=True)
class Webhook:
    """An address that wants to be told of events."""

    owner_id: str
    """The agent or the step."""
    shown: str
    """The address, secrets as markers."""
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    """What the receiver wants to know us by."""
    secrets: tuple[Any, ...] = field(default=(), repr=False)
    """What must not be repeated to anyone else."""


def webhook_of(agent: Agent) -> Webhook | None:
    """Where an agent wants its events to be told; None where it does not."""
    config = agent.config_url_infos_system_external or {}
    url, header = config.get("url_webhook_external"), config.get("headerKey")
    return _webhook(
        agent.id,
        (within(_CONFIG, "url_webhook_external"), url),
        (within(_CONFIG, "headerKey"), header),
        agent.secrets,
    )


def webhook_of_step(step: Step) -> Webhook | None:
    """Where a step wants to be told that a conversation entered it; None where it does not."""
    url, header = ("webhookUrl", step.webhook_url), ("webhookHeader", step.webhook_header)
    return _webhook(step.id, url, header, step.secrets)


def _webhook(
    owner_id: str, url: tuple[str, Any], header: tuple[str, Any], secrets: Mapping[str, Any]
) -> Webhook | None:
    location, shown = url
    if not isinstance(shown, str) or not shown.strip():
        return None
    opened = uncovered_address(location, shown, secrets)
    return Webhook(owner_id, shown, opened, _headers(*header, secrets), tuple(secrets.values()))


def _headers(location: str, given: Any, secrets: Mapping[str, Any]) -> dict[str, str]:
    """Headers as they were written: an object, `Name: value`, or a bare value for Authorization."""
    value = secrets.get(location, given)
    if isinstance(value, str):
        value = _read(value.strip())
    if not isinstance(value, dict):
        return {}
    opened = {name: secrets.get(within(location, name), text) for name, text in value.items()}
    return {
        name.strip(): str(text).strip()
        for name, text in opened.items()
        if _TOKEN.fullmatch(name.strip()) and isinstance(text, str | int | float) and str(text).strip()
    }


def _read(text: str) -> dict[str, Any]:
    if text.startswith("{"):
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, dict):
            return read
    named = _NAMED.fullmatch(text)
    if named is not None:
        return {named[1]: named[2]}
    return {"Authorization": text} if text else {}
