"""Announcing: what happens in conversations is told to the webhooks that want to know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vivavoce.domain.agents import Agent
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.crm import Step
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.endpoints import Webhook, webhook_of, webhook_of_step
from vivavoce.domain.webhooks import WebhookEvent, payload_of
from vivavoce.engine.handlers import Work

from .outgoing import tell

__all__ = ["WebhookEvent", "announce"]


def announce(
    type: WebhookEvent,
    conversation: Conversation,
    work: Work,
    *,
    heard: Message | None = None,
    message: Message | None = None,
    agent: Agent | None = None,
    **facts: Any,
) -> None:
    """Let the agent's webhook know, in the transaction that stores what happened.

    `heard` is what the person said, `message` what was said to them; `agent` is the conversation's, where it
    is at hand. Further facts go into the payload. A `step` among them may have a webhook of its own. Of a
    test nobody is told.
    """
    if conversation.is_test:
        return
    if agent is None or agent.id != conversation.agent_id:
        agent = _agent(conversation.agent_id, work)
    webhooks = list(_webhooks(agent, facts.get("step")))
    if not webhooks:
        return
    contact = None if conversation.contact_id is None else work.tables.contacts.find(conversation.contact_id)
    body = payload_of(
        type,
        conversation,
        agent,
        work.now,
        heard=heard,
        message=message,
        contact=contact,
        facts=facts,
    )
    for webhook, step_id in webhooks:
        delivery = Delivery(
            **work.identity(),
            kind="webhook",
            conversation_id=conversation.id,
            agent_id=conversation.agent_id,
            message_id=body.get("messageId"),
            event_type=type,
            step_id=step_id,
            body=body,
        )
        tell(delivery, webhook, work)


def _agent(agent_id: str | None, work: Work) -> Agent | None:
    return None if agent_id is None else work.tables.agents.find(agent_id)


def _webhooks(agent: Agent | None, step: Step | None) -> Iterator[tuple[Webhook, str | None]]:
    """Who wants to be told, and by which step, if by one."""
    told = None if agent is None else webhook_of(agent)
    if told is not None:
        yield told, None
    told = None if step is None else webhook_of_step(step)
    if step is not None and told is not None:
        yield told, step.id
