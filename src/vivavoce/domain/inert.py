"""Inert things: what came from elsewhere, with its secrets blank and all that acts by itself at rest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from .agents import CONFIGS_WITH_SECRETS, Agent
from .avatars import Avatar
from .channels import Account, Arrival
from .crm import Step
from .deliveries import Delivery
from .endpoints import Endpoint, Webhook, webhook_of, webhook_of_step
from .entities import Entity
from .follow_ups import FollowUp
from .http.http_tools import HttpConfig
from .http.loose_requests import covered_request, is_request
from .integrations import Integration
from .knowledge import Datasource, Datastore
from .secrets import MARKER, Cover, is_telling, within
from .tools import Tool
from .turns import Approval, Turn

E = TypeVar("E", bound=Entity)

SECRETS = "its secrets are blank: write them again"
OFF = "it is switched off"
PRIVATE = "it was public: it is private here until you change that"
TOKEN = "its token is gone: renew it"
PAUSED = "its webhook is paused until it is resumed"
NOT_SENT = "it was not sent yet, and is not sent from here"
NOT_ANSWERED = "it was not answered yet, and is not answered from here"
NOT_DECIDED = "it was not decided yet, and the call is not made from here"
NOT_HEARD = "it was not heard yet: retry it to have it heard here"

_MOVED = "It came from elsewhere"


class Inert(NamedTuple, Generic[E]):
    """A thing that does nothing by itself."""

    thing: E
    said: tuple[str, ...]
    """What was taken out or switched off, each in a few words that a report can count."""


def inert(thing: E) -> Inert[E]:
    """The thing without secrets, switched off and private, with nothing left to be sent, answered or decided.

    Anything may be given: what neither acts nor holds secrets comes back as it is. A secret need not be
    covered by a marker already. A webhook has no switch: store what `pause_of` gives beside the thing.
    """
    blank = _Blank("")
    changes, said = _private(thing) if isinstance(thing, Agent | Datastore | Avatar) else _at_rest(thing)
    changes |= _without_secrets(thing, blank)
    can_have_secrets = "secrets" in type(thing).model_fields
    had_secrets = can_have_secrets and (blank.is_used or bool(getattr(thing, "secrets", None)))
    if can_have_secrets:
        changes["secrets"] = {}
    result = thing.model_copy(update=changes)
    if _webhook_of(result) is not None:
        said = (*said, PAUSED)
    return Inert(result, (SECRETS, *said) if had_secrets else said)


def pause_of(thing: Entity, at: datetime) -> Endpoint | None:
    """What keeps the webhook of an inert agent or step quiet until it is resumed; None where it has none."""
    webhook = _webhook_of(thing)
    if webhook is None:
        return None
    return Endpoint(
        id=thing.id,
        organization_id=thing.organization_id,
        created_at=at,
        updated_at=at,
        agent_id=thing.id if isinstance(thing, Agent) else None,
        step_id=thing.id if isinstance(thing, Step) else None,
        url=webhook.shown,
        paused_at=at,
        last_error=f"{_MOVED}.",
    )


def veiled(thing: E) -> E:
    """The thing with a marker for secrets that are stored openly since nobody is shown them."""
    veil = _Blank(MARKER)
    match thing:
        case Account():
            changes: dict[str, Any] = {"token_digest": ""}
        case Arrival():
            changes = {"raw": ""}
        case Delivery() | Turn() | Approval():
            changes = _without_secrets(thing, veil)
        case Tool(config=dict() as config) if thing.type != "http" and is_request(config):
            changes = {"config": covered_request(config, veil)}
        case _:
            return thing
    return thing.model_copy(update=changes)


class _Blank(Cover):
    """Puts the same word in place of every secret, keeping none."""

    def __init__(self, word: str) -> None:
        super().__init__({})
        self.word, self.is_used = word, False

    def over(self, location: str, value: Any) -> str:
        self.is_used = True
        return self.word

    def beside(self, location: str, value: Any) -> Any:
        return self.over(location, value) if value == MARKER else value


def _at_rest(thing: Entity) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What must change so that a thing does nothing by itself, and the words for it."""
    match thing:
        case Integration(enabled=True):
            return {"enabled": False}, (OFF,)
        case Account():
            return {"enabled": False, "token_digest": ""}, (*((OFF,) if thing.enabled else ()), TOKEN)
        case Delivery(state="sending"):
            reason = f"{_MOVED} while it was being sent."
            return {"state": "uncertain", "reason": reason, "due_at": None}, (NOT_SENT,)
        case Delivery(state="waiting" | "held"):
            reason = f"{_MOVED} before it was sent."
            return {"state": "withdrawn", "reason": reason, "due_at": None}, (NOT_SENT,)
        case FollowUp(state="planned" | "sending"):
            return {"state": "cancelled", "reason": f"{_MOVED} before it was sent."}, (NOT_SENT,)
        case Turn(state="waiting" | "running" | "asking"):
            reason = f"{_MOVED} before it was answered."
            return {"state": "interrupted", "reason": reason, "lease_until": None}, (NOT_ANSWERED,)
        case Approval(state="pending"):
            return {"state": "rejected", "note": f"{_MOVED} before it was decided."}, (NOT_DECIDED,)
        case Approval(state="approved"):
            return {"state": "done", "outcome": thing.outcome or "uncertain"}, (NOT_DECIDED,)
        case Arrival(state="waiting"):
            return {"state": "failed", "reason": f"{_MOVED} before it was heard."}, (NOT_HEARD,)
    return {}, ()


