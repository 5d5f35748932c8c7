"""Imports: what was copied from a hosted account, so that a second copy knows what has changed, and where."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from .entities import Entity

Kind = Literal[
    "scenarios",
    "datastores",
    "datasources",
    "agents",
    "tools",
    "access",
    "steps",
    "contacts",
    "conversations",
    "notes",
    "crm_logs",
]
"""What is copied; each is named as its table is."""

_BY_ITSELF: Mapping[str, tuple[str, ...]] = {
    "datastores": ("embedder", "dimension", "count", "_count"),
    "datasources": (
        *("status", "textSize", "hash", "nbChunks", "nbTokens", "lastSynch", "nbSynch", "progress", "error"),
        "text",
    ),
    "agents": ("tools",),
    "steps": ("agent", "scenario"),
    "conversations": ("crmScenarioConversations", "participantsContacts"),
    "crm_logs": ("conversation", "scenario", "step"),
}
"""What changes without anyone changing it, is copied by itself, or is about something else."""
_ROUND = "round"


class Imported(Entity):
    """That a thing was copied: how it looked there, and how it was stored here."""

    kind: str
    there: str = ""
    """The fingerprint of what the account showed."""
    here: str = ""
    """The fingerprint of what was stored."""
    round: int
    """In which copy it was looked at last."""
    is_whole: bool = True
    """Whether all that belongs to it is stored, too."""
    said: list[str] = []
    """What of it could not be carried over."""
    unread: list[str] = []
    """What of it the account did not give, and why."""


def imported_id(kind: str, id: str) -> str:
    """Under which id it is noted that a thing was copied."""
    return f"{kind}:{id}"


ROUND = imported_id(_ROUND, "")
"""Under which id stands which copy is the last one; it is whole once it came to its end."""


def fingerprint(kind: str, fields: Mapping[str, Any], *more: str) -> str:
    """What tells one state of a thing from another: of its JSON, without what changes by itself."""
    passed_over = {*_BY_ITSELF.get(kind, ()), "updatedAt", "organizationId"}
    kept = {name: value for name, value in fields.items() if name not in passed_over}
    text = json.dumps([kept, *more], sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
