"""Operations on deliveries: what went out to channels, webhooks and callbacks, and what did not."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from vivavoce.domain.deliveries import DeliveryKind, DeliveryState
from vivavoce.domain.entities import Moment
from vivavoce.domain.values import Id

from .agents import AgentRef
from .base import Effect, Listing, Operation, Result
from .cursors import a_place

DeliveryId = Annotated[Id, Field(description="The delivery's id, as list_deliveries shows it.")]

WebhookStepId = Annotated[
    Id | None, Field(description="The webhook of this step instead: its id, as list_crm_steps shows it.")
]


class DeliveryShown(Result):
    """One thing that goes out, and what became of it."""

    id: str
    kind: DeliveryKind
    state: DeliveryState
    event_type: Annotated[str, Field(description="Of a webhook: what it tells.")]
    conversation_id: str | None
    agent_id: str | None
    message_id: str | None
    step_id: Annotated[str | None, Field(description="Whose webhook it is, where it is a step's.")]
    url: Annotated[
        str | None,
        Field(description="Where an event or a callback goes; ******** stands for a secret."),
    ]
    reason: Annotated[str, Field(description="Why it is not sent, or not yet, in words.")]
    tries: Annotated[
        list[dict[str, Any]], Field(description="When it was tried, and the status or the error.")
    ]
    due_at: Annotated[Moment | None, Field(description="When it is tried next.")]
    sent_at: Moment | None
    external_id: Annotated[str | None, Field(description="What the channel calls the message.")]
    status: Annotated[
        str, Field(description="What the channel said of the message since: sent, delivered, read or failed.")
    ]
    statuses: Annotated[list[dict[str, Any]], Field(description="All that it said, as it came.")]
    created_at: Moment
    updated_at: Moment


class DeliveryList(Listing):
    """Deliveries, newest first."""

    deliveries: list[DeliveryShown]


class DeliveryContents(DeliveryShown):
    """A delivery with what is sent."""

    payload: Annotated[
        dict[str, Any],
        Field(description="What a webhook or a callback is sent, or the text and the files of a message."),
    ]


class WebhookShown(Result):
    """The webhook of an agent or of a step, and whether it listens."""

    agent_id: str
    step_id: Annotated[str | None, Field(description="Whose webhook it is, where it is a step's.")]
    url: Annotated[str | None, Field(description="Where events go, secrets as ********; null for nowhere.")]
    is_paused: Annotated[bool, Field(description="Whether nothing is sent until it is resumed.")]
    paused_at: Moment | None
    failures: Annotated[int, Field(description="Tries that failed one after the other.")]
    failing_since: Moment | None
    last_error: str
    waiting: Annotated[int, Field(description="Events that are still to be sent.")]
    held: Annotated[int, Field(description="Events that were kept while it was paused.")]


class ListDeliveries(
    Operation[DeliveryList],
    effect=Effect.READ,
    route="GET /deliveries",
    offer="extra",
):
    """List what goes out to channels, webhooks and callbacks, newest first, with what became of each.

    failed and uncertain ones are the dead letters: look at one with get_delivery, send it again with
    redeliver. For the next page, repeat the call with cursor made from the last row of this one.
    """

    state: Annotated[
        DeliveryState | None,
        Field(
            description="In this state. held: kept while a webhook is paused. uncertain: it may have come."
        ),
    ] = None
    kind: Annotated[
        DeliveryKind | None, Field(description="Messages on channels, events for webhooks, or callbacks.")
    ] = None
    conversation_id: Annotated[Id | None, Field(description="Of this conversation.")] = None
    agent_id: Annotated[AgentRef | None, Field(description="Of this agent: its id or @handle.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="How many.")] = 25
    cursor: Annotated[
        Annotated[str, Field(max_length=500), AfterValidator(a_place)] | None,
        Field(
            description='Where to go on, as JSON text: {"lastCreatedAt": createdAt of the last row, '
            '"lastId": its id}.'
        ),
    ] = None


class GetDelivery(
    Operation[DeliveryContents],
    effect=Effect.READ,
    route="GET /deliveries/{deliveryId}",
    offer="extra",
):
    """Show a delivery with what is sent and every try."""

    delivery_id: DeliveryId


class Redeliver(
    Operation[DeliveryShown],
    effect=Effect.SEND,
    route="POST /deliveries/{deliveryId}/redeliver",
    offer="extra",
):
    """Send again what is over: failed, held, withdrawn, sent or uncertain. It keeps its id.

    One that waits for its next try is tried at once. While a webhook is paused, resume_webhook comes first.
    Receivers of webhooks and callbacks know by the id what they have seen. A person would read a message
    twice, so one that was sent, or may have been, needs force.
    """

    delivery_id: DeliveryId
    force: Annotated[
        bool, Field(description="Send a message again although it may reach the person twice.")
    ] = False


class GetWebhookStatus(
    Operation[WebhookShown],
    effect=Effect.READ,
    route="GET /agents/{id}/webhook",
    offer="extra",
):
    """Show whether the webhook of an agent listens, and how many events wait for it.

    It is set with update_agent, in configUrlInfosSystemExternal; that of a step with update_crm_step.
    """

    id: AgentRef
    step_id: WebhookStepId = None


class ResumeWebhook(
    Operation[WebhookShown],
    effect=Effect.SEND,
    route="POST /agents/{id}/webhook/resume",
    offer="extra",
):
    """Send events to the webhook of an agent again after it was paused, from the next one on.

    Those that wait for their next try are tried at once. With redeliverHeld, those that were kept meanwhile
    are sent as well. Of each at most 1000 in a call, oldest first.
    """

    id: AgentRef
    step_id: WebhookStepId = None
    redeliver_held: Annotated[bool, Field(description="Send what was kept, too.")] = False
