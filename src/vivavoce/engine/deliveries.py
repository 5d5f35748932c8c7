"""How the engine carries out operations on deliveries and webhooks."""

from __future__ import annotations

from typing import Any, NamedTuple

from vivavoce.domain.deliveries import OVER, Delivery
from vivavoce.domain.endpoints import Webhook, webhook_of, webhook_of_step
from vivavoce.domain.jobs import lane_of_sendings
from vivavoce.domain.secrets import Cover
from vivavoce.domain.webhooks import lane_of_posts
from vivavoce.errors import Conflict, NotFound
from vivavoce.operations.cursors import place_of
from vivavoce.operations.deliveries import (
    DeliveryContents,
    DeliveryList,
    DeliveryShown,
    GetDelivery,
    GetWebhookStatus,
    ListDeliveries,
    Redeliver,
    ResumeWebhook,
    WebhookShown,
)

from .handlers import Work, handles
from .references import agent_named, step_named
from .time.endpoints import resume, webhook_for
from .time.outgoing import MOST_AT_ONCE, again, endpoint_of, hurry, lane_to


@handles(ListDeliveries)
def list_deliveries(op: ListDeliveries, work: Work) -> DeliveryList:
    wanted = {"state": op.state, "kind": op.kind, "conversation_id": op.conversation_id}
    given: dict[str, str] = {name: value for name, value in wanted.items() if value is not None}
    if op.agent_id is not None:
        given["agent_id"] = agent_named(op.agent_id, work).id
    before = None if op.cursor is None else place_of(op.cursor)
    found = work.tables.deliveries.page(op.limit, before, **given)
    return DeliveryList(deliveries=[DeliveryShown(**_fields(each, work)) for each in found])


@handles(GetDelivery)
def get_delivery(op: GetDelivery, work: Work) -> DeliveryContents:
    delivery = _named(op.delivery_id, work)
    payload = delivery.body
    if delivery.kind == "message":
        message = work.tables.messages.find(delivery.message_id or "")
        payload = {} if message is None else {"text": message.text, "attachments": message.attachments}
    return DeliveryContents(**_fields(delivery, work), payload=payload)


@handles(Redeliver)
def redeliver(op: Redeliver, work: Work) -> DeliveryShown:
    delivery = _named(op.delivery_id, work)
    if delivery.kind == "message" and delivery.state in ("sent", "uncertain") and not op.force:
        told = "was sent" if delivery.state == "sent" else "may have arrived"
        raise Conflict(
            f"Message {delivery.id!r} {told}: the person may read it twice.",
            hint="Ask the person, or look on the channel. To send it all the same, call with force true.",
        )
    _check_not_paused(delivery, work)
    is_over = delivery.state in OVER
    if not (_sent_again(delivery, work) if is_over else hurry([delivery], work)):
        raise Conflict(f"Delivery {delivery.id!r} is on its way.", hint="See how it goes with get_delivery.")
    return DeliveryShown(**_fields(_named(delivery.id, work), work))


@handles(GetWebhookStatus)
def get_webhook_status(op: GetWebhookStatus, work: Work) -> WebhookShown:
    return _webhook_shown(_asked_for(op, work), work)


@handles(ResumeWebhook)
def resume_webhook(op: ResumeWebhook, work: Work) -> WebhookShown:
    asked = _asked_for(op, work)
    if asked.webhook is None:
        raise Conflict(
            f"Agent {asked.agent_id!r} has no webhook."
            if asked.step_id is None
            else f"Step {asked.step_id!r} has no webhook.",
            hint="Set url_webhook_external in configUrlInfosSystemExternal with update_agent, or webhookUrl "
            "with update_crm_step.",
        )
    resume(asked.webhook.owner_id, work)
    hurry(work.tables.deliveries.where(state="waiting", limit=MOST_AT_ONCE, **asked.deliveries), work)
    if op.redeliver_held:
        for held in work.tables.deliveries.where(state="held", limit=MOST_AT_ONCE, **asked.deliveries):
            _sent_again(held, work)
    return _webhook_shown(asked, work)


class _Asked(NamedTuple):
    """The webhook that a call is about."""

    agent_id: str
    step_id: str | None
    webhook: Webhook | None

    @property
    def deliveries(self) -> dict[str, Any]:
        """Which deliveries are for it. Events of a step may be of any agent."""
        of_agent = {"agent_id": self.agent_id} if self.step_id is None else {}
        return {"kind": "webhook", "step_id": self.step_id, **of_agent}


def _asked_for(op: GetWebhookStatus | ResumeWebhook, work: Work) -> _Asked:
    agent = agent_named(op.id, work)
    if op.step_id is None:
        return _Asked(agent.id, None, webhook_of(agent))
    step = step_named(op.step_id, work)
    return _Asked(agent.id, step.id, webhook_of_step(step))


def _check_not_paused(delivery: Delivery, work: Work) -> None:
    """Refuse to send an event where nothing is sent."""
    webhook = webhook_for(delivery, work) if delivery.kind == "webhook" else None
    endpoint = None if webhook is None else endpoint_of(webhook, work)
    if endpoint is not None and endpoint.paused_at is not None:
        of_step = "" if delivery.step_id is None else f" and stepId {delivery.step_id!r}"
        raise Conflict(
            endpoint.why_paused, hint=f"Resume it with resume_webhook, id {delivery.agent_id!r}{of_step}."
        )


def _named(delivery_id: str, work: Work) -> Delivery:
    delivery = work.tables.deliveries.find(delivery_id)
    if delivery is None:
        raise NotFound(f"No delivery {delivery_id!r}.", hint="List them with list_deliveries.")
    return delivery


def _sent_again(delivery: Delivery, work: Work) -> bool:
    """Let it out once more; False where it is on its way already."""
    if delivery.kind == "message":
        conversation = work.tables.conversations.find(delivery.conversation_id or "")
        taken_over = delivery.taken_over if conversation is None else conversation.taken_over
        on_purpose = delivery.changed(work.now, taken_over=taken_over)  # a person wants it to be said
        return again(on_purpose, lane_of_sendings(delivery.conversation_id or ""), work)
    webhook = webhook_for(delivery, work) if delivery.kind == "webhook" else None
    if webhook is None:
        return again(delivery, lane_of_posts(delivery.url or "", delivery.conversation_id), work)
    return again(delivery, lane_to(webhook, delivery, work), work)


def _fields(delivery: Delivery, work: Work) -> dict[str, Any]:
    """What is shown of a delivery; the secrets of an address are not."""
    fields = delivery.fields()
    if delivery.url is not None:
        fields["url"] = Cover({}).over_address("url", delivery.url)
    elif delivery.kind == "webhook":
        webhook = webhook_for(delivery, work)
        fields["url"] = None if webhook is None else webhook.shown
    return {name: fields[name] for name in DeliveryShown.model_fields}


def _webhook_shown(asked: _Asked, work: Work) -> WebhookShown:
    webhook = asked.webhook
    endpoint = None if webhook is None else endpoint_of(webhook, work)
    counts = {
        state: work.tables.deliveries.count(state=state, **asked.deliveries) for state in ("waiting", "held")
    }
    return WebhookShown(
        agent_id=asked.agent_id,
        step_id=asked.step_id,
        url=None if webhook is None else webhook.shown,
        is_paused=endpoint is not None and endpoint.paused_at is not None,
        paused_at=None if endpoint is None else endpoint.paused_at,
        failures=0 if endpoint is None else endpoint.failures,
        failing_since=None if endpoint is None else endpoint.failing_since,
        last_error="" if endpoint is None else endpoint.last_error,
        **counts,
    )
