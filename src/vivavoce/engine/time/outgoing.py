"""What goes out: stored in the transaction that says it, sent by a job."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vivavoce.domain.channels import Account, is_open, window_of
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.endpoints import Endpoint, Webhook
from vivavoce.domain.jobs import NewJob, lane_of_sendings
from vivavoce.domain.webhooks import lane_of_posts
from vivavoce.engine.handlers import Work

MOST_AT_ONCE = 1_000
"""How many deliveries one call lets out again; others follow when they are due."""
_FAILING = 3
"""An address that failed so often in a row is called by one at a time."""


def say(conversation: Conversation, message: Message, work: Work, *, by_ai: bool) -> Delivery | None:
    """Let a message that is stored go out on the conversation's channel; None where it is fetched or kept.

    `by_ai` where the AI says it by itself: then it is not sent once a person takes over.
    """
    if conversation.channel_credentials_id is None or conversation.is_test:
        return None
    if not by_ai:
        _withdraw(conversation, work)
    delivery = Delivery(
        **work.identity(),
        kind="message",
        conversation_id=conversation.id,
        agent_id=conversation.agent_id,
        message_id=message.id,
        account_id=conversation.channel_credentials_id,
        chat=conversation.channel_external_id or "",
        by_ai=by_ai,
        taken_over=conversation.taken_over,
    )
    return _let_out(delivery, lane_of_sendings(conversation.id), work)


def may_write(conversation: Conversation, account: Account | None, work: Work) -> bool:
    """Whether the channel's window for writing is open."""
    window = window_of(conversation.channel, None if account is None else account.window_hours)
    return is_open(window, conversation.last_human_interaction_at, work.now)


def _withdraw(conversation: Conversation, work: Work) -> None:
    """Let what a person says not wait behind what the AI said before and will not send any more."""
    for waiting in work.tables.deliveries.where(conversation_id=conversation.id, state="waiting"):
        if waiting.kind == "message" and waiting.by_ai and waiting.taken_over != conversation.taken_over:
            work.tables.jobs.cancel(job_of(waiting))
            changes = {"state": "withdrawn", "reason": "A person took over.", "due_at": None}
            work.tables.deliveries.replace(waiting.changed(work.now, **changes))


def call_back(
    url: str, body: dict[str, Any], conversation: Conversation, message_id: str, work: Work
) -> None:
    """Let the answer of a query go to the address that it named."""
    delivery = Delivery(
        **work.identity(),
        kind="callback",
        conversation_id=conversation.id,
        agent_id=conversation.agent_id,
        message_id=message_id,
        url=url,
        body=body,
    )
    _let_out(delivery, lane_of_posts(url, conversation.id), work)


def tell(delivery: Delivery, webhook: Webhook, work: Work) -> None:
    """Let an event go to a webhook; while that is paused, it is kept."""
    endpoint = endpoint_of(webhook, work)
    if endpoint is not None and endpoint.paused_at is not None:
        changes = {"state": "held", "reason": endpoint.why_paused}
        work.tables.deliveries.add(delivery.model_copy(update=changes))
    else:
        _let_out(delivery, lane_to(webhook, delivery, work), work)


def again(delivery: Delivery, lane: str, work: Work) -> bool:
    """Let out once more what is over; False where it is on its way already."""
    if not work.tables.jobs.add(_job(delivery, lane, work), work.now):
        return False
    changes = {"state": "waiting", "reason": "", "rung": 0, "status": "", "due_at": work.now}
    work.tables.deliveries.replace(delivery.changed(work.now, **changes))
    return True


def hurry(deliveries: Iterable[Delivery], work: Work) -> int:
    """Let those that wait for a later try be tried at once; how many there were."""
    number = 0
    for delivery in deliveries:
        due_at = work.tables.jobs.due(job_of(delivery))
        is_put_off = delivery.state == "waiting" and due_at is not None and due_at > work.now
        if is_put_off and work.tables.jobs.move(job_of(delivery), work.now, even_failed=True):
            work.tables.deliveries.replace(delivery.changed(work.now, due_at=work.now))
            number += 1
    return number


def go_on(account: Account, work: Work) -> None:
    """The account is on again: let out at once what waited for that, as far as it fits into one change."""
    hurry(work.tables.deliveries.where(account_id=account.id, state="waiting", limit=MOST_AT_ONCE), work)


def endpoint_of(webhook: Webhook, work: Work) -> Endpoint | None:
    """How the address of a webhook behaves; None where nothing is known against it."""
    found = work.tables.endpoints.find(webhook.owner_id)
    return found if found is not None and found.url == webhook.shown else None


def is_failing(webhook: Webhook, work: Work) -> bool:
    """Whether the address of a webhook did not answer for some time."""
    endpoint = endpoint_of(webhook, work)
    return endpoint is not None and endpoint.failures >= _FAILING


def lane_to(webhook: Webhook, delivery: Delivery, work: Work) -> str:
    """The lane in which an event goes to its webhook."""
    return lane_of_posts(webhook.url, delivery.conversation_id, is_failing=is_failing(webhook, work))


def job_of(delivery: Delivery) -> str:
    """The key of the job that sends a delivery."""
    return f"delivery:{delivery.id}"


def _let_out(delivery: Delivery, lane: str, work: Work) -> Delivery:
    """Store a delivery and the job that sends it."""
    due = delivery.model_copy(update={"due_at": work.now})
    work.tables.deliveries.add(due)
    work.tables.jobs.add(_job(delivery, lane, work), work.now)
    return due


def _job(delivery: Delivery, lane: str, work: Work) -> NewJob:
    kind = "send" if delivery.kind == "message" else "post"
    facts = {"delivery": delivery.id} | ({"account": delivery.account_id} if delivery.account_id else {})
    return NewJob(job_of(delivery), kind, work.at_once, lane, facts)
