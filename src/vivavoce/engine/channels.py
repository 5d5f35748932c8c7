"""How the engine carries out operations on channels."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.channels import Account, configured
from vivavoce.errors import Conflict, NotFound
from vivavoce.operations.channels import (
    ArrivalList,
    ArrivalShown,
    ChannelCreated,
    ChannelDeleted,
    ChannelList,
    ChannelShown,
    CreateChannel,
    DeleteChannel,
    GetChannel,
    ListArrivals,
    ListChannels,
    RenewChannelToken,
    RetryArrival,
    UpdateChannel,
)

from .handlers import Work, handles
from .references import agent_named
from .time.hearing import job_of
from .time.outgoing import go_on

TOKEN = "vvc_"
"""How the token of a channel begins."""


@handles(CreateChannel)
def create_channel(op: CreateChannel, work: Work) -> ChannelCreated:
    token = TOKEN + work.ports.new_secret()
    account = Account(
        **work.identity(),
        agent_id=agent_named(op.agent_id, work).id,
        type=op.type,
        name=op.name,
        enabled=op.enabled,
        token_digest=work.ports.vault.digest(token),
        **configured(op.config),
    )
    work.tables.accounts.add(account)
    return ChannelCreated.showing(account, token=token)


@handles(ListChannels)
def list_channels(op: ListChannels, work: Work) -> ChannelList:
    of_agent = {} if op.agent_id is None else {"agent_id": agent_named(op.agent_id, work).id}
    found = work.tables.accounts.where(newest_first=True, limit=op.limit, offset=op.offset, **of_agent)
    return ChannelList.model_construct(channels=[ChannelShown.showing(each) for each in found])


@handles(GetChannel)
def get_channel(op: GetChannel, work: Work) -> ChannelShown:
    return ChannelShown.showing(account_named(op.channel_id, work))


@handles(UpdateChannel)
def update_channel(op: UpdateChannel, work: Work) -> ChannelShown:
    account = account_named(op.channel_id, work)
    given = op.given()
    changes: dict[str, Any] = {name: given[name] for name in ("name", "enabled") if name in given}
    if "agent_id" in given:
        changes["agent_id"] = agent_named(op.agent_id, work).id
    if "config" in given:
        changes |= configured(op.config, account)
    account = account.changed(work.now, **changes)
    work.tables.accounts.replace(account)
    if changes.get("enabled") is True:
        go_on(account, work)
    return ChannelShown.showing(account)


@handles(RenewChannelToken)
def renew_channel_token(op: RenewChannelToken, work: Work) -> ChannelCreated:
    token = TOKEN + work.ports.new_secret()
    account = account_named(op.channel_id, work)
    account = account.changed(work.now, token_digest=work.ports.vault.digest(token))
    work.tables.accounts.replace(account)
    return ChannelCreated.showing(account, token=token)


@handles(DeleteChannel)
def delete_channel(op: DeleteChannel, work: Work) -> ChannelDeleted:
    account = account_named(op.channel_id, work)
    gone = {"arrivals": work.tables.arrivals.count(account_id=account.id)}
    work.tables.accounts.drop(account.id)
    return ChannelDeleted.showing(account, also_removed=gone)


@handles(ListArrivals)
def list_arrivals(op: ListArrivals, work: Work) -> ArrivalList:
    account = account_named(op.channel_id, work)
    in_state = {} if op.state is None else {"state": op.state}
    found = work.tables.arrivals.where(
        newest_first=True, limit=op.limit, offset=op.offset, account_id=account.id, **in_state
    )
    return ArrivalList.model_construct(arrivals=[ArrivalShown.showing(each) for each in found])


@handles(RetryArrival)
def retry_arrival(op: RetryArrival, work: Work) -> ArrivalShown:
    account = account_named(op.channel_id, work)
    arrival = work.tables.arrivals.find(op.arrival_id)
    if arrival is None or arrival.account_id != account.id:
        raise NotFound(
            f"Channel {account.id!r} has no arrival {op.arrival_id!r}.",
            hint="List them with list_arrivals.",
        )
    if arrival.state != "failed":
        raise Conflict(
            f"Arrival {arrival.id!r} is {arrival.state}, not failed.",
            hint="Only what failed is heard again.",
        )
    again = arrival.changed(work.now, state="waiting", reason="")
    work.tables.arrivals.replace(again)
    work.tables.jobs.add(job_of(again, work.now), work.now)
    return ArrivalShown.showing(again)


def account_named(channel_id: str, work: Work) -> Account:
    """The account of a channel with this id."""
    account = work.tables.accounts.find(channel_id)
    if account is None:
        raise NotFound(f"No channel {channel_id!r}.", hint="List them with list_channels.")
    return account
