"""Endpoints: where deliveries go, and what is kept of how the addresses behave."""

from __future__ import annotations

from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.endpoints import Endpoint, Webhook, webhook_of, webhook_of_step
from vivavoce.engine.handlers import Work

from .outgoing import endpoint_of


def webhook_for(delivery: Delivery, work: Work) -> Webhook | None:
    """The webhook that a delivery is for, as it is set now; None where there is none any more."""
    if delivery.step_id is not None:
        step = work.tables.steps.find(delivery.step_id)
        return None if step is None else webhook_of_step(step)
    agent = None if delivery.agent_id is None else work.tables.agents.find(delivery.agent_id)
    return None if agent is None else webhook_of(agent)


def note_success(webhook: Webhook, work: Work) -> None:
    """The address listens: nothing is held against it."""
    if endpoint_of(webhook, work) is not None:
        resume(webhook.owner_id, work)


def note_failure(webhook: Webhook, delivery: Delivery, error: str, work: Work, *, is_gone: bool) -> Endpoint:
    """Count a try that failed; the address as it is counted now, paused where it is dead."""
    known = endpoint_of(webhook, work)
    if known is not None:
        failed = known.failed(work.now, error, is_gone=is_gone)
        work.tables.endpoints.replace(failed)
        return failed
    new = Endpoint(
        **{**work.identity(), "id": webhook.owner_id},
        agent_id=delivery.agent_id if delivery.step_id is None else None,
        step_id=delivery.step_id,
        url=webhook.shown,
    )
    failed = new.failed(work.now, error, is_gone=is_gone)
    resume(webhook.owner_id, work)  # what was known of an earlier address
    work.tables.endpoints.add(failed)
    return failed


def resume(owner_id: str, work: Work) -> None:
    """Forget what is held against the address of an agent or a step, so that it is told again."""
    work.tables.endpoints.drop(owner_id)