def _private(thing: Agent | Datastore | Avatar) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What must change so that no stranger is answered by it."""
    if isinstance(thing, Avatar):
        return ({"is_public": False}, (PRIVATE,)) if thing.is_public else ({}, ())
    return ({"visibility": "private"}, (PRIVATE,)) if thing.visibility == "public" else ({}, ())


def _without_secrets(thing: Entity, blank: _Blank) -> dict[str, Any]:
    """The fields of a thing that may hold secrets, without them."""
    match thing:
        case Agent():
            return {name: _config(name, getattr(thing, name), blank) for name in CONFIGS_WITH_SECRETS}
        case Tool(type="http", config=dict() as config):
            return {"config": _http(config, blank)}
        case Tool(config=dict() as config) if is_request(config):
            return {"config": _loose(config, blank)}
        case Tool() | Datasource():
            return {"config": blank.over_json("config", thing.config)}
        case Account():
            return {"config": _config("config", thing.config, blank)}
        case Step():
            header = blank.over_json("webhookHeader", thing.webhook_header, telling=True)
            url = blank.over_json("webhookUrl", thing.webhook_url)
            return {"webhook_url": url or None, "webhook_header": header or None}
        case Delivery():
            return {"url": blank.over_json("url", thing.url)}
        case Turn():
            url = blank.over_json("callbackUrl", thing.callback_url)
            return {"callback_url": url, "query": blank.over_json("query", thing.query)}
        case Approval():
            parts = ("arguments", "variables", "query")
            # The call is made nowhere else, so that no turn goes on from the steps before it.
            return {"so_far": [], **{name: blank.over_json(name, getattr(thing, name)) for name in parts}}
    return {}


def _config(name: str, config: Mapping[str, Any] | None, blank: _Blank) -> dict[str, Any] | None:
    """Settings without secrets; beside an address, a header opens its door."""
    if config is None:
        return None
    headers = () if name == "interface_config" else ("header", "headerKey")
    return {
        key: blank.over_json(within(name, key), item, telling=key in headers or is_telling(key))
        for key, item in config.items()
    }


def _http(config: dict[str, Any], blank: _Blank) -> dict[str, Any]:
    """The settings of an HTTP tool. Markers stay: without what they stand for, the call is refused."""
    marks = _Blank(MARKER)
    try:
        request = HttpConfig.model_validate(config).covered(marks)
    except ValidationError:
        return _loose(config, blank)
    covered = request.model_dump(mode="json", exclude_none=True)
    covered["url"] = blank.over_json("url", config["url"])
    blank.is_used |= marks.is_used
    return covered


def _loose(config: Mapping[str, Any], blank: _Blank) -> dict[str, Any]:
    """The settings of a request that are not as they should be, or are of a tool that does nothing here."""
    marks = _Blank(MARKER)
    covered = covered_request(config, marks)
    if isinstance(config.get("url"), str):
        covered["url"] = blank.over_json("url", config["url"])
    blank.is_used |= marks.is_used
    return covered


def _webhook_of(thing: Entity) -> Webhook | None:
    match thing:
        case Agent():
            return webhook_of(thing)
        case Step():
            return webhook_of_step(thing)
    return None
