"""Binding: what a thing refers to must be here, or it refers to nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic.alias_generators import to_camel

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.imports import Kind
from vivavoce.errors import NotFound

IsHere = Callable[[Kind, str], bool]


class Missing(NotFound):
    """What a thing belongs to is not here."""


class _Reference(NamedTuple):
    field: str
    to: Kind
    is_needed: bool = False


_REFERENCES: dict[Kind, tuple[_Reference, ...]] = {
    "datasources": (_Reference("datastore_id", "datastores", True),),
    "tools": (_Reference("agent_id", "agents", True), _Reference("datastore_id", "datastores", True)),
    "access": (_Reference("agent_id", "agents", True),),
    "steps": (
        _Reference("scenario_id", "scenarios", True),
        _Reference("agent_id", "agents"),
        _Reference("auto_next_step_id", "steps"),
    ),
    "conversations": (
        _Reference("agent_id", "agents"),
        _Reference("contact_id", "contacts"),
        _Reference("scenario_id", "scenarios"),
        _Reference("step_id", "steps"),
    ),
    "notes": (_Reference("conversation_id", "conversations", True),),
    "crm_logs": (
        _Reference("conversation_id", "conversations", True),
        _Reference("scenario_id", "scenarios", True),
        _Reference("step_id", "steps", True),
    ),
}


def bound(
    kind: Kind, entity: Any, is_here: IsHere, is_copied: IsHere, people: Mapping[str, str]
) -> tuple[Any, list[str]]:
    """The entity with references to what is here alone, and what it referred to besides.

    `people` says who contacts of the account are here. Missing where what it belongs to was not copied:
    something else that has the same id is left alone.
    """
    losses: list[str] = []
    changes: dict[str, Any] = {}
    for field, to, is_needed in _REFERENCES.get(kind, ()):
        id = getattr(entity, field)
        if id is None:
            continue
        if to == "contacts" and id in people:
            id = changes[field] = people[id]
        if (is_copied if is_needed else is_here)(to, id):
            continue
        if is_needed:
            raise Missing(f"its {field.removesuffix('_id')} {id} was not copied")
        changes[field] = None
        losses.append(f"{to_camel(field)}: {id} is not here")
    entity = entity.model_copy(update=changes)
    if isinstance(entity, Conversation) and None in (entity.scenario_id, entity.step_id):
        entity = entity.model_copy(update={"scenario_id": None, "step_id": None})
    return entity, losses
