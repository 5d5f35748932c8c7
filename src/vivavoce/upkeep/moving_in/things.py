"""Things of an account as entities of the workspace, inert, with what of them could not be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, get_args

from pydantic import ValidationError

from vivavoce.domain.carrying import Carried, carried
from vivavoce.domain.entities import Entity
from vivavoce.domain.faults import faults_of, in_words
from vivavoce.domain.imports import Kind, fingerprint
from vivavoce.domain.inert import inert
from vivavoce.domain.tools import Tool, ToolDraft, ToolType
from vivavoce.operations import Result

_ACTING = (
    "http",
    "datastore",
    "delayed_responses",
    "follow_up_messages",
    "request_human",
    "mark_as_resolved",
)
_AT_REST = "api_tool"
"""A type of tool that is kept and does nothing."""


@dataclass(frozen=True)
class Thing:
    """A thing that was read, as it is to be stored."""

    kind: Kind
    entity: Any
    there: str
    """The fingerprint of what the account showed."""
    losses: list[str] = field(default_factory=list)
    text: str = ""
    """Of a datasource, what it says."""
    unread: list[str] = field(default_factory=list)
    """What of it could not be read: it failed so far."""
    keeps: tuple[str, ...] = ()
    """Fields that could not be read: they stay as they are here."""

    @property
    def id(self) -> str:
        """Its id, here as there."""
        return str(self.entity.id)


@dataclass(frozen=True)
class Home:
    """The workspace that things move into."""

    organization_id: str
    now: datetime

    def thing(self, kind: Kind, made: type[Entity], shown: Result, *more: str, **fields: Any) -> Thing:
        """The thing that a result shows; `fields` are said otherwise, `more` tells states of it apart."""
        entity, losses = self.carried(made, shown_fields(shown) | fields)
        rest = inert(entity)
        there = fingerprint(kind, shown.model_dump(mode="json"), *more)
        return Thing(kind, rest.thing, there, [*losses, *rest.said])

    def carried(self, made: type[Entity], given: Mapping[str, Any]) -> Carried:
        """The entity that has these fields, as one of this workspace."""
        known = {name: given[name] for name in made.model_fields if name in given}
        known["organization_id"] = self.organization_id
        for name in ("created_at", "updated_at"):
            known[name] = known.get(name) or self.now
        return carried(made, known)

    def tool(self, shown: Result, agent_id: str, place: int) -> Thing:
        """A tool of an agent. One that would not work here is kept as one that does nothing."""
        given = shown_fields(shown)
        fields, losses = _working(given)
        thing = self.thing("tools", Tool, shown, agent_id=agent_id, position=place, **fields)
        return replace(thing, losses=[*losses, *thing.losses])


def shown_fields(shown: Result) -> dict[str, Any]:
    """What a result shows, by Python names; nested things as plain values."""
    return shown.model_dump(mode="python", by_alias=False)


def _working(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The type and the settings of a tool, and why they are not as they were."""
    type_, config = given["type"], given.get("config")
    if type_ in _ACTING:
        draft = {"type": type_, "config": config, "datastore_id": given.get("datastore_id")}
        try:
            return {"config": ToolDraft.model_validate(draft).config}, []
        except ValidationError as error:
            return _resting(given), [f"it is kept, but does nothing: {in_words(faults_of(error))}"]
    if type_ in get_args(ToolType) and type_ != "avatar":
        return {}, [f"tools of type {type_} are kept, but do nothing here"]
    return _resting(given), [f"its type {type_!r} is not known here: it is kept, but does nothing"]


def _resting(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": _AT_REST, "config": {**(given.get("config") or {}), "importedType": given["type"]}}
