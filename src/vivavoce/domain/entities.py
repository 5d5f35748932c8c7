"""The shape that every entity shares."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, PlainSerializer

from .values import Unlisted, Value


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is UTC:
        return moment
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def written(moment: datetime) -> str:
    """A point in time as the wire has it; texts in this form sort as the moments do."""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


Moment = Annotated[
    datetime, AfterValidator(_utc), PlainSerializer(written, return_type=str, when_used="json")
]
"""A point in time, in UTC, written as the wire has it: 2026-01-31T09:30:00.000Z."""


class Entity(Value):
    """Something with an identity that outlives a request. Never changed in place."""

    id: str
    organization_id: Annotated[str, Unlisted]
    created_at: Annotated[Moment, Unlisted]
    updated_at: Annotated[Moment, Unlisted]

    def changed(self, at: datetime, **values: object) -> Self:
        """A copy with `values` replaced and every rule checked again."""
        return type(self).model_validate({**self.fields(), **values, "updated_at": at})

    def fields(self) -> dict[str, Any]:
        """Every field by its Python name, values as they are."""
        return {name: getattr(self, name) for name in type(self).model_fields}
