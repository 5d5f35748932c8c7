"""Operations on channels: accounts with providers, and what arrives there."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field
from pydantic.alias_generators import to_camel

from vivavoce.domain.channels import Account, AccountType, Arrival, ArrivalState, WebhookConfig
from vivavoce.domain.entities import Moment
from vivavoce.domain.values import Id, Name, Unlisted

from .agents import AgentRef
from .base import LEFT_OUT, Effect, Listing, Operation, Result

ChannelId = Annotated[Id, Field(description="The channel's id, as list_channels shows it.")]
_POSTED = {"event_id": "id", "kind": "type"}
"""What providers call some parts of an event otherwise than we do."""
_READ_BACK = "id type eventsPath createdAt updatedAt"


class ChannelShown(Result):
    """A channel: an account of an agent with a provider. Secrets appear as ********."""

    id: str
    agent_id: str
    type: AccountType
    name: str
    enabled: bool
    config: dict[str, Any]
    events_path: Annotated[str, Field(description="Where the provider posts events, on this server.")]
    created_at: Annotated[Moment, Unlisted]
    updated_at: Annotated[Moment, Unlisted]

    @classmethod
    def showing(cls, account: Account, **more: Any) -> Self:
        """What is shown of an account."""
        fields = account.fields()
        known = {name: fields[name] for name in ChannelShown.model_fields if name in fields}
        return cls.model_construct(None, **known, events_path=f"/channels/{account.id}/events", **more)


class ChannelCreated(ChannelShown):
    """A channel with its token, which is shown this once."""

    token: Annotated[str, Field(description="What the provider sends as X-Webhook-Token with its events.")]


class ChannelList(Listing):
    """The channels, newest first."""

    channels: list[ChannelShown]


class ChannelDeleted(ChannelShown):
    """The channel that was deleted, and how much went with it."""

    also_removed: Annotated[dict[str, int], Field(description="What went with it: how many arrivals.")]


class ArrivalShown(Result):
    """An event that arrived from a provider, and what became of it."""

    id: str
    channel_id: str
    event_id: str
    state: ArrivalState
    sent_at: Moment | None = None
    heard: dict[str, Any] = {}
    raw: Annotated[str, Unlisted] = ""
    conversation_id: str | None = None
    message_id: str | None = None
    reason: str = ""
    created_at: Moment
    updated_at: Moment

    @classmethod
    def showing(cls, arrival: Arrival) -> Self:
        """What is shown of an arrival."""
        fields = arrival.fields()
        known = {name: fields[name] for name in cls.model_fields if name in fields}
        said = {_POSTED.get(name, to_camel(name)): value for name, value in arrival.heard.items()}
        return cls.model_construct(None, **{**known, "heard": said}, channel_id=arrival.account_id)


class ArrivalList(Listing):
    """Arrivals, newest first."""

    arrivals: list[ArrivalShown]


class CreateChannel(
    Operation[ChannelCreated],
    effect=Effect.CREATE,
    route="POST /channels 201",
    offer="extra",
    echoes=_READ_BACK,
):
    """Connect an agent with a provider: what arrives there is answered, and answers are posted back.

    The answer holds a token, shown this once. The provider posts its events to eventsPath with the token as
    X-Webhook-Token; messages for people are posted to config.url.
    """

    agent_id: AgentRef
    type: Annotated[AccountType, Field(description="webhook: any program that speaks HTTP.")] = "webhook"
    name: Annotated[Name, Field(description="What you call it.")]
    enabled: Annotated[
        bool, Field(description="Whether it is on. While it is off, providers are told to try later.")
    ] = True
    config: Annotated[WebhookConfig, Field(description="How the provider is reached.")]


class ListChannels(Operation[ChannelList], effect=Effect.READ, route="GET /channels", offer="extra"):
    """List the channels, newest first, of all agents or of one."""

    agent_id: Annotated[AgentRef | None, Field(description="Of this agent only: its id or @handle.")] = None
    limit: Annotated[
        int | None, Field(ge=1, le=100_000, description="How many at most; all when left out.")
    ] = None
    offset: Annotated[int, Field(ge=0, le=2**53, description="How many to pass over.")] = 0


class GetChannel(
    Operation[ChannelShown], effect=Effect.READ, route="GET /channels/{channelId}", offer="extra"
):
    """Show a channel with its settings. Secrets appear as ********."""

    channel_id: ChannelId


class UpdateChannel(
    Operation[ChannelShown],
    effect=Effect.CHANGE,
    route="PATCH /channels/{channelId}",
    offer="extra",
    echoes=_READ_BACK,
):
    """Change a channel. Fields that are not given stay as they are; config is replaced whole.

    ******** keeps a stored secret as long as the address stays on its host. With another agent, chats go on
    in new conversations.
    """

    channel_id: ChannelId
    agent_id: Annotated[AgentRef, Field(description="Another agent: its id or @handle.")] = LEFT_OUT
    name: Annotated[Name, Field(description="A new name.")] = LEFT_OUT
    enabled: Annotated[bool, Field(description="Whether it is on.")] = LEFT_OUT
    config: Annotated[WebhookConfig, Field(description="How the provider is reached; replaced whole.")] = (
        LEFT_OUT
    )


class RenewChannelToken(
    Operation[ChannelCreated],
    effect=Effect.CHANGE,
    route="PUT /channels/{channelId}/token",
    offer="extra",
):
    """Give a channel a new token, shown this once. The old one is not valid any more, at once."""

    channel_id: ChannelId


class DeleteChannel(
    Operation[ChannelDeleted],
    effect=Effect.DELETE,
    route="DELETE /channels/{channelId}",
    offer="extra",
    takes_along="what arrived there, heard or not",
):
    """Delete a channel. Its conversations stay, and nothing can be sent in them any more."""

    channel_id: ChannelId


class ListArrivals(
    Operation[ArrivalList],
    effect=Effect.READ,
    route="GET /channels/{channelId}/arrivals",
    offer="extra",
):
    """List what arrived at a channel, newest first, and what became of it.

    With state failed it shows what could not be heard; retry_arrival hears one of these again.
    """

    channel_id: ChannelId
    state: Annotated[ArrivalState | None, Field(description="In this state only.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="How many.")] = 25
    offset: Annotated[int, Field(ge=0, le=2**53, description="How many to pass over.")] = 0


class RetryArrival(
    Operation[ArrivalShown],
    effect=Effect.SEND,
    route="POST /channels/{channelId}/arrivals/{arrivalId}/retry",
    offer="extra",
):
    """Hear an arrival that failed once more, at once. What it says is answered as if it came now."""

    channel_id: ChannelId
    arrival_id: Annotated[Id, Field(description="The arrival's id, as list_arrivals shows it.")]
