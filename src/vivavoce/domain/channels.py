"""Channels: accounts with providers, what arrives there, and when people may be written to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from .conversations import Channel
from .entities import Entity, Moment
from .http.addresses import checked_setting, leads_elsewhere
from .http.headers import check_headers
from .secrets import Cover, uncovered_address
from .values import JsonObject, Line, Name, Value

AccountType = Literal["webhook"]
"""What kind of provider it is. `webhook`: any program that posts events and takes messages over HTTP."""
ArrivalState = Literal["waiting", "done", "passed_over", "failed"]
HeardKind = Literal["message", "status", "other"]
Status = Literal["sent", "delivered", "read", "failed"]

_DAY = timedelta(hours=24)
_WINDOWS = {"whatsapp": _DAY, "instagram": _DAY, "instagramDm": _DAY}
_RANKS: Mapping[str, int] = {"sent": 1, "failed": 2, "delivered": 3, "read": 4}
_ADDRESS, _HEADER = "config/url", "config/header"
"""Where the secrets of a configuration are kept."""

WindowHours = Annotated[int, Field(ge=1, le=8_760)]


class WebhookConfig(Value):
    """How a program that speaks over HTTP is reached, and what it promises."""

    url: Annotated[Line, Field(description="Where messages are posted to.")]
    header: Annotated[
        Line | None,
        Field(description="A secret header of each call, as Name: value; a value alone is an Authorization."),
    ] = None
    channel: Annotated[Channel, Field(description="The channel that its conversations are shown with.")] = (
        "api"
    )
    repeats_safely: Annotated[
        bool,
        Field(description="Whether a message that comes twice with the same id reaches the person once."),
    ] = False
    typing: Annotated[bool, Field(description="Whether to tell it when an answer is being written.")] = False
    window_hours: Annotated[
        WindowHours | None,
        Field(
            description="How many hours after their last message people may be written to; null for the rule "
            "of the channel."
        ),
    ] = None


class Account(Entity):
    """An account of an agent with a provider: where people write to it, and where it writes to them."""

    agent_id: str
    type: AccountType
    name: Name
    enabled: bool = True
    config: JsonObject = {}
    """Settings by type, secrets as markers."""
    window_hours: WindowHours | None = None
    """How long after their last message people may be written to; None where that is always."""
    token_digest: str = ""
    """The fingerprint of the token with which the provider shows that it is the one."""
    secrets: Annotated[dict[str, Any], Field(exclude=True, repr=False)] = {}

    @property
    def repeats_safely(self) -> bool:
        """Whether a message that is sent twice with the same id arrives once, as the provider promises."""
        return self.config.get("repeatsSafely") is True


class Heard(NamedTuple):
    """One event of a provider, understood."""

    event_id: str
    """What the provider calls it; it comes once in an account."""
    chat: str
    """Who it is with, as the provider names them."""
    text: str = ""
    sent_at: datetime | None = None
    kind: HeardKind = "message"
    name: str = ""
    phone_number: str = ""
    email: str = ""
    attachments: tuple[dict[str, Any], ...] = ()
    is_group: bool = False
    is_mention: bool = False
    """In a group: whether the agent is spoken to."""
    ctwa_attributions: tuple[dict[str, Any], ...] = ()
    """The ads through which the person came."""
    delivery_id: str = ""
    """Of a status: which of our messages it is about, by our id of its sending or by the provider's."""
    status: str = ""
    """Of a status: sent, delivered, read or failed."""
    detail: str = ""
    """Of a status: why it failed."""


class Arrival(Entity):
    """An event of a provider as it came, and what became of it."""

    account_id: str
    event_id: str
    state: ArrivalState = "waiting"
    sent_at: Moment | None = None
    """When it happened, as the provider says."""
    heard: dict[str, Any] = {}
    raw: str = ""
    """What the provider sent, as it came; kept with the first event of a request that was new."""
    conversation_id: str | None = None
    message_id: str | None = None
    reason: str = ""
    """Why it was passed over, or failed."""


def configured(config: WebhookConfig, before: Account | None = None) -> dict[str, Any]:
    """What an account is stored with, secrets covered; `before` is the account that it changes.

    A marker keeps the stored secret, unless the address leads to another host.
    """
    checked_setting("config.url", config.url)
    check_headers("config.header", named_header(config.header or ""))
    stored = {} if before is None else before.secrets
    known = {"url": config.url} if before is None else before.config
    moved = leads_elsewhere("config", {"url": config.url}, {"url": known.get("url")}, stored)
    cover = Cover(stored, leads_elsewhere=moved)
    shown = config.model_dump(mode="json")
    shown["url"] = cover.over_address(_ADDRESS, config.url)
    if config.header:
        shown["header"] = cover.over(_HEADER, config.header)
    return {"config": shown, "window_hours": config.window_hours, "secrets": cover.found}


def address_of(account: Account) -> str:
    """Where messages of an account are posted to, for the moment in which it is used."""
    return uncovered_address(_ADDRESS, str(account.config.get("url") or ""), account.secrets)


def header_of(account: Account) -> dict[str, str]:
    """The header that opens the provider's door, for the moment in which it is used."""
    return named_header(str(account.secrets.get(_HEADER) or ""))


def named_header(written: str) -> dict[str, str]:
    """A header as people write it: `Name: value`, or a value alone, which is an Authorization."""
    name, colon, value = written.partition(":")
    is_name = (
        bool(colon) and name.strip() != "" and all(each.isalnum() or each in "-_" for each in name.strip())
    )
    if not written.strip():
        return {}
    return {name.strip(): value.strip()} if is_name else {"Authorization": written.strip()}


def window_of(channel: str, window_hours: int | None = None) -> timedelta | None:
    """How long after their last message people may be written to; None where that is always."""
    return timedelta(hours=window_hours) if window_hours is not None else _WINDOWS.get(channel)


def is_open(window: timedelta | None, last_heard: datetime | None, at: datetime) -> bool:
    """Whether a person may be written to at a moment."""
    return window is None or (last_heard is not None and at < last_heard + window)


def further(known: str, told: str) -> str:
    """The status of a message once another was told, in whatever order they come: it never goes back.

    That it failed counts only as long as nobody said that it arrived.
    """
    return told if _RANKS.get(told, 0) > _RANKS.get(known, 0) else known
