"""What prompt variables stand for in a conversation."""

from __future__ import annotations

from datetime import timedelta

from vivavoce.domain.attributions import variables_of
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation
from vivavoce.domain.crm import Step
from vivavoce.domain.entities import written
from vivavoce.engine.handlers import Work

_REMEMBERED = timedelta(days=3)
"""How long a fact about a conversation is told to the model after it was last set."""


def prompt_variables(
    conversation: Conversation, contact: Contact | None, position: int, step: Step | None, work: Work
) -> dict[str, str]:
    """Each variable and what it stands for; `position` is the place of the last message."""
    return {
        **facts_of(conversation, work),
        **_of_contact(contact),
        "conversation-id": conversation.id,
        "conversation-channel": conversation.channel,
        "channel": conversation.channel,
        "created-at": written(conversation.created_at),
        "status": conversation.status,
        "priority": conversation.priority,
        "assignee-email": conversation.assignee or "",
        "total-messages": str(position),
        "frustration-level": _percent(conversation.frustration),
        "conversation-tags": ", ".join(conversation.tags),
        "summary": conversation.summary or "",
        **variables_of(conversation.ctwa_attributions),
        "today": f"{work.now:%A, %Y-%m-%d}",
        **_of_step(step, work),
    }


def facts_of(conversation: Conversation, work: Work) -> dict[str, str]:
    """The facts that are kept about a conversation and still remembered."""
    return {
        name: each.value
        for name, each in conversation.variables.items()
        if work.now - each.updated_at <= _REMEMBERED
    }


def _of_contact(contact: Contact | None) -> dict[str, str]:
    """Who the person is, in one line each: they choose it, and may not write instructions with it."""
    known = (contact.name, contact.email, contact.phone_number) if contact is not None else ("", "", "")
    names = ("user-name", "user-email", "user-phone-number")
    return {name: " ".join((value or "").split()) for name, value in zip(names, known, strict=True)}


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f}"


def _of_step(step: Step | None, work: Work) -> dict[str, str]:
    if step is None:
        return {}
    scenario = work.tables.scenarios.find(step.scenario_id)
    return {
        "step-id": step.id,
        "step-name": step.name,
        "scenario-id": step.scenario_id,
        "scenario-name": "" if scenario is None else scenario.name,
    }
