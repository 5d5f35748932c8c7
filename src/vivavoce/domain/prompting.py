"""Prompt variables: the names in braces that a prompt, a step or an address may hold."""

from __future__ import annotations

PROMPT_VARIABLES = frozenset(
    (
        *("user-phone-number", "user-name", "user-email"),
        *("conversation-id", "conversation-channel", "created-at", "status", "priority", "assignee-email"),
        *("total-messages", "frustration-level", "conversation-tags", "summary"),
        *("scenario-id", "scenario-name", "step-id", "step-name"),
        *("ad-headline", "ad-body", "ad-source-url", "ad-source-type", "ad-clicked-at", "ad-clid"),
        *("ad-source-id", "today", "channel"),
    )
)
"""Filled in from the conversation when a prompt is used."""
