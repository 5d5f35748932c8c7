"""Who answers in a conversation: the agent of its CRM step, or its own."""

from __future__ import annotations

from vivavoce.domain.agents import Agent
from vivavoce.domain.conversations import Conversation
from vivavoce.domain.crm import Step
from vivavoce.engine.handlers import Work


def step_of(conversation: Conversation, work: Work) -> Step | None:
    """The CRM step that a conversation is in; None where it is in none."""
    return None if conversation.step_id is None else work.tables.steps.find(conversation.step_id)


def agent_of(step: Step | None, work: Work) -> Agent | None:
    """The agent that answers in a step; None where that is the conversation's own."""
    return None if step is None or step.agent_id is None else work.tables.agents.find(step.agent_id)
